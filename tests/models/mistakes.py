"""A mistake: the rules that it leaves out, where it does harm, and the invariant that tells it."""

from dataclasses import dataclass, replace

from .rules import SETTINGS, Bound, Rules


@dataclass(frozen=True, slots=True, kw_only=True)
class Mutant:
    name: str
    """What goes wrong, in words."""
    left_out: frozenset[str]
    """The rules that do not hold; more than one where the design holds a thing twice."""
    target: str
    lasting: bool
    bound: Bound
    caught_by: str

    @property
    def rules(self) -> Rules:
        return replace(SETTINGS[self.target], left_out=self.left_out, lasting=self.lasting)


def mutant(
    name: str,
    *rules: str,
    by: str,
    at: str = "idempotent",
    lasting: bool = False,
    mishaps: int = 0,
    turns: int = 0,
) -> Mutant:
    return Mutant(
        name=name,
        left_out=frozenset(rules),
        target=at,
        lasting=lasting,
        bound=Bound(mishaps=mishaps, turns=turns),
        caught_by=by,
    )
