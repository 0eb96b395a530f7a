"""Codes that people type: of an authenticator app (RFC 6238), or for want of it, for recovery."""

import re
import time
from hmac import compare_digest

from allauth.mfa import app_settings
from allauth.mfa.models import Authenticator
from allauth.mfa.recovery_codes.internal.auth import RecoveryCodes
from allauth.mfa.totp.internal.auth import format_hotp_value, hotp_value
from allauth.mfa.utils import decrypt
from django.db import transaction
from django.utils import timezone

EITHER_WAY = 1
"""Steps of 30 seconds by which the app's clock may differ from ours."""


def shown(person_id: int, code: str) -> Authenticator | None:
    """The person's app, if this is a code of it that was not used before.

    Of each step at most one code counts, and none of a step before the last one that did, whichever
    process is asked (RFC 6238, 5.2).
    """
    with transaction.atomic():
        app = _locked(person_id, Authenticator.Type.TOTP)
        step = matching(decrypt(app.data["secret"]), code) if app else None
        if app is None or step is None or step <= app.data.get("last_step", -1):
            return None
        app.data["last_step"] = step
        app.last_used_at = timezone.now()
        app.save(update_fields=["data", "last_used_at"])
        return app


def matching(secret: str, code: str) -> int | None:
    """The step of which this is the code, among those around now."""
    now, typed = int(time.time()) // app_settings.TOTP_PERIOD, re.sub(r"\s", "", code)
    steps = range(now - EITHER_WAY, now + EITHER_WAY + 1)
    return next((step for step in steps if _is_of(secret, step, typed)), None)


def _is_of(secret: str, step: int, typed: str) -> bool:
    code = format_hotp_value(hotp_value(secret, step))
    return compare_digest(code.encode(), typed.encode())


def recovered(person_id: int, code: str) -> Authenticator | None:
    """The person's recovery codes, if this is one of them that was not used before."""
    with transaction.atomic():
        kept = _locked(person_id, Authenticator.Type.RECOVERY_CODES)
        typed = re.sub(r"\s", "", code)
        return kept if kept and RecoveryCodes(kept).validate_code(typed) else None


def _locked(person_id: int, kind: str) -> Authenticator | None:
    return Authenticator.objects.select_for_update().filter(user_id=person_id, type=kind).first()
