"""What a person saw when they decided: kept with the decision, and shown again to who audits."""

import uuid
import zlib
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from hashlib import sha256
from typing import Any

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone, translation
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from oversight.models import Shown
from oversight.pages.proposal import pieces, reads
from oversight.pages.proposal.reads import Heard, Version
from oversight.reading.hurry import too_fast

INERT = "sandbox; default-src 'none'; style-src 'self'; frame-ancestors 'none'; base-uri 'none'"
"""Nothing on a page that is kept can be sent, run or followed."""


def kept(item: Version, token: Mapping[str, Any]) -> dict[str, Any]:
    """The token, with the seconds for which its page was shown, and whether that page is kept.

    A page that was shown is not stored, for looking at one changes nothing. It is drawn again here,
    as of the moment in the token, and kept if it is the same to the byte.
    """
    shown_at = datetime.fromisoformat(token["at"])
    seconds = round((timezone.now() - shown_at).total_seconds(), 1)
    html = _drawn_again(item, token, shown_at)
    same = sha256(html).hexdigest() == token.get("page")
    if same:
        Shown.objects.get_or_create(digest=token["page"], defaults={"body": zlib.compress(html)})
    return {**token, "seconds": seconds, "kept": same}


def _drawn_again(item: Version, token: Mapping[str, Any], at: datetime) -> bytes:
    with translation.override(token["locale"]), timezone.override(token["zone"]):
        return pieces.whole(pieces.drawn(item, at))


@dataclass(frozen=True, slots=True, kw_only=True)
class Kept:
    """`html` is what was shown, to the byte; None where it is not there, and `why_not` says why."""

    html: bytes | None
    why_not: str = ""


def again(heard: Heard) -> Kept:
    """The page of a decision, if what is stored is what its token says."""
    page = heard.seen.get("page")
    if page is None:
        return Kept(html=None, why_not=_("This decision did not come from a page."))
    if not heard.seen.get("kept"):
        return Kept(
            html=None,
            why_not=_(
                "Something on the page had changed between showing and deciding, so it could not "
                "be drawn again to the byte. Its hash, the digest and all that was asked are kept."
            ),
        )
    record = Shown.objects.filter(digest=page).first()
    html = _unpacked(bytes(record.body)) if record else None
    if html is None or sha256(html).hexdigest() != page:
        return Kept(html=None, why_not=_("What is stored is not what was shown: it was altered."))
    return Kept(html=html)


def _unpacked(body: bytes) -> bytes | None:
    try:
        return zlib.decompress(body)
    except zlib.error:
        return None


@require_safe
def told(
    request: HttpRequest, proposal_id: uuid.UUID, version: int, decision_id: uuid.UUID
) -> HttpResponse:
    """What is known of what somebody saw, and the way to the page itself."""
    item, heard = _found(proposal_id, version, decision_id)
    context = {"item": item, "heard": heard, "kept": again(heard), "hurry": too_fast(heard.seen)}
    return render(request, "proposal/seen.html", context)


@require_safe
def page(
    request: HttpRequest, proposal_id: uuid.UUID, version: int, decision_id: uuid.UUID
) -> HttpResponse:
    """The page as it was, inert."""
    _item, heard = _found(proposal_id, version, decision_id)
    found = again(heard)
    if found.html is None:
        raise Http404
    response = render(request, "proposal/seen_page.html", {"html": found.html.decode()})
    response.headers["Content-Security-Policy"] = INERT
    return response


def _found(proposal_id: uuid.UUID, version: int, decision_id: uuid.UUID) -> tuple[Version, Heard]:
    item, heard = reads.version(proposal_id, version), reads.heard(decision_id)
    if item is None or heard is None or heard.version_id != item.id:
        raise Http404
    return item, heard
