"""`manage.py state_machines > docs/state_machines.md`"""

from typing import Any

from django.core.management.base import BaseCommand

from engine.drawing import document


class Command(BaseCommand):
    help = "Print docs/state_machines.md, made from engine/states.py."
    requires_system_checks = ()

    def handle(self, *args: Any, **options: Any) -> None:
        self.stdout.write(document(), ending="")
