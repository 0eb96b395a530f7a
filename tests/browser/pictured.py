"""Of which pages there is a picture, by the routes of the project."""

import os
from collections.abc import Iterable
from contextlib import suppress

import django

PARTS = ("live", "news", "measured", "download", "value", "openapi", "nowhere", "sign_in")
"""What a route is called that answers with a part of a page, or with none."""

ON_THE_WAY = {
    *("start", "proposal:newest", "demo:elsewhere", "audit:exports_live", "api:problem"),
    *(f"openid:{name}" for name in ("start", "back", "link", "unlink")),
}
"""Routes that lead on to another one; a picture is taken there."""

AS_ANOTHER = {"exemptions:step_up"}
"""Pages that look as another one does: this is `proposal:step_up` with other words."""


def unseen(paths: Iterable[str]) -> set[str]:
    """The routes with a page of their own of which none of these is the path."""
    os.environ["DJANGO_SETTINGS_MODULE"] = "tests.settings"
    django.setup()
    from django.urls import Resolver404, resolve

    from oversight.access import ROUTES, Open
    from tests.pages.test_matrix import SAYING

    seen = set()
    for path in paths:
        with suppress(Resolver404):
            seen.add(resolve(path).view_name)
    pages = {name for name, allowed in ROUTES.items() if allowed is not Open.TO_KEYS}
    parts = {name for name in pages if name.rpartition(":")[2] in PARTS}
    return pages - parts - ON_THE_WAY - AS_ANOTHER - SAYING - seen
