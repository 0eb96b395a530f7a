"""A real service over HTTP that grants roles, honours idempotency keys, and misbehaves on demand.

`python -m tests.engine.kit.access_service` listens on a free port of 127.0.0.1 and says
`listening on PORT`. `POST /_next {"mode": …}` decides how the next grant is answered; `GET /_seen`
tells every request that came, with its headers and the client's port.
"""

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

MEMBERS = {"mara": "Mara Vogel", "jon": "Jon Ek"}
LONG = 400
"""How often something is done that seems to have no end: every test is over before."""

STATUSES = {
    "busy": 409,
    "early": 425,
    "many": 429,
    "timeout": 408,
    "error_before": 503,
    "refuse": 422,
    "teapot": 418,
}


class Shelf:
    """What the service holds."""

    def __init__(self) -> None:
        self.turn = threading.Lock()
        self.grants: dict[str, dict[str, Any]] = {}
        self.by_key: dict[str, str] = {}
        self.seen: list[dict[str, Any]] = []
        self.mode: dict[str, Any] = {"mode": "honest"}
        self.over = threading.Event()

    def grant(self, key: str, wanted: dict[str, Any]) -> dict[str, Any]:
        """Once for each key; a key that was honoured before gives the grant of then."""
        with self.turn:
            if key not in self.by_key:
                grant = {"id": f"G-{len(self.by_key) + 1}", **wanted}
                self.grants[grant["id"]] = grant
                self.by_key[key] = grant["id"]
            return self.grants[self.by_key[key]]

    def next_mode(self) -> dict[str, Any]:
        mode, self.mode = self.mode, {"mode": "honest"}
        return mode


