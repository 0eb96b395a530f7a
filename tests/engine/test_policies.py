"""A policy is data: which of its rules holds, who may change it, and what a change does."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine import api, policies
from engine.errors import BadInput, Conflict, NobodyCouldDecide, NotFound, NotPermitted
from engine.models import Event, Policy
from engine.store import policies as doors
from tests.cast import reviewer
from tests.engine.test_replay import assert_tables_match_the_log
from tests.world import Desk

ONE = [{"name": "reviewer", "approve": 1}]
LAST = {"action": "*", "groups": ONE}
REASON = "We have learned something."


def rule(action: str, risk: str = "any", **more: Any) -> dict[str, Any]:
    return {"action": action, "risk": risk, "groups": ONE, **more}


def escalating(after: int, to: str = "lead", **more: Any) -> dict[str, Any]:
    return {**LAST, "escalate": {"after_seconds": after, "to": to}, **more}


class TestOnPaper:
    def test_what_is_left_out_is_written_out(self) -> None:
        [stored] = policies.checked([LAST])
        assert stored == {
            "action": "*",
            "risk": "any",
            "groups": ONE,
            "reject": 1,
            "time_limit_seconds": 86400,
            "wait_seconds": 0,
            "fresh_rehearsal": False,
            "blind": True,
            "challenge": "declared",
            "step_up": "none",
            "training": None,
            "remind_seconds": None,
            "escalate": None,
        }

    @pytest.mark.parametrize(
        ("rules", "path"),
        [
            ([], "$.rules"),
            ("everything", "$.rules"),
            ([rule("ledger.refund")], "$.rules[0]"),
            ([rule("*", "high")], "$.rules[0]"),
            ([{"action": "*"}], "$.rules[0].groups"),
            ([{**LAST, "groups": []}], "$.rules[0].groups"),
            ([{**LAST, "groups": [*ONE, *ONE]}], "$.rules[0].groups"),
            ([{**LAST, "groups": [{"name": "", "approve": 1}]}], "$.rules[0].groups[0].name"),
            ([{**LAST, "groups": [{"name": "r", "approve": 0}]}], "$.rules[0].groups[0].approve"),
            ([{**LAST, "groups": [{"name": "r", "approve": "1"}]}], "$.rules[0].groups[0].approve"),
            ([{**LAST, "reject": 0}], "$.rules[0].reject"),
            ([{**LAST, "blind": "yes"}], "$.rules[0].blind"),
            ([{**LAST, "risk": "none"}], "$.rules[0].risk"),
            ([{**LAST, "colour": "red"}], "$.rules[0].colour"),
            ([rule("ledger*"), LAST], "$.rules[0].action"),
            ([rule("ledger.*"), rule("ledger.refund", "high"), LAST], "$.rules[1]"),
            ([rule("a.b", "any"), rule("a.b", "low"), LAST], "$.rules[1]"),
            ([{**LAST, "wait_seconds": 60, "time_limit_seconds": 60}], "$.rules[0].wait_seconds"),
            ([{**LAST, "remind_seconds": 59}], "$.rules[0].remind_seconds"),
            ([{**LAST, "remind_seconds": 86400}], "$.rules[0].remind_seconds"),
            ([escalating(86400)], "$.rules[0].escalate.after_seconds"),
            ([escalating(86000, wait_seconds=400)], "$.rules[0].escalate.after_seconds"),
            ([escalating(59)], "$.rules[0].escalate.after_seconds"),
            ([escalating(3600, to="reviewer")], "$.rules[0].escalate.to"),
            ([escalating(3600, to="")], "$.rules[0].escalate.to"),
            ([{**LAST, "escalate": {"to": "lead"}}], "$.rules[0].escalate.after_seconds"),
            ([{**LAST, "escalate": {"after_seconds": 3600}}], "$.rules[0].escalate.to"),
        ],
    )
    def test_what_is_wrong_is_named(self, rules: Any, path: str) -> None:
        with pytest.raises(BadInput) as refusal:
            policies.checked(rules)
        assert refusal.value.path == path

    def test_an_exception_stands_before_what_it_is_an_exception_to(self) -> None:
        rules = policies.checked(
            [rule("ledger.refund", "high"), rule("ledger.refund"), rule("ledger.*"), LAST]
        )
        assert len(rules) == 4


names = st.sampled_from(["ledger.refund", "ledger.reverse_refund", "ledger", "mail.tell"])
fitting = st.sampled_from(["*", "ledger.*", "ledger.refund", "ledger", "mail.*", "ledger.re.*"])
risks = st.sampled_from(["low", "medium", "high"])
documents = st.lists(
    st.builds(rule, fitting, st.one_of(risks, st.just("any")), reject=st.integers(1, 20)),
    max_size=6,
)


@given(documents, names, risks)
def test_the_first_that_fits_holds(document: list[dict[str, Any]], action: str, risk: str) -> None:
    rules = [*document, LAST]
    found = policies.rule_for(rules, action, risk)
    before = rules[: rules.index(found)]
    assert policies.Rule.model_validate(found).fits(action, risk)
    assert not any(policies.Rule.model_validate(each).fits(action, risk) for each in before)


CHOICES = [
    ("ledger.refund", "medium", 2),
    ("ledger.refund", "high", 1),
    ("ledger.reverse_refund", "low", 3),
    ("ledgers.refund", "low", 4),
    ("ledger", "low", 4),
    ("mail.tell", "high", 4),
]


@pytest.mark.parametrize(("action", "risk", "place"), CHOICES)
def test_paper_and_database_choose_the_same(action: str, risk: str, place: int, desk: Desk) -> None:
    rules = [
        rule("ledger.refund", "high", reject=1),
        rule("ledger.refund", reject=2),
        rule("ledger.*", reject=3),
        {**LAST, "reject": 4},
    ]
    version = api.propose_policy(rules, administrator=reviewer(desk.people.zoe), reason=REASON)
    assert desk.people.rosa
    api.put_policy_in_force(version, administrator=reviewer(desk.people.yara), reason=REASON)

    told = doors.rule_in_force(action, risk)

    assert told is not None
    assert told["version"] == version
    assert told["rule"] == policies.rule_for(policies.checked(rules), action, risk)
    assert told["rule"]["reject"] == place


class TestAChange:
    def test_holds_from_the_word_of_a_second_person(self, desk: Desk) -> None:
        zoe, yara = reviewer(desk.people.zoe), reviewer(desk.people.yara)
        assert desk.people.rosa
        version = api.propose_policy([rule("mail.*"), LAST], administrator=zoe, reason=REASON)
        assert self.in_force() == 1

        with pytest.raises(NotPermitted, match="never puts it in force"):
            api.put_policy_in_force(version, administrator=zoe, reason=REASON)
        api.put_policy_in_force(version, administrator=yara, reason=REASON)

        assert self.in_force() == version == 2
        assert Policy.objects.get(version=1).status == "retired"
        kept = Policy.objects.get(version=2)
        assert (kept.proposed_by, kept.in_force_by) == (desk.people.zoe, desk.people.yara)

    def in_force(self) -> int:
        return Policy.objects.get(status="in_force").version

    def test_each_step_is_an_event(self, desk: Desk) -> None:
        version = desk.people.rosa and desk.put_in_force(rule("mail.*", reject=2))
        dropped = api.propose_policy([LAST], administrator=reviewer(desk.people.zoe), reason=REASON)
        api.drop_policy(dropped, administrator=reviewer(desk.people.zoe), reason=REASON)

        said = Event.objects.filter(kind__startswith="policy_").order_by("seq")
        assert [each.kind for each in said] == [
            "policy_proposed",
            "policy_put_in_force",
            "policy_proposed",
            "policy_dropped",
        ]
        first = json.loads(bytes(said[0].payload or b""))
        assert (first["version"], first["rules"][0]["reject"]) == (version, 2)
        assert first["reason"] == REASON
        assert said[1].actor == f"person:{desk.people.yara.pk}"
        assert_tables_match_the_log(desk.database, said[0].run_id)

    @pytest.mark.parametrize("name", ["rosa", "otto", "ada", "ines"])
    def test_is_for_administrators(self, name: str, desk: Desk) -> None:
        somebody = reviewer(getattr(desk.people, name))
        version = api.propose_policy([LAST], administrator=reviewer(desk.people.zoe), reason=REASON)
        for verb in (api.put_policy_in_force, api.drop_policy):
            with pytest.raises(NotPermitted, match="only administrators"):
                verb(version, administrator=somebody, reason=REASON)
        with pytest.raises(NotPermitted, match="only administrators"):
            api.propose_policy([LAST], administrator=somebody, reason=REASON)
        assert self.in_force() == 1

    def test_that_nobody_could_meet_is_refused(self, desk: Desk) -> None:
        assert desk.people.rosa
        assert desk.people.tomas
        three = [{"name": "reviewer", "approve": 3}]
        with pytest.raises(NobodyCouldDecide, match=r"rule 1, for mail\.\* at risk any"):
            desk.put_in_force({"action": "mail.*", "groups": three})
        assert self.in_force() == 1

        desk.people.reviewers(1)
        assert desk.put_in_force({"action": "mail.*", "groups": three}) == self.in_force()

    def test_counts_nobody_for_two_groups(self, desk: Desk) -> None:
        """Rosa alone is in both: that is one person, and two are asked for."""
        both = [{"name": "reviewer", "approve": 1}, {"name": "treasurer", "approve": 1}]
        rosa = desk.people.somebody("rosa", "reviewer", "treasurer")
        with pytest.raises(NobodyCouldDecide):
            desk.put_in_force({"action": "mail.*", "groups": both})
        assert rosa.groups.count() == 2

        desk.people.somebody("tessa", "treasurer")
        assert desk.put_in_force({"action": "mail.*", "groups": both})

    def test_to_a_fallback_group_of_nobody_is_refused(self, desk: Desk) -> None:
        assert desk.people.rosa
        mails = {**escalating(3600), "action": "mail.*"}
        with pytest.raises(NobodyCouldDecide, match=r"rule 1, for mail\.\* at risk any"):
            desk.put_in_force(mails)
        lena = desk.people.somebody("lena", "lead")
        assert desk.put_in_force(mails) == self.in_force()

        lena.is_active = False
        lena.save()
        with pytest.raises(NobodyCouldDecide):
            desk.put_in_force(mails)

    def test_may_leave_to_a_fallback_group_what_its_own_cannot(self, desk: Desk) -> None:
        """There is no treasurer: it escalates at once, and one lead is enough."""
        assert desk.people.somebody("lena", "lead")
        assert desk.people.rosa
        one = {"name": "treasurer", "approve": 1}
        mails = {**escalating(3600), "action": "mail.*", "groups": [one]}
        assert desk.put_in_force(mails) == self.in_force()
        with pytest.raises(NobodyCouldDecide):
            desk.put_in_force({**mails, "groups": [{**one, "approve": 2}]})

    @pytest.mark.parametrize("verb", [api.put_policy_in_force, api.drop_policy])
    def test_is_made_once(self, verb: Any, desk: Desk) -> None:
        assert desk.people.rosa
        version = desk.put_in_force(rule("mail.*"))
        with pytest.raises(Conflict, match="in_force and cannot become"):
            verb(version, administrator=reviewer(desk.people.zoe), reason=REASON)

    def test_needs_a_policy_and_a_reason(self, desk: Desk) -> None:
        zoe = reviewer(desk.people.zoe)
        with pytest.raises(NotFound):
            api.put_policy_in_force(7, administrator=zoe, reason=REASON)
        with pytest.raises(BadInput, match="reason"):
            api.propose_policy([LAST], administrator=zoe, reason=" ")
        assert Policy.objects.count() == 1

    def test_takes_the_place_of_the_one_that_was_compared(self, desk: Desk) -> None:
        zoe, yara = reviewer(desk.people.zoe), reviewer(desk.people.yara)
        assert desk.people.rosa
        late = api.propose_policy([rule("mail.*"), LAST], administrator=zoe, reason=REASON)
        desk.put_in_force(rule("pager.*"))
        with pytest.raises(Conflict, match="version 3 is in force by now"):
            api.put_policy_in_force(late, administrator=yara, reason=REASON, instead_of=1)
        assert self.in_force() == 3
        api.put_policy_in_force(late, administrator=yara, reason=REASON, instead_of=3)
        assert self.in_force() == late


def test_what_nobody_could_meet_is_told_before_it_is_proposed(desk: Desk) -> None:
    assert desk.people.rosa
    two = [{"name": "reviewer", "approve": 2}]
    rules = policies.checked([rule("a.*", groups=two), rule("b.*"), {**LAST, "groups": two}])
    assert api.beyond_reach(rules) == (0, 2)
    desk.people.reviewers(1)
    assert api.beyond_reach(rules) == ()
