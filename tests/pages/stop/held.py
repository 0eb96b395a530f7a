"""A real worker that stands still in the middle of an effect."""

from collections.abc import Callable

from tests.faults.processes import Worker
from tests.world import Desk


class Held:
    """A real worker that stands still in the middle of a call, and can be let go on.

    Before it has called (`intended`) a call's few seconds run out while it stands there; after
    (`executed`) it may stand there for as long as its lease is kept, and its answer counts.
    """

    def __init__(
        self, desk: Desk, start: Callable[..., Worker], at: str = "intended", **more: str
    ) -> None:
        self.worker = start(hold=at, can_be_let_go=True, **more)
        self.proposal = desk.propose_refund()
        desk.approve(self.proposal)
        self.worker.held()

    def let_go(self) -> None:
        self.worker.let_go()
