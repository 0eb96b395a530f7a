"""What went wrong elsewhere with secrets in arguments: here one reaches the target, and nobody and
nothing else, even where a failing target repeats it."""

import hashlib
import io
import json
import logging
import uuid
import zipfile
from collections.abc import Iterator
from datetime import timedelta
from functools import cache

import pytest
from django.test import Client

from engine import auditing
from engine.models import Checkpoint
from oversight.agents_api.keys import issue_key
from oversight.models import Agent
from tests.cast import CAST
from tests.pages.audit.conftest import Keeper
from tests.pages.audit.vault import API_KEY, BEARER, SECRETS, VALUE, Vault
from tests.pages.reading import Reader, Readers, address_of
from tests.world import Database, Desk

ARGUMENTS = {
    "owner": "billing",
    "api_key": API_KEY,
    "headers": {"authorization": BEARER},
    "value": VALUE,
    "note": "token=xyz",
}
WAYS = ["well", "refuses", "fails", "lies"]


@cache
def spellings(secret: str) -> set[str]:
    """A secret as text, inside JSON, inside JSON inside JSON, in HTML, and as the hex of bytes."""
    inside = {json.dumps(secret)[1:-1], json.dumps(secret, ensure_ascii=False)[1:-1]}
    twice = {json.dumps(each, ensure_ascii=ascii_)[1:-1] for each in inside for ascii_ in (0, 1)}
    plain = {secret, *inside, *twice}
    escaped = {each.replace("&", "&amp;").replace('"', "&quot;") for each in plain}
    return plain | escaped | {each.encode().hex() for each in plain}


def leaks(text: str) -> list[str]:
    return [each for secret in SECRETS for each in spellings(secret) if each in text]


@pytest.fixture(params=WAYS)
def run_id(
    request: pytest.FixtureRequest, keeper: Keeper, vault: Vault, caplog: pytest.LogCaptureFixture
) -> uuid.UUID:
    """The key rotated, at a target that behaves well, or repeats everything as it fails."""
    caplog.set_level(logging.DEBUG)
    vault.behaves = request.param
    run_id = keeper.carry_out("vault.rotate_key", **ARGUMENTS)
    keeper.desk.database.call_is_over_for(run_id)
    for _ in range(4):
        keeper.desk.work_on_after_waiting(run_id)
    return run_id


def pages(desk: Desk, run_id: uuid.UUID) -> Iterator[str]:
    """Every kind of page that shows something of the run."""
    yield from ("/inbox/", "/inbox/?show=decided", "/runs/", "/audit/", "/checkpoints/")
    yield from ("/alerts/", "/unknowns/", "/audit/exports/")
    for version in desk.run(run_id).proposals.all():
        yield address_of(version)
    yield from (f"/runs/{run_id}/", f"/runs/{run_id}/?view=log", f"/audit/?run={run_id}")
    last = desk.run(run_id).last_seq
    yield from moments(run_id, last)
    saved = list(Checkpoint.objects.filter(run_id=run_id).order_by("last_event_sequence"))
    yield f"/checkpoints/{saved[-1].pk}/"
    yield f"/checkpoints/compare/?of={saved[0].pk}&of={run_id}@{last}&all=1"


def moments(run_id: uuid.UUID, *seqs: int) -> Iterator[str]:
    for seq in seqs:
        yield f"/audit/{run_id}/{seq}/"
        yield f"/checkpoints/at/?run={run_id}&seq={seq}"


def moment_by_moment(desk: Desk, run_id: uuid.UUID) -> Iterator[str]:
    """Every event, the run as it was after each, and every checkpoint."""
    yield from moments(run_id, *range(1, desk.run(run_id).last_seq + 1))
    for checkpoint in Checkpoint.objects.filter(run_id=run_id):
        yield f"/checkpoints/{checkpoint.pk}/"
        yield f"/checkpoints/{checkpoint.pk}/download/"


def test_c82_the_target_gets_it(run_id: uuid.UUID, vault: Vault) -> None:
    assert vault.sent == [ARGUMENTS]


def test_c82_no_page_shows_it_to_any_role(run_id: uuid.UUID, desk: Desk, reading: Readers) -> None:
    addresses = list(pages(desk, run_id))
    for name in CAST:
        nothing_leaks(reading(getattr(desk.people, name)), addresses)


def test_c82_no_moment_of_the_run_shows_it(run_id: uuid.UUID, desk: Desk, ada: Reader) -> None:
    nothing_leaks(ada, list(moment_by_moment(desk, run_id)))


def nothing_leaks(reader: Reader, addresses: list[str]) -> None:
    for address in addresses:
        page = reader.get(address)
        assert page.status == 200, address
        assert leaks(page.html) == [], address


