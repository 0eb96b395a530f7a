"""PostgreSQL with no server: everything that needs no connection works, a connection explains."""

from typing import Any

from django.core.exceptions import ImproperlyConfigured
from django.db import OperationalError
from django.db.backends.postgresql import base

_WHAT_TO_DO = (
    "No database is named. Set DATABASE_URL, for example "
    "postgresql://placet@localhost/placet, or start the demo with `make demo`."
)


class NoDatabase(ImproperlyConfigured, OperationalError):
    """No database is named; commands that can do without one take it as unreachable."""


class DatabaseWrapper(base.DatabaseWrapper):
    """Refuses to connect as long as its settings name no database."""

    def get_connection_params(self) -> dict[str, Any]:
        if not self.settings_dict["NAME"]:
            raise NoDatabase(_WHAT_TO_DO)
        return super().get_connection_params()
