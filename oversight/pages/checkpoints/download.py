"""One checkpoint as a JSON file: thirteen fields, every digit as it is stored."""

import json

from django.http import HttpResponse

from oversight.pages.checkpoints import reads
from oversight.pages.checkpoints.reads import Stored
from oversight.showing import literal


def attachment(stored: Stored) -> HttpResponse:
    name = f"checkpoint-{stored.checkpoint_id}.json"
    headers = {"Content-Disposition": f'attachment; filename="{name}"'}
    return HttpResponse(document(stored), content_type="application/json", headers=headers)


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
