"""Real targets on this machine for the ready-made actions: a service, mail servers, a folder."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from engine import actions
from engine.kit import changing
from tests.cast import People
from tests.engine.kit import acts
from tests.engine.kit.mail import Provider
from tests.engine.kit.office import Office
from tests.engine.kit.services import AccessService
from tests.engine.kit.writing import Struck
from tests.world import Database


@pytest.fixture
def kit_actions(monkeypatch: pytest.MonkeyPatch) -> None:
    """The actions of `acts`, known for one test; what other tests list stays as it is."""
    monkeypatch.setattr(actions, "_registry", dict(actions._registry))
    for action in acts.ALL:
        actions.register(action)


@pytest.fixture
def office(database: Database, people: People, kit_actions: None) -> Office:
    return Office(database, people)


@pytest.fixture(scope="session")
def access_process() -> Iterator[AccessService]:
    with AccessService.started() as service:
        yield service


@pytest.fixture
def access(access_process: AccessService, settings: Any) -> AccessService:
    """The access service, on its best behaviour, as the settings name it."""
    access_process.behave("honest")
    settings.PLACET_HTTP_TARGETS = {"access": access_process.entry()}
    return access_process


@pytest.fixture
def root(tmp_path: Path, settings: Any) -> Path:
    """The folder `config`, with one file in it, and something outside that is nobody's business."""
    root = tmp_path / "config"
    (root / "app").mkdir(parents=True)
    (root / "app" / "limits.ini").write_text("max = 10\n")
    (root / "app" / "limits.ini").chmod(0o644)
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside" / "secret.ini").write_text("outside\n")
    settings.PLACET_FILE_ROOTS = {"config": str(root)}
    return root


@pytest.fixture
def ended_at(monkeypatch: pytest.MonkeyPatch) -> Any:
    """`ended_at(point)`: the next change goes no further than that."""

    def end(point: str) -> None:
        def reach(reached: str) -> None:
            if reached == point:
                monkeypatch.undo()
                raise Struck(point)

        monkeypatch.setattr(changing, "reach", reach)

    return end


@pytest.fixture(scope="session")
def mail_servers() -> Iterator[Provider]:
    with Provider.started() as provider:
        yield provider


@pytest.fixture
def mail(mail_servers: Provider, settings: Any) -> Provider:
    """The provider, on its best behaviour, as the settings name it: `silent` has no mailbox."""
    mail_servers.behave("honest")
    settings.PLACET_MAIL = {
        "desk": mail_servers.entry(),
        "silent": mail_servers.entry(imap=None),
    }
    return mail_servers
