"""What django-allauth's second factors are in this project: named, and sealed where they lie."""

import base64
from functools import cache

from allauth.core import context
from allauth.mfa.adapter import DefaultMFAAdapter
from cryptography.fernet import Fernet, MultiFernet
from django.conf import settings
from django.utils.crypto import salted_hmac

ISSUER = "Placet"


class SecondFactors(DefaultMFAAdapter):
    """Secrets are sealed by the installation's key; where that was changed, the keys before it
    still open what they sealed."""

    def get_totp_issuer(self) -> str:
        return ISSUER

    def get_public_key_credential_rp_entity(self) -> dict[str, str]:
        """A passkey is bound to the name under which this is reached, whatever its port."""
        return {"id": context.request.get_host().partition(":")[0], "name": ISSUER}

    def encrypt(self, text: str) -> str:
        return _cipher().encrypt(text.encode()).decode()

    def decrypt(self, encrypted_text: str) -> str:
        return _cipher().decrypt(encrypted_text.encode()).decode()


@cache
def _cipher() -> MultiFernet:
    keys = map(str, (settings.SECRET_KEY, *settings.SECRET_KEY_FALLBACKS))
    return MultiFernet([Fernet(base64.urlsafe_b64encode(_derived(key))) for key in keys])


def _derived(key: str) -> bytes:
    purpose = "oversight.second_factor.sealing"
    return salted_hmac(purpose, "", secret=key, algorithm="sha256").digest()
