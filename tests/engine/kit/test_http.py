"""One HTTP call and what its answer means: yes, surely no, or nobody knows."""

import time
from typing import Any

import pytest
from django.core.exceptions import ImproperlyConfigured

from engine.actions import Refused
from engine.kit import failures
from engine.kit.http import HttpCall
from tests.engine.kit.acts import GrantRole
from tests.engine.kit.services import SECRET, AccessService

_numbers = iter(range(1_000_000))


def a_key() -> str:
    return f"{next(_numbers):064x}"


@pytest.fixture
def args() -> Any:
    return GrantRole.Arguments(member="mara", role="editor")


def execute(args: Any, key: str, action: type[HttpCall] = GrantRole) -> Any:
    return action().execute(args, key=key, fencing_token=7)


def test_a_grant_is_made_with_key_token_and_secret_header(access: AccessService, args: Any) -> None:
    key = a_key()

    answer = execute(args, key)

    assert answer.result == {"id": answer.resource_id, "member": "mara", "role": "editor"}
    (sent,) = [one for one in access.seen("POST") if one["headers"].get("idempotency-key") == key]
    assert sent["headers"]["fencing-token"] == "7"
    assert sent["headers"]["authorization"] == f"Bearer {SECRET}"
    assert sent["headers"]["host"] == f"127.0.0.1:{access.port}"
    assert sent["body"] == {"member": "mara", "role": "editor"}


def test_the_same_key_twice_is_one_grant(access: AccessService, args: Any) -> None:
    key, before = a_key(), len(access.grants())

    assert execute(args, key).resource_id == execute(args, key).resource_id
    assert len(access.grants()) == before + 1


def test_verification_reads_on_a_connection_of_its_own(access: AccessService, args: Any) -> None:
    key = a_key()
    answer = execute(args, key)

    seen = GrantRole().verify(args, resource_id=answer.resource_id)

    assert seen.verification == "passed"
    (posted,) = [one for one in access.seen("POST") if one["headers"].get("idempotency-key") == key]
    (read,) = access.seen("GET", f"/grants/{answer.resource_id}")[-1:]
    assert read["port"] != posted["port"]
    assert "idempotency-key" not in read["headers"]


@pytest.mark.parametrize("mode", ["refuse"])
def test_a_status_that_refuses_by_contract_is_a_refusal(
    mode: str, access: AccessService, args: Any
) -> None:
    access.behave(mode)

    with pytest.raises(Refused, match=r"422 .*nothing was done"):
        execute(args, a_key())


UNKNOWN = {
    "busy": failures.Unexpected,
    "early": failures.Unexpected,
    "many": failures.Unexpected,
    "timeout": failures.Unexpected,
    "teapot": failures.Unexpected,
    "error_before": failures.Unexpected,
    "error_after": failures.Unexpected,
    "drop_before": failures.Dropped,
    "drop_after": failures.Dropped,
    "cut_short": failures.Dropped,
    "hang": failures.TimedOut,
    "slow_head": failures.TimedOut,
    "slow_body": failures.TimedOut,
    "oversize": failures.Oversize,
    "endless": failures.Oversize,
    "endless_head": failures.Oversize,
    "garbage": failures.Unusable,
    "no_json": failures.Unusable,
    "twice": failures.Unusable,
    "compressed": failures.Unusable,
}


