"""The proof as anybody would run it, and that it would tell what it is there to tell."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from engine.crashpoints import POINTS
from oversight.demo.crashproof import layers
from oversight.demo.crashproof.kills import KILLS, chosen
from oversight.demo.crashproof.layers import Fact
from oversight.demo.crashproof.projections import effects_by
from oversight.demo.crashproof.report import table
from oversight.demo.scenarios.result import Result
from oversight.embedded.guardian import is_alive
from oversight.embedded.processes import PROJECT

TWENTY_MINUTES = 1200.0
"""Longer than other tests may take: 36 workers are killed one after the other."""


def prove(tmp_path: Path, *options: str) -> subprocess.CompletedProcess[str]:
    """`manage.py crashproof` in a process of its own, its temporary files in `tmp_path`."""
    nothing_of_ours = dict.fromkeys(("DATABASE_URL", "CELERY_BROKER_URL"), "")
    return subprocess.run(
        [sys.executable, str(PROJECT / "manage.py"), "crashproof", *options],
        env={**os.environ, **nothing_of_ours, "PLACET_DEMO": "1", "TMPDIR": str(tmp_path)},
        capture_output=True,
        text=True,
        timeout=TWENTY_MINUTES,
    )


def as_json(proved: subprocess.CompletedProcess[str]) -> list[dict[str, Any]]:
    assert proved.returncode == 0, proved.stderr
    return json.loads(proved.stdout)


def test_one_kill_in_the_middle_of_a_rollback_is_proved_harmless(tmp_path: Path) -> None:
    [result] = as_json(prove(tmp_path, "--json", "--only", "back executed 2"))
    assert (result["target_effects"], result["expected"]) == (6, 6)
    assert result["outcome"] == layers.FOUND
    assert all(result["checks"].values())
    assert not any(is_alive(pid) for pid in result["pids"].values())
    assert list(tmp_path.iterdir()) == []


@pytest.mark.slow
@pytest.mark.timeout(TWENTY_MINUTES)
def test_every_kill_is_proved_harmless(tmp_path: Path) -> None:
    results = as_json(prove(tmp_path, "--json"))
    assert [result["name"] for result in results] == [kill.name for kill in KILLS]
    assert all(result["passed"] for result in results)


@pytest.mark.slow
@pytest.mark.timeout(TWENTY_MINUTES)
def test_nothing_is_lost_in_chaos(tmp_path: Path) -> None:
    """So many runs as PLACET_CHAOS says."""
    runs = os.environ.get("PLACET_CHAOS", "100")
    [result] = as_json(prove(tmp_path, "--json", "--chaos", runs))
    assert result["passed"], result
    assert (result["lost"], result["doubled"]) == (0, 0)


def test_a_name_that_nobody_knows_is_refused(tmp_path: Path) -> None:
    proved = prove(tmp_path, "--only", "wishful thinking")
    assert proved.returncode != 0
    assert "wishful thinking" in proved.stderr


def test_words_choose_and_quick_keeps_what_is_around_the_call() -> None:
    assert len(chosen("", quick=False)) == 2 * 3 * len(POINTS)
    assert [kill.name for kill in chosen("forward executed 2", quick=False)] == [
        "forward:executed:2"
    ]
    assert {kill.point for kill in chosen("", quick=True)} == {"intended", "executed"}


def log(*kinds: str, **said: Any) -> list[Fact]:
    """One effect's events, in this order."""
    return [
        Fact(seq=seq, kind=f"effect_{kind}", said={"effect_id": "e", **said})
        for seq, kind in enumerate(kinds, 1)
    ]


DONE = ("prepared", "intended", "recorded", "verified", "committed")


@pytest.mark.parametrize(
    ("seq", "layer"),
    [
        (1, layers.NOTHING_SENT),
        (3, layers.RECORDED),
        (4, layers.VERIFIED),
        (5, layers.COMMITTED),
    ],
)
def test_the_layer_is_told_by_what_the_log_held_at_the_crash(seq: int, layer: str) -> None:
    assert layers.held(log(*DONE), seq) == layer


@pytest.mark.parametrize(("finding", "layer"), [("found", layers.FOUND), ("absent", layers.ABSENT)])
def test_once_it_was_intended_only_the_target_can_tell(finding: str, layer: str) -> None:
    facts = log("prepared", "intended", "reconciled", finding=finding)
    assert layers.held(facts, 2) == layer


def test_an_intent_that_nobody_asked_about_is_no_layer() -> None:
    assert layers.held(log("prepared", "intended", "intended", "recorded"), 2) == "nothing"


def test_effects_are_folded_from_the_log() -> None:
    facts = log("prepared", "intended", status="succeeded", verification="passed")
    assert effects_by(facts) == {"e": ("executing", 1, None, False)}
    facts = log(*DONE, status="succeeded", verification="passed")
    assert effects_by(facts) == {"e": ("succeeded", 1, "passed", True)}


def result(**facts: Any) -> Result:
    return Result(**{"name": "one", "outcome": "x", "target_effects": 3, "expected": 3, **facts})


def test_what_was_not_so_is_named_and_counted() -> None:
    lines = "\n".join(table([result(), result(checks={"the log verifies": False})]))
    assert "not so: the log verifies" in lines
    assert "1 of 2 went as they must" in lines