SHELF = Shelf()


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        self.note()
        match self.path.split("?")[0].strip("/").split("/"):
            case ["_seen"]:
                self.reply(200, {"seen": SHELF.seen, "grants": list(SHELF.grants.values())})
            case ["members", name] if name in MEMBERS:
                self.reply(200, {"id": name, "name": MEMBERS[name]})
            case ["grants", "by-key", key] if key in SHELF.by_key:
                self.reply(200, SHELF.grants[SHELF.by_key[key]])
            case ["grants", grant] if grant in SHELF.grants:
                self.reply(200, SHELF.grants[grant])
            case _:
                self.reply(404, {"error": "there is no such thing"})

    def do_DELETE(self) -> None:
        self.note()
        grant = self.path.rpartition("/")[2]
        SHELF.grants.pop(grant, None)
        self.reply(204)

    def do_POST(self) -> None:
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])) or b"{}")
        if self.path == "/_next":
            SHELF.mode = asked
            return self.reply(200, {})
        self.note(asked)
        mode = SHELF.next_mode()
        return getattr(self, f"mode_{mode['mode']}", self.mode_status)(asked, mode)

    def note(self, body: Any = None) -> None:
        SHELF.seen.append(
            {
                "method": self.command,
                "path": self.path,
                "headers": dict(self.headers.items()),
                "body": body,
                "port": self.client_address[1],
            }
        )

    def granted(self, asked: dict[str, Any]) -> dict[str, Any]:
        return SHELF.grant(self.headers["Idempotency-Key"], asked)

    def reply(self, status: int, body: Any = None, **headers: str) -> None:
        raw = b"" if body is None else json.dumps(body).encode()
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), value)
        self.send_header("Content-Length", str(len(raw)))
        self.end_headers()
        self.wfile.write(raw)

    def raw(self, *pieces: bytes) -> None:
        self.close_connection = True
        for piece in pieces:
            self.wfile.write(piece)
            self.wfile.flush()

    # --- How a grant is answered ---

    def mode_honest(self, asked: dict[str, Any], mode: dict[str, Any]) -> None:
        self.reply(201, self.granted(asked))

    def mode_status(self, asked: dict[str, Any], mode: dict[str, Any]) -> None:
        self.reply(STATUSES[mode["mode"]], {"error": f"{mode['mode']}, and nothing was done"})

    def mode_lie_role(self, asked: dict[str, Any], mode: dict[str, Any]) -> None:
        """Says what was asked for, and holds something else."""
        grant = self.granted({**asked, "role": "owner"})
        self.reply(201, {**grant, "role": asked["role"]})

    def mode_lie_nothing(self, asked: dict[str, Any], mode: dict[str, Any]) -> None:
        self.reply(201, {"id": "G-never", **asked})

    def mode_error_after(self, asked: dict[str, Any], mode: dict[str, Any]) -> None:
        self.granted(asked)
        self.reply(500, {"error": "it broke after the deed"})

    def mode_drop_after(self, asked: dict[str, Any], mode: dict[str, Any]) -> None:
        self.granted(asked)
        self.close_connection = True

    def mode_drop_before(self, asked: dict[str, Any], mode: dict[str, Any]) -> None:
        self.close_connection = True

    def mode_cut_short(self, asked: dict[str, Any], mode: dict[str, Any]) -> None:
        self.granted(asked)
        self.raw(b'HTTP/1.1 201 Created\r\nContent-Length: 500\r\n\r\n{"id": ')

    def mode_hang(self, asked: dict[str, Any], mode: dict[str, Any]) -> None:
        self.granted(asked)
        SHELF.over.wait(LONG * 0.05)

    def mode_redirect(self, asked: dict[str, Any], mode: dict[str, Any]) -> None:
        self.reply(307, None, Location=mode["to"])

    def mode_oversize(self, asked: dict[str, Any], mode: dict[str, Any]) -> None:
        self.reply(201, {**self.granted(asked), "padding": "x" * 2_000_000})

    def mode_endless(self, asked: dict[str, Any], mode: dict[str, Any]) -> None:
        self.granted(asked)
        self.raw(b"HTTP/1.1 201 Created\r\nTransfer-Encoding: chunked\r\n\r\n")
        for _ in range(LONG):
            self.raw(b"10000\r\n", b" " * 0x10000, b"\r\n")

    def mode_endless_head(self, asked: dict[str, Any], mode: dict[str, Any]) -> None:
        self.granted(asked)
        for _ in range(LONG):
            self.raw(b"HTTP/1.1 100 Continue\r\nX-Padding: " + b"x" * 9000 + b"\r\n\r\n")

    def mode_slow_head(self, asked: dict[str, Any], mode: dict[str, Any]) -> None:
        self.granted(asked)
        self.raw(b"HTTP/1.1 201 Created\r\nX-Slow: ")
        self.dribble()

    def mode_slow_body(self, asked: dict[str, Any], mode: dict[str, Any]) -> None:
        self.granted(asked)
        self.raw(b"HTTP/1.1 201 Created\r\nContent-Length: 900000\r\n\r\n")
        self.dribble()

    def dribble(self) -> None:
        for _ in range(LONG):
            SHELF.over.wait(0.05)
            self.raw(b" ")

    def mode_garbage(self, asked: dict[str, Any], mode: dict[str, Any]) -> None:
        self.granted(asked)
        self.raw(b"\x16\x03\x01 this is no HTTP at all\r\n\r\n")

    def mode_no_json(self, asked: dict[str, Any], mode: dict[str, Any]) -> None:
        self.granted(asked)
        self.raw(b"HTTP/1.1 200 OK\r\nContent-Length: 11\r\n\r\n<html>done.")

    def mode_twice(self, asked: dict[str, Any], mode: dict[str, Any]) -> None:
        """JSON that two parsers read differently."""
        self.granted(asked)
        self.raw(b'HTTP/1.1 200 OK\r\nContent-Length: 24\r\n\r\n{"id": "G-1","id":"G-9"}')

    def mode_compressed(self, asked: dict[str, Any], mode: dict[str, Any]) -> None:
        self.reply(201, self.granted(asked), Content_Encoding="gzip")

    def mode_echo(self, asked: dict[str, Any], mode: dict[str, Any]) -> None:
        """Gives back every header that it was sent, as debugging services do."""
        self.reply(201, {**self.granted(asked), "headers": dict(self.headers.items())})

    def mode_echo_error(self, asked: dict[str, Any], mode: dict[str, Any]) -> None:
        self.reply(mode["status"], {"headers": dict(self.headers.items())})

    def log_message(self, *words: Any) -> None:
        pass


def main() -> None:
    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    print(f"listening on {server.server_port}", flush=True)  # noqa: T201 - the tests wait for it
    server.serve_forever()


if __name__ == "__main__":
    main()
