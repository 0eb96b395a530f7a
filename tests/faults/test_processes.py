"""The processes that the other tests lean on: they start, do their work, are held and killed."""

import urllib.request
from collections.abc import Callable

from oversight.embedded.processes import PROJECT
from tests.faults.processes import Broker, Web, Worker, wait_until
from tests.world import Desk


def test_a_real_worker_takes_a_run_to_its_end(
    desk: Desk, broker: Broker, worker_process: Callable[..., Worker]
) -> None:
    order = desk.purchase()
    run_id = desk.start_run("refund", order=order, customer="Mara Vogel", amount="25.00")
    worker_process()
    wait_until("the proposal is open", lambda: desk.run(run_id).status == "waiting_approval")

    desk.approve(desk.proposal(run_id))

    wait_until("the run is completed", lambda: desk.run(run_id).status == "completed")
    assert desk.ledger.movements(order) == 1


def test_a_real_web_server_answers(desk: Desk, web_process: Callable[..., Web]) -> None:
    web = web_process()

    with urllib.request.urlopen(f"{web.url}/static/css/tokens.css", timeout=20) as answer:  # noqa: S310
        assert answer.read() == (PROJECT / "static" / "css" / "tokens.css").read_bytes()


def test_the_browser_opens_a_page(chromium) -> None:
    page = chromium.new_page()

    page.set_content("<h1>Placet</h1>")

    assert page.inner_text("h1") == "Placet"
    page.close()
