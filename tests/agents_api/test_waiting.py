"""A long poll: at once if there is news, else with the news, else as before at the end of its time.

The shell around Django is tested around a small application that says how far its run has come.
"""

import asyncio
import logging
import uuid
from collections.abc import Awaitable, Callable, Collection, Mapping
from types import SimpleNamespace
from typing import Any, cast

import pytest
from django.http import HttpRequest

from oversight.agents_api.waiting import AT_ONCE, asked_again, nothing_new, patient
from oversight.agents_api.watch import Watch

RUN_ID = uuid.UUID(int=7)
OTHER_RUN = uuid.UUID(int=8)
LONG = 60
SOON = 0.02


class World:
    """A run whose log grows to `seq`, a watch over it, and an application that tells `news` of it.

    `again` has an entry for each time that the application was asked, `looks` one for each look;
    `most` is how many were answered at one time.
    """

    def __init__(self, places: int = 500) -> None:
        self.seq, self.news = 1, 1
        self.again: list[bool] = []
        self.inside, self.most = 0, 0
        self.looks: list[Collection[uuid.UUID]] = []
        self.fault: Exception | None = None
        self.waits = asyncio.Event()
        self.watch = TellingWatch(self.waits, self.look, every=SOON / 10, places=places)
        self.application = patient(self.tell, self.watch)

    def happens(self) -> None:
        """An event, and news with it."""
        self.seq += 1
        self.news += 1

    def look(self, run_ids: Collection[uuid.UUID]) -> Mapping[uuid.UUID, int]:
        self.looks.append(run_ids)
        if self.fault is not None:
            raise self.fault
        return {run_id: self.seq for run_id in run_ids if run_id == RUN_ID}

    async def tell(self, scope: Any, receive: Any, send: Any) -> None:
        """As Django would: read the request, and answer."""
        self.inside += 1
        self.most = max(self.most, self.inside)
        assert (await receive())["type"] == "http.request"
        await asyncio.sleep(0)
        request = cast(HttpRequest, SimpleNamespace(scope=scope))
        self.again.append(asked_again(request))
        if self.news == scope["seen"]:
            nothing_new(request, scope["run_id"], beyond=self.seq, wait=scope["wait"])
        await send({"type": "http.response.start", "status": 200, "headers": []})
        await send({"type": "http.response.body", "body": str(self.news).encode()})
        self.inside -= 1


class TellingWatch(Watch):
    """Says when somebody has begun to wait."""

    def __init__(self, waits: asyncio.Event, *args: Any, **more: Any) -> None:
        super().__init__(*args, **more)
        self.waits = waits

    def news(self, run_id: uuid.UUID, seq: int) -> asyncio.Future[None]:
        self.waits.set()
        return super().news(run_id, seq)


class Client:
    """One request, what was answered to it, and a line that can be hung up."""

    def __init__(self, world: World, **changed: Any) -> None:
        self.sent: list[dict[str, Any]] = []
        self.hung_up = asyncio.Event()
        self._unread = [{"type": "http.request", "body": b"", "more_body": False}]
        scope = {
            "type": "http",
            "method": "GET",
            "path": "/api/v1/runs/7/events",
            "query_string": b"after=1&wait=60",
            "headers": [],
            "run_id": RUN_ID,
            "seen": 1,
            "wait": LONG,
            **changed,
        }
        self.done = asyncio.ensure_future(world.application(scope, self._receive, self._send))

    async def _receive(self) -> Any:
        if self._unread:
            return self._unread.pop()
        await self.hung_up.wait()
        return {"type": "http.disconnect"}

    async def _send(self, message: Any) -> None:
        self.sent.append(message)

    async def told(self) -> int:
        """The news that was answered."""
        await asyncio.wait_for(self.done, LONG / 2)
        _, body = self.sent
        return int(body["body"])


def on_stage(play: Callable[[World], Awaitable[None]], **wishes: Any) -> None:
    async def run() -> None:
        await play(World(**wishes))

    asyncio.run(run())


