"""The small scripts in a real browser, under the policy that the pages are served with."""

from datetime import UTC, datetime

import pytest
from axe_playwright_python.sync_playwright import Axe
from django.template import Template
from playwright.sync_api import Page, expect

from oversight.showing.stations import stations
from oversight.showing.timeline import Entry
from oversight.showing.words import TABLES, TONES

NOW = datetime(2026, 3, 3, 13, 5, 9, tzinfo=UTC)

LONG = "\n".join(f"line {number}" for number in range(60))
DECISION = """
  {% include "parts/code.html" with text=long label="Arguments" only %}
  <details data-fold="1" open><summary>Written by the agent</summary><p>Because.</p></details>
  <form><p data-needs-shown-hint hidden>Open every folded part first.</p>
    <button type="submit" data-key="r">Reject</button>
    <button type="submit" data-needs-shown>Approve</button></form>
"""
SWITCH_USER = {"is_authenticated": True, "username": "ines"}

pytestmark = pytest.mark.browser


def background(page: Page) -> str:
    return page.evaluate("getComputedStyle(document.documentElement).backgroundColor")


LIGHT, DARK = "rgb(247, 246, 243)", "rgb(19, 17, 22)"


@pytest.mark.parametrize(("scheme", "colour"), [("light", LIGHT), ("dark", DARK)])
def test_the_system_chooses_the_scheme(visit, scheme: str, colour: str) -> None:
    here = visit(color_scheme=scheme)
    here.draw("")
    assert background(here.page()) == colour


def test_a_reader_can_choose_another_scheme_and_it_is_kept(visit) -> None:
    here = visit(color_scheme="light")
    here.draw("", user=SWITCH_USER)
    page = here.page()
    page.locator("summary.viewer").click()
    page.get_by_label("Dark").check()
    assert background(page) == DARK
    assert background(here.page()) == DARK
    page.get_by_label("System").check()
    assert background(here.page()) == LIGHT


def test_the_chosen_scheme_is_there_before_the_body_is(visit) -> None:
    here = visit(color_scheme="light")
    here.draw("")
    here.context.add_init_script("""
      localStorage.setItem("placet-theme", "dark");
      new MutationObserver((_, observer) => {
        if (!document.body) return;
        window.themeAtBody = document.documentElement.dataset.theme;
        observer.disconnect();
      }).observe(document, { childList: true, subtree: true });
    """)
    assert here.page().evaluate("window.themeAtBody") == "dark"


def test_approve_waits_until_every_fold_was_opened(visit) -> None:
    here = visit()
    here.draw(DECISION, long=LONG)
    page = here.page()
    page.evaluate("window.shown = 0; addEventListener('placet:shown', () => window.shown++)")
    approve, hint = page.get_by_role("button", name="Approve"), page.get_by_text("Open every")
    expect(approve).to_be_disabled()
    expect(hint).to_be_visible()
    page.get_by_role("button", name="Show all 60 lines").click()
    expect(approve).to_be_disabled()
    page.get_by_text("Written by the agent").click()
    expect(approve).to_be_enabled()
    expect(hint).to_be_hidden()
    assert page.evaluate("window.shown") == 2


def test_reject_never_waits(visit) -> None:
    here = visit()
    here.draw(DECISION, long=LONG)
    expect(here.page().get_by_role("button", name="Reject")).to_be_enabled()


def test_opening_a_fold_keeps_the_focus_where_the_reader_is(visit) -> None:
    here = visit()
    here.draw(DECISION, long=LONG)
    page = here.page()
    page.get_by_role("button", name="Show all 60 lines").press("Enter")
    assert page.evaluate("document.activeElement.className") == "code__text"
    assert page.locator(".code__text").evaluate("e => e.scrollHeight <= e.clientHeight")


def test_without_a_script_everything_is_open_and_approve_works(visit) -> None:
    here = visit(java_script_enabled=False)
    here.draw(DECISION, long=LONG)
    page = here.page()
    expect(page.get_by_role("button", name="Approve")).to_be_enabled()
    expect(page.get_by_text("Because.")).to_be_visible()
    assert page.locator(".is-folded").count() == 0


def test_what_is_short_does_not_fold(visit) -> None:
    here = visit()
    code = '{% include "parts/code.html" with text="one\ntwo" label="Arguments" only %}'
    here.draw(code + "<button data-needs-shown>Approve</button>")
    expect(here.page().get_by_role("button", name="Approve")).to_be_enabled()


def test_a_button_that_the_server_blocked_stays_blocked(visit) -> None:
    here = visit()
    here.draw("<button data-needs-shown data-blocked disabled>Approve</button>")
    expect(here.page().get_by_role("button", name="Approve")).to_be_disabled()


