"""A process in which one contestant sits, warm, and does what it is told line by line.

`python -m tests.bench.seat NAME URL NUMBER`. An order is a JSON object of `load`, `runs` and
`threads`; the answer has the `seconds` it took, the `cpu` seconds of this process, and for each
run the seconds from node to node.
"""

import json
import sys
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from typing import Any

from .contestants import contestant, install
from .load import Load

MOST_THREADS = 8


def main() -> None:
    name, url, number = sys.argv[1:]
    if number == "install":
        return install(name, url)
    sitting = contestant(name)(url, int(number))
    _say({"ready": name})
    pool = ThreadPoolExecutor(MOST_THREADS)
    for line in sys.stdin:
        _say(_lap(sitting, pool, **json.loads(line)))


def _lap(
    sitting: Any, pool: ThreadPoolExecutor, *, load: dict[str, Any], runs: int, threads: int
) -> dict[str, Any]:
    """So many runs, spread over so many threads."""
    carried, left, taking = Load(**load), iter(range(runs)), threading.Lock()

    def work() -> Iterator[list[float]]:
        while True:
            with taking:
                if next(left, None) is None:
                    return
            yield [after - before for before, after in pairwise(sitting.run(carried))]

    wall, cpu = time.perf_counter(), time.process_time()
    worked = [pool.submit(lambda: list(work())) for _ in range(threads)]
    made = [run for future in worked for run in future.result()]
    return {
        "seconds": time.perf_counter() - wall,
        "cpu": time.process_time() - cpu,
        "made": made,
    }


def _say(facts: dict[str, Any]) -> None:
    print(json.dumps(facts), flush=True)  # noqa: T201 - the answer to whoever started this


if __name__ == "__main__":
    main()
