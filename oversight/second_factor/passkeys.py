"""Passkeys (WebAuthn): asking for one, and what a browser answers.

What is asked holds for one purpose and one answer, right or wrong.
"""

import json
from collections.abc import Mapping
from typing import Any

from allauth.mfa.models import Authenticator
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
        credentials=list(_credentials(person_id)), user_verification=_VERIFIED
    )
    _remember(request, purpose, state)
    return dict(options)


def shown(request: HttpRequest, person_id: int, purpose: str, answer: str) -> Authenticator | None:
    """The passkey that was shown, if it is one of this person's and was asked for this purpose."""
    state, known = _asked(request, purpose), _credentials(person_id)
    if state is None:
        return None
    try:
        found = _server(request).authenticate_complete(state, list(known), json.loads(answer))
    except Exception:
        # It is anybody's bytes, read by several parsers: whatever they trip over, nothing is shown.
        return None
    key = known[found]
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
        credentials=list(_credentials(person.pk)),
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


def _credentials(person_id: int) -> dict[AttestedCredentialData, Authenticator]:
    keys = Authenticator.objects.filter(user_id=person_id, type=Authenticator.Type.WEBAUTHN)
    found = {_credential(key): key for key in keys}
    return {credential: key for credential, key in found.items() if credential is not None}


def _credential(key: Authenticator) -> AttestedCredentialData | None:
    kept = RegistrationResponse.from_dict(key.data["credential"])
    return kept.response.attestation_object.auth_data.credential_data
