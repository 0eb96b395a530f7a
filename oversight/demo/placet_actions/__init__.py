"""What the operations desk can do, one module for each target outside."""

from .access import GrantRole, RevokeGrant
from .config import RestoreConfig, WriteConfig
from .ledger import BankSurplus, BringBack, Refund, ReverseRefund
from .mail import TellCustomer
from .pager import PageOnCall

__all__ = [
    "BankSurplus",
    "BringBack",
    "GrantRole",
    "PageOnCall",
    "Refund",
    "RestoreConfig",
    "ReverseRefund",
    "RevokeGrant",
    "TellCustomer",
    "WriteConfig",
]
