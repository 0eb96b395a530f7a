"""Every address of the agents' API, and of the page that explains it; included at `api/`."""

from django.urls import URLPattern, URLResolver, include, path, re_path
from ninja import NinjaAPI

from .api import api
from .openapi import openapi_json
from .page import page, problem
from .problems import in_problems, no_such_address

app_name = "api"


def _operations(api: NinjaAPI) -> list[URLPattern]:
    """The operations' addresses, without ninja's own documents."""
    return [
        URLPattern(found.pattern, in_problems(found.callback), found.default_args, found.name)
        for found in api.urls[0]
        if isinstance(found, URLPattern) and found.name != "api-root"
    ]


urlpatterns: list[URLPattern | URLResolver] = [
    path("", page, name="page"),
    path("problems/<slug:code>", problem, name="problem"),
    path("v1/openapi.json", openapi_json, name="openapi"),
    path("v1/", include((_operations(api), "v1"))),
    re_path("^v1(?:/.*)?$", no_such_address, name="nowhere"),
]
