"""Who is let in: whoever shows a right key, not too old, not revoked, of an active agent."""

import uuid
from datetime import timedelta

import pytest
from django.db import IntegrityError, connection, transaction
from django.http import HttpResponse
from django.test import Client
from django.test.utils import CaptureQueriesContext

from engine.errors import BadInput
from oversight.agents_api.keys import issue_key
from oversight.models import Agent, ApiKey
from tests.agents_api.caller import RUNS, Caller, Rows, issued, problem
from tests.cast import PASSWORD, People
from tests.world import Database

A_RUN = f"{RUNS}/{uuid.UUID(int=7)}"
INVALID = "This key is not valid."


def knocked(authorization: str | None) -> HttpResponse:
    headers = {} if authorization is None else {"Authorization": authorization}
    return Client().get(A_RUN, headers=headers)


def test_a_right_key_is_let_in(caller: Caller) -> None:
    problem(caller.get(A_RUN), 404, "not_found")


def test_without_a_key_nobody_is_let_in(database: Database, subtests: pytest.Subtests) -> None:
    for authorization in (None, "", "Basic cm9zYTpyb3Nh", "plc_1_2", "Bearer"):
        with subtests.test(authorization=authorization):
            answer = knocked(authorization)
            problem(answer, 401, "unauthenticated")
            assert answer.headers["WWW-Authenticate"] == 'Bearer realm="placet"'


def wrong_keys(key: str) -> list[str]:
    head, _, secret = key.rpartition("_")
    return [
        key[:-1] + ("0" if key[-1] != "0" else "1"),
        key + "0",
        key.upper(),
        key.replace("plc_", "plk_"),
        f"{head}_",
        f"plc_{'0' * 16}_{secret}",
        "plc__",
        "plc_\u00e9_\u00e9",
        "\x00",
        f"plc_\x00_{secret}",
    ]


def test_a_wrong_key_is_told_nothing(caller: Caller, rows: Rows, subtests: pytest.Subtests) -> None:
    before = rows.count()
    for wrong in wrong_keys(caller.key):
        with subtests.test(key=wrong):
            answer = knocked(f"Bearer {wrong}")
            assert problem(answer, 401, "unauthenticated") == INVALID
            assert answer.headers["WWW-Authenticate"] == 'Bearer realm="placet"'
    assert rows.count() == before


def test_revoked_and_inactive_are_not_told_apart_from_wrong(caller: Caller, agent: Agent) -> None:
    ApiKey.objects.update(revoked_at="2026-01-01T00:00:00Z")
    assert problem(caller.get(A_RUN), 401, "unauthenticated") == INVALID
    ApiKey.objects.update(revoked_at=None)
    Agent.objects.update(active=False)
    assert problem(caller.get(A_RUN), 401, "unauthenticated") == INVALID


def test_with_its_owner_s_account_an_agent_s_keys_end(caller: Caller, people: People) -> None:
    """Nobody answers for it any more; the key is good again once somebody does."""
    people.tomas.is_active = False
    people.tomas.save()
    answer = caller.get(A_RUN)
    assert problem(answer, 401, "unauthenticated") == INVALID
    people.tomas.is_active = True
    people.tomas.save()
    problem(caller.get(A_RUN), 404, "not_found")


def test_an_expired_key_is_told_so(agent: Agent, database: Database) -> None:
    caller = issued(agent, "*", valid_for=timedelta(hours=1))
    database.execute(
        "UPDATE oversight_apikey SET created_at = now() - interval '2 h',"
        " expires_at = now() - interval '1 s'"
    )
    answer = caller.get(A_RUN)
    problem(answer, 401, "key_expired")
    assert 'error="invalid_token"' in answer.headers["WWW-Authenticate"]


def test_only_who_knows_the_secret_learns_that_a_key_has_expired(
    agent: Agent, database: Database
) -> None:
    caller = issued(agent, "*")
    database.execute(
        "UPDATE oversight_apikey SET created_at = now() - interval '2 h',"
        " expires_at = now() - interval '1 s'"
    )
    guessed = caller.key.rpartition("_")[0] + "_" + "0" * 64
    assert problem(knocked(f"Bearer {guessed}"), 401, "unauthenticated") == INVALID


def test_nothing_is_written_with_a_bad_key(caller: Caller, rows: Rows) -> None:
    before = rows.count()
    answer = caller.post(RUNS, {"workflow": "agent"}, Authorization=f"Bearer {caller.key}0")
    problem(answer, 401, "unauthenticated")
    assert rows.count() == before


def test_a_key_is_asked_for_before_anything_is_read(database: Database) -> None:
    answer = Client().post(RUNS, b"{", content_type="text/plain")
    problem(answer, 401, "unauthenticated")


def test_a_session_does_not_open_the_api(people: People, rows: Rows) -> None:
    """The session of somebody who is signed in, and may do everything, is not looked at."""
    zoe = Client()
    assert zoe.login(username=people.zoe.username, password=PASSWORD)
    before = rows.count()
    for answer in (
        zoe.get(A_RUN),
        zoe.post(RUNS, {"workflow": "agent"}, content_type="application/json"),
    ):
        problem(answer, 401, "unauthenticated")
    assert rows.count() == before


def test_a_key_opens_no_page(caller: Caller) -> None:
    answer = caller.get("/api/")
    assert answer.status_code == 302


def test_only_the_hash_of_the_secret_is_kept(caller: Caller, database: Database) -> None:
    _, key_id, secret = caller.key.split("_")
    (row,) = database.rows("SELECT * FROM oversight_apikey")
    assert row["key_id"] == key_id
    assert len(bytes.fromhex(secret)) == 32
    assert secret not in repr(row)


def test_two_keys_of_one_agent_are_good_at_once(agent: Agent) -> None:
    old, new = issued(agent, "*"), issued(agent, "*")
    run_id = old.start_run()
    assert new.run(run_id)["run_id"] == str(run_id)


def test_when_a_key_was_last_used_is_noted_once_a_minute(
    caller: Caller, database: Database
) -> None:
    def used() -> object:
        return database.value("SELECT last_used_at FROM oversight_apikey")

    assert used() is None
    caller.get(A_RUN)
    first = used()
    assert first is not None
    with CaptureQueriesContext(connection) as queries:
        caller.get(A_RUN)
    assert not [query for query in queries if query["sql"].startswith("UPDATE")]
    assert used() == first
    database.execute("UPDATE oversight_apikey SET last_used_at = now() - interval '61 s'")
    caller.get(A_RUN)
    assert database.value("SELECT last_used_at > now() - interval '30 s' FROM oversight_apikey")


def test_a_key_with_a_scope_that_allows_nothing_is_not_issued(agent: Agent) -> None:
    for scopes in ([], ["everything"], ["action:"], ["action:a b"], ["workflow"], ["*", "x"]):
        with pytest.raises(BadInput, match="scope"):
            issue_key(agent, scopes, timedelta(days=1))
    assert not ApiKey.objects.exists()


def test_an_agent_is_named_by_a_slug(people: People) -> None:
    for name in ("", "Refund Desk", "-desk", "desk\n", "x" * 64):
        with pytest.raises(IntegrityError), transaction.atomic():
            Agent.objects.create(name=name, owner=people.tomas)


def test_an_owner_cannot_be_deleted(agent: Agent, people: People) -> None:
    with pytest.raises(IntegrityError):
        people.tomas.delete()
