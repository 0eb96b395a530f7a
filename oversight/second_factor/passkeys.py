"""Passkeys (WebAuthn): asking for one, and what a browser answers.

What is asked holds for one purpose and one answer, right or wrong.
"""

import json
from collections.abc import Mapping
from typing import Any

from allauth.mfa.models import Authenticator
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils import timezone
from fido2.server import Fido2Server
from fido2.webauthn import (
    AttestedCredentialData,
    PublicKeyCredentialRpEntity,
    PublicKeyCredentialUserEntity,
    RegistrationResponse,
    ResidentKeyRequirement,
    UserVerificationRequirement,
)

from oversight.models import Person
from oversight.second_factor.adapter import ISSUER

_ASKED = "placet.passkey"
_VERIFIED = UserVerificationRequirement.REQUIRED

Options = Mapping[str, Any]


def ask(request: HttpRequest, person_id: int, purpose: str) -> Options:
    """What a browser needs to show one of this person's passkeys."""
    options, state = _server(request).authenticate_begin(
        credentials=_credentials(person_id), user_verification=_VERIFIED
    )
    _remember(request, purpose, state)
    return dict(options)


def shown(request: HttpRequest, person_id: int, purpose: str, answer: str) -> Authenticator | None:
    """The passkey that was shown, if it is one of this person's and was asked for this purpose."""
    state = _asked(request, purpose)
    if state is None:
        return None
    known = {_credential(key).credential_id: key for key in _kept(person_id)}
    try:
        server, said = _server(request), json.loads(answer)
        found = server.authenticate_complete(state, _credentials(person_id), said)
    except Exception:
        # It is anybody's bytes, read by several parsers: whatever they trip over, nothing is shown.
        return None
    key = known[found.credential_id]
    key.last_used_at = timezone.now()
    key.save(update_fields=["last_used_at"])
    return key


def ask_for_new(request: HttpRequest, person: Person, purpose: str) -> Options:
    """What a browser needs to make a passkey for this person."""
    entity = PublicKeyCredentialUserEntity(
        name=person.username, id=str(person.pk).encode(), display_name=str(person)
    )
    options, state = _server(request).register_begin(
        entity,
        credentials=_credentials(person.pk),
        resident_key_requirement=ResidentKeyRequirement.DISCOURAGED,
        user_verification=_VERIFIED,
    )
    _remember(request, purpose, state)
    return dict(options)


def made(request: HttpRequest, purpose: str, answer: str) -> Mapping[str, Any] | None:
    """The new credential as it is kept, if it was asked for."""
    state = _asked(request, purpose)
    if state is None:
        return None
    try:
        credential: Mapping[str, Any] = json.loads(answer)
        _server(request).register_complete(state, credential)
    except Exception:
        # As above: nothing was made.
        return None
    return credential


def _server(request: HttpRequest) -> Fido2Server:
    host = request.get_host().partition(":")[0]
    return Fido2Server(PublicKeyCredentialRpEntity(id=host, name=ISSUER))


def _remember(request: HttpRequest, purpose: str, state: Mapping[str, Any]) -> None:
    request.session[_ASKED] = {"purpose": purpose, "state": dict(state)}


def _asked(request: HttpRequest, purpose: str) -> Any:
    asked = request.session.pop(_ASKED, None)
    return asked["state"] if asked and asked["purpose"] == purpose else None


def _credentials(person_id: int) -> list[AttestedCredentialData]:
    return [_credential(key) for key in _kept(person_id)]


def _kept(person_id: int) -> QuerySet[Authenticator]:
    return Authenticator.objects.filter(user_id=person_id, type=Authenticator.Type.WEBAUTHN)


def _credential(key: Authenticator) -> AttestedCredentialData:
    """Raises ValueError for a passkey without a credential; `made` keeps none such."""
    kept = RegistrationResponse.from_dict(key.data["credential"])
    credential = kept.response.attestation_object.auth_data.credential_data
    if credential is None:
        raise ValueError("no credential")
    return credential
