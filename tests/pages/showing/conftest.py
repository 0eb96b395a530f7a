"""A browser that is served from memory: templates drawn in the test, static files from disk."""

from collections.abc import Callable, Iterator
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from django.contrib.staticfiles import finders
from django.template import Context, Template
from django.test import override_settings
from playwright.sync_api import Browser, Page, Route

CSP = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; "
    "connect-src 'self'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'"
)
HOST = "http://placet.test"
KINDS = {".css": "text/css", ".js": "text/javascript", ".svg": "image/svg+xml"}

Answer = str | int | Callable[[Route], None]


@pytest.fixture
def plain_static() -> Iterator[None]:
    """Static files by their plain names, and the few addresses that the parts need."""
    storages = {
        "default": {"BACKEND": "django.core.files.storage.FileSystemStorage"},
        "staticfiles": {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"},
    }
    with override_settings(ROOT_URLCONF="tests.pages.showing.urls", STORAGES=storages):
        yield


class Visit:
    """One browser context, with the answers that it gets for each path."""

    def __init__(self, browser: Browser, **options: object) -> None:
        self.answers: dict[str, Answer] = {}
        self.asked: list[str] = []
        self.complaints: list[str] = []
        self.context = browser.new_context(**{"timezone_id": "UTC", **options})
        self.context.route("**/*", self._serve)

    def page(self, path: str = "/") -> Page:
        page = self.context.new_page()
        page.on("console", lambda said: said.type == "error" and self.complaints.append(said.text))
        page.on("pageerror", lambda error: self.complaints.append(str(error)))
        page.goto(HOST + path)
        return page

    def draw(self, content: str, path: str = "/", **context: object) -> None:
        """Answers `path` with a page of the frame whose content is this template source."""
        source = '{% extends "base.html" %}{% load placet %}{% block title %}T{% endblock %}'
        source += "{% block heading %}H{% endblock %}{% block content %}"
        source += content + "{% endblock %}"
        self.answers[path] = Template(source).render(Context(context))

    def _serve(self, route: Route) -> None:
        path = urlsplit(route.request.url).path
        self.asked.append(path)
        if path.startswith("/static/"):
            self._static(route, path.removeprefix("/static/"))
        else:
            self._answer(route, self.answers.get(path, 404))

    def _static(self, route: Route, name: str) -> None:
        found = finders.find(name)
        assert isinstance(found, str), f"no static file {name}"
        file = Path(found)
        route.fulfill(body=file.read_bytes(), content_type=KINDS[file.suffix])

    def _answer(self, route: Route, answer: Answer) -> None:
        if callable(answer):
            answer(route)
        elif isinstance(answer, int):
            route.fulfill(status=answer)
        else:
            headers = {"Content-Security-Policy": CSP}
            route.fulfill(body=answer, content_type="text/html; charset=utf-8", headers=headers)


@pytest.fixture
def visit(chromium: Browser, plain_static: None) -> Iterator[Callable[..., Visit]]:
    visits: list[Visit] = []

    def begin(**options: object) -> Visit:
        visits.append(Visit(chromium, **options))
        return visits[-1]

    yield begin
    for each in visits:
        each.context.close()
