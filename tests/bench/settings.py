"""The demo's settings and the app that is measured."""

import os

os.environ.setdefault("PLACET_DEMO", "1")

from oversight.settings import *  # noqa: F403
from oversight.settings import INSTALLED_APPS

INSTALLED_APPS = [*INSTALLED_APPS, "tests.bench.desk"]
