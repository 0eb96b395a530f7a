"""`manage.py policy`: the same two people, without any page."""

import io
import json
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from engine.models import Policy
from tests.cast import People
from tests.pages.reading import contents
from tests.world import Database, Desk

TWO = [{"name": "reviewer", "approve": 2}]
RULES = [
    {"action": "ledger.*", "risk": "high", "groups": TWO, "wait_seconds": 3600},
    {"action": "*", "groups": [{"name": "reviewer", "approve": 1}]},
]
REASON = "Large refunds went out."


def policy(*words: str) -> str:
    told = io.StringIO()
    call_command("policy", *words, stdout=told, no_color=True)
    return told.getvalue()


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "rules.json"


@pytest.fixture
def written(file: Path) -> str:
    file.write_text(json.dumps(RULES))
    return str(file)


def propose(file: str, name: str = "zoe") -> str:
    return policy("propose", file, "--as", name, "--reason", REASON)


def test_it_shows_the_policy_in_force_in_words(desk: Desk, people: People) -> None:
    people.reviewers(2)
    desk.put_in_force(RULES[0])
    told = policy("show")
    assert "Version 2, in force. Proposed by Zoe Hall: We have learned something." in told
    assert "  1. ledger.*, at high risk\n     2 of reviewer; 1 h to think after that\n" in told
    assert "Time limit: 24 h" in told
    assert "now for: access.grant v1, " in told
    assert "Version 1, retired." in policy("show", "--version", "1")
    with pytest.raises(CommandError, match="There is no such"):
        policy("show", "--version", "7")


def test_what_it_shows_as_json_can_be_proposed(people: People, file: Path) -> None:
    assert people.zoe
    file.write_text(policy("show", "--json"))
    assert "Version 2 is proposed." in propose(str(file))
    first, second = Policy.objects.order_by("version")
    assert second.rules == first.rules


def test_two_people_change_it(people: People, written: str) -> None:
    assert people.zoe
    assert people.yara
    people.reviewers(2)
    propose(written)
    with pytest.raises(CommandError, match="who proposed it never puts it in force"):
        policy("put-in-force", "2", "--as", "zoe", "--reason", REASON)
    assert policy("put-in-force", "2", "--as", "yara", "--reason", REASON) == (
        "Version 2 is in force.\n"
    )
    kept = Policy.objects.get(status="in_force")
    assert (kept.version, kept.proposed_by, kept.in_force_by) == (2, people.zoe, people.yara)
    with pytest.raises(CommandError, match="in_force and cannot become"):
        policy("drop", "2", "--as", "yara", "--reason", REASON)


def test_one_drops_it(people: People, written: str) -> None:
    assert people.zoe
    propose(written)
    assert policy("drop", "2", "--as", "zoe", "--reason", REASON) == "Version 2 is dropped.\n"
    assert Policy.objects.get(version=2).status == "dropped"


@pytest.mark.parametrize("name", ["rosa", "otto", "ada", "ines", "nobody"])
def test_nobody_else_says_anything(
    name: str, people: People, written: str, database: Database
) -> None:
    assert name == "nobody" or getattr(people, name)
    before = contents(database)
    for words in (("propose", written), ("drop", "1"), ("put-in-force", "1")):
        with pytest.raises(CommandError, match="is no active administrator"):
            policy(*words, "--as", name, "--reason", REASON)
    assert contents(database) == before


WRONG: list[tuple[Any, str]] = [
    ([], r"^\$\.rules: "),
    ([{**RULES[0], "reject": 0}, RULES[1]], r"^\$\.rules\[0\]\.reject: "),
    ([{**RULES[0], "groups": [{"name": "r", "approve": 0}]}, RULES[1]], r"groups\[0\]\.approve: "),
    ([RULES[1], RULES[0]], r"^\$\.rules\[1\]: The last rule is for every action"),
    ([RULES[0], RULES[0], RULES[1]], r"^\$\.rules\[1\]: A rule before it"),
    ({"policy": RULES}, r"^\$\.rules: "),
]


@pytest.mark.parametrize(("document", "said"), WRONG)
def test_what_is_wrong_is_said_with_its_path(
    document: Any, said: str, people: People, file: Path
) -> None:
    assert people.zoe
    file.write_text(json.dumps(document))
    for act in (lambda: policy("check", str(file)), lambda: propose(str(file))):
        with pytest.raises(CommandError, match=said):
            act()
    assert Policy.objects.count() == 1


@pytest.mark.parametrize("text", ["[", '{"rules": [], "rules": []}', "\x00"])
def test_what_is_no_json_is_refused(text: str, people: People, file: Path) -> None:
    assert people.zoe
    file.write_text(text)
    with pytest.raises(CommandError, match=r"rules\.json: "):
        policy("check", str(file))


def test_a_file_that_is_not_there_is_said(people: People, file: Path) -> None:
    assert people.zoe
    with pytest.raises(CommandError, match="cannot be read"):
        propose(str(file))


def test_it_checks_who_could_meet_them(people: People, written: str, database: Database) -> None:
    assert people.rosa
    before = contents(database)
    with pytest.raises(CommandError, match="nobody could meet rule 1 now"):
        policy("check", written)
    people.reviewers(1)
    assert "each rule can be met" in policy("check", written)
    assert contents(database) == before


def test_a_reason_is_needed(people: People, written: str) -> None:
    assert people.zoe
    with pytest.raises(CommandError, match="reason"):
        policy("propose", written, "--as", "zoe", "--reason", " ")
    with pytest.raises(CommandError, match="--reason"):
        policy("propose", written, "--as", "zoe")


def test_it_says_what_was_decided_of_late_would_have_come_to(
    desk: Desk, people: People, written: str, file: Path
) -> None:
    people.reviewers(1)
    proposal = desk.approved_refund()
    assert "~" not in policy("show", "--replay")
    assert "ledger.refund at medium risk, rule 1: 1 the same" in policy("show", "--replay")
    file.write_text(json.dumps([{**RULES[0], "risk": "any"}, RULES[1]]))
    told = policy("check", written, "--replay")
    assert "Decided in the last 90 days: 1.\n" in told
    assert "ledger.refund at medium risk, rule 1: 1 would need more approvals" in told
    assert f"~ {proposal.proposal_id} version 1, approved: would need more approvals." in told
    assert "Lacking: 1 more of reviewer." in told
    assert "Decided in" not in policy("check", written)
