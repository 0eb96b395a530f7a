"""Writing rules without a script, looking at what they would change, and proposing them."""

from typing import Any

import pytest

from engine.models import Policy
from tests.cast import People
from tests.pages.policy.written import PROPOSE, Writer, fields, proposed, words
from tests.pages.reading import Reader, Readers, contents
from tests.world import Database, Desk

AT_THE_TOP = {"rule_0_action": "ledger.*", "rule_0_group0": "reviewer", "rule_0_approve0": "1"}


@pytest.fixture
def zoe(desk: Desk, people: People, reading: Readers) -> Reader:
    assert people.rosa
    return reading(people.zoe)


@pytest.fixture
def writer(zoe: Reader) -> Writer:
    return Writer(zoe)


def named(writer: Writer) -> list[str]:
    """What the rules on the page are for, in their order."""
    told = fields(writer.page)
    return [told[name] for name in told if name.endswith("-action")]


def test_it_begins_with_the_rules_in_force(writer: Writer) -> None:
    told = fields(writer.page)
    assert named(writer) == ["*"]
    assert (told["rule-0-group0"], told["rule-0-approve0"]) == ("reviewer", "1")
    assert (told["rule-0-time_limit"], told["rule-0-wait"]) == ("24 h", "0 min")
    assert told["rule-0-blind"] == "on"
    assert "rule-0-fresh_rehearsal" not in told


def test_rules_are_added_moved_and_removed_by_buttons(writer: Writer) -> None:
    writer.press("add")
    writer.press("add", rule_0_action="a.*")
    writer.press("add", rule_0_action="b.*")
    assert writer.page.status == 200
    writer.press("down-0", rule_0_action="c.*")
    assert named(writer) == ["b.*", "c.*", "a.*", "*"]
    writer.press("up-2")
    assert named(writer) == ["b.*", "a.*", "c.*", "*"]
    writer.press("remove-0")
    assert named(writer) == ["a.*", "c.*", "*"]
    assert writer.errors() == {}


@pytest.mark.parametrize("do", ["remove-1", "up-1", "down-0", "remove-7", "up-0", "", "dance"])
def test_the_last_one_stays_the_last(do: str, writer: Writer) -> None:
    writer.press("add")
    writer.press("room", rule_0_action="a.*")
    writer.press(do)
    assert named(writer) == ["a.*", "*"]


def test_a_group_more_finds_room(writer: Writer, people: People) -> None:
    assert people.ada
    writer.press("room", rule_0_group1="auditor", rule_0_approve1="1")
    told = fields(writer.page)
    assert (told["rule-0-group1"], told["rule-0-approve1"]) == ("auditor", "1")
    assert "rule-0-group2" in writer.page.html


def test_the_groups_are_those_that_there_are(writer: Writer, people: People) -> None:
    people.somebody("tessa", "treasurer")
    writer.press("room")
    assert '<option value="treasurer">' in writer.page.html
    writer.press("preview", rule_0_group0="nobody")
    assert "rule-0-group0" in writer.errors()


ESCALATING = {"rule_0_escalate_after": "2 h", "rule_0_escalate_to": "administrator"}
WRONG: list[tuple[dict[str, Any], str]] = [
    ({"rule_0_approve0": "0"}, "rule-0-approve0"),
    ({"rule_0_approve0": "21"}, "rule-0-approve0"),
    ({"rule_0_approve0": ""}, "rule-0-approve0"),
    ({"rule_0_approve0": "two"}, "rule-0-approve0"),
    ({"rule_0_group0": ""}, "rule-0-group0"),
    ({"rule_0_group0": "", "rule_0_approve0": ""}, "rule-0-group0"),
    ({"rule_0_group1": "reviewer", "rule_0_approve1": "1"}, "rule-0-group0"),
    ({"rule_0_action": "ledger*"}, "rule-0-action"),
    ({"rule_0_action": ""}, "rule-0-action"),
    ({"rule_0_risk": "none"}, "rule-0-risk"),
    ({"rule_0_reject": "0"}, "rule-0-reject"),
    ({"rule_0_time_limit": "soon"}, "rule-0-time_limit"),
    ({"rule_0_time_limit": "59 s"}, "rule-0-time_limit"),
    ({"rule_0_time_limit": "91 days"}, "rule-0-time_limit"),
    ({"rule_0_wait": "31 days"}, "rule-0-wait"),
    ({"rule_0_wait": "2 days"}, "rule-0-wait"),
    ({"rule_0_remind": "24 h"}, "rule-0-remind"),
    ({"rule_0_remind": "often"}, "rule-0-remind"),
    ({"rule_0_escalate_after": "2 h"}, "rule-0-escalate_to"),
    ({"rule_0_escalate_to": "administrator"}, "rule-0-escalate_after"),
    ({**ESCALATING, "rule_0_escalate_after": "24 h"}, "rule-0-escalate_after"),
    ({**ESCALATING, "rule_0_escalate_to": "reviewer"}, "rule-0-escalate_to"),
    ({**ESCALATING, "rule_0_escalate_to": "nobody-there"}, "rule-0-escalate_to"),
]


