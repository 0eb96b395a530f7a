"""What only this API refuses; everything else is the engine's (`engine.errors`).

The docstring of a class is the title of its problem, as everywhere in the tree.
"""

from engine.errors import BadInput, Conflict, NotPermitted, PlacetError


class Unauthenticated(PlacetError):
    """This needs a valid key."""

    http_status = 401
    code = "unauthenticated"


class KeyExpired(Unauthenticated):
    """The key has expired."""

    code = "key_expired"


class TooManyRequests(PlacetError):
    """This key is used too often."""

    http_status = 429
    retryable = True
    code = "too_many_requests"


class ScopeMissing(NotPermitted):
    """The key does not allow this."""

    code = "scope_missing"


class UnsupportedMediaType(PlacetError):
    """The body must be application/json."""

    http_status = 415
    code = "unsupported_media_type"


class MethodNotAllowed(PlacetError):
    """This address does not answer to that method."""

    http_status = 405
    code = "method_not_allowed"


class IdempotencyKeyMissing(BadInput):
    """Every POST needs an Idempotency-Key."""

    http_status = 400
    code = "idempotency_key_missing"


class IdempotencyKeyInvalid(BadInput):
    """The Idempotency-Key is no key."""

    http_status = 400
    code = "idempotency_key_invalid"


class IdempotencyKeyReused(BadInput):
    """This Idempotency-Key belongs to another request."""

    code = "idempotency_key_reused"


class StillRunning(Conflict):
    """The same request is still being answered."""

    code = "still_running"
    retryable = True


class Internal(PlacetError):
    """Something failed on our side; it is in our log."""

    code = "internal"
