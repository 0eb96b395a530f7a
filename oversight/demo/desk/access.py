"""Who may do what in the shop: a service of its own over HTTP. A script, not imported.

    python access.py --folder FOLDER --port PORT

FOLDER keeps what it holds; DESK_SECRET in the environment is what a caller must bring as
`Authorization: Bearer …`. It honours an Idempotency-Key for ever, can be asked what became of one,
and forgets nothing that was revoked.
"""

import argparse
import hashlib
import hmac
import json
import os
import sqlite3
import threading
from collections.abc import Callable
from datetime import UTC, datetime
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

MEMBERS = {
    "mara": "Mara Vogel, warehouse",
    "jon": "Jon Ek, telephone desk",
    "lena": "Lena Okoye, bookkeeping",
    "rehearsal": "Nobody: rollbacks are rehearsed on this member",
}
LARGEST_BODY = 16 * 1024

_TABLES = """
CREATE TABLE IF NOT EXISTS access_grant (
    id TEXT PRIMARY KEY, member TEXT NOT NULL, role TEXT NOT NULL,
    granted_at TEXT NOT NULL, revoked_at TEXT
);
CREATE TABLE IF NOT EXISTS honoured (
    key TEXT PRIMARY KEY, request TEXT NOT NULL, status INTEGER NOT NULL, answer TEXT NOT NULL
);
"""

Answer = tuple[int, dict[str, Any]]


class Book:
    """What the service holds, in one SQLite file; one caller at a time."""

    def __init__(self, file: Path) -> None:
        self._turn = threading.Lock()
        self._rows = sqlite3.connect(file, check_same_thread=False, isolation_level=None)
        self._rows.row_factory = sqlite3.Row
        self._rows.execute("PRAGMA journal_mode = WAL")
        self._rows.executescript(_TABLES)

    def once(self, key: str, request: str, act: Callable[[], Answer]) -> Answer:
        """Act, and keep the answer under the key, in one transaction; or give the answer of then.

        What was refused is not kept: nothing happened under that key.
        """
        with self._turn, self._rows:
            self._rows.execute("BEGIN IMMEDIATE")
            known = self._one("SELECT * FROM honoured WHERE key = ?", key)
            if known and known["request"] != request:
                return 422, {"error": "this key was used for another request"}
            if known:
                return known["status"], json.loads(known["answer"])
            status, answer = act()
            if status < 400:
                kept = [key, request, status, json.dumps(answer)]
                self._rows.execute("INSERT INTO honoured VALUES (?, ?, ?, ?)", kept)
            return status, answer

    def by_key(self, key: str) -> dict[str, Any] | None:
        with self._turn:
            known = self._one("SELECT answer FROM honoured WHERE key = ?", key)
        return json.loads(known["answer"]) if known else None

    def grant(self, member: str, role: str) -> Answer:
        if member not in MEMBERS:
            return 422, {"error": f"there is no member {member!r}"}
        if self._one(_STANDING + " AND role = ?", member, role):
            return 422, {"error": f"{member} has this role already"}
        number = self._one("SELECT count(*) AS n FROM access_grant")["n"] + 1
        found = {"id": f"G-{number:04}", "member": member, "role": role}
        self._rows.execute(
            "INSERT INTO access_grant VALUES (:id, :member, :role, :at, NULL)",
            {**found, "at": _now()},
        )
        return 201, found

    def revoke(self, grant: str) -> Answer:
        changed = self._rows.execute(
            "UPDATE access_grant SET revoked_at = ? WHERE id = ? AND revoked_at IS NULL",
            [_now(), grant],
        )
        return (200, {"id": grant}) if changed.rowcount else (404, {"error": "no such grant"})

    def standing(self, grant: str) -> dict[str, Any] | None:
        with self._turn:
            query = "SELECT id, member, role FROM access_grant WHERE id = ? AND revoked_at IS NULL"
            found = self._one(query, grant)
        return dict(found) if found else None

    def member(self, name: str) -> dict[str, Any] | None:
        with self._turn:
            roles = self._rows.execute(_STANDING, [name]).fetchall()
        if name not in MEMBERS:
            return None
        return {"id": name, "name": MEMBERS[name], "roles": sorted(row["role"] for row in roles)}

    def everything(self) -> list[dict[str, Any]]:
        with self._turn:
            rows = self._rows.execute("SELECT * FROM access_grant ORDER BY id DESC").fetchall()
        return [{**dict(row), "name": MEMBERS[row["member"]]} for row in rows]

    def _one(self, query: str, *values: Any) -> Any:
        return self._rows.execute(query, values).fetchone()


