"""The bench itself works: its parts on a small scale, and what it says of figures."""

import re
import subprocess
from pathlib import Path

import pytest

from tests.bench.contestants import DBOS, LANGGRAPH, PLACET
from tests.bench.goals import Goal, goals
from tests.bench.load import Load
from tests.bench.parts.transitions import FLOOR
from tests.bench.picture import picture

PROJECT = Path(__file__).resolve().parent.parent.parent
PYTHON = PROJECT / ".venv-bench" / "bin" / "python"


def test_a_node_changes_all_of_the_state_or_a_hundred_characters() -> None:
    whole, little = Load(size=2_000), Load(size=2_000, whole=False)

    assert len({whole.changes(node, run)["doc"] for node in (2, 3) for run in "ab"}) == 4
    assert [len(text) for text in whole.changes(3, "a").values()] == [2_000]
    assert [len(text) for text in little.changes(3, "a").values()] == [100]


@pytest.mark.parametrize(
    ("goal", "verdict"),
    [
        (Goal(what="", wanted=10, reached=10.1, unit="×"), "met"),
        (Goal(what="", wanted=10, reached=7.5, unit="×"), "missed by 25%"),
        (Goal(what="", wanted=30, reached=33, unit="ms", most=True), "missed by 10%"),
        (Goal(what="", wanted=0, reached=0, unit="effects", most=True), "met"),
        (Goal(what="", wanted=0, reached=2, unit="effects", most=True), "missed by 2"),
    ],
)
def test_a_goal_is_met_or_missed_by_so_much(goal: Goal, verdict: str) -> None:
    assert goal.verdict == verdict


def test_only_what_was_measured_is_judged() -> None:
    taken = {"kills": 1, "lease": 5.0, "p50": 4.0, "worst": 11.0, "effects": 1, "repeated": 0}

    judged = goals({"takeover": taken})

    assert [goal.verdict for goal in judged] == ["missed by 10%", "met"]


def test_the_picture_has_a_bar_for_everybody() -> None:
    names = [FLOOR, PLACET, DBOS, LANGGRAPH]
    rates = {name: {"rate": 100.0 * place} for place, name in enumerate(names, 1)}

    drawn = picture({"one": rates, "many": rates})

    assert drawn.count("<rect") == 2 * len(names)
    assert re.findall(r'width="(\d+)"', drawn)[:4] == ["110", "220", "330", "440"]


@pytest.mark.slow
@pytest.mark.skipif(not PYTHON.exists(), reason="`make bench` has not made its environment here")
def test_the_whole_of_it_comes_to_its_end_on_a_small_scale(tmp_path: Path) -> None:
    done = subprocess.run(
        [PYTHON, "-m", "tests.bench", "--quick", "--into", tmp_path],
        cwd=PROJECT,
        timeout=280,
        capture_output=True,
        text=True,
    )

    assert done.returncode == 0, done.stderr[-4000:]
    page = (tmp_path / "benchmarks.md").read_text()
    assert page.count("\n## ") == 7
    assert re.search(r"effects repeated \| ≤ 0.00 effects \| 0.00 effects \| met", page)
    assert (tmp_path / "img" / "benchmarks.svg").read_text().startswith("<svg")
