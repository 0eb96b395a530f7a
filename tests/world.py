"""What a test stands in: its own database, the outside ledger, and a refund desk that acts."""

import itertools
import json
import os
import select
import threading
import uuid
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, closing, contextmanager, nullcontext
from typing import Any, Self
from unittest.mock import patch

import psycopg
from django.db import connections
from psycopg import sql
from psycopg.rows import dict_row

from engine import api, worker
from engine.kit.sql import SqlUpdate
from engine.models import Proposal, Run
from engine.types import Advanced
from oversight.embedded import Servers
from oversight.environment import database as connection_settings
from oversight.models import Person
from tests.cast import AGENT, People, reviewer

DESK_BALANCE = "5000.00"
_numbers = itertools.count(1)


@contextmanager
def pointed_at(url: str) -> Iterator[None]:
    """Every thread's `default` connection goes to this database for a while."""
    settings = connections.settings["default"]
    before = dict(settings)
    _forget_connection()
    settings.update(connection_settings(url, process="test"))
    try:
        yield
    finally:
        _forget_connection()
        settings.clear()
        settings.update(before)


def has_news(connection: psycopg.Connection[Any]) -> bool:
    """The server has said something unasked: as a rule, that it went away."""
    return connection.closed or bool(select.select([connection], [], [], 0)[0])


def _forget_connection() -> None:
    connections.close_all()
    if hasattr(connections._connections, "default"):
        del connections["default"]


class Copy:
    """A database copied from a template, and superuser's connections of one's own to it.

    What the test's own thread asks for, it asks on one connection: to open one costs more than
    most answers.
    """

    def __init__(self, servers: Servers, name: str) -> None:
        self.servers, self.name = servers, name
        self.url = servers.database_url(name)
        self._kept: psycopg.Connection[dict[str, Any]] | None = None

    @classmethod
    @contextmanager
    def copied(cls, servers: Servers, template: str) -> Iterator[Self]:
        name = f"test_{os.getpid()}_{next(_numbers)}"
        servers.execute(
            sql.SQL("CREATE DATABASE {} TEMPLATE {} STRATEGY FILE_COPY").format(
                sql.Identifier(name), sql.Identifier(template)
            )
        )
        try:
            with closing(cls(servers, name)) as copy:
                yield copy
        finally:
            servers.drop_database(name)

    def close(self) -> None:
        """Nobody stays connected."""
        if self._kept is not None:
            self._kept.close()
            self._kept = None

    def connected(self) -> psycopg.Connection[dict[str, Any]]:
        """A connection beside Django's, of the superuser, that commits every statement."""
        # Tables change under a connection that is kept: no plan is.
        return psycopg.connect(
            self.url, autocommit=True, row_factory=dict_row, prepare_threshold=None
        )

    def _asked(self) -> AbstractContextManager[psycopg.Connection[dict[str, Any]]]:
        if threading.current_thread() is not threading.main_thread():
            return self.connected()
        if self._kept is None or has_news(self._kept):
            self.close()
            self._kept = self.connected()
        return nullcontext(self._kept)

    def rows(self, query: str, *params: Any) -> list[dict[str, Any]]:
        with self._asked() as connection:
            return connection.execute(query.encode(), params).fetchall()

    def value(self, query: str, *params: Any) -> Any:
        """The only column of the only row."""
        (row,) = self.rows(query, *params)
        (found,) = row.values()
        return found

    def execute(self, statement: str, *params: Any) -> int:
        """Give how many rows it touched."""
        with self._asked() as connection:
            return connection.execute(statement.encode(), params).rowcount


