"""Start-up: find actions and workflows in the installed apps, check them, wire the hints."""

from django.apps import AppConfig
from django.db import connections
from django.db.models.signals import post_migrate
from django.utils.module_loading import autodiscover_modules


class EngineConfig(AppConfig):
    name = "engine"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        from . import actions, hints, tasks, workflows

        autodiscover_modules("placet_actions", "placet_workflows")
        workflows.check_all()
        actions.check_all()
        hints.deliver_through(tasks.send)
        _introduce()
        post_migrate.connect(_install_doors, sender=self)


def _introduce() -> None:
    """Every connection of this process says which doors it uses, so that they are not dropped."""
    from .store import doors

    options = connections.settings["default"].setdefault("OPTIONS", {})
    options["application_name"] = doors.introduced(options.get("application_name", "placet"))


def _install_doors(using: str = "default", **_: object) -> None:
    from .store import doors

    if using == "default":
        doors.install()
