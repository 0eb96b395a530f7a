"""Send one mail, and look it up where the provider files what was sent.

The account is named in the settings (see `engine.kit.accounts`). The Message-ID is made from the
key, so the provider's own mailbox can be asked by key; SMTP itself de-duplicates nothing.
"""

import re
from email.headerregistry import Address
from typing import Annotated, Any, ClassVar, cast

from pydantic import AfterValidator, Field

from engine.actions import Action, ActionArguments, Refused, no_rollback
from engine.types import Answer, Change, Facts, Finding, Verified

from .accounts import Account, can_be_asked
from .failures import Unexpected
from .letters import folded, seen_in, text_hash, written
from .mailboxes import copies_of
from .posting import Post

MOST_RECIPIENTS = 50
LONGEST_SUBJECT = 255
_ATOM = r"[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+"
_DOMAIN = r"[A-Za-z0-9](?:[A-Za-z0-9-]*[A-Za-z0-9])?"
_ADDRESS = re.compile(rf"{_ATOM}(?:\.{_ATOM})*@{_DOMAIN}(?:\.{_DOMAIN})+")
_NOT_PLAIN = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")


def _address(text: str) -> str:
    if len(text) > 254 or len(text.partition("@")[0]) > 64 or not _ADDRESS.fullmatch(text):
        raise ValueError("must be one plain address such as mara@shop.example, in ASCII")
    if Address(addr_spec=text).addr_spec != text:
        raise ValueError("must be one plain address such as mara@shop.example")
    return text


def _subject(text: str) -> str:
    if not text.strip() or text != text.strip() or not text.isprintable():
        raise ValueError("must be one line of printable text")
    return text


def _body(text: str) -> str:
    if not text.strip() or _NOT_PLAIN.search(text):
        raise ValueError("must be plain text without control characters, its lines ended by \\n")
    return text


def _all_different(addresses: tuple[str, ...]) -> tuple[str, ...]:
    if len(set(folded(addresses))) != len(addresses):
        raise ValueError("must name each recipient once")
    return addresses


MailAddress = Annotated[str, AfterValidator(_address)]
Recipients = Annotated[tuple[MailAddress, ...], AfterValidator(_all_different)]


class _ByMailbox:
    """A class attribute whose value depends on whether the account's mailbox can be asked."""

    def __init__(self, *, asked: str, not_asked: str) -> None:
        self._asked, self._not_asked = asked, not_asked

    def __get__(self, _: object, owner: "type[EmailSend]") -> str:
        name = getattr(owner, "account", "")
        return self._asked if can_be_asked(name) else self._not_asked


