"""Secrets out of everything that is kept or shown: answers, messages, evidence."""

import base64
import binascii
import re
from collections.abc import Iterable, Mapping
from typing import Any

REDACTED = "[redacted]"
SHORTEST = 4
"""A shorter value is no secret, and its removal would garble whatever holds the same letters."""

LONGEST_EXCERPT = 300
_CONTROLS = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]+")


class Redaction:
    """Takes the given secrets out of texts, and the parts and codings in which they travel."""

    def __init__(self, secrets: Iterable[str]) -> None:
        forms = {form for secret in secrets for form in _forms(secret) if len(form) >= SHORTEST}
        longest_first = sorted(forms, key=len, reverse=True)
        self._pattern = re.compile("|".join(map(re.escape, longest_first)) or r"(?!)")

    def text(self, text: str) -> str:
        return self._pattern.sub(REDACTED, text)

    def value(self, value: Any) -> Any:
        """A JSON value with every text in it redacted, names of members included."""
        match value:
            case str():
                return self.text(value)
            case Mapping():
                return {self.text(name): self.value(item) for name, item in value.items()}
            case list() | tuple():
                return [self.value(item) for item in value]
            case _:
                return value

    def excerpt(self, raw: bytes | str) -> str:
        """The beginning of what a target said, on one line, fit for a message or a log."""
        text = raw.decode("utf-8", "replace") if isinstance(raw, bytes) else raw
        # Redacted before it is cut: half a secret is not recognised any more.
        line = _CONTROLS.sub(" ", self.text(text)).strip()
        return line if len(line) <= LONGEST_EXCERPT else f"{line[:LONGEST_EXCERPT]}…"


def _forms(secret: str) -> Iterable[str]:
    """`Bearer abc` is also `abc`; `Basic …` also what it codes; and each of them in Base64."""
    words = secret.split()
    credentials = words[1:] or words
    plain = [secret, *credentials]
    for word in credentials:
        plain += _decoded(word)
    return [*plain, *(base64.b64encode(form.encode()).decode() for form in plain)]


def _decoded(word: str) -> list[str]:
    try:
        text = base64.b64decode(word, validate=True).decode()
    except (binascii.Error, UnicodeDecodeError):
        return []
    return [text, *text.split(":", 1)[1:]]