class Database(Copy):
    """The engine's database of one test. What it does here, it does as the superuser, by force."""

    def __init__(self, servers: Servers, name: str) -> None:
        super().__init__(servers, name)
        self.hints: list[uuid.UUID] = []

    def log(self, run_id: uuid.UUID) -> list[dict[str, Any]]:
        return self.rows("SELECT * FROM engine_event WHERE run_id = %s ORDER BY seq", run_id)

    def kinds(self, run_id: uuid.UUID) -> list[str]:
        return [event["kind"] for event in self.log(run_id)]

    def time_passes_for(self, run_id: uuid.UUID) -> None:
        """What the run waits for is due, and a lease on it has lapsed."""
        for column in ("wake_at", "lease_until"):
            self.execute(
                f"UPDATE engine_run SET {column} = now() - interval '1 s'"  # noqa: S608
                f" WHERE run_id = %s AND {column} > now()",
                run_id,
            )
        self.execute(
            "UPDATE engine_wait SET until = now() - interval '1 s'"
            " WHERE run_id = %s AND over_at IS NULL AND until > now()",
            run_id,
        )

    def call_is_over_for(self, run_id: uuid.UUID) -> None:
        """The last call of an effect of this run can arrive no more."""
        self.execute(
            "UPDATE engine_effect SET call_deadline = now() - interval '1 min'"
            " WHERE run_id = %s AND call_deadline IS NOT NULL",
            run_id,
        )

    def days_pass_for(self, version_id: uuid.UUID, days: float) -> None:
        """All that the proposal version has before it is so many days nearer."""
        moments = ("remind_at", "escalate_at", "valid_until")
        sooner = ", ".join(f"{each} = {each} - make_interval(secs => %s)" for each in moments)
        self.execute(
            f"UPDATE engine_proposal SET {sooner} WHERE id = %s",  # noqa: S608
            *[days * 86400] * len(moments),
            version_id,
        )

    def deadline_passes_for(self, version_id: uuid.UUID) -> None:
        """The proposal version's time is over."""
        self.execute(
            "UPDATE engine_proposal SET valid_until = now() - interval '1 s' WHERE id = %s",
            version_id,
        )


class Ledger(Copy):
    """The outside database that the desk's actions change; what really happened is counted here."""

    @property
    def desk_url(self) -> str:
        return self.servers.database_url(self.name, user="ledger_desk")

    def add_purchase(
        self,
        order: str,
        customer: str = "Mara Vogel",
        paid: str = "80.00",
        handling_fee: str = "0.00",
    ) -> str:
        self.execute(
            "INSERT INTO purchase (order_no, customer, goods, paid, handling_fee)"
            " VALUES (%s, %s, 'a lamp', %s, %s)",
            order,
            customer,
            paid,
            handling_fee,
        )
        return order

    def set_balance(self, balance: str) -> None:
        self.execute(
            "INSERT INTO account (number, holder, balance) VALUES ('desk', 'Refund desk', %s)"
            " ON CONFLICT (number) DO UPDATE SET balance = excluded.balance",
            balance,
        )

    def balance(self) -> str:
        return str(self.value("SELECT balance FROM account WHERE number = 'desk'"))

    def refunded(self, order: str) -> str:
        return str(self.value("SELECT refunded FROM purchase WHERE order_no = %s", order))

    def movements(self, order: str) -> int:
        """How often money was moved for this order: forth or back, each counts as one."""
        return int(self.value("SELECT count(*) FROM movement WHERE order_no = %s", order))

    @contextmanager
    def answers_lost(self) -> Iterator[None]:
        """It does what it is asked to, in this process's calls, and the answers get lost."""
        real = SqlUpdate.execute

        def execute(action: SqlUpdate, args: Any, **key_and_token: Any) -> Any:
            real(action, args, **key_and_token)
            raise ConnectionResetError("the answer was lost")

        with patch.object(SqlUpdate, "execute", execute):
            yield

    @contextmanager
    def unreachable(self) -> Iterator[None]:
        """Nobody gets a new connection to it; superusers keep those they have."""
        self.shut()
        try:
            yield
        finally:
            self.open()

    def shut(self) -> None:
        self._allow_connections(False)

    def open(self) -> None:
        self._allow_connections(True)

    def _allow_connections(self, allowed: bool) -> None:
        statement = sql.SQL("ALTER DATABASE {} ALLOW_CONNECTIONS {}")
        name = sql.Identifier(self.name)
        self.servers.execute(statement.format(name, sql.Literal(allowed)))

    @contextmanager
    def busy_with(self, order: str) -> Iterator[None]:
        """Somebody else's transaction holds the order's row: who wants it waits."""
        with self.connected() as other, other.transaction():
            other.execute("SELECT 1 FROM purchase WHERE order_no = %s FOR UPDATE", [order])
            yield

    def honoured(self) -> list[dict[str, Any]]:
        """What the ledger knows of the keys it has honoured."""
        return self.rows("SELECT * FROM placet_key ORDER BY at")


def challenge_of(proposal: Proposal) -> str | None:
    """What somebody has to type to approve this; None where nothing is asked for."""
    asked: str | None = json.loads(bytes(proposal.terms))["challenge"]
    return asked


