#!/usr/bin/env python
"""Django's command line. Beside a running demo, every command works on the demo's database."""

import os
import sys
from pathlib import Path


def main() -> None:
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "oversight.settings")
    if sys.argv[1:2] in (["demo"], ["scenarios"], ["crashproof"]):
        os.environ["PLACET_DEMO"] = "1"
    else:
        from oversight.environment import adopt_running_demo

        adopt_running_demo(os.environ, Path(__file__).parent / ".placet")
    from django.core.management import execute_from_command_line

    execute_from_command_line(sys.argv)


if __name__ == "__main__":
    main()
