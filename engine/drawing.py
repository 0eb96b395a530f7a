"""The state machines as a document: a table and a diagram each, made from `states.py`."""

from . import states

_HEAD = """# State machines

Made from `engine/states.py` by `manage.py state_machines`; a test keeps the two the same.
Each arrow is a transition that a door may make. Everything else is refused.
"""

_ABOUT = {
    "run": "One durable execution of a workflow version. Terminal never changes.",
    "effect": "One use of an action. *Recorded is not committed*: `committed_at` is set only "
    "after verification passed.",
    "proposal": "One version of the request that one effect be allowed.",
    "alert": "A fact that a person must acknowledge. It re-opens when it gets worse.",
    "policy": "One version of the rules by which people decide. A second person puts it in force.",
    "exemption": "An approval given beforehand, of a class of requests. That its time is over, or "
    "its last use gone, is no state: it is asked at each use.",
}


def document() -> str:
    """Markdown with a Mermaid diagram and a table for each machine."""
    parts = [_HEAD, *(_machine(name, table) for name, table in states.MACHINES.items())]
    reasons = ", ".join(f"`{reason}`" for reason in states.PAUSE_REASONS)
    return "\n".join([*parts, f"## Why a run is paused\n\n{reasons}\n"])


def _machine(name: str, table: states.Machine) -> str:
    arrows = [f"    {old} --> {new}" for old, onward in table.items() for new in onward]
    ends = [f"    {state} --> [*]" for state in states.terminal(table)]
    rows = [f"| `{old}` | {_listed(onward)} |" for old, onward in table.items()]
    start = next(iter(table))
    return "\n".join(
        [
            f"## {name.capitalize()}\n\n{_ABOUT[name]}\n",
            "```mermaid\nstateDiagram-v2",
            f"    [*] --> {start}",
            *arrows,
            *ends,
            "```\n",
            "| from | to |\n|---|---|",
            *rows,
            "",
        ]
    )


def _listed(onward: tuple[str, ...]) -> str:
    return ", ".join(f"`{state}`" for state in onward) or "*terminal*"
