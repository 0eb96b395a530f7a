"""Log records as single lines, so that nothing written by others can pass for a line of ours."""

import logging
import unicodedata


class OneLine(logging.Formatter):
    """Write a record and its traceback on one line, control characters as visible escapes."""

    def format(self, record: logging.LogRecord) -> str:
        return "".join(map(_visible, super().format(record)))


def _visible(character: str) -> str:
    if unicodedata.category(character) in ("Cc", "Cf", "Cs", "Zl", "Zp"):
        return character.encode("unicode_escape").decode("ascii")
    return character
