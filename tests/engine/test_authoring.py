"""What an integrator writes is checked at start-up, and refused with words that help."""

import json
from collections.abc import Callable
from typing import Any

import pytest
from django.core.exceptions import ImproperlyConfigured

from engine import actions, workflows
from engine.actions import Action, ActionArguments, Money, no_rollback, out_of_band, register
from engine.errors import BadInput, Incompatible
from engine.workflows import Context, Next, Workflow, finish
from tests.world import Desk

pytestmark = pytest.mark.usefixtures("registries")


def ends(ctx: Context) -> Next:
    return finish()


def graph(nodes: dict[str, list[str]], *, start: str = "first") -> Workflow:
    """A workflow with these nodes, name → where each leads; who leads nowhere ends the run."""
    made = Workflow("made", start=start)
    for name, to in nodes.items():
        node = type(ends)(ends.__code__, ends.__globals__, name)
        made.node(to=to, ends=not to)(node)
    return made


class TestAGraph:
    def test_that_can_be_walked_is_taken(self) -> None:
        graph({"first": ["second", "third"], "second": ["first", "third"], "third": []}).check()

    def test_with_a_node_that_nothing_leads_to_is_refused(self) -> None:
        island = graph({"first": ["second"], "second": [], "island": ["second"]})

        with pytest.raises(ImproperlyConfigured, match="nothing leads to island"):
            island.check()

    def test_with_nodes_that_only_lead_to_each_other_is_refused(self) -> None:
        circle = graph({"first": [], "one": ["other"], "other": ["one"]})

        with pytest.raises(ImproperlyConfigured, match="nothing leads to one, other"):
            circle.check()

    def test_that_leads_to_what_is_not_a_node_is_refused(self) -> None:
        with pytest.raises(ImproperlyConfigured, match="'first' leads to 'nowhere'"):
            graph({"first": ["nowhere"]}).check()

    def test_that_starts_at_what_is_not_a_node_is_refused(self) -> None:
        with pytest.raises(ImproperlyConfigured, match="'start' leads to 'zeroth'"):
            graph({"first": []}, start="zeroth").check()

    def test_with_a_dead_end_is_refused(self) -> None:
        made = graph({"first": ["second"], "second": []})
        made.nodes["second"] = workflows.Node(name="second", function=ends, to=(), ends=False)

        with pytest.raises(ImproperlyConfigured, match="second leads nowhere"):
            made.check()

    def test_from_which_no_end_can_be_reached_is_refused(self) -> None:
        """It could only go round in circles until its budget is used up."""
        with pytest.raises(ImproperlyConfigured):
            graph({"first": ["second"], "second": ["first"]}).check()

    def test_with_a_node_twice_is_refused(self) -> None:
        made = graph({"first": []})

        with pytest.raises(ImproperlyConfigured, match="'first' is defined twice"):
            made.node(ends=True)(made.nodes["first"].function)

    def test_of_a_name_and_version_that_exist_is_refused(self) -> None:
        Workflow("made", version=2, start="first")

        with pytest.raises(ImproperlyConfigured, match="'made' version 2 is defined twice"):
            Workflow("made", version=2, start="first")

    def test_is_checked_at_start_up_with_all_others(self) -> None:
        graph({"first": ["nowhere"]})

        with pytest.raises(ImproperlyConfigured):
            workflows.check_all()

    def test_without_a_version_named_is_the_newest(self) -> None:
        for version in (1, 10, 9):
            Workflow("made", version=version, start="first")

        assert workflows.get("made").version == 10
        assert workflows.get("made", 9).version == 9

    def test_that_is_unknown_is_bad_input_and_an_unknown_version_incompatible(self) -> None:
        with pytest.raises(BadInput):
            workflows.get("nothing")
        with pytest.raises(Incompatible):
            workflows.get("refund", 99)


def action_with(**changed: Any) -> type[Action]:
    class Arguments(ActionArguments):
        amount: Money

    whole: dict[str, Any] = {
        "name": "made.up",
        "title": "Make something up",
        "Arguments": Arguments,
        "rollback": no_rollback("Nothing is ever taken back."),
    }
    kept = {name: value for name, value in (whole | changed).items() if value is not ...}
    return type("MadeUp", (Action,), kept)


class TestAnAction:
    def test_that_is_whole_is_taken(self) -> None:
        register(action_with())

        assert actions.get("made.up").version == 1

    @pytest.mark.parametrize("lacking", ["name", "title", "Arguments", "rollback"])
    def test_that_lacks_something_is_refused(self, lacking: str) -> None:
        with pytest.raises(ImproperlyConfigured, match=f"lacks `{lacking}`"):
            register(action_with(**{lacking: ...}))

    @pytest.mark.parametrize("words", ["", "  ", "\n"])
    @pytest.mark.parametrize("plan", [no_rollback, out_of_band])
    def test_whose_rollback_has_no_words_is_refused(
        self, plan: Callable[[str], Any], words: str
    ) -> None:
        with pytest.raises(ImproperlyConfigured, match="needs words"):
            register(action_with(rollback=plan(words)))

    @pytest.mark.parametrize(
        "wrong", [{"risk": "none"}, {"risk": "LOW"}, {"target_class": "exactly-once"}]
    )
    def test_with_an_unknown_word_is_refused(self, wrong: dict[str, str]) -> None:
        with pytest.raises(ImproperlyConfigured, match="unknown"):
            register(action_with(**wrong))

    def test_that_de_duplicates_says_for_how_long(self) -> None:
        with pytest.raises(ImproperlyConfigured, match="dedupe_window"):
            register(action_with(target_class="idempotent"))

    def test_of_a_name_and_version_that_exist_is_refused(self) -> None:
        register(action_with())

        with pytest.raises(ImproperlyConfigured, match=r"made\.up v1 is defined twice"):
            register(action_with())

    def test_is_by_default_the_safest_kind(self) -> None:
        made = action_with()

        assert (made.risk, made.target_class, made.dedupe_window) == ("high", "opaque", 0.0)

    @pytest.mark.parametrize(
        ("amount", "path"),
        [
            (25, "$.arguments.amount"),
            (25.0, "$.arguments.amount"),
            ("25", "$.arguments.amount"),
            ("25.0", "$.arguments.amount"),
            ("25,00", "$.arguments.amount"),
            ("-25.00", "$.arguments.amount"),
            ("+25.00", "$.arguments.amount"),
            ("025.00", "$.arguments.amount"),
            ("25.00\n", "$.arguments.amount"),
            (" 25.00", "$.arguments.amount"),
            ("1e2", "$.arguments.amount"),
            ("\u0662\u0665.00", "$.arguments.amount"),
            (None, "$.arguments.amount"),
            (True, "$.arguments.amount"),
        ],
    )
    def test_c56_takes_money_only_as_exact_text(self, amount: object, path: str) -> None:
        made = register(action_with())()

        with pytest.raises(BadInput) as refusal:
            actions.freeze(made, {"amount": amount})

        assert refusal.value.path == path

    def test_takes_nothing_that_it_does_not_know(self) -> None:
        made = register(action_with())()

        with pytest.raises(BadInput) as refusal:
            actions.freeze(made, {"amount": "1.00", "approved": True})

        assert refusal.value.path == "$.arguments.approved"

    def test_freezes_defaults_so_that_they_are_shown_and_approved_too(self, desk: Desk) -> None:
        proposal = desk.propose_refund()

        assert json.loads(bytes(proposal.arguments))["refunded_so_far"] == "0.00"
