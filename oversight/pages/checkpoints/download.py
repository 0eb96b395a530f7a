"""JSON files: one checkpoint, thirteen fields with every digit as it is stored; one large value."""

import json

from django.http import HttpResponse

from engine import api
from oversight.pages.checkpoints import reads
from oversight.pages.checkpoints.reads import Stored
from oversight.showing import literal


def attachment(stored: Stored) -> HttpResponse:
    return _file(f"checkpoint-{stored.checkpoint_id}.json", document(stored))


def large_value(digest: str) -> HttpResponse:
    """Raises NotFound, Damaged."""
    return _file(f"{digest}.json", api.large_value(f"sha256:{digest}"))


def _file(name: str, content: str | bytes) -> HttpResponse:
    headers = {"Content-Disposition": f'attachment; filename="{name}"'}
    return HttpResponse(content, content_type="application/json", headers=headers)


def document(stored: Stored) -> str:
    """The JSON columns stand in it as the very text that the checksum is over."""
    lines = [f"  {json.dumps(name)}: {_value(stored, name)}" for name in reads.FIELDS]
    return "{\n" + ",\n".join(lines) + "\n}\n"


def _value(stored: Stored, name: str) -> str:
    value = getattr(stored, name)
    if name == "created_at":
        return json.dumps(stored.instant)
    if name in reads.JSON_FIELDS and _is_json(value):
        return str(value)
    return json.dumps(value if isinstance(value, int) else str(value), ensure_ascii=False)


def _is_json(text: str) -> bool:
    try:
        literal.read(text)
    except (ValueError, RecursionError):
        return False
    return True
