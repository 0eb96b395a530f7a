"""What several of the engine's tests ask for."""

import pytest

from engine import actions, workflows
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
