"""Log records as single lines, so that nothing written by others can pass for a line of ours."""

import json
import logging
import unicodedata
from datetime import UTC, datetime

from engine import noting


class OneLine(logging.Formatter):
    """Write a record and its traceback on one line, control characters as visible escapes."""

    def format(self, record: logging.LogRecord) -> str:
        return visible(super().format(record))


class OneObject(logging.Formatter):
    """Write a record as one JSON object on one line, for machines that collect logs: `at` in UTC,
    `level`, `logger`, `message`, and where there are any `run`, `effect` and `traceback`."""

    def format(self, record: logging.LogRecord) -> str:
        said = {
            "at": datetime.fromtimestamp(record.created, UTC).isoformat(),
            "level": record.levelname,
            "logger": record.name,
            "message": record.getMessage(),
            **noting.here(),
        }
        if record.exc_info:
            said["traceback"] = self.formatException(record.exc_info)
        return json.dumps(said)


def visible(text: str) -> str:
    """Text as one line, for a log or a terminal: what would pass for another is written out."""
    return "".join(map(_visible, text))


def _visible(character: str) -> str:
    if unicodedata.category(character) in ("Cc", "Cf", "Cs", "Zl", "Zp"):
        return character.encode("unicode_escape").decode("ascii")
    return character
