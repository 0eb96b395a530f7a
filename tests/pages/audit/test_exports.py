"""Exports from the page: by whom, of what, written down, and verifiable without us."""

import hashlib
import io
import json
import subprocess
import sys
import uuid
import zipfile
from pathlib import Path
from typing import Any

import pytest

from engine.models import Event
from oversight.pages.audit import exporting
from tests.cast import CAST, People
from tests.pages.reading import Page, Reader, Readers, contents
from tests.world import Database, Desk

EXPORT = "/audit/export/"


@pytest.fixture
def run_id(desk: Desk) -> uuid.UUID:
    proposal = desk.approved_refund()
    desk.work(proposal.run_id)
    desk.propose_refund()
    return proposal.run_id


@pytest.fixture
def ada(desk: Desk, people: People, reading: Readers) -> Reader:
    return reading(people.ada)


def exported(reader: Reader, **query: Any) -> bytes:
    response = reader.client.post(EXPORT, {"what": "export", **query})
    assert response.status_code == 200
    return b"".join(response.streaming_content)


def parts(export: bytes) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    with zipfile.ZipFile(io.BytesIO(export)) as archive:
        manifest = json.loads(archive.read("manifest.json"))
        lines = archive.read("events.jsonl").splitlines()
        assert hashlib.sha256(archive.read("events.jsonl")).hexdigest() == manifest["sha256"]
    return manifest, [json.loads(line) for line in lines]


