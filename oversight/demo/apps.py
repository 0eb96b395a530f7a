"""The demo: example people, an example agent, an example ledger, all on one machine."""

from django.apps import AppConfig


class Demo(AppConfig):
    """Installed only where PLACET_DEMO=1."""

    name = "oversight.demo"
    label = "demo"
