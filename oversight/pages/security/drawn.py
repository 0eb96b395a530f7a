"""An address for an authenticator app, to be typed or to be photographed."""

from collections.abc import Iterator
from dataclasses import dataclass

import qrcode
from allauth.mfa.adapter import get_adapter

from oversight.models import Person

QUIET = 4
"""Modules around a QR code that stay blank (ISO/IEC 18004)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Offered:
    """A secret in groups of four, its otpauth address, and that as a picture: `path` is drawn in a
    square of `size` units."""

    groups: tuple[str, ...]
    address: str
    path: str
    size: int


def offered(person: Person, secret: str) -> Offered:
    address: str = get_adapter().build_totp_url(person, secret)
    code = qrcode.QRCode(error_correction=qrcode.constants.ERROR_CORRECT_M, border=QUIET)
    code.add_data(address)
    dark = code.get_matrix()
    groups = tuple(secret[at : at + 4] for at in range(0, len(secret), 4))
    return Offered(groups=groups, address=address, path="".join(_runs(dark)), size=len(dark))


def _runs(dark: list[list[bool]]) -> Iterator[str]:
    """Each dark stretch of a row, as one rectangle of a path."""
    for y, row in enumerate(dark):
        start = None
        for x, module in enumerate([*row, False]):
            if module and start is None:
                start = x
            elif not module and start is not None:
                yield f"M{start} {y}h{x - start}v1H{start}z"
                start = None
