"""`make screenshots`: a picture of every page in every state, light and dark, wide and narrow.

It starts a demo on a folder of its own and leaves nothing of it behind. With `--picture` it makes
the README's picture instead.
"""

import os
import shutil
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from playwright.sync_api import Browser, Page, expect, sync_playwright

from oversight.embedded.folders import discard, short_private_folder
from oversight.embedded.processes import PROJECT
from tests.browser.reviewers import PACE, Person
from tests.browser.staging import CRASHED, Stage
from tests.embedded.test_supervisor import Demo, running

CHROMIUM = os.environ.get("PLACET_CHROMIUM", "/usr/bin/chromium")
FOLDER = PROJECT / "screenshots"
PICTURE = PROJECT / "docs" / "img" / "proposal.png"

WIDE, NARROW = 1280, 390
HEIGHTS = {WIDE: 800, NARROW: 844}
BENEATH = 22

NOBODY, ROSA, TOMAS = "", "Rosa Lind", "Tomas Berg"
OTTO, ADA, IVO = "Otto Maurer", "Ada Ferreira", "Ivo Marin"
ALMA, BRUNO = "Alma Nordin", "Bruno Weil"

UNFOLD = """() => {
    document.querySelectorAll("details[data-fold]").forEach((fold) => { fold.open = true; });
    document.querySelectorAll(".fold__open").forEach((button) => button.click());
    document.activeElement.blur();
    scrollTo(0, 0);
}"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Shot:
    """One page: its name, its path or what the stage calls it, and who looks at it."""

    name: str
    path: str
    who: str = ROSA
    narrow: bool = False
    unfolded: bool = False


WHILE_THE_LEDGER_IS_SHUT = (
    Shot(name="unknowns", path="/unknowns/", who=OTTO, narrow=True),
    Shot(name="unknown-effect", path="first:/unknowns/", who=OTTO, narrow=True),
    Shot(name="unknown-effect-to-a-reader", path="first:/unknowns/", who=ADA),
    Shot(name="proposal-unknown", path="unknown"),
    Shot(name="run-unknown", path="run-unknown"),
    Shot(name="world-out-of-reach", path="/demo/world/"),
)
SHOTS = (
    Shot(name="sign-in", path="/sign-in/", who=NOBODY, narrow=True),
    Shot(name="overview", path="/overview/", who=OTTO, narrow=True),
    Shot(name="open-proposals", path="/overview/proposals/", who=OTTO, narrow=True),
    Shot(name="inbox", path="/inbox/", narrow=True),
    Shot(name="inbox-nothing-to-decide", path="/inbox/", who=TOMAS),
    Shot(name="inbox-not-a-reviewer", path="/inbox/", who=ADA),
    Shot(name="inbox-decided", path="/inbox/?show=decided", narrow=True),
    Shot(name="proposal-open", path="open", narrow=True, unfolded=True),
    Shot(name="proposal-folded", path="open"),
    Shot(name="proposal-high-risk", path="high-risk", narrow=True, unfolded=True),
    Shot(name="proposal-deceptive-text", path="deceptive", unfolded=True),
    Shot(name="proposal-page-unknown", path="page"),
    Shot(name="proposal-mail", path="mail"),
    Shot(name="proposal-expired", path="expired"),
    Shot(name="proposal-second-version", path="second-version", unfolded=True),
    Shot(name="proposal-not-mine", path="open", who=TOMAS),
    Shot(name="proposal-committed", path="committed"),
    Shot(name="proposal-rejected", path="rejected"),
    Shot(name="proposal-returned", path="returned"),
    Shot(name="proposal-rolled-back", path="rolled-back", narrow=True),
    Shot(name="proposal-lapsed", path="lapsed"),
    Shot(name="runs", path="/runs/", narrow=True),
    Shot(name="runs-paused", path="/runs/?show=paused"),
    Shot(name="runs-installation", path="/runs/?show=installation"),
    Shot(name="run-committed", path="run-committed", narrow=True),
    Shot(name="run-taken-over", path="run-taken-over"),
    Shot(name="run-rolled-back", path="run-rolled-back"),
    Shot(name="run-lapsed", path="run-lapsed"),
    Shot(name="run-log", path="run-committed?view=log"),
    Shot(name="alerts", path="/alerts/", who=OTTO, narrow=True),
    Shot(name="alert", path="first:/alerts/", who=OTTO, narrow=True),
    Shot(name="alert-to-a-reader", path="first:/alerts/", who=ADA),
    Shot(name="checkpoints", path="/checkpoints/", who=ADA, narrow=True),
    Shot(name="checkpoint", path="first:/checkpoints/", who=ADA),
    Shot(name="audit", path="/audit/", who=ADA, narrow=True),
    Shot(name="audit-event", path="first:/audit/", who=ADA),
    Shot(name="audit-exports", path="/audit/exports/", who=ADA),
    Shot(name="rollbacks", path="/rollbacks/", who=IVO, narrow=True),
    Shot(name="rollbacks-by-hand", path="/rollbacks/?kind=out_of_band", who=IVO),
    Shot(name="action", path="/rollbacks/ledger.refund/1/", who=IVO, narrow=True),
    Shot(name="action-without-a-way-back", path="/rollbacks/mail.tell_customer/1/", who=IVO),
    Shot(name="policy", path="/policy/", who=BRUNO, narrow=True),
    Shot(name="policy-proposed", path="/policy/2/", who=BRUNO, narrow=True),
    Shot(name="policy-proposed-by-oneself", path="/policy/2/", who=ALMA),
    Shot(name="policy-to-a-reader", path="/policy/2/", who=ADA),
    Shot(name="policy-replay", path="/policy/2/replay/", who=BRUNO, narrow=True),
    Shot(name="policy-first-version", path="/policy/1/", who=ADA),
    Shot(name="policy-write", path="/policy/propose/", who=ALMA, narrow=True),
    Shot(name="stop", path="/stop/", who=OTTO, narrow=True),
    Shot(name="stop-to-a-reader", path="/stop/"),
    Shot(name="api", path="/api/", who=ADA),
    Shot(name="world", path="/demo/world/", narrow=True),
    Shot(name="refused", path="/audit/verify/"),
    Shot(name="not-found", path="/nowhere/"),
)
WHILE_STOPPED = (
    Shot(name="stopped", path="/stop/", who=OTTO, narrow=True),
    Shot(name="stopped-overview", path="/overview/", who=OTTO),
    Shot(name="stopped-proposal", path="open"),
    Shot(name="stopped-inbox", path="/inbox/"),
)


class Camera:
    """Makes pictures of pages in both schemes; `made` lists them."""

    def __init__(self, chromium: Browser, site: str) -> None:
        self._chromium, self._site = chromium, site
        self._people: dict[str, Page] = {}
        self.made: list[Path] = []

    def sign_in(self, name: str) -> Person:
        person = Person(self._chromium, self._site, name)
        self._people[name] = person.page
        return person

    def looking(self, who: str) -> Page:
        """The screen of this person, who signs in at the first time; of a stranger for ""."""
        if who == NOBODY:
            return self._chromium.new_context(base_url=self._site, locale="en").new_page()
        return self._people.get(who) or self.sign_in(who).page

    def take(self, shots: Sequence[Shot], stage: Stage) -> None:
        for shot in shots:
            page = self.looking(shot.who)
            address = stage.address(shot.path, page)
            for width in (WIDE, NARROW) if shot.narrow else (WIDE,):
                page.set_viewport_size({"width": width, "height": HEIGHTS[width]})
                page.goto(address)
                if shot.unfolded:
                    page.evaluate(UNFOLD)
                self.snap(page, f"{shot.name}-{width}")

    def snap(self, page: Page, name: str) -> None:
        for scheme in ("light", "dark"):
            page.emulate_media(color_scheme=scheme)  # type: ignore[arg-type]
            target = FOLDER / f"{name}-{scheme}.png"
            page.screenshot(path=target, full_page=True, animations="disabled")
            self.made.append(target)


@contextmanager
def demo_on_a_passing_folder() -> Iterator[Demo]:
    """A demo at the pace of the browser tests."""
    os.environ |= PACE
    folder = short_private_folder()
    try:
        with running(folder) as demo:
            yield demo
    finally:
        discard(folder)


@contextmanager
def camera_and_stage() -> Iterator[tuple[Camera, Stage]]:
    with demo_on_a_passing_folder() as demo, sync_playwright() as playwright:
        chromium = playwright.chromium.launch(
            executable_path=CHROMIUM, args=["--no-sandbox", "--disable-dev-shm-usage"]
        )
        camera = Camera(chromium, f"http://localhost:{demo.port}")
        yield camera, Stage(demo, camera.sign_in)


def every_page() -> None:
    shutil.rmtree(FOLDER, ignore_errors=True)
    FOLDER.mkdir()
    with camera_and_stage() as (camera, stage):
        stage.set()
        camera.snap(stage.conflict(), "conflict-1280")
        stage.lose_sight()
        camera.take(WHILE_THE_LEDGER_IS_SHUT, stage)
        stage.open_ledger()
        camera.take(SHOTS, stage)
        stage.stop()
        camera.take(WHILE_STOPPED, stage)
    for path in camera.made:
        sys.stdout.write(f"{path.relative_to(PROJECT)}\n")


def picture() -> None:
    """The upper part of an open proposal, down to its rollback plan, as Rosa sees it."""
    with camera_and_stage() as (_, stage):
        stage.rosa.open(CRASHED)
        page = stage.rosa.page
        page.set_viewport_size({"width": WIDE, "height": HEIGHTS[WIDE]})
        page.evaluate(UNFOLD)
        expect(page.get_by_role("button", name="Approve")).to_be_enabled()
        last = page.get_by_role("region", name="Rollback plan").bounding_box()
        if last is None:
            raise LookupError("the page shows no rollback plan")
        height = round(last["y"] + last["height"]) + BENEATH
        page.set_viewport_size({"width": WIDE, "height": height})
        page.screenshot(path=PICTURE, animations="disabled")
    sys.stdout.write(f"{PICTURE.relative_to(PROJECT)}: {PICTURE.stat().st_size // 1000} kB\n")


if __name__ == "__main__":
    picture() if sys.argv[1:] == ["--picture"] else every_page()
