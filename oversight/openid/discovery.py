"""Where the provider's doors are, by its own word (OpenID Connect Discovery 1.0).

Asked anew for every attempt: people sign in a few times a day, and a key that the provider has
withdrawn opens nothing from then on.
"""

from dataclasses import dataclass

from oversight.openid import asking
from oversight.openid.problems import OutOfReach
from oversight.openid.provider import Provider, origin_of

WELL_KNOWN = "/.well-known/openid-configuration"


@dataclass(frozen=True, slots=True, kw_only=True)
class Doors:
    """Where people sign in, where codes are exchanged, where the keys are; whether the client's
    secret is sent as a header or, where the provider takes it in no other way, in the form."""

    people: str
    codes: str
    keys: str
    by_header: bool


def doors(provider: Provider) -> Doors:
    """Raises OutOfReach, too where it is another issuer's document (Discovery 1.0, 4.3)."""
    told = asking.read(provider.issuer.rstrip("/") + WELL_KNOWN)
    if told.get("issuer") != provider.issuer:
        raise OutOfReach(f"this is the document of another issuer: {str(told.get('issuer'))[:200]}")
    ways = told.get("token_endpoint_auth_methods_supported", ["client_secret_basic"])
    try:
        found = Doors(
            people=str(told["authorization_endpoint"]),
            codes=str(told["token_endpoint"]),
            keys=str(told["jwks_uri"]),
            by_header="client_secret_basic" in ways,
        )
    except (KeyError, TypeError) as problem:
        raise OutOfReach("its document lacks an address that is needed") from problem
    if origin_of(found.people) not in provider.origins:
        raise OutOfReach(
            f"its sign-in page is at {origin_of(found.people)}: name that in PLACET_OIDC_ORIGINS"
        )
    return found
