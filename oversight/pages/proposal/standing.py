"""Where a proposal version stands now: the part of its page that keeps itself up to date."""

from dataclasses import dataclass

from django.urls import reverse

from oversight.pages.proposal import reads
from oversight.pages.proposal.reads import Said, Version
from oversight.reading import journeys, log
from oversight.reading.journeys import Journey


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    """The version's own journey, then the rollbacks that followed it, and every decision on it.

    `was_open` tells that the reader's page offers the decision: it is told when that has passed.
    """

    item: Version
    journeys: tuple[Journey, ...]
    said: tuple[Said, ...]
    newest: int
    was_open: bool

    @property
    def decision(self) -> Said | None:
        """The word that closed this version."""
        mine = [said for said in self.said if said.version == self.item.version]
        return next((said for said in mine if said.status == self.item.status), None)

    @property
    def outdated(self) -> bool:
        return self.newest > self.item.version

    @property
    def overtaken(self) -> bool:
        """The reader's page offers a decision that can no longer be made; or a newer version came
        while they were reading how this one ended."""
        return self.outdated or (self.was_open and not self.item.decidable)

    @property
    def answered(self) -> bool:
        return self.outdated and self.item.status == "returned"

    @property
    def settled(self) -> bool:
        own = self.journeys[0] if self.journeys else None
        done = own is not None and own.settled and self.item.status != "returned"
        rolling_back = any(not journey.settled for journey in self.journeys[1:])
        return self.item.run_ended or self.outdated or (done and not rolling_back)

    @property
    def live_url(self) -> str:
        if self.settled:
            return ""
        place = [self.item.proposal_id, self.item.version]
        seen = {"seen": mark(self.item), "open": int(self.was_open)}
        return reverse("proposal:live", args=place, query=seen)


def of(item: Version, *, was_open: bool) -> Standing:
    told = journeys.told_by(log.of_effects(item.run_id))
    mine = [journey for journey in told if _is_mine(journey, item)]
    return Standing(
        item=item,
        journeys=tuple(sorted(mine, key=lambda journey: bool(journey.compensates))),
        said=reads.said(item.proposal_id),
        newest=reads.newest(item.proposal_id) or item.version,
        was_open=was_open,
    )


def _is_mine(journey: Journey, item: Version) -> bool:
    return journey.proposal_id == str(item.proposal_id) and journey.version == item.version


def mark(item: Version) -> str:
    """Changes with every event of the run, and when the version's time runs out."""
    return f"{item.last_seq}{'x' if item.expired else ''}"
