"""A backup is restored as the page on operations says, after the world has gone on without it."""

import subprocess
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from django.core.management import call_command

from engine import sweeper, worker
from oversight.embedded import Servers
from oversight.embedded.postgres import program
from tests.world import Database, Desk, pointed_at


def ran(name: str, *words: str, given: bytes = b"") -> bytes:
    return subprocess.run(
        [program(name), *words], input=given, capture_output=True, check=True
    ).stdout


@contextmanager
def restored(servers: Servers, dump: bytes) -> Iterator[Database]:
    """A database made from the dump, which all that follows works on."""
    with Database.copied(servers, "template1") as copy:
        ran("pg_restore", "--dbname", copy.url, "--exit-on-error", given=dump)
        with pointed_at(copy.url):
            yield copy


@pytest.fixture
def lost(desk: Desk, quiet_servers: Servers) -> Iterator[tuple[Desk, Database]]:
    """A refund was approved, then came the backup, and then the refund was paid. Only the backup
    is left; otto operates."""
    desk.people.otto.save()
    proposal = desk.propose_refund(desk.purchase())
    desk.approve(proposal)
    dump = ran("pg_dump", "--format=custom", desk.database.url)
    desk.work(proposal.run_id)
    assert len(desk.ledger.honoured()) == 1
    with restored(quiet_servers, dump) as copy:
        yield desk, copy


def test_its_chains_hold(lost: tuple[Desk, Database], capsys: pytest.CaptureFixture[str]) -> None:
    call_command("verify_log")

    assert "Every chain is intact." in capsys.readouterr().out


def test_after_a_stop_nothing_goes_out_on_a_word_that_was_given_before(
    lost: tuple[Desk, Database],
) -> None:
    desk, copy = lost
    call_command("stop", reason="Restored to this morning.", by="otto")

    for run_id in sweeper.run_once().runs:
        worker.run_once(run_id)

    assert copy.rows("SELECT * FROM engine_effect") == []
    assert copy.value("SELECT status FROM engine_proposal") == "lapsed"
    assert len(desk.ledger.honoured()) == 1


def test_without_a_stop_a_target_that_honours_keys_knows_it_again(
    lost: tuple[Desk, Database],
) -> None:
    desk, _ = lost

    for run_id in sweeper.run_once().runs:
        worker.run_once(run_id)

    assert len(desk.ledger.honoured()) == 1
