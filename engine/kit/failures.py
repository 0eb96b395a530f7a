"""What the ready-made actions raise: surely nothing happened, or nobody knows.

Refused (engine.actions)   surely nothing happened
├── NotSent                nothing left this machine
│   └── AddressRefused     the address is none that this target may have
├── Misconfigured          the settings do not say enough, or something impossible
└── PathRefused            the path is none that may be written (see `engine.kit.folders`)

CallFailed                 nobody knows; the target has to be asked
├── TimedOut               no whole answer within the time allowed
├── Dropped                the connection ended before the whole answer had come
├── Oversize               the answer is larger than allowed
├── Unusable               an answer that cannot be read
└── Unexpected             an answer that says neither yes nor no

No message holds a secret: what goes into one has passed `engine.kit.redaction`.
"""

from django.core.exceptions import ImproperlyConfigured

from engine.actions import Refused


class NotSent(Refused):
    """Nothing was sent."""


class AddressRefused(NotSent):
    """The address may not be called."""


class Misconfigured(Refused, ImproperlyConfigured):
    """The settings of this target do not do."""


class CallFailed(Exception):
    """Nobody knows what the target did."""


class TimedOut(CallFailed):
    """No whole answer came in time."""


class Dropped(CallFailed):
    """The connection ended before the whole answer had come."""


class Oversize(CallFailed):
    """The answer is larger than allowed."""


class Unusable(CallFailed):
    """The answer cannot be read."""


class Unexpected(CallFailed):
    """The answer says neither yes nor no."""
