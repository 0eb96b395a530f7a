"""What several of the engine's tests ask for."""

from collections.abc import Callable

import pytest

from engine import actions, approval, workflows
from tests.engine.exempting import NEVER_DRAWN
from tests.engine.taking_back import Refunds
from tests.world import Desk


@pytest.fixture
def registries(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is registered in a test is forgotten afterwards."""
    monkeypatch.setattr(workflows, "_registry", dict(workflows._registry))
    monkeypatch.setattr(actions, "_registry", dict(actions._registry))


@pytest.fixture
def refunds(desk: Desk) -> Refunds:
    return Refunds(desk)


@pytest.fixture
def lots(monkeypatch: pytest.MonkeyPatch) -> Callable[[int], None]:
    """No lot says that people are asked of what is exempt, until a test has one drawn."""

    def fall(lot: int) -> None:
        monkeypatch.setattr(approval, "lot", lambda: lot)

    fall(NEVER_DRAWN)
    return fall