def test_c82_a_fingerprint_stands_in_its_place(run_id: uuid.UUID, ada: Reader, desk: Desk) -> None:
    page = ada.get(address_of(desk.proposal(run_id)))
    assert page.html.count("secret:") >= 2
    assert "token=xyz" in page.text, "what nobody declared secret is none"


def test_c82_no_export_holds_it(run_id: uuid.UUID, ada: Reader) -> None:
    for query in ({}, {"run": str(run_id)}):
        response = ada.client.post("/audit/export/", {"what": "export", **query})
        body = b"".join(response.streaming_content)
        with zipfile.ZipFile(io.BytesIO(body)) as archive:
            for name in archive.namelist():
                assert leaks(archive.read(name).decode()) == [], name


def test_c82_no_table_holds_it(run_id: uuid.UUID, database: Database) -> None:
    """Sealed values stand in one table; even there nothing can be read."""
    names = database.rows(
        "SELECT table_name FROM information_schema.tables WHERE table_schema = 'public'"
    )
    assert len(names) > 20
    for name in (row["table_name"] for row in names):
        rows = database.rows(f'SELECT t::text AS text FROM "{name}" t')  # noqa: S608
        assert leaks(" ".join(row["text"] for row in rows)) == [], name
    assert database.value("SELECT count(*) FROM engine_secret") == 3


def test_c82_no_line_of_the_program_s_log_holds_it(
    run_id: uuid.UUID, caplog: pytest.LogCaptureFixture, capfd: pytest.CaptureFixture[str]
) -> None:
    assert leaks(caplog.text) == []
    out, err = capfd.readouterr()
    assert leaks(out + err) == []


def test_c82_the_agent_s_api_does_not_give_it_back(run_id: uuid.UUID, desk: Desk) -> None:
    agent = Agent.objects.create(name="refund-desk", owner=desk.people.tomas)
    key = issue_key(agent, ["*"], timedelta(hours=1))
    client = Client(headers={"Authorization": f"Bearer {key}"})
    proposal = desk.proposal(run_id)
    for path in ("", "/events?limit=100", f"/proposals/{proposal.proposal_id}"):
        answer = client.get(f"/api/v1/runs/{run_id}{path}")
        assert answer.status_code == 200
        assert leaks(answer.content.decode()) == [], path


def test_c82_the_chain_verifies(run_id: uuid.UUID) -> None:
    assert auditing.run_once().intact


def test_c82_searching_for_it_finds_nothing(run_id: uuid.UUID, ada: Reader) -> None:
    for secret in SECRETS:
        for address in ("/audit/?actor=", "/checkpoints/?node="):
            page = ada.get(address + secret.replace(" ", "+").replace("&", "%26"))
            assert "404" not in page.html or page.status in (200, 400)
            assert f"/{run_id}/" not in page.html


def test_c82_the_fingerprint_is_the_same_for_the_same_value_and_another_for_another(
    keeper: Keeper, ada: Reader, desk: Desk
) -> None:
    def proposed(api_key: str) -> str:
        run_id = keeper.propose("vault.rotate_key", **{**ARGUMENTS, "api_key": api_key})
        arguments = json.loads(bytes(desk.proposal(run_id).arguments))
        return str(arguments["api_key"])

    one, same, other = proposed(API_KEY), proposed(API_KEY), proposed("sk-test-124-changed")
    assert one == same != other
    assert one.startswith("secret:")


def test_c82_the_fingerprint_says_nothing_to_who_has_not_the_key(
    keeper: Keeper, desk: Desk
) -> None:
    run_id = keeper.propose("vault.rotate_key", **ARGUMENTS)
    shown = json.loads(bytes(desk.proposal(run_id).arguments))["api_key"]
    assert hashlib.sha256(API_KEY.encode()).hexdigest() not in shown


def test_c82_what_is_refused_at_the_door_is_not_repeated(
    ada: Reader, desk: Desk, keeper: Keeper
) -> None:
    """An argument of the wrong kind: the problem names the path, not the value."""
    agent = Agent.objects.create(name="refund-desk", owner=desk.people.tomas)
    key = issue_key(agent, ["*"], timedelta(hours=1))
    client = Client(headers={"Authorization": f"Bearer {key}", "Idempotency-Key": "once"})
    run = client.post("/api/v1/runs", {"workflow": "agent"}, content_type="application/json")
    body = {
        "action": "vault.rotate_key",
        "arguments": {**ARGUMENTS, "headers": BEARER, "surprise": VALUE},
        "why": "It is due.",
        "rollback_reason": "There is no other way.",
    }
    answer = client.post(
        f"/api/v1/runs/{run.json()['run_id']}/proposals",
        body,
        content_type="application/json",
        headers={"Idempotency-Key": "twice"},
    )
    assert answer.status_code == 422
    assert leaks(answer.content.decode()) == []
    assert "$.arguments" in answer.content.decode()
