"""One mail: what is sent, what each answer means, and what is found where it was filed."""

from email import message_from_bytes, policy
from typing import Any

import pytest

from engine import actions
from engine.actions import Refused
from engine.errors import BadInput
from engine.kit import failures
from tests.engine.kit.acts import TellCustomer, TellUnheard
from tests.engine.kit.mail import SENDER, Provider
from tests.engine.kit.mailing import TEXT, a_key, asked, send

pytestmark = pytest.mark.filterwarnings("ignore:Requiring AUTH while not requiring TLS")


REFUSED = ("refuse_sender", "refuse_recipient", "refuse_text", "busy_after", "drop_early")


def test_a_mail_is_sent_with_the_key_in_its_message_id(mail: Provider) -> None:
    key = a_key()

    answer = send(key, asked(cc=("tomas@shop.example",)))

    assert answer.resource_id == f"<{key}@shop.example>"
    assert answer.result["said"].startswith("250")
    (envelope,) = mail.taken(key)
    assert envelope.mail_from == SENDER
    assert envelope.rcpt_tos == ["mara@home.example", "tomas@shop.example"]
    raw = envelope.content
    assert isinstance(raw, bytes)
    assert raw.isascii()
    message = message_from_bytes(raw, policy=policy.default)
    assert message["Message-ID"] == answer.resource_id
    assert message.get_content().replace("\r\n", "\n") == TEXT


def test_what_was_filed_is_compared_with_what_was_asked(mail: Provider) -> None:
    args = asked(cc=("tomas@Shop.example",))
    answer = send(a_key(), args)

    assert TellCustomer().verify(args, resource_id=answer.resource_id).verification == "passed"
    other = TellCustomer().verify(asked(), resource_id=answer.resource_id)
    assert other.verification == "mismatch"
    assert other.observed["cc"] == ["tomas@shop.example"]


@pytest.mark.parametrize(
    "subject",
    [
        "Ihre Rückzahlung: 25,00 €  für die Lampe " * 4 + ".",
        "two  spaces, and plain",
        "long and plain " * 16 + ".",
        "x" * 255,
        "=?utf-8?q?looks_coded?=",
        "退款 🙂 " * 30 + "।",
        'quotes " and \\ backslash; semi:colon, <angle> (round)',
    ],
)
def test_a_subject_arrives_as_it_was_approved(subject: str, mail: Provider) -> None:
    args = asked(subject=subject)
    answer = send(a_key(), args)

    assert TellCustomer().verify(args, resource_id=answer.resource_id).verification == "passed"


def test_fifty_recipients_and_fifty_copies_arrive(mail: Provider) -> None:
    to = tuple(f"somebody.with.a.long.name.{number}@home.example" for number in range(50))
    args = asked(to=to, cc=tuple(f"cc.{address}" for address in to))
    answer = send(a_key(), args)

    assert TellCustomer().verify(args, resource_id=answer.resource_id).verification == "passed"


def test_nothing_but_reading_is_done_in_the_mailbox(mail: Provider) -> None:
    """Opened for writing, the mailbox would not call the message recent any more."""
    answer = send(a_key())
    TellCustomer().verify(asked(), resource_id=answer.resource_id)

    with mail.signed_in() as client:
        client.select("Sent")
        _, found = client.uid("SEARCH", "HEADER", "Message-ID", f'"{answer.resource_id}"')
        _, flags = client.uid("FETCH", found[0].decode(), "(FLAGS)")
    assert b"Recent" in flags[0]
    assert b"Seen" not in flags[0]


@pytest.mark.parametrize(
    ("mode", "wrong"),
    [
        ("other_text", "text_sha256"),
        ("other_recipient", "to"),
        ("footer", "text_sha256"),
        ("twice", "copies"),
    ],
)
def test_what_arrived_otherwise_is_a_mismatch(mode: str, wrong: str, mail: Provider) -> None:
    mail.behave(mode)
    args = asked(body="We have paid back 25.00 for the lamp.\n")
    answer = send(a_key(), args)

    seen = TellCustomer().verify(args, resource_id=answer.resource_id)

    assert seen.verification == "mismatch"
    assert [name for name in seen.expected if seen.observed[name] != seen.expected[name]] == [wrong]


def test_what_is_not_filed_yet_is_neither_there_nor_absent(mail: Provider) -> None:
    mail.behave("swallow")
    key = a_key()
    answer = send(key)

    assert TellCustomer().verify(asked(), resource_id=answer.resource_id).verification == "not_yet"
    finding = TellCustomer().reconcile(asked(), key=key)
    assert (finding.kind, finding.result["copies"]) == ("unclear", 0)


