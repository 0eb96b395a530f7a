"""What was rejected, and is asked for again; its doors are in `rejections.sql`."""

import uuid
from collections.abc import Mapping
from typing import Any

from .doors import call


def rejection(proposal: uuid.UUID) -> Mapping[str, Any] | None:
    """The rejection of that proposal: `proposal` (id and version), `at`, the names `by`,
    `reason_code` and `reason`; None where it was not rejected."""
    return call("rejection", proposal)
