"""The examples in the manual are whole: they define actions that are taken."""

import re

import pytest

from engine import actions
from oversight.embedded.processes import PROJECT

MANUAL = PROJECT / "docs" / "kit.md"
BLOCKS = re.findall(r"```python\n(.*?)```", MANUAL.read_text(), re.DOTALL)


def test_every_example_runs_and_registers_what_it_says(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(actions, "_registry", {})
    for block in BLOCKS:
        exec(compile(block, str(MANUAL), "exec"), {"__name__": "manual"})  # noqa: S102

    named = {action.name for action in actions.registered()}
    assert named == {
        "docs.grant_role",
        "docs.tell_customer",
        "docs.restore_config",
        "docs.write_config",
    }


@pytest.mark.parametrize("setting", ["PLACET_HTTP_TARGETS", "PLACET_MAIL", "PLACET_FILE_ROOTS"])
def test_every_setting_is_shown(setting: str) -> None:
    assert any(block.startswith(f"{setting} = ") for block in BLOCKS)
