"""The description, tried out: requests made from it, right and wrong, each answered as it says.

No answer is a fault of ours; none is of a status, a media type or a shape that is not described;
and what breaks the description is refused.
"""

from collections import Counter
from typing import Any

import pytest
import schemathesis
from django.core.wsgi import get_wsgi_application
from django.test import Client
from hypothesis import HealthCheck, Phase, given, settings
from schemathesis import Case, GenerationMode
from schemathesis.config import GenerationConfig, ProjectConfig, ProjectsConfig, SchemathesisConfig
from schemathesis.specs.openapi.checks import positive_data_acceptance

from engine import actions
from engine.models import Proposal
from oversight.agents_api import pace
from tests.agents_api.caller import REFUND, Caller
from tests.agents_api.test_openapi import BODIES
from tests.world import Desk

EXAMPLES = 15
Operation = Any


@pytest.fixture(autouse=True)
def _as_often_as_one_likes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pace, "BURST", 10**9)


@pytest.fixture
def operations(desk: Desk) -> list[Operation]:
    """All of them, as they are described to whoever asks."""
    described = _narrowed(Client().get("/api/v1/openapi.json").json())
    generation = GenerationConfig(with_security_parameters=False)
    config = SchemathesisConfig(
        projects=ProjectsConfig(default=ProjectConfig(generation=generation))
    )
    schema = schemathesis.openapi.from_dict(described, config=config)
    schema.app = get_wsgi_application()
    return [found.ok() for found in schema.get_all_operations()]


def _narrowed(described: dict[str, Any]) -> dict[str, Any]:
    """Most often a workflow and an action that exist here, so that something comes of it."""
    shapes = described["components"]["schemas"]
    shapes["StartRun"]["properties"]["workflow"]["enum"] = ["agent", "refund", "nonesuch"]
    arguments = actions.get("ledger.refund").Arguments.model_json_schema()
    for name in ("Propose", "Answer"):
        properties = shapes[name]["properties"]
        properties["action"]["enum"] = ["ledger.refund"]
        properties["action_version"] = {"enum": [1, None]}
        properties["arguments"] = arguments
    return described


class Stage:
    """The refund desk, which sends what is made up for it."""

    def __init__(self, caller: Caller, desk: Desk) -> None:
        self.caller, self.desk = caller, desk
        self.sent: set[str] = set()
        """The fields of bodies that were sent, since it was emptied last."""

    def places(self, operation: Operation) -> dict[str, str]:
        """The path parameters of an open proposal, or of one that waits for its answer, as far as
        the operation has them."""
        run_id = self.caller.start_run()
        arguments = {**REFUND, "order": self.desk.purchase()}
        proposal_id = self.caller.propose(run_id, arguments=arguments)
        self.desk.work(run_id)
        if operation.label.endswith("/answers"):
            self.desk.decide(Proposal.objects.get(proposal_id=proposal_id), "return")
            self.desk.work(run_id)
        known = {"run_id": str(run_id), "proposal_id": str(proposal_id)}
        return {name: known[name] for name in known if f"{{{name}}}" in operation.path}

    def as_in_its_example(self, operation: Operation, **places: str) -> int:
        """The status of the answer to the request that the description itself shows."""
        case = operation.Case(path_parameters=places, **self._shown(operation))
        response = case.call_and_validate(headers=self.caller.authorization)
        return int(response.status_code)

    def _shown(self, operation: Operation) -> dict[str, Any]:
        if operation.method.upper() == "GET":
            return {}
        content = operation.definition.raw["requestBody"]["content"]
        example = content["application/json"]["example"]
        return {
            "body": example,
            "media_type": "application/json",
            "headers": {"Idempotency-Key": f"example of {operation.label}"},
        }

    def try_out(self, operation: Operation, mode: GenerationMode, **places: str) -> Counter[int]:
        """How often each status was answered, and every answer as described."""
        seen: Counter[int] = Counter()
        wanted = operation.as_strategy(generation_mode=mode, path_parameters=places or None)

        @settings(
            max_examples=EXAMPLES,
            derandomize=True,
            database=None,
            deadline=None,
            phases=(Phase.generate,),
            suppress_health_check=list(HealthCheck),
        )
        @given(case=wanted)
        def is_answered_as_described(case: Case) -> None:
            self.sent |= set(case.body) if isinstance(case.body, dict) else set()
            response = case.call_and_validate(
                headers=self.caller.authorization, excluded_checks=[positive_data_acceptance]
            )
            seen[response.status_code] += 1

        is_answered_as_described()
        return seen


def fields(operation: Operation) -> set[str]:
    """All that may be said in the body of this operation."""
    kind = BODIES.get(operation.definition.raw["operationId"])
    return set(kind.model_fields) if kind else set()


@pytest.fixture
def stage(caller: Caller, desk: Desk) -> Stage:
    return Stage(caller, desk)


def test_right_requests_are_answered_as_described(
    operations: list[Operation], stage: Stage, subtests: pytest.Subtests
) -> None:
    for operation in operations:
        with subtests.test(operation=operation.label):
            first = stage.as_in_its_example(operation, **stage.places(operation))
            assert first < 300
            stage.sent.clear()
            stage.try_out(operation, GenerationMode.POSITIVE, **stage.places(operation))
            assert stage.sent >= fields(operation), "nothing that may be said is left out"


def test_wrong_requests_are_refused_as_described(
    operations: list[Operation], stage: Stage, subtests: pytest.Subtests
) -> None:
    for operation in operations:
        by_address_alone = not operation.query and not operation.body
        places = {} if by_address_alone else stage.places(operation)
        with subtests.test(operation=operation.label):
            seen = stage.try_out(operation, GenerationMode.NEGATIVE, **places)
            # Which of them count as wrong after all is Schemathesis' matter: 7 is a text, too.
            assert max(seen) >= 400


def test_foreign_and_broken_addresses_are_refused_as_described(
    operations: list[Operation], stage: Stage, subtests: pytest.Subtests
) -> None:
    for operation in operations:
        if "{run_id}" in operation.path:
            with subtests.test(operation=operation.label):
                seen = stage.try_out(operation, GenerationMode.POSITIVE)
                assert set(seen) <= {404, 422}
