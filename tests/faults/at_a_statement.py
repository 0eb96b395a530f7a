"""A worker of the tests can be held right before a statement, as at a point of the engine.

`PLACET_HOLD=statement` with `PLACET_HOLD_STATEMENT=run_parked` holds it before the first statement
that speaks of `run_parked`: a door's name, or the kind of an event. Imported by every worker that
runs with the tests' settings.
"""

import os
from collections.abc import Sequence
from typing import Any

from engine import db
from engine.crashpoints import reach


def hold_before(what: str) -> None:
    real = db.value

    def value(sql: str, params: Sequence[Any] = ()) -> Any:
        if what in sql or what in params:
            reach("statement")
        return real(sql, params)

    db.value = value


if spoken_of := os.environ.get("PLACET_HOLD_STATEMENT"):
    hold_before(spoken_of)
