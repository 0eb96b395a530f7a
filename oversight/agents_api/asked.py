"""What agents may send. Nothing is coerced and nothing unknown is let in: a body that brings a
state or an approval of its own is refused."""

from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field

Name = Annotated[str, Field(min_length=1, max_length=200)]
Label = Annotated[str, Field(max_length=200)]
Version = Annotated[int, Field(ge=1, le=2**31 - 1)]


class _Asked(BaseModel):
    model_config = ConfigDict(strict=True, extra="forbid", frozen=True)


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


class Propose(_Effect):
    """An effect that is asked to be allowed."""

    tool_call_id: Annotated[
        str | None,
        Field(description="Your own name for this call, given back to you.", max_length=255),
    ] = None


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
