"""What pages show of the provider, and may lead to."""

from collections.abc import Callable
from typing import Any

from csp.decorators import csp_update
from django.conf import settings
from django.http import HttpRequest


def button(request: HttpRequest) -> dict[str, Any]:
    """Context processor: `openid`, the provider where one is named."""
    return {"openid": settings.PLACET_OPENID}


def leads_there(view: Callable[..., Any]) -> Callable[..., Any]:
    """A page whose form leads to the provider says so in its content policy; no other page does."""
    provider = settings.PLACET_OPENID
    if provider is None:
        return view
    led: Callable[..., Any] = csp_update({"form-action": list(provider.origins)})(view)
    return led
