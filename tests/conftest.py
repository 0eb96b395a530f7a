"""The ground on which every test stands: real servers, and a database of its own for each test.

One PostgreSQL and one Valkey serve a whole session. A template is migrated once; a test that asks
for `database` gets a copy of it and nobody else's rows. Nothing is flushed or rolled back: the
log is append-only for tests, too.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from django.core.management import call_command
from django.test import override_settings
from psycopg import sql

from engine import hints
from oversight.demo.desk.ledger import install
from oversight.embedded import Servers
from tests.cast import People
from tests.embedded.fixtures import running_servers
from tests.faults.processes import Broker, Web, Worker, environment
from tests.services import WANTED
from tests.world import DESK_BALANCE, Database, Desk, Ledger, pointed_at

if TYPE_CHECKING:
    from playwright.sync_api import Browser

__all__ = ["running_servers"]

# What is asserted there tells what it found, as in a test.
pytest.register_assert_rewrite("tests.engine", "tests.pages")

TOLD_LINES = 40

SECONDS = {
    "folder": 18.0,
    "everywhere": 15.0,
    "demo": 12.0,
    "at_screen": 8.0,
    "worker_process": 6.0,
    "web_process": 4.0,
    "zombies": 2.0,
    "crashes": 1.0,
    "chromium": 1.0,
    "database": 0.2,
}
"""What a test takes that asks for one of these, roughly: enough to tell long files from short."""

CHROMIUM = Path(os.environ.get("PLACET_CHROMIUM", "/usr/bin/chromium"))


class AtOnce:
    """Tells of a failure when it happens: a run that is cut short has said what it saw."""

    def __init__(self, reporter: pytest.TerminalReporter) -> None:
        self._reporter = reporter

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.failed:
            last = "\n".join(report.longreprtext.splitlines()[-TOLD_LINES:])
            self._reporter.write_line(f"\nIn the {report.when} of {report.nodeid}:\n{last}")


@pytest.hookimpl(trylast=True)
def pytest_configure(config: pytest.Config) -> None:
    if reporter := config.pluginmanager.get_plugin("terminalreporter"):
        config.pluginmanager.register(AtOnce(reporter))


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """The longest files come first: in the end, what is left is short enough to be shared out."""
    takes: Counter[Path] = Counter()
    for item in items:
        asked_for = getattr(item, "fixturenames", ())
        takes[item.path] += max([SECONDS.get(name, 0.0) for name in asked_for], default=0.0)
    items.sort(key=lambda item: -takes[item.path])


@pytest.fixture(scope="session")
def django_db_setup() -> None:
    pytest.fail("Ask for the fixture `database`: Django's test database is not used here.")


@pytest.fixture(scope="session")
def quiet_servers(running_servers: Servers) -> Servers:
    """Without autovacuum, whose transactions would be counted among ours."""
    if WANTED in os.environ:
        return running_servers  # somebody else's server keeps its settings
    running_servers.execute(sql.SQL("ALTER SYSTEM SET autovacuum = off"))
    running_servers.execute(sql.SQL("SELECT pg_reload_conf()"))
    return running_servers


@pytest.fixture(scope="session")
def migrated_template(quiet_servers: Servers, django_db_blocker: Any) -> str:
    name = f"placet_template_{os.getpid()}"
    quiet_servers.create_database(name)
    with django_db_blocker.unblock(), pointed_at(quiet_servers.database_url(name)):
        call_command("migrate", verbosity=0)
    return name


@pytest.fixture(scope="session")
def ledger_template(quiet_servers: Servers) -> str:
    name = f"ledger_template_{os.getpid()}"
    quiet_servers.create_database(name)
    with closing(Ledger(quiet_servers, name)) as ledger:
        with ledger.connected() as connection:
            install(connection)
        ledger.set_balance(DESK_BALANCE)
    return name


@pytest.fixture
def database(
    quiet_servers: Servers, migrated_template: str, django_db_blocker: Any
) -> Iterator[Database]:
    """A migrated database of this test's own, which Django's `default` connection is pointed at.

    Hints are kept in `database.hints` and sent nowhere, unless the test asks for `broker`.
    """
    with Database.copied(quiet_servers, migrated_template) as copy:
        hints.deliver_through(copy.hints.append)
        with django_db_blocker.unblock(), pointed_at(copy.url):
            yield copy


@pytest.fixture(scope="module")
def shared_desk(
    quiet_servers: Servers,
    migrated_template: str,
    ledger_template: str,
    django_db_blocker: Any,
) -> Iterator[Desk]:
    """A desk on databases that all tests of a module share: for what is dear to bring about.

    Its tests only look, and one module uses either this or `database`.
    """
    copied = Database.copied(quiet_servers, migrated_template)
    with copied as database, Ledger.copied(quiet_servers, ledger_template) as ledger:
        targets = {"ledger": ledger.desk_url}
        with (
            django_db_blocker.unblock(),
            pointed_at(database.url),
            override_settings(PLACET_SQL_TARGETS=targets),
            Broker.emptied(quiet_servers),
        ):
            yield Desk(database, ledger, People())


@pytest.fixture
def db(database: Database) -> Database:
    """The same under the name that pytest-django's own fixtures ask for."""
    return database