def test_news_is_told_at_once() -> None:
    async def play(world: World) -> None:
        assert await Client(world, seen=0).told() == 1
        assert (world.again, world.looks) == ([False], [])

    on_stage(play)


def test_without_news_the_answer_waits_for_some_and_is_asked_for_anew() -> None:
    async def play(world: World) -> None:
        client = Client(world)
        await world.waits.wait()
        assert client.sent == []
        world.happens()
        assert await client.told() == 2
        assert world.again == [False, True]
        assert len(client.sent) == 2

    on_stage(play)


def test_an_event_that_is_no_news_is_waited_out() -> None:
    """The log grows, and there is still nothing new to tell: the wait goes on from there."""

    async def play(world: World) -> None:
        client = Client(world)
        await world.waits.wait()
        world.waits.clear()
        world.seq = 2
        await world.waits.wait()
        assert client.sent == []
        world.happens()
        assert await client.told() == 2
        assert world.again == [False, True, True]

    on_stage(play)


def test_at_the_end_of_its_time_it_is_told_as_before() -> None:
    async def play(world: World) -> None:
        assert await Client(world, wait=SOON).told() == 1
        assert world.again == [False, True]

    on_stage(play)


def test_news_of_another_run_wakes_nobody() -> None:
    async def play(world: World) -> None:
        client = Client(world, run_id=OTHER_RUN, wait=SOON)
        await world.waits.wait()
        world.seq = 2
        assert await client.told() == 1
        assert world.again == [False, True]
        assert {OTHER_RUN} in world.looks

    on_stage(play)


def test_many_wait_behind_one_look_at_a_time() -> None:
    async def play(world: World) -> None:
        clients = [Client(world) for _ in range(100)]
        await world.waits.wait()
        before = len(world.looks)
        world.happens()
        assert {await client.told() for client in clients} == {2}
        assert len(world.looks) - before <= 3

    on_stage(play)


def test_a_few_of_many_are_answered_at_a_time() -> None:
    async def play(world: World) -> None:
        clients = [Client(world) for _ in range(50)]
        await world.waits.wait()
        world.happens()
        assert {await client.told() for client in clients} == {2}
        assert world.most == AT_ONCE

    on_stage(play)


def test_who_hangs_up_is_answered_nothing_and_waits_no_more() -> None:
    async def play(world: World) -> None:
        client = Client(world)
        await world.waits.wait()
        client.hung_up.set()
        await asyncio.wait_for(client.done, LONG / 2)
        assert (client.sent, world.again) == ([], [False])
        await asyncio.sleep(0)
        assert not world.watch._waiting

    on_stage(play)


def test_where_no_place_is_left_one_is_told_to_come_again() -> None:
    async def play(world: World) -> None:
        first = Client(world)
        await world.waits.wait()
        second = Client(world)
        assert await second.told() == 1
        assert second.sent[0]["headers"] == [(b"Retry-After", b"5")]
        world.happens()
        assert await first.told() == 2
        assert first.sent[0]["headers"] == []

    on_stage(play, places=1)


def test_a_look_that_fails_is_said_and_made_up_for(caplog: pytest.LogCaptureFixture) -> None:
    async def play(world: World) -> None:
        world.fault = OSError("the database is away")
        patience = Client(world, run_id=OTHER_RUN, wait=SOON)
        client = Client(world)
        await patience.done
        assert client.sent == []
        world.fault = None
        world.happens()
        assert await client.told() == 2

    with caplog.at_level(logging.WARNING):
        on_stage(play)
    assert "the database is away" in caplog.text


@pytest.mark.parametrize(
    "changed",
    [
        {"method": "POST"},
        {"query_string": b"after=1"},
        {"path": "/runs/"},
        {"type": "websocket"},
    ],
)
def test_everything_else_passes_untouched(changed: dict[str, Any]) -> None:
    async def play(world: World) -> None:
        assert await Client(world, **changed).told() == 1
        assert world.again == [False]

    on_stage(play)


def test_without_the_shell_the_answer_is_sent_at_once() -> None:
    nothing_new(HttpRequest(), RUN_ID, beyond=1, wait=LONG)
    assert not asked_again(HttpRequest())
