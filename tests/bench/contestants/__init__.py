"""Who is measured: each module has a `Contestant` that makes runs of trivial, durable nodes."""

from importlib import import_module
from typing import Any

PLACET, DBOS, LANGGRAPH = "Placet", "DBOS", "LangGraph"
_MODULES = {PLACET: "placet", DBOS: "dbos_steps", LANGGRAPH: "langgraph_saver"}
EVERYBODY = tuple(_MODULES)


def contestant(name: str) -> Any:
    return import_module(f"{__name__}.{_MODULES[name]}").Contestant


def install(name: str, url: str) -> None:
    """Make this contestant's tables; in a process of its own, since some keep what they saw."""
    contestant(name).install(url)
