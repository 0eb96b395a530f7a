"""The parts, drawn: what is said, what is escaped, and what may not be in them."""

import json
import re
from datetime import UTC, datetime
from pathlib import Path

import django_htmx
import pytest
from django import forms
from django.contrib.messages import constants
from django.contrib.messages.storage.base import Message
from django.template import Context, Template
from django.template.loader import get_template, render_to_string
from django.test import RequestFactory

from oversight.showing import diff
from oversight.showing.stations import stations
from oversight.showing.timeline import Entry
from oversight.showing.words import TABLES

NOW = datetime(2026, 3, 3, 13, 5, 9, tzinfo=UTC)
ATTACK = "<img src=x onerror=alert(1)>\u202e"
TEMPLATES = sorted(Path("templates").rglob("*.html"))
MINE = [path for path in TEMPLATES if path.parts[1] in ("parts", "account", "base.html")] + [
    Path("templates") / f"{code}.html" for code in ("400", "403", "403_csrf", "404", "409", "500")
]

pytestmark = pytest.mark.usefixtures("plain_static")


def drawn(source: str, **context: object) -> str:
    return Template("{% load placet %}" + source).render(Context(context))


@pytest.mark.parametrize("kind", TABLES)
def test_a_state_is_a_word_beside_a_sign(kind: str) -> None:
    for state, shown in TABLES[kind].items():
        html = drawn("{% state kind state %}", kind=kind, state=state)
        assert f"<span>{shown.word}</span>" in html
        assert "<svg" in html
        assert f"tone-{shown.tone}" in html


def test_an_unheard_of_state_is_escaped() -> None:
    assert "<img" not in drawn("{% state 'run' state %}", state=ATTACK)


@pytest.mark.parametrize(
    ("part", "context"),
    [
        ("said", {"text": ATTACK, "label": ATTACK}),
        ("code", {"text": ATTACK, "label": ATTACK}),
        ("actor", {"name": ATTACK, "kind": "agent"}),
        ("banner", {"tone": "warn", "title": ATTACK, "text": ATTACK}),
        ("empty", {"title": ATTACK, "text": ATTACK, "facts": [(ATTACK, ATTACK)]}),
        ("facts", {"facts": [(ATTACK, ATTACK, ATTACK)]}),
        ("tabs", {"tabs": [(ATTACK, ATTACK, True, 3)], "label": ATTACK}),
        ("crumbs", {"crumbs": [(ATTACK, ATTACK)]}),
        ("diff", {"rows": diff.rows({ATTACK: ATTACK}, {ATTACK: "x", "y": ATTACK})}),
        ("timeline", {"entries": [Entry(at=NOW, words=ATTACK, actor=ATTACK, detail=ATTACK)]}),
        ("stations", {"stations": stations({}, note=ATTACK), "label": ATTACK}),
        ("pager", {"newer_url": ATTACK, "older_url": ATTACK, "words": ATTACK}),
        ("notice", {"headline": ATTACK, "detail": ATTACK, "next_url": "/x", "next_label": ATTACK}),
        ("news_hint", {"count": 3, "url": ATTACK}),
    ],
)
def test_no_part_lets_markup_through(part: str, context: dict[str, object]) -> None:
    html = render_to_string(f"parts/{part}.html", context)
    assert "<img" not in html
    assert "onerror" in html


@pytest.mark.parametrize("part", ["said", "code", "actor", "timeline", "diff"])
def test_what_others_wrote_is_revealed(part: str) -> None:
    context = {
        "text": ATTACK,
        "name": ATTACK,
        "entries": [Entry(at=NOW, words="Said", detail=ATTACK)],
        "rows": diff.rows({}, {"x": ATTACK}),
    }
    html = render_to_string(f"parts/{part}.html", context)
    assert "⟨U+202E⟩" in html
    assert "\u202e" not in html


