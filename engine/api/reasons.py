"""Whatever a person does to a run, they say why."""

from engine.canonical import check
from engine.errors import BadInput


def must_have_a_reason(reason: str) -> None:
    """Raises BadInput for an empty one, or one that cannot be stored exactly."""
    check(reason, "$.reason")
    if not reason.strip():
        raise BadInput("Give a reason.", path="$.reason")
