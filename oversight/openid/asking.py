"""Asking the provider, from this server: JSON, bounded in time and size, no redirect followed."""

import json
import time
from base64 import b64encode
from collections.abc import Mapping
from typing import Any
from urllib.parse import quote_plus, urlencode

import httpcore

from oversight.openid.problems import OutOfReach
from oversight.openid.provider import is_private

SECONDS = 5.0
MOST = 256 * 1024
FORM = "application/x-www-form-urlencoded"

Document = Mapping[str, Any]


def read(address: str) -> Document:
    """The document at an address. Raises OutOfReach."""
    status, document = _exchanged("GET", address, {}, b"")
    if status != 200:
        raise OutOfReach(f"{address} answered {status}")
    return document


def posted(
    address: str, fields: Mapping[str, str], headers: Mapping[str, str]
) -> tuple[int, Document]:
    """What a form is answered: status and document. Raises OutOfReach."""
    return _exchanged(
        "POST", address, {**headers, "content-type": FORM}, urlencode(fields).encode()
    )


def basic(client_id: str, secret: str) -> str:
    """The header of a client (RFC 6749, 2.3.1): both parts are encoded as forms are."""
    both = f"{quote_plus(client_id)}:{quote_plus(secret)}"
    return f"Basic {b64encode(both.encode()).decode()}"


def _exchanged(
    method: str, address: str, headers: Mapping[str, str], body: bytes
) -> tuple[int, Document]:
    if not is_private(address):
        raise OutOfReach(f"{address[:200]} is not asked: it is no address by https")
    try:
        return _answered(method, address, {**headers, "accept": "application/json"}, body)
    except (httpcore.NetworkError, httpcore.TimeoutException, httpcore.ProtocolError) as problem:
        raise OutOfReach(f"{address}: {type(problem).__name__} {problem}") from problem
    except ValueError as problem:
        raise OutOfReach(f"{address} answered with something that is no JSON object") from problem


def _answered(
    method: str, address: str, headers: Mapping[str, str], body: bytes
) -> tuple[int, Document]:
    until, found = time.monotonic() + 2 * SECONDS, b""
    patience = {"timeout": dict.fromkeys(("connect", "read", "write", "pool"), SECONDS)}
    with (
        httpcore.ConnectionPool() as pool,
        pool.stream(
            method, address, headers=[*headers.items()], content=body, extensions=patience
        ) as answer,
    ):
        for part in answer.iter_stream():
            found += part
            if len(found) > MOST or time.monotonic() > until:
                raise OutOfReach(f"{address} answers with too much, or too slowly")
        document = json.loads(found)
    if not isinstance(document, dict):
        raise ValueError("no object")
    return answer.status, document