def test_a_table_draws_each_row_with_the_same_template() -> None:
    html = render_to_string(
        "parts/table.html",
        {
            "caption": "Runs",
            "columns": [("Name",), ("Count", "number")],
            "rows": [{"url": "/a", "label": "A"}, {"url": "/b", "label": "B"}],
            "row": Template("<tr role='row'><td>{{ item.label }}</td></tr>"),
            "body_id": "runs",
        },
    )
    assert html.count("<tr role='row'>") == 2
    assert '<tbody role="rowgroup" id="runs">' in html
    assert '<th role="columnheader" scope="col" class="number">Count</th>' in html


def test_a_diff_says_in_words_what_happened_to_each_field() -> None:
    html = drawn("{% diff before after %}", before={"a": "1", "c": "3"}, after={"a": "2", "b": "4"})
    for word in ("added:", "removed:", "changed:", "not there"):
        assert word in html


def test_a_code_block_is_whole_and_says_how_long_it_is() -> None:
    text = "\n".join(str(number) for number in range(50))
    html = render_to_string("parts/code.html", {"text": text, "lines": 5})
    assert 'data-fold="5"' in html
    assert "Show all 50 lines" in html
    assert re.sub(r"<[^>]+>", "", html[html.index("<pre") : html.index("</pre>")]) == text


def test_a_timeline_entry_can_be_linked_to() -> None:
    html = render_to_string("parts/timeline.html", {"entries": [Entry(at=NOW, words="x", seq=12)]})
    assert 'id="event-12"' in html


def test_where_an_effect_stands_is_said_to_assistive_technology() -> None:
    html = render_to_string("parts/stations.html", {"stations": stations({"proposed": NOW})})
    assert html.count('aria-current="step"') == 1
    assert ": it stands here" in html


def test_a_live_region_polls_its_own_address() -> None:
    html = drawn('<div id="x" {% live url 5 %}></div>', url="/runs?a=1&b=2")
    assert 'hx-get="/runs?a=1&amp;b=2"' in html
    assert 'hx-trigger="every 5s"' in html


class Reasoned(forms.Form):
    reason = forms.CharField(help_text="Kept with the decision.")
    code = forms.ChoiceField(widget=forms.RadioSelect, choices=[("a", "A"), ("b", "B")])
    sure = forms.BooleanField(label="Sure")


@pytest.mark.parametrize("name", ["reason", "code", "sure"])
def test_a_field_has_a_label_and_its_error_is_tied_to_it(name: str) -> None:
    html = render_to_string("parts/field.html", {"field": Reasoned({})[name]})
    assert "<label" in html
    assert f'id="id_{name}_error"' in html
    assert re.search(rf'aria-describedby="[^"]*id_{name}_error', html)


def test_help_is_tied_to_its_field() -> None:
    html = render_to_string("parts/field.html", {"field": Reasoned()["reason"]})
    assert 'aria-describedby="id_reason_helptext"' in html
    assert 'id="id_reason_helptext"' in html


def page(**context: object) -> str:
    source = '{% extends "base.html" %}{% block title %}T{% endblock %}'
    source += "{% block heading %}H{% endblock %}{% block content %}C{% endblock %}"
    return Template(source).render(Context(context))


def test_a_page_needs_no_context_at_all() -> None:
    html = page()
    assert "<h1>H</h1>" in html
    assert "<title>T · Placet</title>" in html


def test_a_page_shows_places_person_and_stop() -> None:
    html = page(
        nav=[("/inbox", "Inbox", True, 7), ("/runs", "Runs", False, None, "runs")],
        user=type("Somebody", (), {"is_authenticated": True, "username": "ines"})(),
        viewer={"name": "Ines Calder", "role": "Reviewer"},
        stop_control={"url": "/stop", "in_force": 2},
    )
    assert html.count('aria-current="page"') == 1
    for words in ("Ines Calder", "Reviewer", "2 stops in force", '<span class="count">7</span>'):
        assert words in html
    assert '<form method="post" action="/out">' in html


def test_a_strangers_page_offers_no_sign_out() -> None:
    assert "Sign out" not in page()


