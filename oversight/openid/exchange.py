"""The way there and back: the authorization code flow with PKCE (OpenID Connect Core 1.0, 3.1).

Nothing is asked for but who it is: no mail address, no name, no groups.
"""

from urllib.parse import urlencode

from django.http import HttpRequest
from django.urls import reverse

from oversight.openid import asking, tokens
from oversight.openid.attempts import Attempt
from oversight.openid.discovery import Doors, doors
from oversight.openid.problems import Declined, NotBelieved
from oversight.openid.provider import Provider


def way_there(request: HttpRequest, provider: Provider, attempt: Attempt) -> str:
    """The address of the provider's sign-in page, for this attempt. Raises OutOfReach."""
    asked = {
        "response_type": "code",
        "scope": "openid",
        "client_id": provider.client_id,
        "redirect_uri": _back(request),
        "state": attempt.state,
        "nonce": attempt.nonce,
        "code_challenge": attempt.challenge,
        "code_challenge_method": "S256",
    }
    address = doors(provider).people
    return f"{address}{'&' if '?' in address else '?'}{urlencode(asked)}"


def subject(request: HttpRequest, provider: Provider, attempt: Attempt) -> str:
    """Who came back from there. Raises Declined, NotBelieved, OutOfReach."""
    if request.GET.get("iss", provider.issuer) != provider.issuer:
        raise NotBelieved("another issuer answered (RFC 9207)")
    if "error" in request.GET or "code" not in request.GET:
        raise Declined(request.GET.get("error", "no code")[:200])
    way = doors(provider)
    token = _exchanged(request, provider, attempt, way)
    return tokens.subject(token, asking.read(way.keys), provider, attempt.nonce)


def _exchanged(request: HttpRequest, provider: Provider, attempt: Attempt, way: Doors) -> str:
    fields = {
        "grant_type": "authorization_code",
        "code": request.GET["code"],
        "redirect_uri": _back(request),
        "code_verifier": attempt.verifier,
    }
    headers = {}
    if way.by_header:
        headers["authorization"] = asking.basic(provider.client_id, provider.secret)
    else:
        fields |= {"client_id": provider.client_id, "client_secret": provider.secret}
    status, told = asking.posted(way.codes, fields, headers)
    if status != 200 or not isinstance(told.get("id_token"), str):
        raise NotBelieved(f"the code was not exchanged: {status} {str(told.get('error'))[:200]}")
    return str(told["id_token"])


def _back(request: HttpRequest) -> str:
    return request.build_absolute_uri(reverse("openid:back"))
