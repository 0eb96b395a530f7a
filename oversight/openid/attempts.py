"""One attempt to sign in at the provider, or to link: what the session keeps of it meanwhile.

It holds for one answer, in the browser that began it, for the person who began it, and not long.
"""

import secrets
import time
from base64 import urlsafe_b64encode
from dataclasses import asdict, dataclass
from hashlib import sha256
from hmac import compare_digest

from django.http import HttpRequest

_KEPT = "placet.openid"
SECONDS = 600


@dataclass(frozen=True, slots=True, kw_only=True)
class Attempt:
    """`person` links an identity; None signs in, and goes to the page `then`."""

    state: str
    nonce: str
    verifier: str
    begun_at: float
    person: int | None
    then: str

    @property
    def challenge(self) -> str:
        """The verifier's, by S256 (RFC 7636, 4.2)."""
        digest = sha256(self.verifier.encode()).digest()
        return urlsafe_b64encode(digest).rstrip(b"=").decode()


def begun(request: HttpRequest, then: str = "") -> Attempt:
    """A new one; the one before it, if there is any, holds no more."""
    state, nonce, verifier = (secrets.token_urlsafe(32) for _ in range(3))
    attempt = Attempt(
        state=state,
        nonce=nonce,
        verifier=verifier,
        begun_at=time.time(),
        person=request.user.pk,
        then=then,
    )
    request.session[_KEPT] = asdict(attempt)
    return attempt


def taken_up(request: HttpRequest) -> Attempt | None:
    """The attempt that this is the answer to, once."""
    kept, state = request.session.get(_KEPT), request.GET.get("state", "")
    if not kept or not compare_digest(kept["state"].encode(), state.encode()):
        return None
    attempt = Attempt(**request.session.pop(_KEPT))
    in_time = 0 <= time.time() - attempt.begun_at < SECONDS
    return attempt if in_time and attempt.person == request.user.pk else None
