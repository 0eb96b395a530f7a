"""A client of Placet's API for agents, in nothing but the standard library."""

import json
from collections.abc import Mapping
from http.client import HTTPException
from typing import Any
from urllib.error import HTTPError, URLError
from urllib.request import OpenerDirector, ProxyHandler, Request, build_opener

Answer = Mapping[str, Any]

_TIMEOUT_SECONDS = 10.0


class Unreachable(Exception):
    """No answer, or one that is none: whether the request was heard is not known."""


class Problem(Exception):
    """The API refused: an RFC 9457 problem. `code` names it; `retryable` says to try again."""

    def __init__(self, status: int, document: Mapping[str, Any]) -> None:
        self.status = status
        self.code = str(document.get("code", ""))
        self.detail = str(document.get("detail") or document.get("title") or status)
        self.retryable = bool(document.get("retryable", status >= 500))
        super().__init__(f"{status} {self.code}: {self.detail}")


class Placet:
    """The API at `url`, asked with an agent's key.

    Everything that asks for a change takes `once`, a name for it: said again with the same name,
    it changes nothing again. Raises Problem and Unreachable.
    """

    def __init__(self, url: str, key: str) -> None:
        self._base = f"{url.rstrip('/')}/api/v1"
        self._key = key
        # Straight there: what a proxy of this machine is for is not this.
        self._opener: OpenerDirector = build_opener(ProxyHandler({}))

    def start_run(self, workflow: str, state: Answer, *, once: str) -> Answer:
        return self._post("/runs", {"workflow": workflow, "state": state}, once)

    def run(self, run_id: str) -> Answer:
        return self._asked("GET", f"/runs/{run_id}")

    def propose(self, run_id: str, asked: Answer, *, once: str) -> Answer:
        """Ask that one effect be allowed; `asked` is all that is said of it."""
        return self._post(f"/runs/{run_id}/proposals", asked, once)

    def proposal(self, run_id: str, proposal_id: str) -> Answer:
        return self._asked("GET", f"/runs/{run_id}/proposals/{proposal_id}")

    def answer(
        self, run_id: str, proposal_id: str, version: int, asked: Answer, *, once: str
    ) -> Answer:
        """Answer the question about `version` with a new version, the whole of it."""
        path = f"/runs/{run_id}/proposals/{proposal_id}/answers"
        return self._post(path, {**asked, "version": version}, once)

    def finish(self, run_id: str, *, once: str) -> Answer:
        return self._post(f"/runs/{run_id}/finish", {}, once)

    def _post(self, path: str, body: Answer, once: str) -> Answer:
        return self._asked("POST", path, body, {"Idempotency-Key": once})

    def _asked(
        self,
        method: str,
        path: str,
        body: Answer | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> Answer:
        request = Request(  # noqa: S310 - the address comes from whoever runs the agent
            f"{self._base}{path}",
            data=None if body is None else json.dumps(body).encode(),
            method=method,
            headers={"Authorization": f"Bearer {self._key}", **(headers or {})},
        )
        if body is not None:
            request.add_header("Content-Type", "application/json")
        return self._answered(request)

    def _answered(self, request: Request) -> Answer:
        try:
            with self._opener.open(request, timeout=_TIMEOUT_SECONDS) as response:
                return _read(response.read())
        except HTTPError as refusal:
            raise Problem(refusal.code, _read(refusal.read())) from refusal
        except (URLError, HTTPException, OSError) as silence:
            raise Unreachable(str(getattr(silence, "reason", silence))) from silence


def _read(body: bytes) -> Answer:
    try:
        document = json.loads(body)
    except ValueError as garbled:
        raise Unreachable("the answer is not JSON; something else answers there") from garbled
    return document if isinstance(document, dict) else {}
