"""One mail to be sent, as several tests send it."""

import itertools
from typing import Any

from engine.kit.email import EmailSend
from tests.engine.kit.acts import TellCustomer

_numbers = itertools.count(1)


TEXT = "Dear Mara,\n\nwe have paid back 25.00 for the lamp.\n.\nÄlso: sorry.\n"


def a_key() -> str:
    return f"{next(_numbers):064x}"


def asked(**changed: Any) -> Any:
    facts = {"to": ("mara@home.example",), "subject": "Your refund", "body": TEXT}
    return TellCustomer.Arguments(**{**facts, **changed})


def send(key: str, args: Any = None, action: type[EmailSend] = TellCustomer) -> Any:
    return action().execute(args or asked(), key=key, fencing_token=1)
