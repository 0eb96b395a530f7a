"""Which pages `make screenshots` takes, of whom, and how wide."""

from dataclasses import dataclass

WIDE, NARROW, ZOOMED = 1280, 360, 320
"""Pixels of CSS; the last is WIDE at 400 %."""

NOBODY, ROSA, MINA, TOMAS = "", "Rosa Lind", "Mina Okafor", "Tomas Berg"
OTTO, ADA, IVO = "Otto Maurer", "Ada Ferreira", "Ivo Marin"
ALMA, BRUNO = "Alma Nordin", "Bruno Weil"


@dataclass(frozen=True, slots=True, kw_only=True)
class Shot:
    """One page: its name, its path or what the stage calls it, and who looks at it."""

    name: str
    path: str
    who: str = ROSA
    narrow: bool = False
    zoomed: bool = False
    unfolded: bool = False

    @property
    def widths(self) -> tuple[int, ...]:
        asked = ((NARROW, self.narrow or self.zoomed), (ZOOMED, self.zoomed))
        return (WIDE, *(width for width, wanted in asked if wanted))


AT_FIRST = (
    Shot(name="sign-in", path="/sign-in/", who=NOBODY, zoomed=True),
    Shot(name="empty-unknowns", path="/unknowns/", who=OTTO, narrow=True),
    Shot(name="empty-unknowns-settled", path="/unknowns/?show=settled", who=OTTO),
    Shot(name="empty-alerts", path="/alerts/", who=OTTO),
    Shot(name="empty-alerts-resolved", path="/alerts/?show=resolved", who=OTTO),
    Shot(name="empty-claimed", path="/inbox/?show=claimed"),
    Shot(name="empty-decided", path="/inbox/?show=decided"),
    Shot(name="empty-match", path="/inbox/?agent=nobody"),
    Shot(name="empty-runs-paused", path="/runs/?show=paused"),
    Shot(name="empty-exports", path="/audit/exports/", who=ADA),
    Shot(name="empty-people", path="/people/?name=nobody", who=ADA),
    Shot(name="stop-never-drilled", path="/stop/", who=OTTO),
)
WHILE_THE_LEDGER_IS_SHUT = (
    Shot(name="unknowns", path="/unknowns/", who=OTTO, narrow=True),
    Shot(name="unknown-effect", path="first:/unknowns/", who=OTTO, zoomed=True),
    Shot(name="unknown-effect-to-a-reader", path="first:/unknowns/", who=ADA),
    Shot(name="proposal-unknown", path="unknown"),
    Shot(name="run-unknown", path="run-unknown", who=OTTO),
    Shot(name="world-out-of-reach", path="/demo/world/"),
)
SHOTS = (
    Shot(name="overview", path="/overview/", who=OTTO, zoomed=True),
    Shot(name="open-proposals", path="/overview/proposals/", who=OTTO, narrow=True),
    Shot(name="inbox", path="/inbox/", zoomed=True),
    Shot(name="inbox-claimed", path="/inbox/?show=claimed", who=MINA, narrow=True),
    Shot(name="inbox-not-mine", path="/inbox/?show=mine"),
    Shot(name="inbox-filtered", path="/inbox/?risk=high", unfolded=True),
    Shot(name="inbox-nothing-to-decide", path="/inbox/", who=TOMAS, narrow=True),
    Shot(name="inbox-not-a-reviewer", path="/inbox/", who=ADA),
    Shot(name="inbox-decided", path="/inbox/?show=decided", narrow=True),
    Shot(name="proposal-open", path="open", zoomed=True, unfolded=True),
    Shot(name="proposal-folded", path="open"),
    Shot(name="proposal-claimed-by-another", path="open", who=MINA),
    Shot(name="proposal-high-risk", path="high-risk", narrow=True, unfolded=True),
    Shot(name="proposal-deceptive-text", path="deceptive", narrow=True, unfolded=True),
    Shot(name="proposal-page-unknown", path="page"),
    Shot(name="proposal-mail", path="mail"),
    Shot(name="proposal-expired", path="expired"),
    Shot(name="proposal-second-version", path="second-version", unfolded=True),
    Shot(name="proposal-older-version", path="returned"),
    Shot(name="proposal-not-mine", path="open", who=TOMAS),
    Shot(name="proposal-committed", path="committed"),
    Shot(name="proposal-rejected", path="rejected"),
    Shot(name="proposal-rolled-back", path="rolled-back", narrow=True),
    Shot(name="proposal-lapsed", path="lapsed"),
    Shot(name="edit", path="open/edit/", narrow=True),
    Shot(name="seen", path="seen", who=ADA, narrow=True),
    Shot(name="seen-page", path="seen/page/", who=ADA),
    Shot(name="runs", path="/runs/", narrow=True),
    Shot(name="runs-paused", path="/runs/?show=paused"),
    Shot(name="runs-installation", path="/runs/?show=installation"),
    Shot(name="run-committed", path="run-committed", zoomed=True),
    Shot(name="run-open-to-an-operator", path="run-open", who=OTTO, narrow=True),
    Shot(name="run-taken-over", path="run-taken-over"),
    Shot(name="run-rolled-back", path="run-rolled-back"),
    Shot(name="run-lapsed", path="run-lapsed"),
    Shot(name="run-log", path="run-committed/?view=log", narrow=True),
    Shot(name="run-take-back", path="run-committed/rollback/", who=OTTO, narrow=True),
    Shot(name="unknowns-settled", path="/unknowns/?show=settled", who=OTTO),
    Shot(name="unknown-settled", path="first:/unknowns/?show=settled", who=OTTO),
    Shot(name="alerts", path="/alerts/", who=OTTO, narrow=True),
    Shot(name="alert", path="first:/alerts/", who=OTTO, zoomed=True),
    Shot(name="alert-to-a-reader", path="first:/alerts/", who=ADA),
    Shot(name="checkpoints", path="/checkpoints/", who=ADA, narrow=True),
    Shot(name="checkpoints-none", path="/checkpoints/?node=nowhere", who=ADA),
    Shot(name="checkpoint", path="first:/checkpoints/", who=ADA, narrow=True),
    Shot(name="checkpoints-at", path="at-committed", who=ADA),
    Shot(name="checkpoints-compare", path="compare-committed", who=ADA, narrow=True),
    Shot(name="audit", path="/audit/", who=ADA, narrow=True),
    Shot(name="audit-event", path="first:/audit/", who=ADA, narrow=True),
    Shot(name="rollbacks", path="/rollbacks/", who=IVO, narrow=True),
    Shot(name="rollbacks-by-hand", path="/rollbacks/?kind=out_of_band", who=IVO),
    Shot(name="action", path="/rollbacks/ledger.refund/1/", who=IVO, narrow=True),
    Shot(name="action-without-a-way-back", path="/rollbacks/mail.tell_customer/1/", who=IVO),
    Shot(name="rehearsal", path="rehearsal", who=IVO, narrow=True),
    Shot(name="policy", path="/policy/", who=BRUNO, zoomed=True),
    Shot(name="policy-proposed", path="/policy/2/", who=BRUNO, narrow=True),
    Shot(name="policy-proposed-by-oneself", path="/policy/2/", who=ALMA),
    Shot(name="policy-to-a-reader", path="/policy/2/", who=ADA),
    Shot(name="policy-replay", path="/policy/2/replay/", who=BRUNO, narrow=True),
    Shot(name="policy-first-version", path="/policy/1/", who=ADA),
    Shot(name="people", path="/people/", who=ALMA, narrow=True),
    Shot(name="person", path="first:/people/", who=BRUNO, narrow=True),
    Shot(name="person-to-a-reader", path="first:/people/", who=ADA),
    Shot(name="empty-exemptions", path="/policy/exemptions/", who=BRUNO, narrow=True),
    Shot(name="how-you-decide", path="/people/me/", narrow=True),
    Shot(name="invite", path="/people/invite/", who=ALMA, narrow=True),
    Shot(name="invitation-of-nobody", path="/invitation/nothing/", who=NOBODY),
    Shot(name="stop", path="/stop/", who=OTTO, zoomed=True),
    Shot(name="stop-to-a-reader", path="/stop/"),
    Shot(name="security", path="/security/", who=TOMAS, narrow=True),
    Shot(name="security-app", path="/security/app/", who=TOMAS, narrow=True),
    Shot(name="security-passkey", path="/security/passkey/", who=TOMAS),
    Shot(name="security-confirm", path="/security/confirm/", who=TOMAS),
    Shot(name="sign-out", path="/sign-out/", who=TOMAS),
    Shot(name="api", path="/api/", who=ADA, narrow=True),
    Shot(name="world", path="/demo/world/", narrow=True),
    Shot(name="not-understood", path="/policy/?below=here"),
    Shot(name="refused", path="/policy/propose/", zoomed=True),
    Shot(name="account-closed", path="/sign-in/closed/", who=NOBODY),
    Shot(name="not-found", path="/nowhere/", narrow=True),
)
WHILE_TWO_ARE_ASKED = (
    Shot(name="proposal-blind", path="of-two", narrow=True),
    Shot(name="security-with-a-factor", path="/security/", who=MINA, narrow=True),
    Shot(name="security-codes", path="/security/recovery-codes/", who=MINA),
    Shot(name="security-remove", path="remove", who=MINA),
)
WHILE_STOPPED = (
    Shot(name="stopped", path="/stop/", who=OTTO, narrow=True),
    Shot(name="stopped-receipt", path="first:/stop/", who=OTTO),
    Shot(name="stopped-overview", path="/overview/", who=OTTO, narrow=True),
    Shot(name="stopped-proposal", path="high-risk"),
    Shot(name="stopped-inbox", path="/inbox/"),
)
