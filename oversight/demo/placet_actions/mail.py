"""Mail to customers."""

from engine.actions import no_rollback, register
from engine.kit.email import EmailSend


@register
class TellCustomer(EmailSend):
    """Write to a customer in the shop's name. What was sent cannot be fetched back."""

    name = "mail.tell_customer"
    title = "Mail a customer"
    risk = "high"
    account = "desk"
    call_seconds = 10.0
    verify_seconds = 60.0
    rollback = no_rollback("A mail that was sent has been read, perhaps; a second can correct it.")