@pytest.mark.parametrize(("changed", "place"), WRONG)
def test_what_is_wrong_is_said_at_its_place(
    changed: dict[str, Any], place: str, writer: Writer, database: Database
) -> None:
    writer.press("add")
    before = contents(database)
    page = writer.press("preview", **{**AT_THE_TOP, **changed})
    assert page.status == 422
    assert list(writer.errors()) == [place]
    assert contents(database) == before


def test_a_rule_that_can_never_hold_says_so_itself(writer: Writer) -> None:
    writer.press("add")
    writer.press("add", **AT_THE_TOP)
    moved = {name.replace("_0_", "_1_", 1): value for name, value in AT_THE_TOP.items()}
    page = writer.press("preview", **{**AT_THE_TOP, **moved})
    assert page.status == 422
    second = page.html.partition("Rule 2")[2]
    assert "A rule before it fits all that this one fits." in second.partition("Rule 3")[0]


def test_what_comes_twice_is_refused(zoe: Reader) -> None:
    assert zoe.post(PROPOSE, **{"rule-0-action": ["*", "a"], "do": "preview"}).status == 400


def test_nothing_at_all_is_no_policy(zoe: Reader) -> None:
    for do in ("preview", "propose", "add-nothing"):
        assert zoe.post(PROPOSE, do=do).status == 422


def test_every_word_of_time_is_understood(writer: Writer) -> None:
    writer.press("add")
    spans = {"rule_0_time_limit": "2 days 3h 1 min", "rule_0_wait": "90 min"}
    page = writer.press("preview", **AT_THE_TOP, **spans)
    assert "51 h 1 min to decide and do" in words(page)
    assert "1 h 30 min to think" in words(page)


def test_the_second_step_shows_what_differs_and_proposes_nothing(
    writer: Writer, database: Database
) -> None:
    writer.press("add")
    before = contents(database)
    page = writer.press("preview", **AT_THE_TOP, rule_0_wait="1 h")
    assert page.status == 200
    assert "What differs from version 1" in words(page)
    assert "Added ledger.* as rule 1" in words(page)
    assert "ledger.refund v1 1 of reviewer then 1 of reviewer; 1 h to think after that" in words(
        page
    )
    assert contents(database) == before
    writer.press("write")
    assert named(writer) == ["ledger.*", "*"]
    assert fields(writer.page)["rule-0-wait"] == "1 h"


def test_whoever_is_called_is_written_and_shown(writer: Writer) -> None:
    writer.press("add")
    page = writer.press("preview", **AT_THE_TOP, **ESCALATING, rule_0_remind="90 min")
    for told in (
        "a reminder after 1 h 30 min escalates to administrator after 2 h",
        "1 of reviewer; a reminder after 1 h 30 min; escalates to administrator after 2 h",
    ):
        assert told in words(page)
    writer.press("write")
    told_again = fields(writer.page)
    assert told_again["rule-0-remind"] == "90 min"
    assert told_again["rule-0-escalate_after"] == "2 h"
    assert told_again["rule-0-escalate_to"] == "administrator"
    writer.press("preview")
    assert writer.press("propose", reason="Nobody looked.").status == 302
    stored = Policy.objects.latest("version").rules[0]
    assert stored["remind_seconds"] == 5400
    assert stored["escalate"] == {"after_seconds": 7200, "to": "administrator"}


def test_what_would_escalate_to_nobody_or_at_once_is_said(
    desk: Desk, writer: Writer, people: People
) -> None:
    people.zoe.groups.model.objects.create(name="lead")
    writer.press("add")
    gone = {"rule_0_group0": "lead", "rule_0_escalate_to": "administrator"}
    page = writer.press("preview", **{**AT_THE_TOP, **ESCALATING, **gone})
    assert "No active person is in lead." in words(page)
    assert "It escalates to administrator at once." in words(page)
    writer.press("write")
    page = writer.press("preview", rule_0_group0="reviewer", rule_0_escalate_to="lead")
    assert "No active person is in lead." in words(page)
    assert "at once." not in words(page)


