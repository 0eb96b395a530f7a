"""The API as a whole: its operations, who is let in, how it refuses."""

from django.http import HttpRequest
from ninja import NinjaAPI
from ninja.security import HttpBearer

from . import problems
from .keys import Caller, recognised
from .operations import router


class AgentKey(HttpBearer):
    """Only the Authorization header counts: a session's cookie is never looked at."""

    def __call__(self, request: HttpRequest) -> Caller:
        return recognised(request.headers.get(self.header, ""))

    def authenticate(self, request: HttpRequest, token: str) -> Caller:
        return recognised(f"Bearer {token}")


api = NinjaAPI(
    title="Placet for agents",
    version="1",
    auth=AgentKey(),
    docs_url=None,
    openapi_url=None,
    urls_namespace="api:v1",
)
api.add_router("", router)
problems.handled_by(api)
