"""Start-up of the project around the engine."""

from django.apps import AppConfig


class OversightConfig(AppConfig):
    name = "oversight"

    def ready(self) -> None:
        from oversight.second_factor import sessions  # noqa: F401 - hears who signs in
