"""The API as a whole: its operations, who is let in, how it refuses."""

from typing import Any

from django.http import HttpRequest, HttpResponse
from ninja import NinjaAPI
from ninja.operation import Operation
from ninja.security import HttpBearer

from . import noting, pace, problems
from .keys import Caller, recognised
from .operations import router
from .waiting import asked_again


class AgentKey(HttpBearer):
    """Only the Authorization header counts: a session's cookie is never looked at."""

    def __call__(self, request: HttpRequest) -> Caller:
        caller = recognised(request.headers.get(self.header, ""))
        if not asked_again(request):
            pace.count(caller.key_id)
        return caller

    def authenticate(self, request: HttpRequest, token: str) -> Caller:
        return recognised(f"Bearer {token}")


class AgentsApi(NinjaAPI):
    """Every exception, ninja's own too, is answered with a problem."""

    def on_exception(self, request: HttpRequest, exc: Any) -> HttpResponse:
        try:
            noting.note(request, exc)
        except Exception as fault:
            exc = fault
        return problems.answer_to(request, exc)

    def get_openapi_operation_id(self, operation: Operation) -> str:
        return operation.view_func.__name__


api = AgentsApi(
    title="Placet for agents",
    version="1",
    auth=AgentKey(),
    docs_url=None,
    openapi_url=None,
    urls_namespace="api:v1",
)
api.add_router("", router)
