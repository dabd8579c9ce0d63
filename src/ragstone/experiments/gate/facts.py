"""What a gate insists on: two runs that differ in nothing but the system, unless the policy says otherwise."""

from __future__ import annotations

from collections.abc import Collection
from typing import Literal

from ragstone.errors import UsageError
from ragstone.experiments.comparison.identity import Mismatch, mismatches
from ragstone.experiments.results import RunResult

Fact = Literal["dataset", "matching", "scoring policy", "golds left out", "judge", "corpus"]
# A comparison warns of another corpus. A gate decides without a reader, so it refuses.
_PINNED = ("corpus",)


def tolerated(baseline: RunResult, candidate: RunResult, allowed: Collection[str]) -> tuple[Mismatch, ...]:
    """Return what differs between the runs with leave: allowed by the policy, or no more than worth knowing.

    Raises:
        UsageError: Something else differs; both sides are named, and the way out.
    """
    found = mismatches(baseline, candidate)
    pinned = [one for one in found if one.level == "refuse" or one.what in _PINNED]
    refused = [one for one in pinned if one.what not in allowed]
    if refused:
        named = "; ".join(map(str, refused))
        facts = ", ".join(one.what for one in refused)
        raise UsageError(
            f"the gate cannot compare {candidate.run.id} with {baseline.run.id}: {named}. Run the baseline anew "
            f"under the same conditions, or write allow_identity: [{facts}] into the policy if that is meant"
        )
    return found
