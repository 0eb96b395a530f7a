"""What was displayed to whom, as a signed token that travels with the form.

It comes back with the decision and is stored with it. A decision without the token of this very
page, for this very person, is refused: the digest alone would only prove that somebody knew it.
"""

from collections.abc import Mapping
from datetime import UTC, datetime
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core import signing
from django.utils import timezone
from django.utils.translation import get_language

from engine.errors import DigestMismatch
from oversight.pages.proposal.reads import Version

SALT = "placet.proposal.displayed"


def token(item: Version, person_id: int, now: datetime, **measured: Any) -> str:
    """Sign what is displayed: which digest, by which templates, in which language and zone, when;
    and what was `measured` of it, its hash and its words."""
    return signing.dumps(
        {
            "digest": item.digest,
            "template": template_version(),
            "locale": get_language(),
            "zone": timezone.get_current_timezone_name(),
            "at": now.astimezone(UTC).isoformat(),
            "person": person_id,
            **measured,
        },
        salt=SALT,
    )


def opened(text: str, *, digest: str, person_id: int) -> Mapping[str, Any]:
    """What the token says. Raises DigestMismatch unless it is of this person and this digest."""
    try:
        seen: Mapping[str, Any] = signing.loads(text, salt=SALT)
    except signing.BadSignature as problem:
        raise DigestMismatch("The proof of what was displayed is not one of ours.") from problem
    if seen["person"] != person_id:
        raise DigestMismatch("The proof of what was displayed is somebody else's.")
    if seen["digest"] != digest:
        raise DigestMismatch("The proof of what was displayed is for something else.")
    return seen


@cache
def template_version() -> str:
    """Which templates draw the page: the first characters of a SHA-256 over all of them."""
    folder = Path(settings.BASE_DIR) / "templates"
    files = sorted([*folder.glob("proposal/*.html"), *folder.glob("parts/*.html")])
    return sha256(b"".join(file.read_bytes() for file in files)).hexdigest()[:12]
