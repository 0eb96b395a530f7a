"""The demo brought into every state that a page can show, by its own pages and processes alone."""

import re
from collections.abc import Callable
from decimal import Decimal
from pathlib import Path
from urllib.parse import urlsplit

import psycopg
from playwright.sync_api import Page, expect

from oversight.environment import DEMO_ENVIRONMENT
from tests.browser.reviewers import PATIENCE_MILLISECONDS, Person
from tests.embedded.test_supervisor import PATIENCE, Demo

SignIn = Callable[[str], Person]

COMMITTED, CRASHED, REJECTED, RETURNED = "N-20417", "N-20431", "N-20438", "N-20470"
OPEN, ROLLED_BACK, LAPSED, UNKNOWN = "N-20440", "N-20452", "N-20459", "N-20463"
"""Orders with the first of the agent's claims, by what becomes of each."""


class Stage:
    """`addresses` has the path of every page that was brought about, by a name of its own."""

    def __init__(self, demo: Demo, sign_in: SignIn) -> None:
        self.demo = demo
        self.rosa = sign_in("Rosa Lind")
        self.otto = sign_in("Otto Maurer")
        self.alma = sign_in("Alma Nordin")
        self.addresses: dict[str, str] = {}
        self._crashes = 0

    def set(self) -> None:
        """One after the other; the open proposals come last, so that they stay open."""
        self.commit()
        self.crash()
        self.reject()
        self.send_back()
        self.roll_back()
        self.page_somebody()
        self.mail_somebody()
        self.lapse()
        self.leave_open()
        self.propose_a_policy()

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

    def conflict(self) -> Page:
        """Rosa decides in one window what she has decided in another; gives that window."""
        self.rosa.open(LAPSED, "version 2")
        other = self.rosa.page.context.new_page()
        other.goto(self.rosa.page.url)
        self.rosa.decide("Reject", reason="Wrong target")
        other.get_by_label("Not needed").check()
        other.get_by_role("button", name="Reject").click()
        expect(other.get_by_text("409")).to_be_visible()
        return other

    def stop(self) -> None:
        """Otto stops everything."""
        page = self.otto.page
        page.goto("/stop/")
        page.get_by_label("Reason").fill("The bank has called: it books refunds twice today.")
        page.get_by_label("They run").check()
        page.get_by_role("button", name="Place the stop").click()
        expect(page.get_by_role("button", name="Lift")).to_be_visible()

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
        self._shut_ledger()
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
        self._keep("open")
        self.rosa.open("Grant mara the role administrator")
        self._keep("high-risk")
        self.rosa.open("to shop.ini")
        self._keep("deceptive")
        self.rosa.page.goto("/inbox/?show=decided")
        self.rosa.page.get_by_role("link", name="Grant jon the role counter").click()
        expect(self.rosa.page.locator("#proposal-state")).to_contain_text("Expired")
        self._keep("expired")

    def propose_a_policy(self) -> None:
        """Two for what is granted; it waits for a second administrator."""
        page = self.alma.page
        page.goto("/policy/propose/")
        page.get_by_role("button", name="Add a rule at the top").click()
        rule = page.get_by_role("group", name="Rule 1")
        rule.get_by_label("Action").fill("access.grant")
        rule.get_by_label("How many have to approve").first.fill("2")
        rule.get_by_label("Group").first.select_option("reviewer")
        rule.get_by_label("Time to think").fill("30 min")
        page.get_by_role("button", name="See what it would change").click()
        page.get_by_label("Why").fill("Whoever is given a role can do what nobody here takes back.")
        page.get_by_role("button", name="Propose", exact=True).click()
        expect(page.get_by_text("Somebody else has to put it in force.")).to_be_visible()

    def address(self, path: str, page: Page) -> str:
        """A path as it is; or what was brought about, by its name; or the first of a list."""
        if path.startswith("first:"):
            page.goto(path.removeprefix("first:"))
            return str(page.locator(".table__open").first.get_attribute("href"))
        name, mark, query = path.partition("?")
        return f"{self.addresses.get(name, name)}{mark}{query}"

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

    def _shut_ledger(self) -> None:
        """Nobody gets a connection to it any more, and those that there are end."""
        with psycopg.connect(database_url(self.demo.data), autocommit=True) as superuser:
            superuser.execute("ALTER DATABASE ledger ALLOW_CONNECTIONS false")
            superuser.execute(
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = 'ledger'"
            )

    def open_ledger(self) -> None:
        with psycopg.connect(database_url(self.demo.data), autocommit=True) as superuser:
            superuser.execute("ALTER DATABASE ledger ALLOW_CONNECTIONS true")

    def _keep(self, name: str) -> None:
        self.addresses[name] = urlsplit(self.rosa.page.url).path
        self.addresses[f"run-{name}"] = _run_of(self.rosa.page)


def _run_of(page: Page) -> str:
    """The address of the run that the open proposal belongs to."""
    return str(page.get_by_role("link", name="See the whole run").get_attribute("href"))


def database_url(data: Path) -> str:
    """Where the demo on this folder keeps what it knows, for the superuser."""
    lines = (data / DEMO_ENVIRONMENT).read_text(encoding="utf-8").splitlines()
    return dict(line.split("=", 1) for line in lines)["DATABASE_URL"]
