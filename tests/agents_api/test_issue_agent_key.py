"""`manage.py issue_agent_key`: a key is told once, listed without its secret, and revoked."""

import io
from datetime import timedelta
from typing import Any

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError
from django.utils import timezone

from oversight.models import Agent, ApiKey
from tests.agents_api.caller import PROPOSAL, RUNS, Caller, problem
from tests.cast import People


def said(*words: str) -> tuple[str, str]:
    """What the command writes to its two outputs."""
    out, error = io.StringIO(), io.StringIO()
    call_command("issue_agent_key", *words, stdout=out, stderr=error)
    return out.getvalue(), error.getvalue()


def issued(*changed: str) -> str:
    usual = ("refund-desk", "--owner", "tomas", "--scope", "workflow:agent", "--days", "90")
    return said(*(changed or usual))[0].strip()


@pytest.fixture(autouse=True)
def _owner(people: People) -> None:
    assert people.tomas.username == "tomas"


def test_a_key_is_told_alone_and_opens_the_api(people: People) -> None:
    out, error = said("refund-desk", "--owner", "tomas", "--scope", "workflow:agent", "--days", "9")
    assert out.count("\n") == 1
    assert "only now" in error
    assert out.strip() not in error
    caller = Caller(out.strip())
    run_id = caller.start_run()
    problem(caller.post(f"{RUNS}/{run_id}/proposals", PROPOSAL), 403, "scope_missing")
    assert Agent.objects.get().owner == people.tomas
    left = ApiKey.objects.get().expires_at - timezone.now()
    assert timedelta(days=8.9) < left < timedelta(days=9)


def test_a_second_key_is_the_same_agent_s() -> None:
    first, second = issued(), issued()
    assert first != second
    assert Agent.objects.count() == 1
    run_id = Caller(first).start_run()
    assert Caller(second).run(run_id)["run_id"] == str(run_id)


def test_keys_are_listed_without_their_secrets(people: People) -> None:
    assert said("--list")[0] == "There are no keys.\n"
    issued_key = issued()
    other = issued("stock-desk", "--owner", "tomas", "--scope", "*", "--days", "1")
    Caller(other).start_run()
    listed, _ = said("--list")
    for key in (issued_key, other):
        _, key_id, secret = key.split("_")
        assert key_id in listed
        assert secret not in listed
    one, two = listed.splitlines()
    assert "refund-desk (tomas); good until" in one
    assert "used never; workflow:agent" in one
    assert "used 2" in two
    assert said("--list", "stock-desk")[0] == f"{two}\n"


def test_a_revoked_key_opens_nothing_and_says_since_when() -> None:
    key, other = issued(), issued()
    key_id = key.split("_")[1]
    assert "is revoked" in said("--revoke", key_id)[0]
    problem(Caller(key).get(RUNS), 401, "unauthenticated")
    assert Caller(other).get(RUNS).status_code == 200
    since = ApiKey.objects.get(pk=key_id).revoked_at
    said("--revoke", f"plc_{key_id}_…")
    assert ApiKey.objects.get(pk=key_id).revoked_at == since
    assert "revoked 2" in said("--list")[0]


def test_what_has_ended_otherwise_is_listed_as_such(people: People) -> None:
    issued()
    ApiKey.objects.update(created_at="2026-01-01T00:00Z", expires_at="2026-01-02T00:00Z")
    assert "expired 2026-01-02 00:00 UTC" in said("--list")[0]
    people.tomas.is_active = False
    people.tomas.save()
    assert "out of service with its agent or owner" in said("--list")[0]


REFUSED: list[tuple[tuple[str, ...], str]] = [
    ((), "no name"),
    (("refund-desk",), "no owner"),
    (("refund-desk", "--owner", "tomas"), "no scope"),
    (("refund-desk", "--owner", "tomas", "--scope", "*"), "no days"),
    (("refund-desk", "--owner", "nobody", "--scope", "*", "--days", "1"), "nobody"),
    (("Refund Desk", "--owner", "tomas", "--scope", "*", "--days", "1"), "no name for an agent"),
    (("refund-desk", "--owner", "tomas", "--scope", "all", "--days", "1"), "no scope"),
    (("refund-desk", "--owner", "tomas", "--scope", "*", "--days", "0"), "1 to 366"),
    (("refund-desk", "--owner", "tomas", "--scope", "*", "--days", "367"), "1 to 366"),
    (("refund-desk", "--owner", "tomas", "--scope", "*", "--days", "-1"), "1 to 366"),
    (("refund-desk", "--owner", "tomas", "--scope", "*", "--days", "²"), "1 to 366"),
    (("--revoke", "0123"), "no key"),
]


def test_what_is_refused_leaves_nothing(subtests: pytest.Subtests) -> None:
    for words, told in REFUSED:
        with subtests.test(words=words):
            with pytest.raises(CommandError, match=told):
                said(*words)
            assert not Agent.objects.exists()
            assert not ApiKey.objects.exists()


def test_an_agent_does_not_change_hands_in_passing(people: People) -> None:
    issued()
    people.ines.save()
    words: Any = ("refund-desk", "--owner", "ines", "--scope", "*", "--days", "1")
    with pytest.raises(CommandError, match="belongs to tomas"):
        said(*words)
    Agent.objects.update(active=False)
    with pytest.raises(CommandError, match="out of service"):
        issued()
    assert ApiKey.objects.count() == 1


def test_an_inactive_person_answers_for_nothing(people: People) -> None:
    people.tomas.is_active = False
    people.tomas.save()
    with pytest.raises(CommandError, match="no active person"):
        issued()
