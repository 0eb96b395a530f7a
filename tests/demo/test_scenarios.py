"""The scenarios as anybody would play them: the command, its output and what it leaves behind."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from oversight.demo.scenarios.programme import PROGRAMME
from oversight.demo.scenarios.report import table
from oversight.demo.scenarios.result import Result
from oversight.embedded.guardian import is_alive
from oversight.embedded.processes import PROJECT

A_MINUTE_AND_A_HALF = 90.0


def play(tmp_path: Path, *options: str) -> subprocess.CompletedProcess[str]:
    """`manage.py scenarios` in a process of its own, its temporary files in `tmp_path`."""
    nothing_of_ours = dict.fromkeys(("DATABASE_URL", "CELERY_BROKER_URL"), "")
    return subprocess.run(
        [sys.executable, str(PROJECT / "manage.py"), "scenarios", *options],
        env={**os.environ, **nothing_of_ours, "PLACET_DEMO": "1", "TMPDIR": str(tmp_path)},
        capture_output=True,
        text=True,
        timeout=4 * A_MINUTE_AND_A_HALF,
    )


def as_json(played: subprocess.CompletedProcess[str]) -> list[dict[str, Any]]:
    assert played.returncode == 0, played.stderr
    return json.loads(played.stdout)


def test_a_worker_killed_between_execution_and_record_is_followed_by_another(
    tmp_path: Path,
) -> None:
    [result] = as_json(play(tmp_path, "--json", "--only", "crash_between_execution_and_record"))
    assert result["passed"], result
    assert (result["outcome"], result["target_effects"], result["expected"]) == ("committed", 1, 1)
    pids = result["pids"]
    assert len({pids["killed"], pids["successor"]}) == 2
    assert not any(is_alive(pid) for pid in pids.values())
    assert list(tmp_path.iterdir()) == []


@pytest.mark.slow
def test_all_scenarios_go_as_they_must(tmp_path: Path) -> None:
    results = as_json(play(tmp_path, "--json"))
    assert [result["name"] for result in results] == [one.name for one in PROGRAMME]
    assert all(result["passed"] for result in results)
    by_name = {result["name"]: result for result in results}
    assert by_name["lesson:mark_done_first"]["lost"] > 0
    assert by_name["lesson:act_then_write"]["doubled"] > 0
    placet = by_name["lesson:placet"]
    assert (placet["lost"], placet["doubled"]) == (0, 0)
    assert placet["target_effects"] == placet["expected"] > 0


def test_a_name_that_nobody_knows_is_refused(tmp_path: Path) -> None:
    played = play(tmp_path, "--only", "wishful_thinking")
    assert played.returncode != 0
    assert "wishful_thinking" in played.stderr
    assert played.stdout == ""


def result(**facts: Any) -> Result:
    return Result(**{"name": "one", "outcome": "x", "target_effects": 1, "expected": 1, **facts})


@pytest.mark.parametrize(
    "failed", [{"target_effects": 2}, {"target_effects": 0}, {"checks": {"a": True, "b": False}}]
)
def test_a_wrong_count_or_a_failed_check_is_a_failure(failed: dict[str, Any]) -> None:
    assert result().passed
    assert not result(**failed).passed
    lines = "\n".join(table([result(), result(**failed)]))
    assert "1 of 2 scenarios did not go as they must" in lines
    assert result(**failed).as_json()["passed"] is False
