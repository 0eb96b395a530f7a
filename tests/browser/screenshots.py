"""`make screenshots`: a picture of every page in every state, light and dark, wide and narrow.

It starts a demo on a folder of its own and leaves nothing of it behind. With `--picture` it makes
the README's picture instead.
"""

import os
import shutil
import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import urlsplit

from playwright.sync_api import Browser, Page, expect, sync_playwright

from oversight.embedded.folders import discard, short_private_folder
from oversight.embedded.processes import PROJECT
from tests.browser import shots, stories
from tests.browser.pictured import unseen
from tests.browser.reviewers import PACE, Person
from tests.browser.shots import NARROW, NOBODY, WIDE, ZOOMED, Shot
from tests.browser.staging import CRASHED, Stage
from tests.embedded.test_supervisor import Demo, running

CHROMIUM = os.environ.get("PLACET_CHROMIUM", "/usr/bin/chromium")
FOLDER = PROJECT / "screenshots"
PICTURE = PROJECT / "docs" / "img" / "proposal.png"

HEIGHTS = {WIDE: 800, NARROW: 740, ZOOMED: 256}
BENEATH = 22

UNFOLD = """() => {
    document.querySelectorAll("details[data-fold], details.fold").forEach((fold) => {
        fold.open = true;
    });
    document.querySelectorAll(".fold__open").forEach((button) => button.click());
    document.activeElement.blur();
    scrollTo(0, 0);
}"""


class Camera:
    """Makes pictures of pages in both schemes; `made` lists them, `paths` what they show."""

    def __init__(self, chromium: Browser, site: str) -> None:
        self._chromium, self._site = chromium, site
        self._people: dict[str, Person] = {}
        self.made: list[Path] = []
        self.paths: set[str] = set()

    def person(self, name: str) -> Person:
        """Somebody at their screen, who signs in at the first time."""
        if name not in self._people:
            self._people[name] = Person(self._chromium, self._site, name)
        return self._people[name]

    def stranger(self) -> Page:
        return self._chromium.new_context(base_url=self._site, locale="en").new_page()

    def take(self, wanted: Sequence[Shot], stage: Stage) -> None:
        for shot in wanted:
            page = self.stranger() if shot.who == NOBODY else self.person(shot.who).page
            page.goto(stage.address(shot.path, page))
            page.wait_for_load_state()
            if shot.unfolded:
                page.evaluate(UNFOLD)
            self.snap(page, shot.name, shot.widths)

    def follow(self, story: Iterable[tuple[str, Page]]) -> None:
        for name, page in story:
            page.wait_for_load_state()
            self.snap(page, name, (WIDE, NARROW))

    def snap(self, page: Page, name: str, widths: Sequence[int]) -> None:
        self.paths.add(urlsplit(page.url).path)
        page.evaluate("scrollTo(0, 0)")
        for width in (*widths[1:], widths[0]):
            page.set_viewport_size({"width": width, "height": HEIGHTS[width]})
            for scheme in ("light", "dark"):
                page.emulate_media(color_scheme=scheme)
                target = FOLDER / f"{name}-{width}-{scheme}.png"
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
        yield camera, Stage(demo, camera.person, camera.stranger)


def every_page() -> None:
    shutil.rmtree(FOLDER, ignore_errors=True)
    FOLDER.mkdir()
    with camera_and_stage() as (camera, stage):
        tell(camera, stage)
    for path in camera.made:
        sys.stdout.write(f"{path.relative_to(PROJECT)}\n")
    if missing := unseen(camera.paths):
        raise SystemExit(f"No picture was made of: {', '.join(sorted(missing))}")


def tell(camera: Camera, stage: Stage) -> None:
    """From a demo in which nothing has happened yet to one that is stopped."""
    camera.take(shots.AT_FIRST, stage)
    stage.set()
    camera.follow(stories.a_policy_is_proposed(stage))
    camera.follow(stories.others_are_faster(stage))
    stage.lose_sight()
    camera.take(shots.WHILE_THE_LEDGER_IS_SHUT, stage)
    stage.reopen("ledger")
    camera.take(shots.SHOTS, stage)
    for story in (stories.an_alert_is_answered, stories.a_doubt_is_settled):
        camera.follow(story(stage))
    for story in (stories.somebody_is_invited, stories.several_are_rejected):
        camera.follow(story(stage))
    camera.follow(stories.something_is_exempt(stage))
    for story in (stories.a_factor_is_added, stories.two_are_asked):
        camera.follow(story(stage))
    camera.take(shots.WHILE_TWO_ARE_ASKED, stage)
    camera.follow(stories.everything_is_stopped(stage))
    camera.take(shots.WHILE_STOPPED, stage)
    camera.follow(stories.nothing_is_answered(stage))


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
