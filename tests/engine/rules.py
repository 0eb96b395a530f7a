"""Rules that a policy may have, and where a proposal stands under them."""

from typing import Any

from engine.models import Proposal


def asking(*groups: tuple[str, int], **more: Any) -> dict[str, Any]:
    quotas = [{"name": name, "approve": count} for name, count in groups]
    return {"action": "ledger.*", "groups": quotas, **more}


def stands(proposal: Proposal) -> str:
    return Proposal.objects.get(pk=proposal.pk).status


def statuses(proposal: Proposal) -> list[str]:
    versions = Proposal.objects.filter(proposal_id=proposal.proposal_id).order_by("version")
    return [version.status for version in versions]
