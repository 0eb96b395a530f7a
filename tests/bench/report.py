"""What was measured, as a page: tables, goals, and a picture."""

from collections.abc import Iterable, Sequence
from typing import Any

from .contestants import DBOS, EVERYBODY, LANGGRAPH, PLACET
from .goals import Goal, goals
from .parts.transitions import FLOOR
from .words import BINDS, FAIRNESS, INTRODUCTION

_SHAPES = {"one": "one worker", "many": "two processes of eight runs each"}


def page(results: dict[str, Any]) -> str:
    makers = {
        "transitions": _transitions,
        "sizes": _sizes,
        "effects": _effects,
        "takeover": _takeover,
        "stored": _stored,
    }
    parts = [make(results[part]) for part, make in makers.items() if part in results]
    return "\n\n".join([_head(results), _goals(goals(results)), *parts, FAIRNESS]) + "\n"


def _head(results: dict[str, Any]) -> str:
    about = results["about"]
    versions = ", ".join(f"{name} {version}" for name, version in about["versions"].items())
    return (
        f"# Benchmarks\n\n{INTRODUCTION}\n\n"
        "![Transitions a second of everybody](img/benchmarks.svg)\n\n"
        f"Measured on {about['when']}: {about['cores']} cores, {about['memory']} GB of memory, "
        f"PostgreSQL {about['postgres']} (embedded), whose disk flushes 8 kB in "
        f"{about['flush'] * 1e6:,.0f} µs (median). {versions}."
    )


def _goals(all_goals: Sequence[Goal]) -> str:
    rows = [
        [goal.what, f"{'≤' if goal.most else '≥'} {_number(goal.wanted)} {goal.unit}",
         f"{_number(goal.reached)} {goal.unit}", goal.verdict]
        for goal in all_goals
    ]  # fmt: skip
    table = _table(["goal", "wanted", "reached", ""], rows)
    return f"## Goals\n\n{table}\n\n{BINDS}"


def _transitions(found: dict[str, Any]) -> str:
    parts = ["## Transitions", "Runs of 20 trivial nodes, all of whose 2 kB state changes at each."]
    for shape, words in _SHAPES.items():
        rows = [_shape_row(name, of) for name, of in found["shapes"][shape].items()]
        head = [words, "transitions/s", "Placet ×", "p50 ms", "p95 ms", "p99 ms", "CPU s/1,000"]
        parts.append(_table(head, rows))
    rows = [
        [name, *(_number(written[what]) for what in ("statements", "commits", "wal", "table"))]
        for name, written in found["written"].items()
    ]
    parts.append(
        "What one transition writes, a run's beginning and end shared out among its 20:\n\n"
        + _table(["", "statements", "commits", "WAL bytes", "table bytes"], rows)
    )
    return "\n\n".join(parts)


def _shape_row(name: str, of: dict[str, float]) -> list[str]:
    told = [_number(of[what]) if what in of else "" for what in ("p50", "p95", "p99", "cpu")]
    times = "" if name == PLACET else _number(of["ratio"])
    return [_called(name), f"{of['rate']:,.0f}", times, *told]


def _called(name: str) -> str:
    called = {
        FLOOR: "floor (pgbench)",
        DBOS: "DBOS (`@DBOS.step`)",
        LANGGRAPH: "LangGraph `PostgresSaver`, durability sync",
    }
    return called.get(name, name)


def _sizes(found: list[dict[str, Any]]) -> str:
    rows = [
        [f"{one['size'] // 1000} kB", "all" if one["whole"] else "100 bytes",
         *(_number(one[name]["p50"]) for name in EVERYBODY),
         *(f"{one[name]['wal']:,.0f}" for name in EVERYBODY)]
        for one in found
    ]  # fmt: skip
    head = ["state", "changing"]
    head += [f"{name} ms" for name in EVERYBODY] + [f"{name} WAL bytes" for name in EVERYBODY]
    words = "The median transition of one worker, once a run has set its state."
    return f"## Large states\n\n{words}\n\n{_table(head, rows)}"


def _effects(found: dict[str, Any]) -> str:
    return (
        "## From approval to commit\n\n"
        "Through the engine's API, the broker, a worker of two processes, the gate, a target that "
        "answers at once, verification: "
        f"**{found['rate']:,.0f} effects/s** (median of bursts of {found['effects']}, approved by "
        f"two threads), and when nothing else is to do {found['p50']:.1f} ms p50, "
        f"{found['p95']:.1f} ms p95."
    )


def _takeover(found: dict[str, Any]) -> str:
    return (
        "## Takeover\n\n"
        f"{found['kills']} workers were killed (SIGKILL) after the target had acted and before "
        f"that was recorded, under a lease of {found['lease']:g} s: another worker had the run "
        f"{found['p50']:.1f} s later (median; {found['worst']:.1f} s at worst). Of "
        f"{found['effects']} effects {found['repeated']} were repeated."
    )


def _stored(found: dict[str, Any]) -> str:
    rows = [
        [f"{int(count):,}", f"{of['rate']:,.0f}", _number(of["p50"]), f"{of['more']:+.0%}"]
        for count, of in found.items()
    ]
    head = ["stored events", "transitions/s", "p50 ms", "dearer"]
    return f"## With many events stored\n\n{_table(head, rows)}"


def _table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = [head, ["---"] + ["---:"] * (len(head) - 1), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _number(value: float) -> str:
    if value >= 100:
        return f"{value:,.0f}"
    return f"{value:.1f}" if value >= 10 else f"{value:.2f}"
