"""That everything goes on takes two who may stop: one asks, another agrees, within the hour."""

from typing import Any

import pytest

from engine import api
from engine.errors import Conflict, NotPermitted
from engine.models import Stop
from tests.cast import reviewer
from tests.engine.together import together
from tests.world import Desk

REASON = "It was explained."


@pytest.fixture
def stopped(desk: Desk) -> Stop:
    api.stop_everything(reviewer(desk.people.otto), "Something is odd.")
    return Stop.objects.get()


def is_lifted() -> bool:
    return Stop.objects.get().lifted_at is not None


def told_of(desk: Desk) -> list[str]:
    run_id = desk.database.value("SELECT run_id FROM engine_run WHERE workflow = 'system.stops'")
    return list(desk.database.kinds(run_id))


def test_one_word_lifts_nothing_and_is_kept(desk: Desk, stopped: Stop) -> None:
    assert not api.go_on(reviewer(desk.people.otto), REASON)
    stop = Stop.objects.get()
    assert (stop.lifted_at, stop.lift_asked_reason) == (None, REASON)
    assert stop.lift_asked_by == f"person:{desk.people.otto.pk}"
    assert told_of(desk)[-1] == "stop_lift_asked"


def test_another_word_lifts_it_and_both_stand_in_the_log(desk: Desk, stopped: Stop) -> None:
    otto, zoe = reviewer(desk.people.otto), reviewer(desk.people.zoe)
    api.go_on(otto, REASON)
    assert api.go_on(zoe, "I looked, too.", agrees=True)
    stop = Stop.objects.get()
    assert (stop.lift_asked_by, stop.lifted_by) == (otto.actor, zoe.actor)
    assert told_of(desk)[-2:] == ["stop_lift_asked", "stop_lifted"]


@pytest.mark.parametrize("agrees", [False, True])
def test_nobody_is_two(desk: Desk, stopped: Stop, agrees: bool) -> None:
    otto = reviewer(desk.people.otto)
    api.go_on(otto, REASON)
    if agrees:
        with pytest.raises(Conflict, match="nobody else has asked"):
            api.go_on(otto, REASON, agrees=True)
    else:
        assert not api.go_on(otto, REASON)
    assert not is_lifted()


def test_whoever_sits_at_the_machine_is_one_by_any_name(desk: Desk, stopped: Stop) -> None:
    api.go_on(api.Command(user="root"), REASON)
    with pytest.raises(Conflict, match="nobody else has asked"):
        api.go_on(api.Command(user="placet"), REASON, agrees=True)
    assert api.go_on(reviewer(desk.people.otto), REASON, agrees=True)


def test_who_asks_where_somebody_has_asked_is_told_instead(desk: Desk, stopped: Stop) -> None:
    """A word given to open the question never closes it by chance."""
    api.go_on(reviewer(desk.people.otto), REASON)
    with pytest.raises(Conflict, match="somebody else has asked"):
        api.go_on(reviewer(desk.people.zoe), REASON)
    assert not is_lifted()


@pytest.mark.parametrize("loss", ["account", "role"])
def test_a_word_is_gone_with_the_right_to_give_it(desk: Desk, stopped: Stop, loss: str) -> None:
    otto, zoe = desk.people.otto, reviewer(desk.people.zoe)
    api.go_on(reviewer(otto), REASON)
    if loss == "account":
        otto.is_active = False
        otto.save()
    else:
        otto.groups.clear()
    with pytest.raises(Conflict, match="nobody else has asked"):
        api.go_on(zoe, REASON, agrees=True)
    assert not is_lifted()


def test_a_word_holds_for_a_while_only(
    desk: Desk, stopped: Stop, monkeypatch: pytest.MonkeyPatch
) -> None:
    api.go_on(reviewer(desk.people.otto), REASON)
    monkeypatch.setattr("engine.api.stops.TO_AGREE", api.TO_AGREE * 0)
    with pytest.raises(Conflict, match="nobody else has asked"):
        api.go_on(reviewer(desk.people.zoe), REASON, agrees=True)
    assert not api.go_on(reviewer(desk.people.zoe), REASON), "then it is asked anew"


@pytest.mark.parametrize("name", ["rosa", "ada", "ines"])
def test_nobody_agrees_who_may_not_stop(desk: Desk, stopped: Stop, name: str) -> None:
    api.go_on(reviewer(desk.people.otto), REASON)
    with pytest.raises(NotPermitted):
        api.go_on(reviewer(getattr(desk.people, name)), REASON, agrees=True)
    assert not is_lifted()


def test_of_two_who_ask_at_once_one_is_told_of_the_other(desk: Desk, stopped: Stop) -> None:
    speakers = [reviewer(desk.people.otto), reviewer(desk.people.zoe)]

    def ask(speaker: api.Reviewer) -> Any:
        try:
            return api.go_on(speaker, REASON)
        except Conflict as problem:
            return type(problem)

    assert sorted(map(str, together([lambda s=s: ask(s) for s in speakers]))) == sorted(
        map(str, [Conflict, False])
    )
    assert not is_lifted()