REGION = """<section id="run" {% live "/run" 1 %}><p>old</p><a href="#x">link</a></section>"""
NEWER = """<section id="run" data-announce="The run completed"><p>new</p></section>"""


def test_a_live_region_takes_its_newer_self_and_says_so(visit) -> None:
    here = visit()
    here.draw(REGION)
    here.answers["/run"] = NEWER
    page = here.page()
    expect(page.locator("#run p")).to_have_text("new")
    expect(page.locator("#live-status")).to_have_text("The run completed")


def test_nothing_is_swapped_while_nothing_changed(visit) -> None:
    here = visit()
    here.draw(REGION)
    here.answers["/run"] = 204
    page = here.page()
    page.wait_for_event("response", lambda answer: answer.url.endswith("/run"))
    expect(page.locator("#run p")).to_have_text("old")


def test_a_region_is_never_swapped_from_under_the_focus(visit) -> None:
    here = visit()
    here.draw(REGION + '<button id="away">away</button>')
    here.answers["/run"] = NEWER
    page = here.page()
    page.locator("#run a").focus()
    page.wait_for_event("response", lambda answer: answer.url.endswith("/run"))
    page.wait_for_event("response", lambda answer: answer.url.endswith("/run"))
    expect(page.locator("#run p")).to_have_text("old")
    assert page.evaluate("document.activeElement.textContent") == "link"
    page.locator("#away").focus()
    expect(page.locator("#run p")).to_have_text("new")


def test_new_rows_announce_themselves_and_move_nothing(visit) -> None:
    here = visit()
    here.draw('{% include "parts/news.html" with url="/news" seconds=1 only %}<p id="row">row</p>')
    here.answers["/news"] = '<a href="/">3 new: show them</a>'
    page = here.page()
    expect(page.get_by_role("status").get_by_text("3 new")).to_be_visible()
    assert page.evaluate("document.activeElement === document.body")


@pytest.mark.parametrize(
    ("status", "words"),
    [(409, "changed in the meantime"), (403, "may not"), (500, "could not answer")],
)
def test_an_error_answer_says_what_to_do(visit, status: int, words: str) -> None:
    here = visit()
    here.draw(REGION)
    here.answers["/run"] = status
    expect(here.page().get_by_role("alert")).to_contain_text(words)


def test_a_lost_connection_is_said(visit) -> None:
    here = visit()
    here.draw(REGION)
    here.answers["/run"] = lambda route: route.abort()
    expect(here.page().get_by_role("alert")).to_contain_text("cannot be reached")


def test_times_move_to_the_browsers_zone_and_utc_stays_in_the_title(visit) -> None:
    here = visit(timezone_id="Asia/Tokyo", locale="en")
    here.draw("{% when moment %}", moment=NOW)
    time = here.page().locator("time")
    expect(time).to_contain_text("3 Mar 2026, 22:05")
    expect(time).to_have_attribute("title", "2026-03-03 13:05:09 UTC")


ROWS = """{% for name in names %}
  <p data-row><a class="table__open" href="/{{ name }}">{{ name }}</a></p>
{% endfor %}<button data-key="r">Reject</button><button data-needs-shown>Approve</button>
<input aria-label="Search">"""


def focused(page: Page) -> str:
    return page.evaluate("document.activeElement.textContent.trim()")


@pytest.fixture
def rows(visit) -> Page:
    here = visit()
    here.draw(ROWS, names=["one", "two", "three"], user=SWITCH_USER)
    here.draw("opened", path="/two")
    return here.page()


def test_j_and_k_move_and_o_opens(rows: Page) -> None:
    rows.keyboard.press("j")
    assert focused(rows) == "one"
    rows.keyboard.press("j")
    rows.keyboard.press("j")
    rows.keyboard.press("j")
    assert focused(rows) == "three"
    rows.keyboard.press("k")
    assert focused(rows) == "two"
    rows.keyboard.press("o")
    rows.wait_for_url("**/two")


def test_r_goes_to_reject_and_presses_nothing(rows: Page) -> None:
    rows.evaluate("window.pressed = 0; addEventListener('click', () => window.pressed++)")
    rows.keyboard.press("r")
    assert focused(rows) == "Reject"
    assert rows.evaluate("window.pressed") == 0


def test_no_letter_and_no_enter_or_escape_ever_presses_approve(rows: Page) -> None:
    rows.evaluate("""window.pressed = 0;
      document.querySelector("[data-needs-shown]").addEventListener("click", () => pressed++)""")
    # from a row, o and r lead to another page, so r comes before k has gone to a row
    for key in ["Enter", "Escape", *"rabcdefghiklmnpqstuvwxyz"]:
        rows.keyboard.press(key)
        assert focused(rows) != "Approve"
    assert rows.evaluate("window.pressed") == 0