_STANDING = "SELECT * FROM access_grant WHERE revoked_at IS NULL AND member = ?"


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")


class Caller(BaseHTTPRequestHandler):
    """One request. What it may say is in the docstring of this script."""

    protocol_version = "HTTP/1.1"
    timeout = 10
    book: Book
    secret: str

    def do_GET(self) -> None:
        if not self._is_known():
            return self._reply(401, {"error": "say who you are"})
        match self._path():
            case ["grants"]:
                self._reply(200, {"grants": self.book.everything()})
            case ["members", name]:
                self._found(self.book.member(name))
            case ["grants", "by-key", key]:
                self._found(self.book.by_key(key))
            case ["grants", grant]:
                self._found(self.book.standing(grant))
            case _:
                self._found(None)

    def do_POST(self) -> None:
        self._change()

    def do_DELETE(self) -> None:
        self._change()

    def _change(self) -> None:
        body = self._body()
        if not self._is_known() or body is None:
            return self._reply(401, {"error": "say who you are, and briefly"})
        key = self.headers.get("Idempotency-Key")
        if not key:
            return self._reply(400, {"error": "an Idempotency-Key is needed"})
        request = hashlib.sha256(f"{self.command} {self.path}\n".encode() + body).hexdigest()
        self._reply(*self._carried_out(key, request, body))

    def _carried_out(self, key: str, request: str, body: bytes) -> Answer:
        match self.command, self._path():
            case "POST", ["grants"]:
                return self.book.once(key, request, lambda: self.book.grant(**_asked(body)))
            case "DELETE", ["grants", grant]:
                return self.book.once(key, request, lambda: self.book.revoke(grant))
            case _:
                return 404, {"error": "there is no such thing"}

    def _is_known(self) -> bool:
        said = self.headers.get("Authorization", "")
        return hmac.compare_digest(said.encode("latin-1"), f"Bearer {self.secret}".encode())

    def _path(self) -> list[str]:
        return self.path.partition("?")[0].strip("/").split("/")

    def _body(self) -> bytes | None:
        length = self.headers.get("Content-Length") or "0"
        if not length.isdigit() or int(length) > LARGEST_BODY:
            self.close_connection = True
            return None
        return self.rfile.read(int(length))

    def _found(self, record: dict[str, Any] | None) -> None:
        self._reply(*((200, record) if record is not None else (404, {"error": "not here"})))

    def _reply(self, status: int, body: Any) -> None:
        raw = json.dumps(body).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(raw)))
        self.end_headers()
        self.wfile.write(raw)


def _asked(body: bytes) -> dict[str, str]:
    """Member and role as text; empty where there is none, which no member is called."""
    try:
        found = json.loads(body)
    except ValueError:
        found = None
    record = found if isinstance(found, dict) else {}
    return {name: str(record.get(name, "")) for name in ("member", "role")}


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--folder", type=Path, required=True)
    parser.add_argument("--port", type=int, required=True)
    options = parser.parse_args()
    Caller.book = Book(options.folder / "access.sqlite")
    Caller.secret = os.environ["DESK_SECRET"]
    server = ThreadingHTTPServer(("127.0.0.1", options.port), Caller)
    server.daemon_threads = True
    print(f"access service listening on {server.server_port}", flush=True)
    server.serve_forever()


if __name__ == "__main__":
    main()
