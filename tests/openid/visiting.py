"""Somebody with a browser of plain HTTP: cookies, forms, and no redirect followed unseen; and the
provider's process beside them."""

import itertools
import re
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from html import unescape
from http.client import HTTPConnection
from http.cookies import SimpleCookie
from typing import Self
from urllib.parse import urlencode, urlsplit

from oversight.embedded.processes import Child
from tests.cast import PASSWORD
from tests.faults.processes import PATIENCE, free_port

CLIENT, SECRET, NAME = "placet", "s3cret: with a colon", "Example Accounts"
START, BACK = "/sign-in/with/", "/sign-in/with/back/"

_addresses = itertools.count(1)


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    status: int
    headers: Mapping[str, str]
    html: str

    @property
    def text(self) -> str:
        """What is read, with every run of blanks as one."""
        return re.sub(r"\s+", " ", unescape(re.sub(r"<[^>]+>", " ", self.html)))

    @property
    def location(self) -> str:
        return self.headers["location"]


class Visitor:
    """A browser of its own at `site`. It comes from an address of its own, too: on Linux all of
    127.0.0.0/8 is this machine."""

    def __init__(self, site: str, address: str = "") -> None:
        self.site, self.address = site, address or f"127.0.1.{next(_addresses)}"
        self.cookies: dict[str, str] = {}
        self._token_of = ("", "")

    def get(self, url: str) -> Answer:
        return self._asked("GET", url)

    def post(self, path: str, page: str = "/sign-in/", **fields: str) -> Answer:
        """A form of a page of ours, with the token that such a page gave."""
        cookie = self.cookies.get("placet-csrf")
        if cookie is None or cookie != self._token_of[0]:
            found = re.search(r'name="csrfmiddlewaretoken" value="(\w+)"', self.get(page).html)
            assert found is not None, f"there is no form on {page}"
            self._token_of = (self.cookies["placet-csrf"], found[1])
        return self._asked("POST", path, {**fields, "csrfmiddlewaretoken": self._token_of[1]})

    def sign_in(self, name: str, password: str = PASSWORD) -> Answer:
        return self.post("/sign-in/", login=name, password=password)

    def at_the_provider(self, way: str, subject: str, mischief: str = "") -> str:
        """Type a name there; gives the address to which one is sent back."""
        return self._asked("POST", way, {"subject": subject, "mischief": mischief}).location

    def comes_with(self, subject: str, mischief: str = "") -> Answer:
        """The whole way to sign in: the button, the provider's page, and back."""
        return self.get(self.at_the_provider(self.post(START).location, subject, mischief))

    def links(self, subject: str) -> Answer:
        way = self.post("/sign-in/with/link/", "/security/").location
        return self.get(self.at_the_provider(way, subject))

    def is_in(self) -> bool:
        return self.get("/inbox/").status == 200

    def _asked(self, method: str, url: str, fields: Mapping[str, str] | None = None) -> Answer:
        asked = urlsplit(url if "://" in url else f"{self.site}{url}")
        headers = {"Content-Type": "application/x-www-form-urlencoded"} if fields else {}
        ours = asked.netloc == urlsplit(self.site).netloc
        if ours:
            headers["Cookie"] = "; ".join(f"{name}={value}" for name, value in self.cookies.items())
        connection = HTTPConnection(
            "127.0.0.1", asked.port, timeout=PATIENCE, source_address=(self.address, 0)
        )
        target = f"{asked.path}?{asked.query}" if asked.query else asked.path
        body = urlencode(fields) if fields else None
        connection.request(method, target, body, {**headers, "Host": asked.netloc})
        reply = connection.getresponse()
        html = reply.read().decode()
        if ours:
            self._keep(reply.headers.get_all("Set-Cookie") or [])
        connection.close()
        told = {name.lower(): value for name, value in reply.getheaders()}
        return Answer(status=reply.status, headers=told, html=html)

    def _keep(self, lines: list[str]) -> None:
        for line in lines:
            for name, morsel in SimpleCookie(line).items():
                if morsel["max-age"] == "0":
                    self.cookies.pop(name, None)
                else:
                    self.cookies[name] = morsel.value


class Provider:
    """The provider as a process; `settings` name it to ours."""

    def __init__(self) -> None:
        port = free_port()
        self.issuer = f"http://localhost:{port}"
        command = [sys.executable, "-m", "tests.openid.provider", str(port), CLIENT, SECRET]
        self.child = Child("provider", command)
        self.child.wait_for("The provider listens", PATIENCE)

    @property
    def settings(self) -> dict[str, str]:
        return {
            "PLACET_OIDC_ISSUER": self.issuer,
            "PLACET_OIDC_CLIENT_ID": CLIENT,
            "PLACET_OIDC_SECRET": SECRET,
            "PLACET_OIDC_NAME": NAME,
        }

    @classmethod
    @contextmanager
    def running(cls) -> Iterator[Self]:
        provider = cls()
        try:
            yield provider
        finally:
            provider.child.kill()
