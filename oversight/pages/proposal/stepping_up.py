"""What a second factor is shown for, for one approval of a version."""

from functools import partial

from django.urls import reverse

from engine import api
from oversight.pages.proposal.reads import Version
from oversight.second_factor.for_approval import Subject


def subject(item: Version) -> Subject:
    return Subject(
        is_open=item.decidable,
        demand=str(item.terms["rule"]["step_up"]),
        digest=item.digest,
        about={"proposal": item.id},
        purpose=f"approve {item.id} {item.digest}",
        keep=partial(api.step_up, item.id, version=item.version),
        back=reverse("proposal:version", args=[item.proposal_id, item.version]),
    )