def test_a_part_of_a_message_id_is_not_that_message(mail: Provider) -> None:
    """IMAP finds what merely contains the text."""
    key = a_key()
    mail.file(
        f"From: x@y.example\r\nMessage-ID: <x{key}@shop.example>\r\n\r\nHello\r\n".encode()
        + f"X: <{key}@shop.example>\r\n".encode()
    )
    mail.file(
        b"From: x@y.example\r\nMessage-ID: <other@y.example> "
        + f"(<{key}@shop.example>)\r\n\r\nHello\r\n".encode()
    )

    assert TellCustomer().reconcile(asked(), key=key).result["copies"] == 0


@pytest.mark.parametrize("mode", REFUSED)
def test_a_no_before_the_message_is_taken_means_that_nothing_was_sent(
    mode: str, mail: Provider
) -> None:
    mail.behave(mode)
    key = a_key()

    with pytest.raises(Refused):
        send(key, asked(cc=("tomas@shop.example",)))

    mail.behave("honest")
    assert TellCustomer().reconcile(asked(), key=key).result["copies"] == 0


@pytest.mark.parametrize(
    ("mode", "kind", "copies"),
    [
        ("drop_after", failures.Dropped, 1),
        ("drop_unsent", failures.Dropped, 0),
        ("hang_after", failures.TimedOut, 1),
        ("odd_after", failures.Unusable, 0),
    ],
)
def test_no_word_after_the_message_means_that_nobody_knows(
    mode: str,
    kind: type[Exception],
    copies: int,
    mail: Provider,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    mail.behave(mode)
    key = a_key()

    with monkeypatch.context() as impatient:
        impatient.setattr(TellCustomer, "call_seconds", 3.0 if mode == "hang_after" else 10.0)
        with pytest.raises(kind):
            send(key)

    finding = TellCustomer().reconcile(asked(), key=key)
    assert finding.kind == ("found" if copies else "unclear")
    assert finding.result["copies"] == copies


def test_an_account_without_a_mailbox_says_what_nobody_can_know(mail: Provider) -> None:
    assert (TellCustomer.target_class, TellUnheard.target_class) == ("probe", "opaque")
    assert "Message-ID" in TellCustomer().verification
    assert "Nothing can be verified" in TellUnheard().verification

    answer = send(a_key(), action=TellUnheard)

    seen = TellUnheard().verify(asked(), resource_id=answer.resource_id)
    assert seen.verification == "unverifiable"
    assert TellUnheard().reconcile(asked(), key=a_key()).kind == "unclear"


@pytest.mark.parametrize(
    "changed",
    [
        {"to": []},
        {"to": "mara@home.example"},
        {"to": ["mara@home.example", "mara@HOME.example"]},
        {"to": [f"m{number}@home.example" for number in range(51)]},
        {"to": ["mara"]},
        {"to": ["mara@localhost"]},
        {"to": ["Mara <mara@home.example>"]},
        {"to": ["mara@home.example, eve@home.example"]},
        {"to": ["mara@home.example\r\nBcc: eve@home.example"]},
        {"to": ["mara@home.example\n"]},
        {"to": ['"a b"@home.example']},
        {"to": ["mara@[127.0.0.1]"]},
        {"to": ["mära@home.example"]},
        {"to": ["mara@hömé.example"]},
        {"to": ["-oX@-home.example"]},
        {"to": ["x" * 65 + "@home.example"]},
        {"cc": ["eve@home.example>\r\nRCPT TO:<x@y.example"]},
        {"subject": "Your refund\r\nBcc: eve@home.example"},
        {"subject": "Your refund\nX: y"},
        {"subject": "Your\x00refund"},
        {"subject": "Your \u202erefund"},
        {"subject": "   "},
        {"subject": "x" * 256},
        {"body": "   "},
        {"body": "Hello\r\n.\r\nMAIL FROM:<eve@home.example>"},
        {"body": "Hello\x1b[2J"},
        {"attachment": "x"},
    ],
)
def test_what_is_no_plain_mail_is_refused_at_the_entrance(changed: dict[str, Any]) -> None:
    facts = {"to": ["mara@home.example"], "subject": "Your refund", "body": TEXT, **changed}

    with pytest.raises(BadInput) as caught:
        actions.freeze(TellCustomer(), facts)

    assert caught.value.path.startswith(f"$.arguments.{next(iter(changed))}")


@pytest.mark.parametrize("body", [".", "..\n.", ".\n", "a\n.\nb", "x" * 3000, "ä" * 3000, "\ttab"])
def test_no_text_ends_the_message_early(body: str, mail: Provider) -> None:
    args = asked(body=body)
    answer = send(a_key(), args)

    assert TellCustomer().verify(args, resource_id=answer.resource_id).verification == "passed"


def test_a_message_too_large_to_be_ours_is_not_fetched(mail: Provider) -> None:
    key = a_key()
    head = f"From: x@y.example\r\nMessage-ID: <{key}@shop.example>\r\n\r\n".encode()
    mail.file(head + b"x" * 1_100_000 + b"\r\n")

    with pytest.raises(failures.Oversize):
        TellCustomer().reconcile(asked(), key=key)
