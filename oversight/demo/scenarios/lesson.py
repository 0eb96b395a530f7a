"""The lesson: the same crash under two orders of operations that look safe, and under Placet.

*Mark done first* loses the refund, *act, then write* pays it twice. The programs are real, they
are killed by SIGKILL at the same place, between the two operations, and started again.
"""

import sys
from collections.abc import Sequence

import psycopg

from oversight.demo.desk.stock import Purchase
from oversight.embedded import Child
from oversight.embedded.hold import hold

from .case import AMOUNT, started
from .naive import TODO
from .result import Result
from .stage import Stage

REPETITIONS = 3


def mark_done_first(stage: Stage) -> Result:
    """The tick is written, the program dies, and its successor believes the tick."""
    orders = _refunded_naively(stage, "mark_first")
    return _told(stage, "lesson:mark_done_first", orders, lost=REPETITIONS, doubled=0)


def act_then_write(stage: Stage) -> Result:
    """The refund is paid, the program dies, and its successor finds no tick."""
    orders = _refunded_naively(stage, "act_first")
    return _told(stage, "lesson:act_then_write", orders, lost=0, doubled=REPETITIONS)


def placet(stage: Stage) -> Result:
    """Killed at both of those places: with the intent written and nothing sent, and with the
    refund sent and nothing written."""
    orders = [
        order
        for point in ("intended", "executed")
        for order in _refunded_by_placet(stage, point, REPETITIONS)
    ]
    return _told(stage, "lesson:placet", orders, lost=0, doubled=0)


def _told(
    stage: Stage, name: str, orders: Sequence[Purchase], *, lost: int, doubled: int
) -> Result:
    movements = [stage.world.movements(purchase.order) for purchase in orders]
    seen_lost = sum(count == 0 for count in movements)
    seen_doubled = sum(count - 1 for count in movements if count > 1)
    return Result(
        name=name,
        outcome=f"{seen_lost} lost, {seen_doubled} doubled, of {len(orders)}",
        target_effects=sum(movements),
        expected=len(orders) - lost + doubled,
        lost=seen_lost,
        doubled=seen_doubled,
        checks={
            f"lost: {lost}": seen_lost == lost,
            f"doubled: {doubled}": seen_doubled == doubled,
        },
    )


def _refunded_naively(stage: Stage, order_of_operations: str) -> list[Purchase]:
    orders = []
    for _ in range(REPETITIONS):
        purchase = stage.world.new_order()
        _put_on_the_list(stage, purchase)
        with hold("between", stage.folder) as held:
            first = _naive(stage, order_of_operations, dict(held.environment))
            [pid] = held.pids()
            first.kill()
        again = _naive(stage, order_of_operations, {})
        if again.wait(timeout=30):
            raise RuntimeError("\n".join(again.tail()))
        stage.say(
            f"{order_of_operations}: {pid} killed, {again.pid} went on: "
            f"{stage.world.movements(purchase.order)} movement(s)"
        )
        orders.append(purchase)
    return orders


def _put_on_the_list(stage: Stage, purchase: Purchase) -> None:
    with psycopg.connect(stage.todo_url, autocommit=True) as todo:
        todo.execute(TODO)
        todo.execute(
            "INSERT INTO todo (order_no, amount) VALUES (%s, %s)", [purchase.order, AMOUNT]
        )


def _naive(stage: Stage, order_of_operations: str, environment: dict[str, str]) -> Child:
    module = "oversight.demo.scenarios.naive"
    command = [sys.executable, "-m", module, order_of_operations, stage.todo_url, stage.ledger_url]
    return Child("naive", command, env=environment)


def _refunded_by_placet(stage: Stage, point: str, count: int) -> list[Purchase]:
    orders = [stage.world.new_order() for _ in range(count)]
    with hold(point, stage.folder) as held:
        stage.held_worker(held, concurrency=count)
        cases = [started(purchase).approved() for purchase in orders]
        pids = held.pids(count)
        stage.kill_worker()
    stage.say(
        f"Placet: {', '.join(map(str, pids))} killed at {point!r}; {stage.worker.pid} goes on"
    )
    for case in cases:
        case.reached("completed")
    return orders
