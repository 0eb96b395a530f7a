"""One address for every route of the project, in a world in which every page has something to show;
and everybody who could come by."""

import uuid
from collections.abc import Callable, Iterator
from datetime import timedelta
from typing import Any

from django.http import HttpResponse
from django.test import Client
from django.urls import URLPattern, URLResolver, get_resolver, reverse

from engine import api
from engine.models import Checkpoint, Decision, Value
from oversight import inviting
from oversight.agents_api.keys import issue_key
from oversight.models import Agent
from tests.cast import AGENT, CAST, all_go_on, reviewer
from tests.engine import exempting
from tests.pages.alerts.trouble import stuck_rollback, wrong_refund
from tests.pages.reading import Reader, address_of
from tests.pages.rollbacks.tried import rehearsed
from tests.pages.unknowns.doubt import in_doubt
from tests.world import Desk

METHODS = ("get", "head", "post", "put", "patch", "delete", "options")
STRANGER, AGENT_S_KEY = "stranger", "agent's key"
VISITORS = (STRANGER, *CAST, AGENT_S_KEY)


def large_value(desk: Desk) -> str:
    """The digest of a value that is too large to stand in an event."""
    desk.start_run(report=["a line"] * 8_000)
    return bytes(Value.objects.latest("kept_at").digest).hex()


def routes(patterns: Any = None, namespace: str = "") -> Iterator[str]:
    """The name of every route that there is."""
    for pattern in get_resolver().url_patterns if patterns is None else patterns:
        if isinstance(pattern, URLResolver):
            inner = f"{namespace}{pattern.namespace}:" if pattern.namespace else namespace
            yield from routes(pattern.url_patterns, inner)
        elif isinstance(pattern, URLPattern):
            yield f"{namespace}{pattern.name}"


class Everywhere:
    """A desk where everything has happened once: `addresses` has one of every route."""

    def __init__(self, desk: Desk) -> None:
        self.desk = desk
        self.agent = Agent.objects.create(
            name=AGENT.removeprefix("agent:"), owner=desk.people.tomas
        )
        self.key = issue_key(self.agent, ["*"], timedelta(hours=1))
        self.addresses = dict(self._happened())

    def _happened(self) -> Iterator[tuple[str, str]]:
        desk = self.desk
        for decision in ("approve", "reject", "return"):
            desk.decide(desk.propose_refund(), decision)
        desk.work(desk.approved_refund().run_id)
        alert, _ = wrong_refund(desk), stuck_rollback(desk)
        yield from self._of_alerts(alert.pk, in_doubt(desk).pk)
        drill = api.stop_everything(api.Command(user="root"), "A drill.")
        all_go_on(desk.people)
        yield from self._of_the_installation(str(drill))
        yield from self._of_the_policy()
        for name in ("person", "change", "qualify", "withdraw"):
            yield f"people:{name}", reverse(f"people:{name}", args=[desk.people.rosa.pk])
        yield from self._of_an_invitation()
        self.waiting = [desk.propose_refund() for _ in range(3)]
        yield from self._of_a_run()

    def _of_alerts(self, alert: uuid.UUID, effect: uuid.UUID) -> Iterator[tuple[str, str]]:
        for name in ("alert", "live", "acknowledge", "resolve", "resume", "accept"):
            yield f"alerts:{name}", reverse(f"alerts:{name}", args=[alert])
        for name in ("effect", "live", "ask", "rule"):
            yield f"unknowns:{name}", reverse(f"unknowns:{name}", args=[effect])

    def _of_the_installation(self, drill: str) -> Iterator[tuple[str, str]]:
        yield "stop:receipt", f"/stop/{drill}/"
        yield "rollbacks:action", "/rollbacks/ledger.refund/1/"
        tried = rehearsed(self.desk)
        yield "rollbacks:rehearsal", f"/rollbacks/rehearsals/{tried}/"
        yield "checkpoints:compare", "/checkpoints/compare/"
        yield "api:problem", "/api/problems/conflict"
        yield "api:nowhere", "/api/v1/nowhere"
        yield "demo:sign_in", "/demo/sign-in/rosa/"
        yield "security:remove", "/security/1/remove/"
        for name in PLAIN:
            yield name, reverse(name)

    def _of_the_policy(self) -> Iterator[tuple[str, str]]:
        rules = [{"action": "*", "groups": [{"name": "reviewer", "approve": 1}], "reject": 2}]
        zoe = reviewer(self.desk.people.zoe)
        proposed = api.propose_policy(rules, administrator=zoe, reason="Everybody errs.")
        for name in ("version", "replay", "answer"):
            yield f"policy:{name}", reverse(f"policy:{name}", args=[proposed])
        exemption = exempting.proposed(self.desk)
        for name in ("exemption", "approve", "step_up", "end"):
            yield f"exemptions:{name}", reverse(f"exemptions:{name}", args=[exemption.pk])

    def _of_an_invitation(self) -> Iterator[tuple[str, str]]:
        zoe = self.desk.people.zoe
        _made, token = inviting.invite("Nina", "nina@example.org", ["auditor"], administrator=zoe)
        yield "invitation", f"/invitation/{token}/"
        waiting, _token = inviting.invite("Max", "max@example.org", ["auditor"], administrator=zoe)
        yield "people:again", reverse("people:again", args=[waiting.pk])
        yield "people:recall", reverse("people:recall", args=[waiting.pk])

    def _of_a_run(self) -> Iterator[tuple[str, str]]:
        proposal = self.waiting[0]
        run, version = proposal.run_id, address_of(proposal)
        saved = Checkpoint.objects.filter(run_id=run).latest("last_event_sequence")
        yield "proposal:newest", f"/proposals/{proposal.proposal_id}/"
        yield "proposal:version", version
        yield "proposal:live", f"{version}live/"
        yield "proposal:decide", f"{version}decide/"
        yield "proposal:take_back", f"{version}take-back/"
        yield "proposal:edit", f"{version}edit/"
        yield "proposal:claim", f"{version}claim/"
        yield "proposal:look", f"{version}look/"
        yield "proposal:step_up", f"{version}step-up/"
        yield from self._of_what_was_seen()
        yield "runs:run", f"/runs/{run}/"
        yield "runs:live", f"/runs/{run}/live/"
        yield "runs:ask", f"/runs/{run}/ask/"
        yield "runs:fork", f"/runs/{run}/fork/"
        yield "runs:budget", f"/runs/{run}/budget/"
        yield "runs:rollback", f"/runs/{run}/rollback/"
        yield "runs:take_back", f"/runs/{run}/take-back/"
        yield "runs:by_hand", f"/runs/{run}/by-hand/"
        yield "checkpoints:at", f"/checkpoints/at/?run={run}&seq=2"
        yield "checkpoints:checkpoint", f"/checkpoints/{saved.pk}/"
        yield "checkpoints:download", f"/checkpoints/{saved.pk}/download/"
        yield "checkpoints:value", f"/checkpoints/values/{large_value(self.desk)}/"
        yield "audit:event", f"/audit/{run}/1/"
        one = {"run_id": run, "proposal_id": proposal.proposal_id}
        for name in ("see_run", "propose", "finish", "see_events"):
            yield f"api:v1:{name}", reverse(f"api:v1:{name}", kwargs={"run_id": run})
        for name in ("see_proposal", "answer", "withdraw"):
            yield f"api:v1:{name}", reverse(f"api:v1:{name}", kwargs=one)

    def _of_what_was_seen(self) -> Iterator[tuple[str, str]]:
        decided = self.desk.propose_refund()
        Reader(self.desk.people.rosa).decide(decided, "reject")
        heard = Decision.objects.get(proposal=decided)
        yield "proposal:seen", f"{address_of(decided)}seen/{heard.pk}/"
        yield "proposal:seen_page", f"{address_of(decided)}seen/{heard.pk}/page/"

    def visitor(self, who: str) -> "Visitor":
        return Visitor(self, who)


