"""Everything that a run's recorded stages say about where it loses, put together for reports."""

from __future__ import annotations

from dataclasses import dataclass

from ragstone.experiments.diagnosis.fates import Verdicts, cutoff_of, fates
from ragstone.experiments.diagnosis.funnel import Funnel, funnel_of
from ragstone.experiments.diagnosis.reranking import Reranking, rerank_headroom
from ragstone.experiments.diagnosis.retrievers import CascadeRow, Complementarity, cascade, complementarity
from ragstone.experiments.results import RunResult
from ragstone.types import Score


@dataclass(frozen=True, slots=True, kw_only=True)
class Diagnosis:
    """Where a run loses, and what each stage is worth.

    Attributes:
        funnel: By question.
        supports: The same, each required support of a multi-hop question counted for itself; None where no
            question is multi-hop.
        reranking: None where no stages were recorded.
        oracle_context: What the answers would score if the generator were given the gold passages; it takes
            answers, so it is not computed for a system that only searches.
        retrievers: Every two retrievers held against each other.
        cascade: Every recorded stage; empty where the system records none.
    """

    funnel: Funnel
    supports: Funnel | None
    reranking: Reranking | None
    oracle_context: Score
    retrievers: tuple[Complementarity, ...]
    cascade: tuple[CascadeRow, ...]


def diagnose(result: RunResult, verdicts: Verdicts | None = None) -> Diagnosis:
    """Return the diagnosis of a run's first repeat; nothing is asked again.

    Args:
        result: The run.
        verdicts: What judges say of its answers, by question.
    """
    found, cutoff, judged = fates(result, verdicts, every_gold=False), cutoff_of(result), bool(verdicts)
    by_question = funnel_of(found, cutoff=cutoff, judged=judged)
    by_support = funnel_of(found, cutoff=cutoff, judged=judged, unit="support")
    answered = any(found.response and found.response.answer is not None for found in result.queries)
    return Diagnosis(
        funnel=by_question,
        supports=by_support if by_question.multi_hop else None,
        reranking=rerank_headroom(result),
        oracle_context=Score(None, "gold_context_not_asked" if answered else "no_answers"),
        retrievers=complementarity(result),
        cascade=cascade(result),
    )