@pytest.mark.parametrize("mode", UNKNOWN)
def test_everything_else_means_that_nobody_knows(
    mode: str, access: AccessService, args: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    if UNKNOWN[mode] is failures.TimedOut:
        monkeypatch.setattr(GrantRole, "call_seconds", 1.0)
    access.behave(mode)
    began = time.monotonic()

    with pytest.raises(failures.CallFailed) as caught:
        execute(args, a_key())

    assert type(caught.value) is UNKNOWN[mode]
    assert time.monotonic() - began < GrantRole.call_seconds + 1


def test_no_redirect_is_followed(access: AccessService, args: Any) -> None:
    access.behave("redirect", to=f"{access.url}/members/jon")
    before = len(access.seen("GET", "/members/jon"))

    with pytest.raises(failures.Unexpected, match="307"):
        execute(args, a_key())

    assert len(access.seen("GET", "/members/jon")) == before


def test_no_proxy_is_taken_from_the_environment(
    access: AccessService, args: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")

    assert execute(args, a_key()).resource_id


def test_a_service_inside_is_not_called_unless_its_entry_says_so(
    access: AccessService, args: Any, settings: Any
) -> None:
    settings.PLACET_HTTP_TARGETS = {"access": access.entry(allow_private=False)}
    before = len(access.seen("POST"))

    with pytest.raises(failures.AddressRefused, match=r"127\.0\.0\.1"):
        execute(args, a_key())

    assert len(access.seen("POST")) == before


@pytest.mark.parametrize("said", ["yes", 1, "true"])
def test_only_true_itself_allows_the_inside(
    said: object, access: AccessService, args: Any, settings: Any
) -> None:
    settings.PLACET_HTTP_TARGETS = {"access": access.entry(allow_private=said)}

    with pytest.raises(failures.AddressRefused):
        execute(args, a_key())


def test_a_service_that_is_not_there_was_sent_nothing(
    access: AccessService, args: Any, settings: Any
) -> None:
    settings.PLACET_HTTP_TARGETS = {"access": access.entry(base_url="http://127.0.0.1:9")}

    with pytest.raises(failures.NotSent, match="Connection refused"):
        execute(args, a_key())


@pytest.mark.parametrize(
    "base_url",
    [
        "",
        "ftp://127.0.0.1/",
        "127.0.0.1",
        "http://",
        "http://desk:s3cret@127.0.0.1/",
        "http://127.0.0.1/?token=s3cret",
        "http://127.0.0.1:port/",
        "http://[::1/",
    ],
)
def test_an_impossible_address_is_named_but_not_quoted(
    base_url: str, args: Any, settings: Any
) -> None:
    settings.PLACET_HTTP_TARGETS = {"access": {"base_url": base_url, "allow_private": True}}

    with pytest.raises(failures.Misconfigured, match="'access'") as caught:
        execute(args, a_key())

    assert "s3cret" not in str(caught.value)


@pytest.mark.parametrize(
    "headers",
    [
        {"Authorization": f"Bearer {SECRET}\n"},
        {"Authorization": f"Bearer {SECRET}\r\nX-Admin: yes"},
        {"Authorization": f"Bearer {SECRET}\x00"},
        {"Authorization": f"Bearer {SECRET}é"},
        {"X-Admin: yes\r\nAuthorization": SECRET},
        {"Host": "elsewhere.example"},
        {"Content-Length": "0"},
        {"Transfer-Encoding": "chunked"},
    ],
)
def test_a_header_that_would_be_two_is_refused_and_its_value_not_quoted(
    headers: dict[str, str], access: AccessService, args: Any, settings: Any
) -> None:
    settings.PLACET_HTTP_TARGETS = {"access": access.entry(headers=headers)}
    before = len(access.seen("POST"))

    with pytest.raises(failures.Misconfigured) as caught:
        execute(args, a_key())

    assert len(access.seen("POST")) == before
    assert SECRET not in repr(caught.value)


class Noted(GrantRole):
    def headers(self, args: Any) -> dict[str, str]:
        return {"X-Role": args.role}


@pytest.mark.parametrize("role", ["editor\r\nX-Admin: yes", "editor\nX: y", "a\rb", "a\x00b", ""])
def test_an_argument_cannot_bring_a_header_of_its_own(role: str, access: AccessService) -> None:
    before = len(access.seen("POST"))

    with pytest.raises(Refused):
        execute(Noted.Arguments(member="mara", role=role), a_key(), Noted)

    assert len(access.seen("POST")) == before


@pytest.mark.parametrize(
    ("member", "path"),
    [
        ("mara", "/members/mara"),
        ("../grants", "/members/..%2Fgrants"),
        ("mara?all=1#x", "/members/mara%3Fall%3D1%23x"),
        ("ma ra\r\nX: y", "/members/ma%20ra%0D%0AX%3A%20y"),
        ("mära", "/members/m%C3%A4ra"),
    ],
)
def test_an_argument_stays_one_part_of_the_path(
    member: str, path: str, access: AccessService
) -> None:
    GrantRole().precondition(GrantRole.Arguments(member=member, role="editor"))

    assert access.seen("GET", "/members")[-1]["path"] == path


@pytest.mark.parametrize("member", ["", ".", ".."])
def test_an_argument_cannot_climb_the_path(member: str, access: AccessService) -> None:
    with pytest.raises(Refused, match="'member'"):
        GrantRole().precondition(GrantRole.Arguments(member=member, role="editor"))


@pytest.mark.parametrize(
    ("mode", "kind"), [("error_after", "found"), ("drop_before", "absent"), ("hang", "found")]
)
def test_after_no_answer_the_service_is_asked_by_key(
    mode: str,
    kind: str,
    access: AccessService,
    args: Any,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    access.behave(mode)
    key = a_key()
    with monkeypatch.context() as impatient:
        impatient.setattr(GrantRole, "call_seconds", 1.0)
        with pytest.raises(failures.CallFailed):
            execute(args, key)

    finding = GrantRole().reconcile(args, key=key)

    assert finding.kind == kind
    if kind == "found":
        assert finding.result == {"id": finding.resource_id, "member": "mara", "role": "editor"}


def test_a_service_that_cannot_be_asked_by_key_leaves_it_unclear(
    access: AccessService, args: Any
) -> None:
    class Mute(GrantRole):
        by_key = None

    assert Mute().reconcile(args, key=a_key()).kind == "unclear"


def test_not_found_is_no_absence_where_the_contract_does_not_say_so(
    access: AccessService, args: Any
) -> None:
    class Vague(GrantRole):
        absent_statuses = frozenset()

    assert Vague().reconcile(args, key=a_key()).kind == "unclear"


@pytest.mark.parametrize("mode", ["echo", "echo_error", "echo_unknown"])
def test_an_echoed_secret_is_neither_kept_nor_told(
    mode: str, access: AccessService, args: Any
) -> None:
    access.behave(mode.replace("_unknown", "_error"), status=503 if "unknown" in mode else 422)

    try:
        told = repr(execute(args, a_key()))
    except (Refused, failures.CallFailed) as problem:
        told = repr(problem)

    assert "authorization" in told
    assert SECRET not in told
    assert "[redacted]" in told


@pytest.mark.parametrize("status", [200, 302, 408, 425, 429, 500])
def test_no_contract_makes_a_refusal_of_what_may_have_happened(status: int) -> None:
    with pytest.raises(ImproperlyConfigured, match="refusal"):
        type("Hasty", (GrantRole,), {"refusals": frozenset({422, status})})


@pytest.mark.parametrize("wrong", [{"method": "GET"}, {"path": "grants"}, {"by_key": "{key}"}])
def test_a_call_that_is_none_is_refused_at_start_up(wrong: dict[str, str]) -> None:
    with pytest.raises(ImproperlyConfigured):
        type("Wrong", (GrantRole,), wrong)
