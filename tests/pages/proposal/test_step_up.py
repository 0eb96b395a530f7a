"""To approve what is guarded, a reviewer shows a second factor, sees it again, and decides."""

from typing import Any

import pytest
from django.test import Client

from engine.models import Decision, Proposal, StepUp
from oversight.second_factor import factors, sessions, tries
from tests.cast import PASSWORD, People
from tests.engine.test_step_up import given_a_passkey, guarded
from tests.pages.reading import Page, Reader, Readers, address_of, elements
from tests.phone import Phone, given_a_phone
from tests.world import Desk


@pytest.fixture
def phone(desk: Desk, people: People) -> Phone:
    """Rosa's; the policy asks for a second factor."""
    phone = given_a_phone(people.rosa)
    desk.put_in_force(guarded())
    return phone


def show(reader: Reader, proposal: Proposal, code: str, **changed: Any) -> Page:
    address = f"{address_of(proposal)}step-up/"
    on_page = {
        field["name"]: field["value"]
        for field in elements(reader.get(address).html, "input")
        if field.get("name") == "digest"
    }
    return reader.post(address, **{**on_page, "code": code, **changed})


def undecided(proposal: Proposal) -> bool:
    return not Decision.objects.exists() and Proposal.objects.get(pk=proposal.pk).status == "open"


class TestThePage:
    def test_says_so_before_one_decides(self, phone: Phone, rosa: Reader, desk: Desk) -> None:
        page = rosa.get(address_of(proposal := desk.propose_refund()))
        assert "To approve this, show a second factor first" in page.text
        assert f'href="{address_of(proposal)}step-up/"' in page.html

    def test_leads_to_having_one(
        self, phone: Phone, people: People, reading: Readers, desk: Desk
    ) -> None:
        mina = reading(people.somebody("mina", "reviewer"))
        page = mina.get(address_of(desk.propose_refund()))
        assert "you have none that counts" in page.text
        assert "Add one" in page.text

    def test_says_nothing_where_nothing_is_asked_for(self, rosa: Reader, desk: Desk) -> None:
        page = rosa.get(address_of(proposal := desk.propose_refund()))
        assert "second factor" not in page.text
        assert rosa.get(f"{address_of(proposal)}step-up/").status == 302

    def test_tells_how_long_it_counts(self, phone: Phone, rosa: Reader, desk: Desk) -> None:
        proposal = desk.propose_refund()
        show(rosa, proposal, phone.code())
        assert "counts for one approval of this" in rosa.get(address_of(proposal)).text


class TestApproving:
    def test_by_a_code_needs_no_script(self, phone: Phone, rosa: Reader, desk: Desk) -> None:
        proposal = desk.propose_refund()
        answer = show(rosa, proposal, phone.code())
        assert answer.response.headers["Location"] == address_of(proposal)
        assert undecided(proposal), "it is shown again first"

        rosa.decide(proposal, "approve")

        assert Decision.objects.get().step_up == StepUp.objects.get()

    def test_without_it_is_a_conflict(self, phone: Phone, rosa: Reader, desk: Desk) -> None:
        answer = rosa.decide(proposal := desk.propose_refund(), "approve")
        assert answer.status == 409
        assert "takes your second factor" in answer.text
        assert undecided(proposal)

    @pytest.mark.parametrize("decision", ["reject", "return"])
    def test_alone_needs_it(self, decision: str, phone: Phone, rosa: Reader, desk: Desk) -> None:
        assert rosa.decide(desk.propose_refund(), decision).status == 302
        assert Decision.objects.get().decision == decision

    def test_is_not_done_from_another_browser(
        self, phone: Phone, people: People, rosa: Reader, reading: Readers, desk: Desk
    ) -> None:
        show(rosa, proposal := desk.propose_refund(), phone.code())
        assert reading(people.rosa).decide(proposal, "approve").status == 409
        assert undecided(proposal)

    def test_is_not_done_after_signing_out_and_in(
        self, phone: Phone, people: People, rosa: Reader, desk: Desk
    ) -> None:
        show(rosa, proposal := desk.propose_refund(), phone.code())
        rosa.client.post("/sign-out/")
        rosa.client.force_login(people.rosa)
        assert rosa.decide(proposal, "approve").status == 409

    def test_is_not_done_after_signing_in_over_it(
        self, phone: Phone, people: People, rosa: Reader, desk: Desk
    ) -> None:
        show(rosa, proposal := desk.propose_refund(), phone.code())
        rosa.client.force_login(people.rosa)
        assert rosa.decide(proposal, "approve").status == 409

    def test_goes_on_under_another_key_of_the_session(
        self, phone: Phone, rosa: Reader, desk: Desk
    ) -> None:
        proposal = desk.propose_refund()
        rosa.get(address_of(proposal))
        before = rosa.client.session.session_key
        show(rosa, proposal, phone.code())
        assert rosa.client.session.session_key != before
        assert not rosa.client.session.exists(before)


