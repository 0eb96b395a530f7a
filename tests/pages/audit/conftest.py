"""A vault for the audit's own tests, and an agent that proposes what it can do."""

import uuid
from typing import Any

import pytest

from engine import api
from tests.cast import AGENT
from tests.pages.audit.vault import Vault, known
from tests.pages.reading import Reader, Readers
from tests.world import Desk


@pytest.fixture
def vault(monkeypatch: pytest.MonkeyPatch) -> Vault:
    return known(monkeypatch)


class Keeper:
    """The agent that asks for things of the vault, and the people who let it."""

    def __init__(self, desk: Desk) -> None:
        self.desk = desk

    def propose(self, action: str, **arguments: Any) -> uuid.UUID:
        run_id = self.desk.start_run()
        api.request_effect(
            run_id,
            agent=AGENT,
            action=action,
            arguments=arguments,
            why="It is due.",
            rollback_reason="There is no other way.",
        )
        self.desk.work(run_id)
        return run_id

    def carry_out(self, action: str, **arguments: Any) -> uuid.UUID:
        run_id = self.propose(action, **arguments)
        self.desk.approve(self.desk.proposal(run_id))
        self.desk.work(run_id)
        return run_id


@pytest.fixture
def keeper(desk: Desk, vault: Vault) -> Keeper:
    return Keeper(desk)


@pytest.fixture
def ada(desk: Desk, reading: Readers) -> Reader:
    return reading(desk.people.ada)
