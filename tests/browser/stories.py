"""What somebody does, page by page: each page on the way, with a name for its picture. Some have
no address of their own, and are only come to so."""

from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta

from playwright.sync_api import Page, expect

from tests.browser.reviewers import PATIENCE_MILLISECONDS
from tests.browser.shots import ALMA, BRUNO, MINA, OTTO, ROSA
from tests.browser.staging import LAPSED, Stage

Story = Callable[[Stage], Iterator[tuple[str, Page]]]

WANTED = "Grant mara the role administrator"
MEANWHILE = ".meanwhile > *"


def a_policy_is_proposed(stage: Stage) -> Iterator[tuple[str, Page]]:
    """Two for what is granted, each with a second factor; it waits for a second administrator."""
    page = stage.person(ALMA).page
    page.goto("/policy/propose/")
    page.get_by_role("button", name="Add a rule at the top").click()
    rule = page.get_by_role("group", name="Rule 1")
    rule.get_by_label("Action").fill("access.grant")
    rule.get_by_label("How many have to approve").first.fill("2")
    rule.get_by_label("Group").first.select_option("reviewer")
    rule.get_by_label("Time to think").fill("30 min")
    rule.get_by_label("Second factor to approve").select_option("second_factor")
    yield "policy-rule", page
    rule.get_by_label("Time to think").fill("a while")
    page.get_by_role("button", name="See what it would change").click()
    yield "policy-rule-wrong", page
    rule.get_by_label("Time to think").fill("30 min")
    page.get_by_role("button", name="See what it would change").click()
    page.get_by_label("Why").fill("Whoever is given a role can do what nobody here takes back.")
    yield "policy-preview", page
    page.get_by_role("button", name="Propose", exact=True).click()
    expect(page.get_by_text("Somebody else has to put it in force.")).to_be_visible()
    yield "policy-just-proposed", page


def something_is_exempt(stage: Stage) -> Iterator[tuple[str, Page]]:
    """Alma proposes it, Rosa approves it beforehand, and nobody is asked about small ones."""
    page, rosa = stage.person(ALMA).page, stage.rosa.page
    page.goto("/policy/exemptions/propose/")
    page.get_by_label("Action").select_option("ledger.refund")
    page.get_by_label("Agent").fill("refund-desk")
    page.get_by_label("Only where").select_option("One argument is exactly")
    page.get_by_label("Name of the argument").fill("customer")
    page.get_by_label("Text").fill("Mara Vogel")
    page.get_by_label("Argument with a most").fill("amount")
    page.get_by_label("The most that it may be").fill("30.00")
    page.get_by_label("Uses").fill("5")
    page.get_by_label("Its end").fill(in_days(7))
    page.get_by_label("Why").fill("A broken cup, every week, and nobody has ever said no.")
    yield "exemption-proposing", page
    page.get_by_role("button", name="Propose it").click()
    expect(page.get_by_text("It waits for those who decide")).to_be_visible()
    yield "exemption-proposed", page
    rosa.goto(page.url)
    approving = rosa.get_by_role("form", name="Your approval, beforehand")
    approving.get_by_label("Reason").fill("They are all alike.")
    yield "exemption-approving", rosa
    approving.get_by_role("button", name="Approve it").click()
    expect(rosa.get_by_text("It stands now.")).to_be_visible()
    yield "exemption-stands", rosa
    rosa.goto("/policy/exemptions/")
    yield "exemptions", rosa


def somebody_is_invited(stage: Stage) -> Iterator[tuple[str, Page]]:
    page = stage.person(ALMA).page
    page.goto("/people/invite/")
    page.get_by_label("Name").fill("Nina Roth")
    page.get_by_label("Mail address").fill("nina.roth@shop.example")
    page.get_by_label("Reviewer").check()
    page.get_by_role("button", name="Invite").click()
    yield "invited", page
    link = page.locator(".people__link").inner_text()
    page.get_by_role("link", name="Back to the people").click()
    yield "people-one-invited", page
    stranger = stage.stranger()
    stranger.goto(link)
    yield "join", stranger


def several_are_rejected(stage: Stage) -> Iterator[tuple[str, Page]]:
    """Mina chooses three, and Rosa is faster with the last of them."""
    page = stage.person(MINA).page
    page.goto("/inbox/")
    boxes = page.locator('[name="version"]')
    for box in boxes.all()[-3:]:
        box.check()
    yield "reject-chosen", page
    faster = page.locator("[data-row]").last.locator(".table__open").get_attribute("href")
    page.get_by_role("button", name="Reject what is chosen").click()
    yield "reject-several", page
    stage.rosa.page.goto(str(faster))
    stage.rosa.decide("Reject", reason="Not needed")
    page.get_by_label("Too little evidence").check()
    page.get_by_role("button", name="Reject 3 proposals").click()
    yield "rejected-several", page


def a_factor_is_added(stage: Stage) -> Iterator[tuple[str, Page]]:
    """Mina adds an app, takes codes, and is asked for one when she comes again."""
    mina = stage.person(MINA)
    page = mina.page
    come_again(page, MINA)
    expect(page.get_by_role("heading", name="Inbox")).to_be_visible()
    stage.phone = stage.enrol(mina)
    page.get_by_role("button", name="Make ten codes").click()
    yield "security-codes-made", page
    page.get_by_role("link", name="I have them").click()
    stage.addresses["remove"] = str(page.get_by_role("link", name="Remove").get_attribute("href"))
    come_again(page, MINA)
    yield "second-factor", page
    page.get_by_label("Code").fill(stage.phone.code())
    page.get_by_role("button", name="Go on").click()
    expect(page.get_by_role("heading", name="Inbox")).to_be_visible()


