"""JSON values too large to stand in events and checkpoints."""

from django.db import models


class Value(models.Model):
    """A large value, addressed by the SHA-256 of its bytes: compact JSON with sorted keys.

    Events and checkpoints name it as `{"$value": "sha256:…", "bytes": n}`.
    """

    digest = models.BinaryField(primary_key=True)
    body = models.BinaryField()
    kept_at = models.DateTimeField()
