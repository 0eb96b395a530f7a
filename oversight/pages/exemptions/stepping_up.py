"""What a second factor is shown for, for one approval of an exemption."""

from functools import partial

from django.urls import reverse

from engine import api
from oversight.pages.exemptions.reads import Standing
from oversight.second_factor.for_approval import Subject


def subject(item: Standing) -> Subject:
    return Subject(
        is_open=item.state == "proposed",
        demand=str(item.rule["step_up"]),
        digest=item.digest,
        about={"exemption": item.id},
        purpose=f"exempt {item.id} {item.digest}",
        keep=partial(api.step_up_for_exemption, item.id),
        back=reverse("exemptions:exemption", args=[item.id]),
    )
