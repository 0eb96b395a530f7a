"""An export as a download: written to a file of its own first, then streamed."""

from collections.abc import AsyncIterator
from datetime import UTC, datetime
from tempfile import TemporaryFile
from typing import IO, cast

from asgiref.sync import sync_to_async
from django.http import FileResponse
from django.utils.translation import gettext as _

from engine import api
from engine.searching import EventQuery
from oversight.pages.audit import reads

MOST = 200_000
"""So many events are exported while somebody waits."""


def why_not(query: EventQuery) -> str:
    """Why this is not exported; nothing if it is."""
    events = reads.events_in_runs_of(query)
    if not events:
        return _("No event matches, so there is nothing to export.")
    if events > MOST:
        return _(
            "The runs that this touches have %(events)d events together, and an export holds every "
            "run from its first event on. Narrow the search to less than %(most)d."
        ) % {"events": events, "most": MOST}
    return ""


def download(query: EventQuery, auditor: api.Reviewer) -> "Download":
    """The zip. That it was made is written down before the first byte leaves."""
    file = TemporaryFile()  # noqa: SIM115 - the response closes it
    try:
        api.export_events(query, file, auditor=auditor)
    except BaseException:
        file.close()
        raise
    file.seek(0)
    name = f"placet-export-{datetime.now(UTC):%Y-%m-%dT%H%M%SZ}.zip"
    return Download(file, as_attachment=True, filename=name, content_type="application/zip")


class Download(FileResponse):
    """A file that an asynchronous server streams, too, instead of reading it whole."""

    async def __aiter__(self) -> AsyncIterator[bytes]:
        file = cast("IO[bytes]", self.file_to_stream)
        while chunk := await sync_to_async(file.read)(self.block_size):
            yield chunk
