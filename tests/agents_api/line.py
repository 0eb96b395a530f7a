"""An agent at a real web server: the same requests over real connections."""

import http.client
import json
import uuid
from typing import Any
from urllib.parse import urlsplit

from tests.agents_api.caller import Caller
from tests.faults.processes import PATIENCE, Web

Answer = tuple[int, dict[str, str], Any]


class Line:
    """One agent's requests to one server, each on a connection of its own."""

    def __init__(self, web: Web, caller: Caller) -> None:
        self.server, self.address = web, urlsplit(web.url).netloc
        self.key = caller.key

    def ask(self, method: str, path: str, body: Any = None, once: str | None = None) -> Answer:
        headers = {"Authorization": f"Bearer {self.key}", "Content-Type": "application/json"}
        if method == "POST":
            headers["Idempotency-Key"] = once or str(uuid.uuid4())
        connection = http.client.HTTPConnection(self.address, timeout=PATIENCE)
        sent = body if isinstance(body, bytes | type(None)) else json.dumps(body)
        connection.request(method, path, sent, headers)
        answer = connection.getresponse()
        read = answer.read()
        connection.close()
        named = {name.lower(): value for name, value in answer.getheaders()}
        return answer.status, named, json.loads(read)

    def insist(self, path: str, body: Any, once: str) -> Answer:
        """Post until the answer is not that the same request is still being answered."""
        for _ in range(200):
            status, headers, told = self.ask("POST", path, body, once)
            if status != 409:
                return status, headers, told
            assert told["code"] == "still_running"
            assert headers["retry-after"] == "1"
        raise AssertionError("it is still being answered after 200 tries")