def test_letters_typed_into_a_field_are_letters(rows: Page) -> None:
    rows.get_by_label("Search").press_sequentially("jor?")
    assert rows.get_by_label("Search").input_value() == "jor?"


def test_the_keys_can_be_switched_off_and_stay_off(visit, rows: Page) -> None:
    rows.keyboard.press("?")
    rows.get_by_label("Use single-letter keys").uncheck()
    rows.get_by_role("button", name="Close").click()
    rows.reload()
    rows.keyboard.press("j")
    assert focused(rows) != "one"


def test_a_form_is_sent_once(visit) -> None:
    here = visit()
    here.draw('<form method="post" action="/decide"><button>Reject</button></form>')
    page = here.page()
    # the last to hear of it counts what would have left, and keeps it from leaving
    page.evaluate("""window.sent = 0; addEventListener("submit", (event) => {
      if (!event.defaultPrevented) window.sent += 1;
      event.preventDefault();
    })""")
    button = page.get_by_role("button", name="Reject")
    button.click()
    button.click()
    expect(button).to_have_attribute("aria-busy", "true")
    assert page.evaluate("window.sent") == 1


def test_escape_closes_the_menu_and_gives_the_focus_back(visit) -> None:
    here = visit()
    here.draw("", user=SWITCH_USER)
    page = here.page()
    page.locator("summary.viewer").click()
    expect(page.get_by_role("button", name="Sign out")).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.get_by_role("button", name="Sign out")).to_be_hidden()
    assert page.evaluate("document.activeElement.classList.contains('viewer')")


def test_the_policy_is_never_broken(visit) -> None:
    here = visit()
    here.draw(DECISION + REGION + ROWS, long=LONG, names=["one"], user=SWITCH_USER)
    here.answers["/run"] = NEWER
    page = here.page()
    page.get_by_role("button", name="Show all 60 lines").click()
    page.locator("summary.viewer").click()
    page.get_by_label("Dark").check()
    expect(page.locator("#run p")).to_have_text("new")
    assert here.complaints == []


EVERYTHING = (
    DECISION
    + ROWS
    + """
  {% include "parts/tabs.html" with tabs=tabs label="Places" only %}
  {% include "parts/banner.html" with tone="danger" title="Wrong" text="Look." only %}
  {% include "parts/table.html" with caption="Things" columns=columns rows=tabs row=row %}
  {% diff before after %}
  {% include "parts/said.html" with text="a‮b" label="agent" only %}
  {% include "parts/stations.html" with stations=stations only %}
  {% include "parts/timeline.html" with entries=entries only %}
  {% include "parts/empty.html" with title="Nothing" text="Yet." facts=tabs only %}
  {% include "parts/pager.html" with words="3 of them" older_url="/x" only %}
  {% for kind, table in tables.items %}{% for value in table %}{% state kind value %}
  {% state kind value "plain" %}{% endfor %}{% endfor %}
"""
)


@pytest.mark.parametrize("width", [1280, 390])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing_in_any_part(visit, scheme: str, width: int) -> None:
    here = visit(color_scheme=scheme, viewport={"width": width, "height": 900}, bypass_csp=True)
    here.draw(
        EVERYTHING,
        user=SWITCH_USER,
        long=LONG,
        names=["one", "two"],
        nav=[("/a", "Inbox", True, 7, "inbox"), ("/b", "Runs", False, None, "runs")],
        tabs=[("/a", "To decide", True), ("/b", "Decided", False)],
        columns=[("Name",)],
        row=Template("<tr role='row'><td role='cell'>{{ item.1 }}</td></tr>"),
        before={"a": "1", "c": "3", "same": "x"},
        after={"a": 1, "b": "4", "same": "x"},
        stations=stations({"proposed": NOW, "decided": NOW}, halted=True, note="Lapsed"),
        entries=[
            Entry(at=NOW, words="Approved", actor="Ines", actor_kind="person", tone=tone)
            for tone in TONES
        ],
        tables=TABLES,
    )
    found = Axe().run(here.page()).response["violations"]
    assert [(fault["id"], [node["target"] for node in fault["nodes"]]) for fault in found] == []


@pytest.mark.parametrize("width", [1280, 390, 320])
def test_nothing_reaches_beyond_the_screen(visit, width: int) -> None:
    here = visit(viewport={"width": width, "height": 900})
    here.draw(
        DECISION + "<p>{{ word }}</p>{% diff word_before word_after %}",
        long="x" * 3000,
        word="",
        word_before={"k" * 200: "v" * 900},
        word_after={},
    )
    page = here.page()
    assert page.evaluate("document.documentElement.scrollWidth") <= width