PLAIN = (
    "start",
    "account_login",
    "account_logout",
    "account_inactive",
    *(f"overview:{name}" for name in ("page", "live", "measured", "proposals", "news")),
    *("inbox:page", "inbox:live", "inbox:choose", "inbox:reject", "runs:page"),
    *("unknowns:page", "unknowns:news", "alerts:page", "alerts:news"),
    *(f"stop:{name}" for name in ("page", "live", "place", "lift")),
    *("checkpoints:page", "checkpoints:live", "rollbacks:page"),
    *("policy:page", "policy:propose", "people:page", "people:me", "people:invite"),
    *("exemptions:page", "exemptions:propose"),
    *(f"audit:{name}" for name in ("page", "live", "verify", "export", "exports", "exports_live")),
    *("api:page", "api:openapi", "api:v1:start_run", "api:v1:list_runs", "api:v1:deliver_event"),
    *("demo:world", "demo:elsewhere", "mfa_authenticate"),
    *(f"openid:{name}" for name in ("start", "back", "link", "unlink")),
    *(f"security:{name}" for name in ("page", "confirm", "add_app", "add_passkey", "codes")),
)
"""Routes whose address has nothing to fill in."""


class Visitor:
    """Somebody who comes by: a stranger, one of the cast at their browser, or an agent's key."""

    def __init__(self, world: Everywhere, who: str) -> None:
        self.world, self.who = world, who
        self.role = CAST[who][1] if who in CAST else ""
        self._client = self._signed_in()

    def asks(self, route: str, method: str, **headers: str) -> HttpResponse:
        """What they are answered. Where they might be signed in or out, they are there anew."""
        client = self._signed_in() if route in ABOUT_SESSIONS else self._client
        if self.who == AGENT_S_KEY:
            headers["Authorization"] = f"Bearer {self.world.key}"
        send: Callable[..., HttpResponse] = getattr(client, method)
        return send(self.world.addresses[route], headers=headers)

    def _signed_in(self) -> Client:
        client = Client(SERVER_NAME="localhost", raise_request_exception=False)
        if self.role:
            client.force_login(getattr(self.world.desk.people, self.who))
        return client


ABOUT_SESSIONS = ("account_login", "account_logout", "demo:sign_in")
