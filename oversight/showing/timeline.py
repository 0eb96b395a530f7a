"""What one line of a timeline says."""

from dataclasses import dataclass
from datetime import datetime

from django.utils.functional import Promise


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """One thing that happened. `actor_kind` is person, agent or engine; `detail` is plain text.

    `words` are ours; `actor` and `detail` may be anybody's and are shown with care. `seq` is the
    number in the run's event log, which makes the entry's anchor: `#event-12`; `seq_url` is where
    the event stands in full.
    """

    at: datetime | None
    words: str | Promise
    actor: str = ""
    actor_kind: str = "engine"
    glyph: str = "ring"
    tone: str = "plain"
    detail: str = ""
    url: str = ""
    seq: int | None = None
    seq_url: str = ""