@pytest.fixture
def transactional_db(database: Database) -> Database:
    return database


@pytest.fixture
def ledger(quiet_servers: Servers, ledger_template: str, settings: Any) -> Iterator[Ledger]:
    """The desk's own ledger, an outside database that the engine's actions reach as its role."""
    with Ledger.copied(quiet_servers, ledger_template) as copy:
        settings.PLACET_SQL_TARGETS = {"ledger": copy.desk_url}
        yield copy


@pytest.fixture
def people(database: Database) -> People:
    return People()


@pytest.fixture
def desk(database: Database, ledger: Ledger, people: People) -> Desk:
    """A refund desk with its agent; workers are called in this process, by their own function."""
    return Desk(database, ledger, people)


@pytest.fixture
def broker(database: Database, quiet_servers: Servers) -> Iterator[Broker]:
    """The broker, emptied; hints sent in this test really travel through it."""
    with Broker.emptied(quiet_servers) as broker:
        yield broker


@pytest.fixture
def processes_environment(database: Database, ledger: Ledger, broker: Broker) -> dict[str, str]:
    """What a real process needs to work on this test's database, ledger and broker."""
    return environment(database.url, ledger.desk_url, broker.url)


@pytest.fixture
def worker_process(
    processes_environment: dict[str, str], tmp_path: Path
) -> Iterator[Callable[..., Worker]]:
    """Starts real `celery -A oversight worker` processes; see `tests.faults.processes.Worker`."""
    started: list[Worker] = []

    def start(**wishes: Any) -> Worker:
        started.append(Worker(processes_environment, tmp_path, **wishes))
        return started[-1]

    yield start
    for worker in started:
        worker.kill()


@pytest.fixture
def web_process(processes_environment: dict[str, str]) -> Iterator[Callable[..., Web]]:
    """Starts real web servers; the address of one is `.url`."""
    started: list[Web] = []

    def start(**env: str) -> Web:
        started.append(Web({**processes_environment, **env}))
        return started[-1]

    yield start
    for web in started:
        web.kill()


@pytest.fixture(scope="module")
def chromium() -> Iterator[Browser]:
    """A headless Chromium. Where one is required and missing, the test fails, not skips."""
    _insist_on_a_browser()
    from playwright.sync_api import sync_playwright

    with pytest.MonkeyPatch.context() as patched, sync_playwright() as playwright:
        # Playwright keeps an event loop in this thread, which Django takes for an async view.
        patched.setenv("DJANGO_ALLOW_ASYNC_UNSAFE", "true")
        browser = playwright.chromium.launch(
            executable_path=str(CHROMIUM), args=["--no-sandbox", "--disable-dev-shm-usage"]
        )
        yield browser
        browser.close()


def _insist_on_a_browser() -> None:
    if CHROMIUM.exists():
        return
    missing = f"There is no browser at {CHROMIUM}; PLACET_CHROMIUM may name another."
    if os.environ.get("CI") or os.environ.get("PLACET_REQUIRE_BROWSER"):
        pytest.fail(missing)
    pytest.skip(missing)
