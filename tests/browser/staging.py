"""The demo brought into every state that a page can show, by its own pages and processes alone."""

import os
import re
import subprocess
import sys
from collections.abc import Callable
from decimal import Decimal
from pathlib import Path
from urllib.parse import urlsplit

import psycopg
from playwright.sync_api import Locator, Page, expect

from oversight.embedded.processes import PROJECT
from oversight.environment import DEMO_ENVIRONMENT
from tests.browser.reviewers import PATIENCE_MILLISECONDS, Person
from tests.browser.shots import ADA, OTTO, ROSA
from tests.embedded.test_supervisor import PATIENCE, Demo
from tests.phone import Phone

COMMITTED, CRASHED, REJECTED, RETURNED = "N-20417", "N-20431", "N-20438", "N-20470"
OPEN, ROLLED_BACK, LAPSED, UNKNOWN = "N-20440", "N-20452", "N-20459", "N-20463"
"""Orders with the first of the agent's claims, by what becomes of each."""


class Stage:
    """`addresses` has the path of every page that was brought about, by a name of its own."""

    phone: Phone

    def __init__(
        self, demo: Demo, person: Callable[[str], Person], stranger: Callable[[], Page]
    ) -> None:
        self.demo, self.person, self.stranger = demo, person, stranger
        self.rosa, self.otto = person(ROSA), person(OTTO)
        self.addresses: dict[str, str] = {}
        self._crashes = 0

    def set(self) -> None:
        """One after the other; the open proposals come last, so that they stay open."""
        self.enrol(self.rosa)
        self.commit()
        self.crash()
        self.reject()
        self.send_back()
        self.roll_back()
        self.page_somebody()
        self.mail_somebody()
        self.lapse()
        self.leave_open()
        self.audit()
        self.rehearse()

    def enrol(self, person: Person) -> Phone:
        """Somebody who has just signed in adds an authenticator app, and is offered codes."""
        page = person.page
        page.goto("/security/app/")
        phone = Phone("".join(page.locator(".enrol__secret code").all_inner_texts()))
        page.get_by_label("Code that the app shows now").fill(phone.code())
        page.get_by_role("button", name="Add it").click()
        expect(page.get_by_role("button", name="Make ten codes")).to_be_visible()
        return phone

    def commit(self) -> None:
        self.rosa.open(COMMITTED)
        self.rosa.approve()
        self.rosa.see("Committed")
        self._keep("committed")

    def crash(self) -> None:
        """The worker dies between execute and record, and its successor goes on."""
        self._kill_the_worker_on(CRASHED)
        self.rosa.see("Committed")
        self._keep("taken-over")

    def reject(self) -> None:
        self.rosa.open(REJECTED)
        self.rosa.decide("Reject", reason="Too little evidence", words="No picture of the switch.")
        self._keep("rejected")

    def send_back(self) -> None:
        self.rosa.open(RETURNED, "489.00")
        self.rosa.decide(
            "Return with a question", words="The mail asks for a tenth. Why all of it?"
        )
        self._keep("returned")
        self.rosa.open(RETURNED, "version 2")
        self._keep("second-version")

    def roll_back(self) -> None:
        """The bank keeps a fee and says nothing: verification finds it."""
        self.rosa.open(ROLLED_BACK)
        self.rosa.approve("Within policy")
        way_back = self.rosa.page.get_by_role("heading", name="Rollback: ")
        expect(way_back).to_contain_text("Committed", timeout=PATIENCE_MILLISECONDS)
        self._keep("rolled-back")

    def page_somebody(self) -> None:
        """The line hangs up without a word, and cannot be asked: nobody can tell."""
        self.rosa.open("Page lena")
        self.rosa.approve()
        expect(self.rosa.page.locator("#standing")).to_contain_text(
            "Unknown", timeout=PATIENCE_MILLISECONDS
        )
        self._keep("page")

    def mail_somebody(self) -> None:
        self.rosa.open("Please do not use your camping stove")
        self.rosa.approve()
        self.rosa.see("Committed")
        self._keep("mail")

    def lapse(self) -> None:
        """The desk's money goes elsewhere after the question and before the act."""
        self.rosa.open(LAPSED)
        address = self.rosa.page.url
        moved = self._balance() - Decimal("10.00")
        self._move_desk(moved, "Pay it out elsewhere")
        self.rosa.page.goto(address)
        self.look_again("changed")
        self.rosa.look_at_all_of_it()
        self.rosa.decide("Approve", reason="Within policy")
        expect(self.rosa.page.locator("#proposal-state")).to_contain_text(
            "Lapsed", timeout=PATIENCE_MILLISECONDS
        )
        self._keep("lapsed")
        self._move_desk(moved, "Pay it in")

    def lose_sight(self) -> None:
        """The worker dies after the act, and the ledger is shut before its successor can ask."""
        self._kill_the_worker_on(UNKNOWN)
        self.shut("ledger")
        self.rosa.page.goto(_run_of(self.rosa.page))
        expect(self.rosa.page.locator("main")).to_contain_text(
            "Effect unknown", timeout=2 * PATIENCE_MILLISECONDS
        )
        self.rosa.page.go_back()
        self._keep("unknown")

    def leave_open(self) -> None:
        """An everyday one, one of high risk, one whose text deceives; and one that nobody decided
        in time."""
        self.rosa.open(OPEN)
        self.rosa.page.get_by_role("button", name="Claim", exact=True).click()
        expect(self.rosa.page.get_by_role("button", name="Let go")).to_be_visible()
        self.look_again("holds")
        self._keep("open")
        self.rosa.open("Grant mara the role administrator")
        self._keep("high-risk")
        self.rosa.open("to shop.ini")
        self._keep("deceptive")
        self.rosa.page.goto("/inbox/?show=decided")
        self.rosa.page.get_by_role("link", name="Grant jon the role counter").click()
        expect(self.rosa.page.locator("#proposal-state")).to_contain_text("Expired")
        self._keep("expired")

    def look_again(self, finds: str) -> None:
        """Rosa has the premises of what lies open read anew."""
        self.rosa.page.get_by_role("button", name="Look again now").click()
        found = self.rosa.page.locator(f'[data-look="{finds}"]')
        expect(found).to_be_visible(timeout=PATIENCE_MILLISECONDS)

    def audit(self) -> None:
        """Ada has the log verified, makes an export, and sees what Rosa saw."""
        page = self.person(ADA).page
        page.goto("/audit/")
        page.get_by_role("button", name="Verify now").click()
        expect(page.get_by_text("Intact when last verified")).to_be_visible()
        page.goto(self.addresses["committed"])
        self.addresses["seen"] = _href(page.get_by_role("link", name="what was seen").first)

    def rehearse(self) -> None:
        """One action on its rehearsal target, and the stop on a run that is there for it."""
        self._manage("rehearse", "ledger.refund")
        self._manage("drill")
        page = self.otto.page
        page.goto("/rollbacks/ledger.refund/1/")
        self.addresses["rehearsal"] = _href(page.locator('a[href*="/rehearsals/"]').first)

    def address(self, path: str, page: Page) -> str:
        """A path as it is; or what was brought about, by its name; or the first of a list."""
        if path.startswith("first:"):
            page.goto(path.removeprefix("first:"))
            return _href(page.locator(".table__open").first)
        name, slash, rest = path.partition("/")
        return f"{self.addresses[name]}{rest}" if name else f"{slash}{rest}"

    def new_page(self, who: str) -> Page:
        """A second window of somebody."""
        return self.person(who).page.context.new_page()

    def shut(self, database: str) -> None:
        """Nobody gets a connection to it any more, and those that there are end."""
        with self._superuser() as superuser:
            superuser.execute(f"ALTER DATABASE {database} ALLOW_CONNECTIONS false")
            superuser.execute(
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = %s",
                [database],
            )

    def reopen(self, database: str) -> None:
        with self._superuser() as superuser:
            superuser.execute(f"ALTER DATABASE {database} ALLOW_CONNECTIONS true")

    def _superuser(self) -> psycopg.Connection:
        url = environment(self.demo.data)["DATABASE_URL"]
        return psycopg.connect(url, dbname="template1", autocommit=True)

    def _manage(self, *words: str) -> None:
        """A command of this installation, by Otto and Rosa."""
        subprocess.run(
            [sys.executable, "manage.py", *words, "--operator", "otto", "--reviewer", "rosa"],
            env=os.environ | environment(self.demo.data),
            cwd=PROJECT,
            check=True,
            timeout=3 * PATIENCE,
            capture_output=True,
        )

    def _balance(self) -> Decimal:
        self.otto.page.goto("/demo/world/")
        shown = self.otto.page.locator(".demo__balance .money").inner_text()
        return Decimal(re.sub(r"[^0-9.]", "", shown))

    def _move_desk(self, amount: Decimal, way: str) -> None:
        self.otto.page.goto("/demo/world/")
        self.otto.page.get_by_label("Amount").fill(str(amount))
        self.otto.page.get_by_role("button", name=way).click()
        expect(self.otto.page.get_by_text("The desk's balance has changed.")).to_be_visible()

    def _kill_the_worker_on(self, order: str) -> None:
        """It ends between execute and record of the refund on this order."""
        self._crashes += 1
        self.demo.press("c\n")
        self.demo.child.wait_for("will be killed between", PATIENCE, times=self._crashes)
        self.rosa.open(order)
        self.rosa.approve()
        self.demo.child.wait_for(r"\d killed between execute", PATIENCE, times=self._crashes)

    def _keep(self, name: str) -> None:
        run = _run_of(self.rosa.page)
        number = run.strip("/").rpartition("/")[2]
        self.addresses[name] = urlsplit(self.rosa.page.url).path
        self.addresses[f"run-{name}"] = run
        self.addresses[f"at-{name}"] = f"/checkpoints/at/?run={number}&seq=4"
        self.addresses[f"compare-{name}"] = f"/checkpoints/compare/?of={number}@2&of={number}@9"


def _run_of(page: Page) -> str:
    """The address of the run that the open proposal belongs to."""
    return _href(page.get_by_role("link", name="See the whole run"))


def _href(link: Locator) -> str:
    return str(link.get_attribute("href"))


def environment(data: Path) -> dict[str, str]:
    """What the demo on this folder tells whoever works for it."""
    lines = (data / DEMO_ENVIRONMENT).read_text(encoding="utf-8").splitlines()
    return dict(line.split("=", 1) for line in lines)
