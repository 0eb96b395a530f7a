"""A line of pagers, thirty years old. A script, not imported.

    python pager.py --folder FOLDER --port PORT

One line of text per connection: `TO TEXT`. What goes out is printed on the tape, FOLDER/pager.tape.
The line knows no keys and cannot be asked what it has sent; and of four messages the first is
printed but never acknowledged, the second is well, the third is lost, the fourth is acknowledged
late.
"""

import argparse
import itertools
import socketserver
import time
from datetime import UTC, datetime
from pathlib import Path

LONGEST = 600
SILENT, WELL, LOST, LATE = range(4)
LATE_SECONDS = 1.5


class Line(socketserver.StreamRequestHandler):
    """One message."""

    timeout = 30
    tape: Path
    numbers: "itertools.count[int]"

    def handle(self) -> None:
        said = self.rfile.readline(LONGEST).decode("utf-8", "replace").strip()
        if not said:
            return
        number = next(self.numbers)
        mood = number % 4
        if mood != LOST:
            self._print(number, said)
        if mood in (SILENT, LOST):
            self.rfile.read(1)  # nothing more is said; the caller hangs up
            return
        if mood == LATE:
            time.sleep(LATE_SECONDS)
        self.wfile.write(f"OK {number + 1}\n".encode())

    def _print(self, number: int, said: str) -> None:
        at = datetime.now(UTC).strftime("%Y-%m-%d %H:%M:%S")
        with self.tape.open("a", encoding="utf-8") as tape:
            tape.write(f"{number + 1:04}  {at}  {said}\n")


class Pager(socketserver.ThreadingTCPServer):
    allow_reuse_address = True
    daemon_threads = True


def counted(counter: Path) -> "itertools.count[int]":
    """Goes on where the line was when it was switched off, as far as the tape tells."""
    lines = counter.read_text(encoding="utf-8").splitlines() if counter.exists() else []
    return itertools.count(int(lines[-1].split()[0]) if lines else 0)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--folder", type=Path, required=True)
    parser.add_argument("--port", type=int, required=True)
    options = parser.parse_args()
    Line.tape = options.folder / "pager.tape"
    Line.numbers = counted(Line.tape)
    with Pager(("127.0.0.1", options.port), Line) as server:
        print(f"pager line listening on {server.server_address[1]}", flush=True)
        server.serve_forever()


if __name__ == "__main__":
    main()