def test_it_counts_what_is_open_and_would_be_asked_otherwise(
    desk: Desk, writer: Writer, people: People
) -> None:
    people.reviewers(1)
    desk.propose_refund()
    desk.propose_for_good()
    desk.approved_refund()
    desk.work(desk.approved_refund().run_id)
    writer.press("add")
    page = writer.press("preview", **{**AT_THE_TOP, "rule_0_action": "ledger.refund"})
    assert "1 of 2 open proposals would lapse and be asked anew" in words(page)
    assert "1 of 1 approved and not sent would lapse, too" in words(page)
    writer.press("write")
    page = writer.press("preview", rule_0_action="mail.*")
    assert "2 proposals are open; they are decided as before." in words(page)
    assert "1 is approved and not sent; it is sent as approved." in words(page)


def test_what_nobody_could_meet_is_said_before_it_is_proposed(writer: Writer) -> None:
    writer.press("add")
    page = writer.press("preview", **{**AT_THE_TOP, "rule_0_approve0": "3"})
    assert "ledger.*: Only 1 active person is in reviewer." in words(page)


def test_the_same_rules_are_nothing_to_propose(writer: Writer) -> None:
    page = writer.press("preview")
    assert "There is nothing to propose" in words(page)
    assert 'value="propose"' not in page.html


def test_it_is_proposed_with_a_reason(writer: Writer, people: People) -> None:
    writer.press("add")
    writer.press("preview", **AT_THE_TOP, rule_0_fresh_rehearsal="on", rule_0_challenge="on")
    page = writer.press("propose", reason=" ")
    assert page.status == 422
    assert Policy.objects.count() == 1
    page = writer.press("propose", reason="Large refunds\r\nwent out.")
    assert page.response.headers["Location"] == "/policy/2/"
    kept = Policy.objects.get(version=2)
    assert (kept.status, kept.proposed_by, kept.reason) == (
        "proposed",
        people.zoe,
        "Large refunds\nwent out.",
    )
    first, last = kept.rules
    assert (first["action"], first["risk"], first["groups"]) == (
        "ledger.*",
        "any",
        [{"name": "reviewer", "approve": 1}],
    )
    assert (first["fresh_rehearsal"], first["challenge"], first["blind"]) == (True, "always", True)
    assert last == Policy.objects.get(version=1).rules[0]


@pytest.mark.parametrize("reason", ["a\x00b", "a" * 4_001])
def test_a_reason_that_cannot_be_kept_is_refused(writer: Writer, reason: str) -> None:
    writer.press("add")
    writer.press("preview", **AT_THE_TOP)
    assert writer.press("propose", reason=reason).status == 422
    assert Policy.objects.count() == 1


def test_an_old_preview_is_looked_at_again(desk: Desk, writer: Writer) -> None:
    writer.press("add")
    writer.press("preview", **AT_THE_TOP)
    desk.put_in_force({"action": "mail.*", "groups": [{"name": "reviewer", "approve": 1}]})
    page = writer.press("propose", reason="It was time.")
    assert page.status == 409
    assert "Another version is in force by now." in words(page)
    assert "What differs from version 2" in words(page)
    assert "Removed mail.*" in words(page)
    assert Policy.objects.count() == 2
    assert writer.press("propose", reason="It was time.").status == 302


@pytest.mark.parametrize("name", ["rosa", "otto", "ada", "ines"])
def test_nobody_but_administrators_writes_one(
    name: str, desk: Desk, people: People, reading: Readers, database: Database
) -> None:
    somebody = reading(getattr(people, name))
    before = contents(database)
    for page in (somebody.get(PROPOSE), somebody.post(PROPOSE, do="propose", reason="x")):
        assert page.status == 403
        assert "Who could: Administrator." in words(page)
    assert contents(database) == before


def test_what_was_typed_is_text(writer: Writer) -> None:
    text = '"><svg onload=alert(1)>'
    writer.press("add")
    page = writer.press("room", rule_0_action=text, rule_0_wait=text)
    assert "<svg onload" not in page.html
    page = writer.press("preview")
    assert page.status == 422
    assert "<svg onload" not in page.html
    assert fields(page)["rule-0-action"] == text


def test_a_group_s_name_is_text_too(zoe: Reader, people: People) -> None:
    name = "<img src=x onerror=alert(1)>"
    people.somebody("odd", name)
    number = proposed(zoe, rule_0_group0=name, rule_0_approve0="1")
    for address in ("/policy/", f"/policy/{number}/", PROPOSE):
        assert "<img src" not in zoe.get(address).html.partition("<main")[2], address
