"""A phone with an authenticator app, in plain Python after RFC 6238; and who has one."""

import base64
import hashlib
import hmac
import struct
import time
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from oversight.models import Person

PERIOD = 30


class Phone:
    """Shows the codes of one secret. None of them is shown twice: a second look is at the next
    one, which counts too."""

    def __init__(self, secret: str) -> None:
        self.secret = secret
        self._last = 0

    def code(self) -> str:
        self._last = max(int(time.time()) // PERIOD - 1, self._last + 1)
        return self.at(self._last)

    def at(self, step: int) -> str:
        key = base64.b32decode(self.secret)
        digest = hmac.new(key, struct.pack(">Q", step), hashlib.sha1).digest()
        start = digest[-1] & 15
        number = struct.unpack(">I", digest[start : start + 4])[0] & 0x7FFFFFFF
        return f"{number % 1_000_000:06}"


def given_a_phone(person: "Person") -> Phone:
    """Somebody who has enrolled an authenticator app some time ago."""
    from oversight.second_factor import factors

    phone = Phone(base64.b32encode(hashlib.sha256(person.username.encode()).digest()[:20]).decode())
    factors.add_app(person, phone.secret, 0)
    return phone