class TestWhatIsShown:
    @pytest.mark.parametrize("code", ["", "000000", "12345", PASSWORD, "١٢٣٤٥٦", "0" * 41])
    def test_has_to_be_right(self, code: str, phone: Phone, rosa: Reader, desk: Desk) -> None:
        assert show(rosa, desk.propose_refund(), code).status == 422
        assert not StepUp.objects.exists()

    def test_is_no_password(self, phone: Phone, rosa: Reader, desk: Desk) -> None:
        assert show(rosa, desk.propose_refund(), "", password=PASSWORD).status == 422

    def test_is_no_recovery_code(
        self, phone: Phone, people: People, rosa: Reader, desk: Desk
    ) -> None:
        code = factors.new_codes(people.rosa)[0]
        assert show(rosa, desk.propose_refund(), code).status == 422
        assert factors.codes_left(people.rosa.pk) == 10

    def test_is_no_code_that_was_used(self, phone: Phone, rosa: Reader, desk: Desk) -> None:
        code, first, second = phone.code(), desk.propose_refund(), desk.propose_refund()
        assert show(rosa, first, code).status == 302
        assert show(rosa, second, code).status == 422
        assert StepUp.objects.get().proposal_id == first.pk

    def test_is_no_code_of_another(
        self, phone: Phone, people: People, rosa: Reader, desk: Desk
    ) -> None:
        other = given_a_phone(people.somebody("mina", "reviewer"))
        assert show(rosa, desk.propose_refund(), other.code()).status == 422

    @pytest.mark.parametrize(
        "said", ["", "{}", "[]", "null", '{"id": 1}', "no JSON", '{"rawId": "AA", "response": {}}']
    )
    def test_is_no_made_up_passkey(
        self, said: str, phone: Phone, people: People, rosa: Reader, desk: Desk
    ) -> None:
        assert show(rosa, desk.propose_refund(), "", credential=said).status == 422
        assert not StepUp.objects.exists()

    def test_is_tried_a_few_times_and_then_not_looked_at(
        self, phone: Phone, rosa: Reader, desk: Desk
    ) -> None:
        proposal = desk.propose_refund()
        for _ in range(tries.MOST):
            show(rosa, proposal, "000000")
        answer = show(rosa, proposal, phone.code())
        assert (answer.status, StepUp.objects.count()) == (422, 0)
        assert "Too many did not match" in answer.text
        desk.database.execute("UPDATE oversight_factortries SET since = since - interval '15 min'")
        assert show(rosa, proposal, phone.code()).status == 302


class TestForWhat:
    def test_it_is_shown_is_the_digest_on_the_page(
        self, phone: Phone, rosa: Reader, desk: Desk
    ) -> None:
        answer = show(rosa, desk.propose_refund(), phone.code(), digest="0" * 64)
        assert answer.status == 409
        assert not StepUp.objects.exists()

    @pytest.mark.parametrize("digest", ["", "A" * 64, "0" * 63])
    def test_has_to_be_said(self, digest: str, phone: Phone, rosa: Reader, desk: Desk) -> None:
        answer = show(rosa, desk.propose_refund(), phone.code(), digest=digest)
        assert answer.status == 422

    def test_is_not_what_it_has_become(self, phone: Phone, rosa: Reader, desk: Desk) -> None:
        """The page was open while another version took its place."""
        proposal = desk.propose_refund(order := desk.purchase())
        show(rosa, proposal, phone.code())
        desk.decide(proposal, "return")
        desk.answer(proposal, order, amount="26.00")
        desk.work(proposal.run_id)
        newest = desk.proposal(proposal.run_id)

        assert show(rosa, proposal, phone.code(), digest=proposal.digest).status == 409
        assert rosa.decide(newest, "approve").status == 409
        assert Proposal.objects.get(pk=newest.pk).status == "open"

    def test_is_not_shown_by_who_may_not_decide(
        self, phone: Phone, people: People, reading: Readers, desk: Desk
    ) -> None:
        owner = given_a_phone(people.tomas)
        proposal = desk.propose_refund()
        answer = show(reading(people.tomas), proposal, owner.code(), digest=proposal.digest)
        assert answer.status == 403
        assert not StepUp.objects.exists()


class TestAStrangePage:
    def test_cannot_post_it(self, phone: Phone, people: People, desk: Desk) -> None:
        client = Client(SERVER_NAME="localhost", enforce_csrf_checks=True)
        client.force_login(people.rosa)
        proposal = desk.propose_refund()
        fields = {"digest": proposal.digest, "code": phone.code()}
        assert client.post(f"{address_of(proposal)}step-up/", fields).status_code == 403
        assert not StepUp.objects.exists()

    def test_is_never_answered_by_a_get(self, phone: Phone, rosa: Reader, desk: Desk) -> None:
        proposal = desk.propose_refund()
        fields = {"digest": proposal.digest, "code": phone.code()}
        rosa.get(f"{address_of(proposal)}step-up/", **fields)
        assert not StepUp.objects.exists()


class TestWhoSignedInElsewhere:
    """By OpenID Connect, as django-allauth notes it in the session."""

    @pytest.fixture
    def rosa(self, phone: Phone, rosa: Reader, people: People) -> Reader:
        session = rosa.client.session
        session["account_authentication_methods"] = [{"method": "socialaccount", "at": 0}]
        session["account_authentication_methods_user"] = str(people.rosa.pk)
        session.save()
        return rosa

    def test_is_asked_for_a_passkey(self, phone: Phone, rosa: Reader, desk: Desk) -> None:
        proposal = desk.propose_refund()
        assert "you have none that counts" in rosa.get(address_of(proposal)).text
        answer = show(rosa, proposal, phone.code(), digest=proposal.digest)
        assert answer.status == 403
        assert not StepUp.objects.exists()

    def test_and_has_one(self, phone: Phone, people: People, rosa: Reader, desk: Desk) -> None:
        given_a_passkey(people.rosa)
        page = rosa.get(address_of(desk.propose_refund()))
        assert "show a second factor first" in page.text


def test_a_session_is_told_to_nobody(phone: Phone, rosa: Reader, desk: Desk) -> None:
    proposal = desk.propose_refund()
    show(rosa, proposal, phone.code())
    named = StepUp.objects.get().session
    assert named not in rosa.get(address_of(proposal)).html
    assert rosa.client.session[sessions._NAME] not in rosa.get(address_of(proposal)).html
