"""The ID token: who somebody is, by the provider's signed word (OpenID Connect Core 1.0, 3.1.3.7).

Its signature is always checked, although it came by TLS from the provider itself and the standard
would let it pass: then what holds is the key, not the way that a token took.
"""

from collections.abc import Mapping
from hmac import compare_digest
from typing import Any

import jwt

from oversight.openid.problems import NotBelieved
from oversight.openid.provider import Provider

ALGORITHMS = (
    *("RS256", "RS384", "RS512", "PS256", "PS384", "PS512"),
    *("ES256", "ES384", "ES512", "EdDSA"),
)
"""Signatures by a key that only the provider has: neither `none` nor anything with our secret."""

SECONDS_APART = 30
"""By which the provider's clock may differ from ours."""

NEEDED = ["iss", "aud", "exp", "iat", "sub", "nonce"]
LONGEST = 255
"""Characters of a subject (Core 1.0, 2)."""


def subject(token: str, keys: Mapping[str, Any], provider: Provider, nonce: str) -> str:
    """Whom the token is of, by the provider's own name for them. Raises NotBelieved."""
    try:
        claims = jwt.decode(
            token,
            _key(token, keys),
            algorithms=ALGORITHMS,
            audience=provider.client_id,
            issuer=provider.issuer,
            leeway=SECONDS_APART,
            options={"require": NEEDED},
        )
    except (jwt.PyJWTError, ValueError, KeyError, TypeError, AttributeError) as problem:
        raise NotBelieved(f"{type(problem).__name__}: {problem}") from problem
    return _for_us(claims, provider, nonce)


def _key(token: str, keys: Mapping[str, Any]) -> jwt.PyJWK:
    """The key that the token names; where it names none, the provider has only one."""
    kid = jwt.get_unverified_header(token).get("kid")
    known = [key for key in jwt.PyJWKSet.from_dict(dict(keys)).keys if key.public_key_use != "enc"]
    fitting = [key for key in known if key.key_id == kid] if kid is not None else known
    if len(fitting) != 1:
        raise NotBelieved("it is signed by a key that the provider does not publish")
    return fitting[0]


def _for_us(claims: Mapping[str, Any], provider: Provider, nonce: str) -> str:
    several = not isinstance(claims["aud"], str) and len(claims["aud"]) > 1
    if claims.get("azp", None if several else provider.client_id) != provider.client_id:
        raise NotBelieved("it was given to another party")
    if not compare_digest(str(claims["nonce"]).encode(), nonce.encode()):
        raise NotBelieved("it is the answer to another question")
    found = claims["sub"]
    if not isinstance(found, str) or not 0 < len(found) <= LONGEST:
        raise NotBelieved("its subject is no name")
    return found
