"""Call an outside service once over HTTP, and re-read what it holds on another connection.

The service is named in the settings (see `engine.kit.services`); nothing but its own address is
ever called.
"""

import re
from collections.abc import Mapping
from typing import Any, ClassVar
from urllib.parse import quote

from django.core.exceptions import ImproperlyConfigured

from engine.actions import Action, Refused
from engine.canonical import frozen, parse
from engine.errors import BadInput
from engine.types import Answer, Facts, Finding, Verified

from .failures import Unexpected, Unusable
from .redaction import Redaction
from .services import Service, check_headers
from .wire import LARGEST_REPLY, Reply, Request

METHODS = ("POST", "PUT", "PATCH", "DELETE")
NEVER_A_REFUSAL = (408, 425, 429)
"""Time-out, too early, too many: the request may still be carried out, now or later."""

_PLACE = re.compile(r"\{([a-z_][a-z0-9_]*)\}")


class HttpCall(Action):
    """One request to the service that `PLACET_HTTP_TARGETS[service]` names.

    `path`, `reread` and `by_key` are templates below the service's base_url: `{member}` is the
    argument of that name, percent-encoded; `reread` may also use `{resource_id}`, `by_key` uses
    `{key}`. `id_field` names the member of the answer that is the resource's id; None when the
    answer has no body that matters.

    The defaults claim nothing for the service. Say what it does by contract:

    - It can be asked by key: set `by_key` and `target_class = "probe"`. A status in
      `absent_statuses` must then mean that the service itself has never taken that key.
    - It also carries a key out once only: `target_class = "idempotent"` and `dedupe_window`, the
      seconds for which it remembers a key.
    - `refusals` are the statuses after which surely nothing happened and nothing will.
    """

    service: ClassVar[str]
    method: ClassVar[str] = "POST"
    path: ClassVar[str]
    reread: ClassVar[str]
    by_key: ClassVar[str | None] = None
    id_field: ClassVar[str | None] = "id"
    key_header: ClassVar[str] = "Idempotency-Key"
    token_header: ClassVar[str | None] = None
    refusals: ClassVar[frozenset[int]] = frozenset({400, 401, 403, 404, 405, 410, 413, 415, 422})
    absent_statuses: ClassVar[frozenset[int]] = frozenset({404})
    verification = "The service is asked again, on a connection of its own."

    def __init_subclass__(cls, **more: Any) -> None:
        super().__init_subclass__(**more)
        if cls.method not in METHODS:
            raise ImproperlyConfigured(f"{cls.__name__}: the method is one of {METHODS}.")
        for template in (getattr(cls, "path", "/"), getattr(cls, "reread", "/"), cls.by_key or "/"):
            if not template.startswith("/"):
                raise ImproperlyConfigured(f"{cls.__name__}: {template!r} begins without a `/`.")
        if any(not 400 <= no < 500 or no in NEVER_A_REFUSAL for no in cls.refusals):
            raise ImproperlyConfigured(
                f"{cls.__name__}: a refusal is one of 400 to 499, but never 408, 425 or 429."
            )

    def body(self, args: Any) -> Facts | None:
        """The JSON object to send; None for no body."""
        return dict(args.model_dump(mode="json"))

    def headers(self, args: Any) -> Mapping[str, str]:
        """More headers of the request. One with a line break in it is refused, not sent."""
        return {}

    def expected(self, args: Any) -> Facts | None:
        """Member → value that `reread` must show afterwards; None: it must be gone."""
        raise NotImplementedError

    def execute(self, args: Any, *, key: str, fencing_token: int) -> Answer:
        service = Service.named(self.service)
        request = Request(
            method=self.method,
            target=f"{service.prefix}{self._filled(self.path, args)}",
            headers=self._request_headers(service, args, key, fencing_token),
            body=self._frozen_body(args),
        )
        return self._answer(service, service.call(request, self.call_seconds))

    def _frozen_body(self, args: Any) -> bytes:
        body = self.body(args)
        return b"" if body is None else frozen(body)

    def _request_headers(
        self, service: Service, args: Any, key: str, fencing_token: int
    ) -> dict[str, str]:
        token = {self.token_header: str(fencing_token)} if self.token_header else {}
        ours = {self.key_header: key, **token}
        own = self.headers(args)
        check_headers({**own, **ours}, f"a header of {self.name}")
        content = {} if self.body(args) is None else {"Content-Type": "application/json"}
        return _merged({"Accept": "application/json"}, own, service.headers, ours, content)

    def _answer(self, service: Service, reply: Reply) -> Answer:
        if 200 <= reply.status < 300:
            return self.answered(service.redaction, reply)
        said = service.redaction.excerpt(reply.body)
        if reply.status in self.refusals:
            raise Refused(f"{reply.status} {said}".strip())
        raise Unexpected(f"The service answered {reply.status} {said}".strip())

    def answered(self, redaction: Redaction, reply: Reply) -> Answer:
        """The answer in a reply that says yes. Raises Unusable."""
        if self.id_field is None:
            return Answer(resource_id=None, result={"status": reply.status})
        record = redaction.value(_json_object(reply))
        resource_id = record.get(self.id_field)
        if isinstance(resource_id, bool) or not isinstance(resource_id, str | int):
            raise Unusable(f"The answer has no {self.id_field!r} that is a text or a number.")
        return Answer(resource_id=str(resource_id), result=record)

    def reconcile(self, args: Any, *, key: str) -> Finding:
        if self.by_key is None:
            return Finding(kind="unclear", result="This service cannot be asked by key.")
        service = Service.named(self.service)
        reply = self._got(service, self._filled(self.by_key, args, key=key))
        if reply.status in self.absent_statuses:
            return Finding(kind="absent", result={"status": reply.status})
        if reply.status != 200:
            said = service.redaction.excerpt(reply.body)
            return Finding(kind="unclear", result={"status": reply.status, "said": said})
        answer = self.answered(service.redaction, reply)
        return Finding(kind="found", resource_id=answer.resource_id, result=answer.result)

    def verify(self, args: Any, *, resource_id: str | None) -> Verified:
        expected = self.expected(args)
        observed = self.read(self.reread, args, resource_id=resource_id)
        if expected is None:
            seen = "passed" if observed is None else "mismatch"
            return Verified(verification=seen, expected="gone", observed=observed or "gone")
        if observed is None:
            return Verified(verification="not_yet", expected=dict(expected))
        shown = {name: observed.get(name) for name in expected}
        passed = frozen(shown) == frozen(dict(expected))
        return Verified(
            verification="passed" if passed else "mismatch", expected=dict(expected), observed=shown
        )

    def read(
        self, template: str, args: Any, *, resource_id: str | None = None
    ) -> dict[str, Any] | None:
        """GET what lies there now, on a connection of its own; None when it is not there.

        Raises CallFailed or Refused when the service gives no answer that tells either.
        """
        service = Service.named(self.service)
        reply = self._got(service, self._filled(template, args, resource_id=resource_id))
        if reply.status in (404, 410):
            return None
        if reply.status != 200:
            said = service.redaction.excerpt(reply.body)
            raise Unexpected(f"The service answered {reply.status} {said}".strip())
        return dict(service.redaction.value(_json_object(reply)))

    def _got(self, service: Service, path: str) -> Reply:
        fresh = {"Accept": "application/json", "Cache-Control": "no-cache"}
        request = Request(
            method="GET",
            target=f"{service.prefix}{path}",
            headers=_merged(fresh, service.headers),
        )
        return service.call(request, self.call_seconds)

    def _filled(self, template: str, args: Any, **more: str | None) -> str:
        given = {**args.model_dump(mode="json"), **more}
        return _PLACE.sub(lambda place: _segment(place[1], given.get(place[1])), template)


def _merged(*headers: Mapping[str, str]) -> dict[str, str]:
    """One header of each name, the later one; names differ in more than capitals."""
    return {name.lower(): value for some in headers for name, value in some.items()}


def _segment(name: str, value: Any) -> str:
    """A value as one part of a path: it cannot become a path, a query or a way upwards."""
    text = str(value) if isinstance(value, str | int) and not isinstance(value, bool) else ""
    if text in ("", ".", ".."):
        raise Refused(f"{name!r} cannot be part of the service's address.")
    return quote(text, safe="")


def _json_object(reply: Reply) -> dict[str, Any]:
    if reply.headers.get("content-encoding", "identity").lower() != "identity":
        raise Unusable("The answer is compressed, which was not asked for.")
    try:
        record = parse(reply.body, limit=LARGEST_REPLY)
    except BadInput:  # not chained: its words quote the answer
        raise Unusable("The answer is not JSON that can be kept exactly.") from None
    if not isinstance(record, dict):
        raise Unusable("The answer is not a JSON object.")
    return record
