"""Documents that people and agents hand in: what their types let in, and what is told otherwise."""

from collections.abc import Iterable

from pydantic import BaseModel, ConfigDict, ValidationError

from .errors import BadInput


class Strict(BaseModel):
    """Nothing coerced, nothing unknown let in, nothing changed afterwards."""

    model_config = ConfigDict(strict=True, extra="forbid", frozen=True)


def refusal(problem: ValidationError, root: str = "$") -> BadInput:
    """The first thing that is wrong with a document, and where in it."""
    first = problem.errors(include_url=False, include_input=False)[0]
    return BadInput(first["msg"].rstrip(".") + ".", path=path(first["loc"], root))


def path(places: Iterable[int | str], root: str = "$") -> str:
    return root + "".join(f"[{p}]" if isinstance(p, int) else f".{p}" for p in places)