class Desk:
    """Tomas's agent, the workers that serve it, and the reviewers who decide."""

    def __init__(self, database: Database, ledger: Ledger, people: People) -> None:
        self.database, self.ledger, self.people = database, ledger, people
        self._orders = itertools.count(1)

    def put_in_force(self, *rules: dict[str, Any]) -> int:
        """A policy of these rules, then one reviewer for everything else: proposed by Zoe, put in
        force by Yara. Gives its version."""
        otherwise = {"action": "*", "groups": [{"name": "reviewer", "approve": 1}]}
        zoe, yara = reviewer(self.people.zoe), reviewer(self.people.yara)
        reason = "We have learned something."
        version = api.propose_policy([*rules, otherwise], administrator=zoe, reason=reason)
        api.put_policy_in_force(version, administrator=yara, reason=reason)
        return version

    def start_run(self, workflow: str = "agent", **state: Any) -> uuid.UUID:
        return api.start_run(workflow, state, initiator=self.people.agent)

    def purchase(self, **facts: Any) -> str:
        """A new order of Mara Vogel's, for 80.00 unless said otherwise."""
        return self.ledger.add_purchase(f"A-{next(self._orders)}", **facts)

    def ask_for_refund(
        self,
        run_id: uuid.UUID,
        order: str,
        amount: str = "25.00",
        *,
        why: str = "The lamp arrived broken.",
        evidence: Sequence[Any] = (),
        tool_call_id: str | None = None,
        **more: Any,
    ) -> uuid.UUID:
        """The agent's request alone; no worker has seen it yet. Gives the proposal's id."""
        return api.request_effect(
            run_id,
            agent=AGENT,
            action="ledger.refund",
            arguments={"order": order, "customer": "Mara Vogel", "amount": amount, **more},
            why=why,
            evidence=evidence,
            tool_call_id=tool_call_id,
        )

    def answer(self, proposal: Proposal, order: str, amount: str = "25.00", **more: Any) -> None:
        """The agent answers a returned proposal with another version of it."""
        api.answer_question(
            proposal.run_id,
            proposal.proposal_id,
            version=proposal.version,
            agent=AGENT,
            action="ledger.refund",
            arguments={"order": order, "customer": "Mara Vogel", "amount": amount, **more},
            why="The invoice shows it.",
        )

    def propose_refund(
        self, order: str | None = None, amount: str = "25.00", **wishes: Any
    ) -> Proposal:
        """A run whose agent asked for a refund, and the proposal that a worker opened for it."""
        run_id = self.start_run()
        self.ask_for_refund(run_id, order or self.purchase(), amount, **wishes)
        self.work(run_id)
        return self.proposal(run_id)

    def propose_for_good(self, order: str | None = None, amount: str = "25.00") -> Proposal:
        """The same for what cannot be taken back: to approve it, its amount has to be typed."""
        run_id = self.start_run()
        before = {"before": "0.00", "found": amount}
        api.request_effect(
            run_id,
            agent=AGENT,
            action="ledger.reverse_refund",
            arguments={"order": order or self.purchase(), "amount": amount, **before},
            why="It was paid back by mistake.",
            rollback_reason="The mistake is worse.",
        )
        self.work(run_id)
        return self.proposal(run_id)

    def approved_refund(self, order: str | None = None, **wishes: Any) -> Proposal:
        """The same, approved by Rosa; no worker has taken it up."""
        proposal = self.propose_refund(order, **wishes)
        self.approve(proposal)
        return proposal

    def proposal(self, run_id: uuid.UUID) -> Proposal:
        """The newest proposal version of a run."""
        return Proposal.objects.filter(run_id=run_id).latest("opened_at")

    def decide(
        self, proposal: Proposal, decision: str, *, by: Person | None = None, **changed: Any
    ) -> None:
        """One person's word on what they were shown, the operative value typed where it is asked
        for; `changed` forges parts of it."""
        facts = {
            "proposal_id": proposal.proposal_id,
            "version": proposal.version,
            "digest": proposal.digest,
            "reason": "It is as the agent says.",
            "question": "Which lamp?" if decision == "return" else None,
            "challenge": challenge_of(proposal) if decision == "approve" else None,
        }
        api.decide(
            proposal.run_id,
            proposal.pk,
            reviewer=reviewer(by or self.people.rosa),
            decision=decision,
            **{**facts, **changed},
        )

    def approve(self, proposal: Proposal, *, by: Person | None = None) -> None:
        self.decide(proposal, "approve", by=by)

    def work(self, run_id: uuid.UUID) -> Advanced:
        """A worker advances the run until it waits."""
        return worker.run_once(run_id)

    def work_on_after_waiting(self, run_id: uuid.UUID) -> Advanced:
        """A worker comes by after what the run waits for is due."""
        self.database.time_passes_for(run_id)
        return worker.run_once(run_id)

    def run(self, run_id: uuid.UUID) -> Run:
        return Run.objects.get(pk=run_id)