def test_it_comes_as_a_file_that_verifies_elsewhere(
    ada: Reader, run_id: uuid.UUID, tmp_path: Path
) -> None:
    response = ada.client.post(EXPORT, {"what": "export"})
    headers = response.headers
    assert headers["Content-Type"] == "application/zip"
    assert headers["Content-Disposition"].startswith('attachment; filename="placet-export-2')
    assert headers["Cache-Control"] == "no-store"
    body = b"".join(response.streaming_content)
    assert int(headers["Content-Length"]) == len(body)
    (tmp_path / "export.zip").write_bytes(body)
    with zipfile.ZipFile(io.BytesIO(body)) as archive:
        (tmp_path / "verify.py").write_bytes(archive.read("verify.py"))
    done = subprocess.run(
        [sys.executable, "-I", "verify.py", "export.zip"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr


def test_of_everything_it_holds_every_event(ada: Reader, run_id: uuid.UUID) -> None:
    manifest, lines = parts(exported(ada))
    assert manifest["query"] == {}
    assert len(lines) == manifest["events"] == Event.objects.exclude(kind="export_made").count() - 1
    assert all("payload" in line for line in lines)


def test_of_a_search_it_holds_what_the_page_lists(ada: Reader, run_id: uuid.UUID) -> None:
    page = ada.get("/audit/", run=run_id, kind="decision_made")
    form = page.html.partition('action="/audit/export/"')[2].partition("</form>")[0]
    assert f'name="run" value="{run_id}"' in form
    assert 'name="kind" value="decision_made"' in form
    manifest, lines = parts(exported(ada, run=run_id, kind="decision_made"))
    assert manifest["query"] == {"run_id": str(run_id), "kind": "decision_made"}
    given = [line["kind"] for line in lines if "payload" in line]
    assert given == ["decision_made"] * manifest["matched"] == ["decision_made"]
    assert [line["seq"] for line in lines] == list(range(1, len(lines) + 1))


def test_that_it_was_made_is_written_down_and_listed(
    ada: Reader, people: People, run_id: uuid.UUID
) -> None:
    assert "Nothing was exported yet" in ada.get("/audit/exports/").text
    manifest, _ = parts(exported(ada, run=run_id, since="2020-01-01"))
    event = Event.objects.get(kind="export_made")
    assert event.actor == f"person:{people.ada.pk}"
    page = ada.get("/audit/exports/")
    assert "Ada Moreau" in page.text
    assert f"run {run_id}" in page.text
    assert "from 2020-01-01" in page.text
    assert manifest["sha256"] in page.text
    assert f'href="/audit/{event.run_id}/{event.seq}/"' in page.html
    assert "python3 -I verify.py" in page.text


def test_the_history_follows_what_is_made_meanwhile(ada: Reader, run_id: uuid.UUID) -> None:
    address = ada.get("/audit/exports/").attribute("hx-get")
    assert ada.poll(address).status == 204
    exported(ada)
    answer = ada.poll(address)
    assert answer.status == 200
    assert "everything" in answer.text
    assert ada.poll(answer.attribute("hx-get")).status == 204


@pytest.mark.parametrize("name", list(CAST))
def test_who_may_take_one_away(
    desk: Desk, people: People, reading: Readers, database: Database, name: str
) -> None:
    desk.start_run()
    reader = reading(getattr(people, name))
    allowed = CAST[name][1] in ("auditor", "operator", "administrator")
    before = contents(database)
    answer = reader.client.post(EXPORT, {"what": "export"})
    assert answer.status_code == (200 if allowed else 403)
    assert (contents(database) != before) is allowed
    assert ("Export everything" in reader.get("/audit/").text) is allowed


def test_an_auditor_changes_nothing_but_the_access_log(
    ada: Reader, desk: Desk, run_id: uuid.UUID, database: Database
) -> None:
    before = contents(database)
    exported(ada)
    after = contents(database)
    assert {table for table in after if after[table] != before[table]} == {
        "engine_run",
        "engine_event",
    }
    changed = database.rows("SELECT workflow FROM engine_run WHERE created_at = last_at")
    assert {row["workflow"] for row in changed} <= {"agent", "system.access"}
    assert desk.run(run_id).status == "waiting_external"


@pytest.mark.parametrize("method", ["get", "head"])
def test_never_by_a_get(ada: Reader, run_id: uuid.UUID, database: Database, method: str) -> None:
    before = contents(database)
    answer = getattr(ada.client, method)(EXPORT, {"what": "export"})
    assert answer.status_code == 302
    assert answer.headers["Location"] == "/audit/exports/"
    assert contents(database) == before


@pytest.mark.parametrize(
    ("fields", "status", "said"),
    [
        ({}, 400, ""),
        ({"what": "verify"}, 400, ""),
        ({"what": ["export", "export"]}, 400, ""),
        ({"what": "export", "run": "x"}, 400, "Run: This is no identifier"),
        ({"what": "export", "kind": "levitated"}, 400, "Kind: No event is of the kind"),
        ({"what": "export", "since": "x"}, 400, "From (UTC): “x” is no time"),
        ({"what": "export", "actor": "\x00"}, 400, "Actor: Null characters"),
        ({"what": "export", "payload": "x"}, 400, "There is no filter “payload”."),
        ({"what": "export", "kind": ["a", "b"]}, 400, "more than once"),
        ({"what": "export", "since": "2099-01-01"}, 409, "No event matches"),
        ({"what": "export", "run": str(uuid.UUID(int=1))}, 409, "No event matches"),
    ],
)
def test_what_is_not_understood_or_empty_is_told_and_not_exported(
    ada: Reader,
    run_id: uuid.UUID,
    database: Database,
    fields: dict[str, Any],
    status: int,
    said: str,
) -> None:
    before = contents(database)
    page = Page(ada.client.post(EXPORT, fields))
    assert page.status == status
    assert said in page.text
    assert contents(database) == before


def test_more_than_somebody_can_wait_for_is_refused(
    ada: Reader, run_id: uuid.UUID, database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(exporting, "MOST", 10)
    before = contents(database)
    page = Page(ada.client.post(EXPORT, {"what": "export", "kind": "decision_made"}))
    assert page.status == 409
    assert "Narrow the search" in page.text
    assert contents(database) == before


def test_what_fails_halfway_leaves_no_file_and_no_event(
    ada: Reader, run_id: uuid.UUID, database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The disk is full: nothing is given away, and nothing is said to have been."""
    opened = []

    def full(query: Any, out: Any, *, auditor: Any) -> None:
        opened.append(out)
        raise OSError("no space left on device")

    monkeypatch.setattr(exporting.api, "export_events", full)
    before = contents(database)
    ada.client.raise_request_exception = False
    assert ada.client.post(EXPORT, {"what": "export"}).status_code == 500
    assert opened[0].closed
    assert contents(database) == before