class EmailSend(Action):
    """One plain text mail from the account that `PLACET_MAIL[account]` names.

    With a mailbox that the provider files sent mail in, the target is a `probe`: it can be asked
    by Message-ID, and found settles it; not found proves nothing, for filing takes time, so it is
    never sent again by itself. Without one it is `opaque` and its outcome cannot be verified:
    every such mail ends with a person, and the proposal says so.
    """

    account: ClassVar[str]
    title = "Send a mail"
    call_seconds = 20.0
    verify_seconds = 300.0
    rollback = no_rollback("A sent mail cannot be called back; a second one can only correct it.")
    target_class: ClassVar[str] = cast(str, _ByMailbox(asked="probe", not_asked="opaque"))
    verification: ClassVar[str] = cast(
        str,
        _ByMailbox(
            asked="The provider's mailbox of sent mail is searched for the Message-ID; sender, "
            "recipients, subject and text of what is found there are compared.",
            not_asked="Nothing can be verified: this account has no mailbox that can be read. A "
            "person has to find out whether the mail arrived.",
        ),
    )

    class Arguments(ActionArguments):
        to: Annotated[Recipients, Field(min_length=1, max_length=MOST_RECIPIENTS)]
        cc: Annotated[Recipients, Field(max_length=MOST_RECIPIENTS)] = ()
        subject: Annotated[str, AfterValidator(_subject), Field(max_length=LONGEST_SUBJECT)]
        body: Annotated[str, AfterValidator(_body)]

    def describe(self, args: Any) -> str:
        others = len(args.to) + len(args.cc) - 1
        more = f" and {others} more" if others else ""
        return f"Send “{args.subject}” to {args.to[0]}{more}"

    def target(self, args: Any) -> str:
        return ", ".join([*args.to, *args.cc])

    def operative_value(self, args: Any) -> str:
        """Who gets it; where there are more, also how many of them."""
        others = len(args.to) + len(args.cc) - 1
        return f"{args.to[0]} +{others}" if others else str(args.to[0])

    def precondition(self, args: Any) -> Facts:
        """Who it comes from, and where it will be looked up, are as they were shown."""
        account = Account.named(self.account)
        looked_up = account.mailbox if account.imap else None
        return {"from": str(account.sender), "looked_up_in": looked_up}

    def preview(self, args: Any) -> Change:
        sender = str(Account.named(self.account).sender)
        return Change(before={}, after={"from": sender, **args.model_dump(mode="json")})

    def execute(self, args: Any, *, key: str, fencing_token: int) -> Answer:
        account = Account.named(self.account)
        message_id = self.message_id(account, key)
        message = self._message(account, args, message_id)
        post = Post(account, self.call_seconds)
        said = post.deliver(list(dict.fromkeys([*args.to, *args.cc])), message)
        return Answer(resource_id=message_id, result={"message_id": message_id, "said": said})

    @staticmethod
    def message_id(account: Account, key: str) -> str:
        if not re.fullmatch(r"[0-9a-f]{64}", key):
            raise Refused("The key is not the hex of a SHA-256.")
        return f"<{key}@{account.sender.domain}>"

    def _message(self, account: Account, args: Any, message_id: str) -> bytes:
        """The message as bytes. Raises Refused where it would not arrive as it was approved."""
        raw = written(
            sender=account.sender,
            to=args.to,
            cc=args.cc,
            subject=args.subject,
            body=args.body,
            message_id=message_id,
        )
        if seen_in([raw], message_id) != self.expected(account, args):
            raise Refused("this text cannot be written as a mail and read back as it was")
        return raw

    def expected(self, account: Account, args: Any) -> Facts:
        """What must be found in the mailbox, in the form of `seen_in`."""
        return {
            "copies": 1,
            "from": folded([account.sender.addr_spec]),
            "to": folded(args.to),
            "cc": folded(args.cc),
            "bcc": [],
            "subject": args.subject,
            "parts": 1,
            "text_sha256": text_hash(args.body),
        }

    def reconcile(self, args: Any, *, key: str) -> Finding:
        account = Account.named(self.account)
        if account.imap is None:
            return Finding(kind="unclear", result="This account has no mailbox to look in.")
        message_id = self.message_id(account, key)
        seen = seen_in(copies_of(account, message_id, self.call_seconds), message_id)
        looked = {"message_id": message_id, "mailbox": account.mailbox, "copies": seen["copies"]}
        if seen["copies"]:
            return Finding(kind="found", resource_id=message_id, result=looked)
        return Finding(kind="unclear", result=looked)

    def verify(self, args: Any, *, resource_id: str | None) -> Verified:
        account = Account.named(self.account)
        if account.imap is None:
            return Verified(verification="unverifiable", observed=self.verification)
        if resource_id is None:
            raise Unexpected("Without a Message-ID there is nothing to look for.")
        expected = dict(self.expected(account, args))
        seen = seen_in(copies_of(account, resource_id, self.call_seconds), resource_id)
        if not seen["copies"]:
            return Verified(verification="not_yet", expected=expected, observed=seen)
        passed = seen == expected
        return Verified(
            verification="passed" if passed else "mismatch", expected=expected, observed=seen
        )
