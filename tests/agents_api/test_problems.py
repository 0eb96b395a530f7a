"""Faults of ours are told without their inside; what may pass later says when to come again."""

import logging

import pytest
from django.db import OperationalError, connections

from engine.errors import Damaged, PlacetError, Unavailable
from oversight.agents_api import catalogue, problems, reads, refusals
from tests.agents_api.caller import RUNS, Caller, problem


def test_an_unexpected_fault_is_named_in_the_log_and_nowhere_else(
    caller: Caller, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def fail(*_: object) -> None:
        raise KeyError("a secret of the inside")

    monkeypatch.setattr(reads, "own_run", fail)
    with caplog.at_level(logging.ERROR):
        answer = caller.post(RUNS, {"workflow": "agent"})

    problem(answer, 500, "internal")
    assert b"inside" not in answer.content
    assert b"KeyError" not in answer.content
    assert answer.json()["instance"] in caplog.text
    assert "a secret of the inside" in caplog.text


@pytest.mark.parametrize(
    "fault",
    [
        OperationalError("connection to /run/postgres/.s.PGSQL.5432 failed"),
        Unavailable("The database cannot be reached: /run/postgres/.s.PGSQL.5432"),
    ],
)
def test_without_the_database_one_is_told_to_come_again(
    caller: Caller, monkeypatch: pytest.MonkeyPatch, fault: Exception
) -> None:
    def fail(*_: object) -> None:
        raise fault

    monkeypatch.setattr(reads, "own_run", fail)
    answer = caller.post(RUNS, {"workflow": "agent"})
    problem(answer, 503, "unavailable")
    assert answer.headers["Retry-After"] == "1"
    assert answer.json()["retryable"] is True
    assert b"PGSQL" not in answer.content


def test_a_database_that_is_really_gone(caller: Caller) -> None:
    """Who asks is not let in unseen, and is not told that the key is wrong."""
    connections.close_all()
    connections.settings["default"]["HOST"] = "/nowhere"
    del connections["default"]
    for answer in (
        caller.get(f"{RUNS}/01981f3e-7a10-7c44-9d2b-5b0c7f3a1e01"),
        caller.post(RUNS, {"workflow": "agent"}),
    ):
        problem(answer, 503, "unavailable")
        assert answer.headers["Retry-After"] == "1"
        assert b"nowhere" not in answer.content


def test_damage_is_told_without_its_details() -> None:
    answer = problems.problem(Damaged("Event 7 does not match its hash."))
    assert answer.status_code == 500
    assert b"Event 7" not in answer.content


def test_nothing_is_kept_in_caches(caller: Caller) -> None:
    for answer in (caller.post(RUNS, {"workflow": "agent"}), caller.get(f"{RUNS}/7")):
        assert answer.headers["Cache-Control"] == "no-store"


def test_every_refusal_of_the_api_itself_is_explained() -> None:
    own = [
        kind
        for kind in vars(refusals).values()
        if isinstance(kind, type)
        and issubclass(kind, PlacetError)
        and kind.__module__ == refusals.__name__
    ]
    assert len(own) > 8
    for kind in own:
        assert catalogue.known(kind).advice


def test_every_problem_of_an_operation_is_explained() -> None:
    for kinds in catalogue.OF_OPERATION.values():
        assert set(kinds) <= set(catalogue.ADVICE)


def test_no_code_means_two_things() -> None:
    codes = [kind.code for kind in catalogue.ADVICE]
    assert len(codes) == len(set(codes))