def test_htmx_runs_no_code_from_the_page() -> None:
    config = re.search(r"name=\"htmx-config\" content='([^']+)'", page())
    assert config is not None
    settings = json.loads(config[1])
    assert settings["allowEval"] is False
    assert settings["allowScriptTags"] is False
    assert settings["includeIndicatorStyles"] is False
    assert settings["selfRequestsOnly"] is True
    assert settings["historyCacheSize"] == 0


def test_messages_stand_in_a_polite_live_region() -> None:
    html = page(messages=[Message(constants.SUCCESS, "Your decision was recorded.")])
    region = html[html.index('class="messages"') :]
    assert 'role="status" aria-live="polite"' in region[:80]
    assert "banner--success" in region
    assert "Your decision was recorded." in region


def test_a_page_has_one_main_one_heading_and_a_way_past_the_rail() -> None:
    html = page()
    assert html.count("<main") == 1
    assert html.count("<h1") == 1
    assert 'href="#content"' in html
    assert 'id="content"' in html


@pytest.mark.parametrize("code", ["400", "500", "403_csrf"])
def test_pages_for_broken_requests_need_no_context(code: str) -> None:
    html = get_template(f"{code}.html").render()
    assert "<h1>" in html
    assert 'class="btn' in html


@pytest.mark.parametrize("code", ["403", "404", "409"])
def test_every_error_page_says_what_to_do_next(code: str) -> None:
    html = get_template(f"{code}.html").render({}, RequestFactory().get("/"))
    assert "<h1>" in html
    assert 'class="btn' in html


def test_the_conflict_page_says_who_and_when() -> None:
    html = render_to_string(
        "409.html",
        {
            "headline": "Otto rejected this 4 min ago",
            "detail": "Wrong recipient.",
            "next_url": "/proposals/1",
            "next_label": "See the decision",
        },
    )
    for words in ("Otto rejected this", "Wrong recipient.", "/proposals/1", "See the decision"):
        assert words in html


def test_the_refusal_says_who_could() -> None:
    html = render_to_string("403.html", {"exception": "You asked for it.", "who_could": ["Otto"]})
    assert "You asked for it." in html
    assert "Who could: Otto." in html


class SignIn(forms.Form):
    login = forms.CharField(label="Username")
    password = forms.CharField(widget=forms.PasswordInput)


def test_the_cast_is_offered_in_the_demo_alone() -> None:
    person = {
        "name": "ines",
        "shown_name": "Ines Calder",
        "role": "Reviewer",
        "sentence": "Decides.",
    }
    with_cast = render_to_string("account/login.html", {"form": SignIn(), "demo_cast": [person]})
    without = render_to_string("account/login.html", {"form": SignIn()})
    assert 'action="/demo/in/ines"' in with_cast
    assert "Ines Calder" in with_cast
    assert "demo" not in without


@pytest.mark.parametrize("path", MINE, ids=str)
def test_no_template_carries_style_or_script_of_its_own(path: Path) -> None:
    source = path.read_text()
    assert not re.search(r"\sstyle\s*=", source)
    assert not re.search(r"<style|\son\w+\s*=|javascript:|\bdata:", source)
    assert all("src=" in tag for tag in re.findall(r"<script[^>]*>", source))


@pytest.mark.parametrize("path", sorted(Path("static").rglob("*.*")), ids=str)
def test_no_file_asks_another_host_for_anything(path: Path) -> None:
    source = path.read_text().replace("http://www.w3.org/2000/svg", "")
    assert not re.search(r"https?://|url\(\s*[\"']?(data:|//)|@import|\beval\(|innerHTML", source)


def test_the_frame_of_a_page_leaves_room_for_the_page() -> None:
    htmx = Path(django_htmx.__file__).parent / "static/django_htmx/htmx-2.min.js"
    files = [Path("static") / name for name in re.findall(r'"/static/((?:css|js)/[^"]+)"', page())]
    assert len(files) > 3
    assert sum(path.stat().st_size for path in [htmx, *files]) < 115_000
