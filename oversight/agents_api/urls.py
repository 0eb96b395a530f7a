"""Every address of the agents' API, and of the page that explains it; included at `api/`."""

from django.urls import URLPattern, URLResolver, include, path, re_path
from ninja import NinjaAPI

from .api import api
from .problems import in_problems, no_such_address

app_name = "api"


def _operations(api: NinjaAPI) -> list[URLPattern]:
    """The operations' addresses, without those of ninja's own documents."""
    return [
        URLPattern(found.pattern, in_problems(found.callback), found.default_args, found.name)
        for found in api.urls[0]
        if isinstance(found, URLPattern) and found.name != "api-root"
    ]


v1: list[URLPattern | URLResolver] = [
    *_operations(api),
    re_path("^.*$", no_such_address),
]

urlpatterns: list[URLPattern | URLResolver] = [path("v1/", include((v1, "v1")))]
