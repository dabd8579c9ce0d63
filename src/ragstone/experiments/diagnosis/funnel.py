"""The loss funnel: how many questions each stage of a search lost, and what mending it could bring."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from ragstone.experiments.diagnosis.fates import ORDER, STAGES, Fate, Leaf, Verdicts, cutoff_of, fates
from ragstone.experiments.results import RunResult
from ragstone.stats.intervals import wilson
from ragstone.types import Interval

_HIDDEN = STAGES[ORDER["not_in_candidates"] : ORDER["unknown"]]


Unit = Literal["question", "support"]


@dataclass(frozen=True, slots=True, kw_only=True)
class FunnelStage:
    """One stage of the funnel.

    Attributes:
        lost: How many it lost.
        reached: How many came to it, as far as the trace says.
        interval: Wilson interval of lost / reached: the loss of those that come here.
        bound: The share that would come to the end if this stage lost none and the later ones let pass what they
            do now: an optimistic bound, because what is hard here may be hard later. None where nothing was lost.
        queries: Ids of the questions lost here, in the dataset's order.
    """

    name: Leaf
    lost: int
    reached: int
    interval: Interval
    bound: float | None
    queries: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Funnel:
    """Where a run lost the evidence of its questions; the leaves exclude one another and hold all n.

    Attributes:
        cutoff: How many hits count as the context: the k of the primary metric, or what was asked for.
        n: Questions (or required supports) that are counted.
        missing: Questions that are not, by reason: unanswerable, no_gold, not_asked.
        stages: In the order of a search.
        kept: How many came to the end.
        end: What the end is: ``reached`` (in the first k), or ``right`` where answers were judged.
        unjudged: Where answers were judged: those with their evidence in the first k and no verdict.
        interval: Wilson interval of kept / n.
        multi_hop: Questions that need several golds together.
        unit: What is counted.
    """

    cutoff: int
    n: int
    missing: Mapping[str, int] = field(hash=False)
    stages: tuple[FunnelStage, ...]
    kept: int
    end: Literal["reached", "right"]
    unjudged: int
    interval: Interval
    multi_hop: int
    unit: Unit = "question"

    @property
    def lost(self) -> int:
        """How many were lost at any stage."""
        return sum(stage.lost for stage in self.stages)

    @property
    def share(self) -> float | None:
        """The share that came to the end; None where nothing is counted."""
        return self.kept / self.n if self.n else None


def funnel(result: RunResult, verdicts: Verdicts | None = None, *, unit: Unit = "question") -> Funnel:
    """Return the loss funnel of a run.

    Args:
        result: The run.
        verdicts: What judges say of the answers, by question.
        unit: What is counted: questions, or each required support of a multi-hop question for itself.
    """
    by_query = fates(result, verdicts, every_gold=False)
    return funnel_of(by_query, cutoff=cutoff_of(result), judged=bool(verdicts), unit=unit)


def funnel_of(
    by_query: Mapping[str, Fate | str], *, cutoff: int, judged: bool = False, unit: Unit = "question"
) -> Funnel:
    """Return the loss funnel of fates, as `fates` gives them.

    Args:
        by_query: The fate of each question, or the reason why it has none.
        cutoff: The k under which they were followed.
        judged: Whether answers were judged, so that the end is a right answer.
        unit: What is counted.
    """
    known = [fate for fate in by_query.values() if isinstance(fate, Fate)]
    units = [(fate.query, leaf) for fate in known for leaf in _leaves(fate, unit)]
    return build_funnel(
        units,
        cutoff=cutoff,
        missing=Counter(fate for fate in by_query.values() if isinstance(fate, str)),
        multi_hop=sum(bool(fate.required) for fate in known),
        judged=judged,
        unit=unit,
    )


def build_funnel(
    units: Sequence[tuple[str, Leaf]],
    *,
    cutoff: int,
    missing: Mapping[str, int],
    multi_hop: int = 0,
    judged: bool = False,
    unit: Unit = "question",
) -> Funnel:
    """Return the funnel of pairs of question and leaf.

    Example:
        >>> units = [("a", "reached"), ("b", "not_in_candidates"), ("c", "cut"), ("d", "reached")]
        >>> found = build_funnel(units, cutoff=10, missing={})
        >>> [(one.name, one.lost, one.reached, round(one.bound, 2)) for one in found.stages if one.lost]
        [('not_in_candidates', 1, 4, 0.67), ('cut', 1, 3, 0.75)]
    """
    counts = Counter(leaf for _, leaf in units)
    end: Literal["reached", "right"] = "right" if judged else "reached"
    reached = {stage: _reached(stage, counts) for stage in STAGES}
    return Funnel(
        cutoff=cutoff,
        n=len(units),
        missing=dict(missing),
        stages=tuple(
            FunnelStage(
                name=stage,
                lost=counts[stage],
                reached=reached[stage],
                interval=wilson(counts[stage], reached[stage]),
                bound=_bound(stage, counts, reached, counts[end]) if counts[stage] else None,
                queries=tuple(dict.fromkeys(query for query, leaf in units if leaf == stage)),
            )
            for stage in STAGES
        ),
        kept=counts[end],
        end=end,
        unjudged=counts["reached"] if judged else 0,
        interval=wilson(counts[end], len(units)),
        multi_hop=multi_hop,
        unit=unit,
    )


def _leaves(fate: Fate, unit: str) -> Iterable[Leaf]:
    return [fate.golds[gold] for gold in fate.required] if unit == "support" and fate.required else [fate.leaf]


def _reached(stage: Leaf, counts: Mapping[Leaf, int]) -> int:
    """Count what is known to have come to a stage: of what was lost somewhere unknown, that is not known."""
    came = sum(n for leaf, n in counts.items() if ORDER[leaf] >= ORDER[stage])
    return came - counts["unknown"] if stage in _HIDDEN else came


def _bound(stage: Leaf, counts: Mapping[Leaf, int], reached: Mapping[Leaf, int], kept: int) -> float:
    rate = 1.0
    for later in STAGES[ORDER[stage] + 1 :]:
        if reached[later]:
            rate *= 1 - counts[later] / reached[later]
    return (kept + counts[stage] * rate) / sum(counts.values())
