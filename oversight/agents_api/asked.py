"""What agents may send. Nothing is coerced and nothing unknown is let in: a body that brings a
state or an approval of its own is refused."""

from typing import Annotated, Any
from uuid import UUID

from pydantic import BaseModel, ConfigDict, Field, Strict

Name = Annotated[str, Field(min_length=1, max_length=200)]
Label = Annotated[str, Field(max_length=200)]
Version = Annotated[int, Field(ge=1, le=2**31 - 1)]


class _Asked(BaseModel):
    model_config = ConfigDict(strict=True, extra="forbid", frozen=True)


Count = Annotated[int, Field(ge=0, lt=2**53)]
Amount = Annotated[str, Field(pattern=r"^(0|[1-9][0-9]{0,12})(\.[0-9]{1,6})?$")]


class Spent(_Asked):
    """What of the run's budget it took to come to this."""

    tokens: Annotated[Count, Field(description="Of your model.")] = 0
    money: Annotated[Amount, Field(description="Decimal text.")] = "0"


class Budget(_Asked):
    """Limits of the run. What is left out is as the installation has it."""

    max_steps: Annotated[Count | None, Field(description="Moves from node to node.")] = None
    max_effects: Annotated[Count | None, Field(description="Effects that are sent.")] = None
    max_tokens: Annotated[Count | None, Field(description="Tokens that you tell.")] = None
    max_money: Annotated[Amount | None, Field(description="Money that you tell.")] = None
    max_seconds: Annotated[Count | None, Field(description="Seconds in which a worker works.")] = (
        None
    )


class StartRun(_Asked):
    """A run to be started."""

    workflow: Annotated[Name, Field(description="The workflow, e.g. `agent`.")]
    state: Annotated[
        dict[str, Any], Field(description="What the workflow starts from.", default_factory=dict)
    ]
    labels: Annotated[
        dict[str, Label],
        Field(description="Your own words, to find the run by.", default_factory=dict),
    ]
    stands_on: Annotated[
        dict[Name, Name],
        Field(
            description="The versions of the models and prompts with which you work, e.g. "
            '`{"model": "m-2026-05"}`; reviewers are shown them. Only where you drive the run.',
            max_length=50,
            default_factory=dict,
        ),
    ]
    budget: Annotated[
        Budget | None,
        Field(description="What it may use up at most; it stands still when that is reached."),
    ] = None


class _Effect(_Asked):
    action: Annotated[Name, Field(description="What is to be done, e.g. `ledger.refund`.")]
    action_version: Annotated[
        Version | None, Field(description="Which version of it; the newest if left out.")
    ] = None
    arguments: Annotated[
        dict[str, Any],
        Field(description='The action\'s own arguments. Amounts are decimal text: `"12.00"`.'),
    ]
    why: Annotated[
        str,
        Field(description="Your reason, in plain words; reviewers read it last.", min_length=1),
    ]
    evidence: Annotated[
        list[Any],
        Field(description="What it rests on; any JSON.", max_length=100, default_factory=list),
    ]
    rollback_reason: Annotated[
        str | None,
        Field(
            description="Why it has to be done although it cannot be taken back; needed for an "
            "action without a rollback plan, and only there."
        ),
    ] = None
    valid_seconds: Annotated[
        int | None,
        Field(
            description="For how long you ask; the policy's time limit if left out or longer.", ge=1
        ),
    ] = None

    despite: Annotated[
        UUID | None,
        Strict(False),
        Field(
            description="The rejected proposal of yours that asked for exactly this, if you ask "
            "for it once more."
        ),
    ] = None
    what_changed: Annotated[
        str | None,
        Field(
            description="What is different since that rejection; needed with `despite`, and only "
            "there. Reviewers are shown it beside the rejection.",
            min_length=1,
        ),
    ] = None


class Propose(_Effect):
    """An effect that is asked to be allowed."""

    tool_call_id: Annotated[
        str | None,
        Field(description="Your own name for this call, given back to you.", max_length=255),
    ] = None
    spent: Annotated[Spent | None, Field(description="Counted against the run's budget.")] = None


class Answer(_Effect):
    """The answer to a reviewer's question: the whole proposal anew, as its next version."""

    version: Annotated[Version, Field(description="The version that was returned to you.")]


class Deliver(_Asked):
    """Something that has happened outside."""

    name: Annotated[
        str,
        Field(
            description="What happened, e.g. `goods_returned`.",
            max_length=200,
            pattern="^[A-Za-z0-9_.-]+$",
        ),
    ]
    key: Annotated[Name, Field(description="What it happened to; compared to the letter.")]
    external_id: Annotated[
        str,
        Field(
            description="Your own name for this one event; the same again changes nothing.",
            min_length=1,
            max_length=255,
        ),
    ]
    payload: Annotated[
        Any, Field(description="What there is to say of it; any JSON. Runs will see it.")
    ] = None


class Withdraw(_Asked):
    """The proposal is taken back."""


class Finish(_Asked):
    """Nothing more will be proposed."""
