"""A worker in a process of its own that knows the tests' actions: advances one run, then ends.

`python -m tests.engine.kit.one_worker RUN_ID`, with DATABASE_URL, and PLACET_FILE_ROOTS as JSON.
"""

import json
import os
import sys
import uuid

import django


def main() -> None:
    os.environ["DJANGO_SETTINGS_MODULE"] = "tests.settings"
    django.setup()
    from django.conf import settings

    from engine import actions, hints, worker
    from tests.engine.kit import acts

    settings.PLACET_FILE_ROOTS = json.loads(os.environ["PLACET_FILE_ROOTS"])
    hints.deliver_through(lambda run_id: None)
    for action in acts.ALL:
        actions.register(action)
    worker.run_once(uuid.UUID(sys.argv[1]))


if __name__ == "__main__":
    main()
