"""The words of ASGI, version 3, as far as they are used here: https://asgi.readthedocs.io/."""

from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any

Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
Application = Callable[[Message, Receive, Send], Awaitable[None]]

PREFIX = "/api/v1/"
"""Where the API begins, as a path of the whole site."""
