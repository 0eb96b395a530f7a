"""The identity provider of an installation, as the environment names it."""

from dataclasses import dataclass, field
from urllib.parse import urlsplit

from django.core.exceptions import ImproperlyConfigured

LOOPBACK = ("localhost", "127.0.0.1", "::1")


@dataclass(frozen=True, slots=True, kw_only=True)
class Provider:
    """`name` stands on the button; `origins` are where the provider's own pages may be."""

    issuer: str
    client_id: str
    secret: str = field(repr=False)
    name: str
    origins: tuple[str, ...]


def named(*, issuer: str, client_id: str, secret: str, name: str, origins: str) -> Provider:
    """The provider that these settings name. Raises ImproperlyConfigured, and repeats no secret."""
    if not (issuer and client_id and secret):
        raise ImproperlyConfigured(
            "PLACET_OIDC_ISSUER, PLACET_OIDC_CLIENT_ID and PLACET_OIDC_SECRET go together: "
            "set all three, or none to have no sign-in by OpenID Connect."
        )
    places = [issuer, *(origin for origin in origins.split(",") if origin)]
    if not all(map(is_private, places)) or urlsplit(issuer).query or urlsplit(issuer).fragment:
        raise ImproperlyConfigured(
            "PLACET_OIDC_ISSUER is the issuer's address as its discovery document gives it, and "
            "PLACET_OIDC_ORIGINS are origins with commas between them: all by https."
        )
    return Provider(
        issuer=issuer,
        client_id=client_id,
        secret=secret,
        name=name or urlsplit(issuer).netloc,
        origins=tuple(dict.fromkeys(map(origin_of, places))),
    )


def is_private(address: str) -> bool:
    """Nobody reads along on the way there: by https, or on this machine."""
    found = urlsplit(address)
    on_this_machine = found.scheme == "http" and found.hostname in LOOPBACK
    return (found.scheme == "https" and bool(found.hostname)) or on_this_machine


def origin_of(address: str) -> str:
    found = urlsplit(address)
    return f"{found.scheme}://{found.netloc}"
