"""The one source of the schema. Only `engine.store` writes to these tables."""

from .approval import Claim, Decision, Policy, Proposal, Qualification, StepUp, Stop
from .effect import Alert, Effect, Evidence, Secret
from .exemption import Exemption, Voice
from .inbound import InboundEvent, Taking, Wait
from .rehearsal import Rehearsal
from .run import Checkpoint, Event, Run, SearchableField
from .value import Value

__all__ = [
    "Alert",
    "Checkpoint",
    "Claim",
    "Decision",
    "Effect",
    "Event",
    "Evidence",
    "Exemption",
    "InboundEvent",
    "Policy",
    "Proposal",
    "Qualification",
    "Rehearsal",
    "Run",
    "SearchableField",
    "Secret",
    "StepUp",
    "Stop",
    "Taking",
    "Value",
    "Voice",
    "Wait",
]
