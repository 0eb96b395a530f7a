"""The load that everybody carries: runs of trivial nodes whose state has a size and changes."""

import random
from dataclasses import asdict, dataclass
from typing import Any

NODES = 20
LITTLE = 100
"""Characters that change at each node where not the whole state does."""

_WORDS = [
    *("refund", "order", "customer", "invoice", "delivery", "lamp", "broken", "approved"),
    *("carrier", "amount", "street", "account", "reason", "checked", "second", "parcel"),
    *("answer", "policy", "review", "warehouse", "night", "ticket", "number", "letter"),
]


@dataclass(frozen=True, slots=True, kw_only=True)
class Load:
    """`size` is the state's, in characters; `whole` says whether all of it changes at each node,
    or, once the first node has set it, 100 characters do."""

    size: int
    whole: bool = True
    nodes: int = NODES

    def as_facts(self) -> dict[str, Any]:
        return asdict(self)

    def changes(self, node: int, run: str) -> dict[str, str]:
        """What the node with this number changes of the state of this run; no two runs are alike,
        so that nobody stores a text that is stored already."""
        if self.whole or node == 1:
            return {"doc": f"{run} {text(self.size, node)}"[: self.size]}
        return {"note": f"{run} {text(LITTLE, node)}"[:LITTLE]}


_texts: dict[tuple[int, int], str] = {}


def text(size: int, number: int) -> str:
    """As compressible as what people write: words with figures between them."""
    found = _texts.get((size, number))
    if found is None:
        found = _texts[size, number] = _written(size, random.Random(number))  # noqa: S311
    return found


def _written(size: int, dice: random.Random) -> str:
    words: list[str] = []
    length = 0
    while length < size:
        word = dice.choice(_WORDS) if dice.random() < 0.7 else str(dice.randrange(10**6))
        words.append(word)
        length += len(word) + 1
    return " ".join(words)[:size]