def two_are_asked(stage: Stage) -> Iterator[tuple[str, Page]]:
    """Bruno puts it in force; what was open is asked anew, and Mina approves with her phone."""
    page = stage.person(BRUNO).page
    page.goto("/policy/2/")
    page.get_by_label("Reason").fill("Agreed: no one of us alone.")
    page.get_by_role("button", name="Put in force").click()
    yield "policy-in-force", page
    mina = stage.person(MINA)
    mina.open(WANTED, "version 2")
    stage.addresses["of-two"] = page_path(mina.page)
    yield "proposal-guarded", mina.page
    mina.page.get_by_role("link", name="Show a second factor").click()
    yield "step-up", mina.page
    mina.page.get_by_label("Code of your authenticator app").fill(stage.phone.code())
    mina.page.get_by_role("button", name="Use this code").click()
    mina.look_at_all_of_it()
    yield "proposal-stepped-up", mina.page
    mina.decide("Approve", reason="Within policy")
    yield "proposal-own-word", mina.page


def others_are_faster(stage: Stage) -> Iterator[tuple[str, Page]]:
    """Whoever looks is told that what they see is past, and nothing moves; then they send it."""
    stage.rosa.open(LAPSED, "version 2")
    window = stage.new_page(ROSA)
    window.goto(stage.rosa.page.url)
    stage.rosa.decide("Reject", reason="Wrong target")
    expect(window.locator(MEANWHILE)).to_be_visible(timeout=PATIENCE_MILLISECONDS)
    yield "proposal-meanwhile", window
    window.get_by_label("Not needed").check()
    window.get_by_role("button", name="Reject").click()
    expect(window.get_by_text("409")).to_be_visible()
    yield "conflict", window
    window.close()


def an_alert_is_answered(stage: Stage) -> Iterator[tuple[str, Page]]:
    page, window = stage.otto.page, stage.new_page(OTTO)
    address = stage.address("first:/alerts/", page)
    window.goto(address)
    page.goto(address)
    page.get_by_label("Cause").fill("The bank keeps a fee of its own on refunds.")
    page.get_by_label("Next step").fill("Ask the bank for its terms.")
    page.get_by_label("Until").fill("2199-12-31T12:00")
    page.get_by_role("button", name="Acknowledge").click()
    yield "alert-taken-on", page
    expect(window.locator(MEANWHILE)).to_be_visible(timeout=PATIENCE_MILLISECONDS)
    yield "alert-meanwhile", window
    window.close()
    page.goto("/alerts/?show=acknowledged")
    yield "alerts-taken-on", page
    page.goto(address)
    page.get_by_label("How it was dealt with").fill("The bank has sent the fee back.")
    page.get_by_role("button", name="Resolve").click()
    yield "alert-resolved", page


def a_doubt_is_settled(stage: Stage) -> Iterator[tuple[str, Page]]:
    page, window = stage.otto.page, stage.new_page(OTTO)
    address = stage.address("first:/unknowns/", page)
    window.goto(address)
    page.goto(address)
    page.get_by_label("It happened", exact=True).check()
    page.get_by_role("textbox", name="Evidence").fill("Lena says that her phone rang at nine.")
    page.get_by_label("Resource").fill("call-20463")
    page.get_by_label("Reason").fill("She was asked at her desk.")
    yield "unknown-ruling", page
    page.get_by_role("button", name="Record this ruling").click()
    expect(window.locator(MEANWHILE)).to_be_visible(timeout=PATIENCE_MILLISECONDS)
    yield "unknown-meanwhile", window
    window.close()
    page.goto(address)
    yield "unknown-settled", page
    page.goto("/unknowns/?show=settled")
    yield "unknowns-settled", page


def everything_is_stopped(stage: Stage) -> Iterator[tuple[str, Page]]:
    window, page = stage.person(BRUNO).page, stage.otto.page
    window.goto("/stop/")
    page.goto("/stop/")
    page.get_by_label("Reason").fill("The bank has called: it books refunds twice today.")
    page.get_by_label("They run").check()
    page.get_by_role("button", name="Place the stop").click()
    expect(page.get_by_role("button", name="Lift")).to_be_visible()
    expect(window.locator(MEANWHILE)).to_be_visible(timeout=PATIENCE_MILLISECONDS)
    yield "stop-meanwhile", window


def nothing_is_answered(stage: Stage) -> Iterator[tuple[str, Page]]:
    """The database is out of reach, and the page says that something broke."""
    page = stage.rosa.page
    stage.shut("placet")
    page.goto("/inbox/")
    yield "broken", page
    stage.reopen("placet")


def come_again(page: Page, name: str) -> None:
    """Out, and in by one click."""
    page.context.clear_cookies()
    page.goto("/")
    page.get_by_role("button", name=name).click()


def in_days(days: int) -> str:
    """An instant as a field for one takes it."""
    return (datetime.now(UTC) + timedelta(days=days)).strftime("%Y-%m-%dT%H:%M")


def page_path(page: Page) -> str:
    return "/" + page.url.split("/", 3)[3]
