"""What a key allows: `*`, or a list of `workflow:<name>`, `action:<name>` and `event:<name>`.

`workflow:*`, `action:*` and `event:*` allow every one of their kind. Reading one's own runs needs
no scope.
"""

import re
from collections.abc import Iterable

from engine.errors import BadInput

EVERYTHING = "*"
_SCOPE = re.compile(r"(workflow|action|event):(\*|[A-Za-z0-9_.-]+)")


def checked(scopes: Iterable[str]) -> list[str]:
    """The scopes, sorted, each once. Raises BadInput for one that could never allow anything."""
    found = sorted(set(scopes))
    strangers = [scope for scope in found if not _is_scope(scope)]
    if strangers or not found:
        wrong = f"{strangers[0]!r} is no scope" if strangers else "a key needs a scope"
        raise BadInput(
            f"{wrong}: write '*', 'workflow:<name>', 'action:<name>' or 'event:<name>'.",
            path="$.scopes",
        )
    return found


def _is_scope(scope: str) -> bool:
    return scope == EVERYTHING or _SCOPE.fullmatch(scope) is not None


def allow(scopes: Iterable[str], kind: str, name: str) -> bool:
    """Do they allow the workflow, action or event (`kind`) of that name?"""
    return not {EVERYTHING, f"{kind}:*", f"{kind}:{name}"}.isdisjoint(scopes)
