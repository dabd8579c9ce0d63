"""What the retrievers and the reranker suggest to do next: rules of thumb with their limits, never findings."""

from __future__ import annotations

from collections.abc import Iterator

from ragstone.experiments.diagnosis.cascade import RERANK
from ragstone.experiments.diagnosis.diagnose import Diagnosis
from ragstone.experiments.diagnosis.retrievers import Complementarity
from ragstone.reports.diagnosis.words import percent

ERROR_CORRELATION = 0.4
OVERLAP = 0.7
FUSION_POTENTIAL = 0.3
RERANKER_GAIN = 0.02
LEXICAL_RECALL = 0.5
_OVERLAP_AT = 10


def advice(diagnosis: Diagnosis) -> list[str]:
    """Return the advice that the limits call for; none where nothing is beyond them."""
    pairs = (line for pair in diagnosis.retrievers for line in _of_pair(pair))
    return [*pairs, *_of_reranker(diagnosis), *_of_lexical(diagnosis)]


def _of_pair(pair: Complementarity) -> Iterator[str]:
    first, second = pair.names
    correlation, overlap = pair.error_correlation, pair.overlap.get(_OVERLAP_AT)
    if correlation is not None and correlation > ERROR_CORRELATION:
        yield (
            f"{first} and {second} miss the same questions (correlation {correlation:.2f}, above "
            f"{ERROR_CORRELATION}): fusing them makes up for little; make one of them more different."
        )
    if overlap is not None and overlap > OVERLAP:
        yield (
            f"{first} and {second} share {percent(overlap)} of their first {_OVERLAP_AT} candidates (above "
            f"{percent(OVERLAP)}): one of them may do."
        )
    if pair.fusion_potential < FUSION_POTENTIAL:
        best = max(pair.recall, key=lambda name: pair.recall[name])
        yield (
            f"Both together hold {100 * pair.fusion_potential:.0f} points more recall than {best} alone (below "
            f"{100 * FUSION_POTENTIAL:.0f}): fusion has little more to find; see that it does not rank worse."
        )


def _of_reranker(diagnosis: Diagnosis) -> Iterator[str]:
    for row in diagnosis.cascade:
        if row.stage == RERANK and row.change is not None and row.change < RERANKER_GAIN:
            yield (
                f"Reranking changes MRR by {row.change:+.3f} (below {RERANKER_GAIN}): it may not be worth its "
                "time."
            )


def _of_lexical(diagnosis: Diagnosis) -> Iterator[str]:
    for row in diagnosis.cascade:
        found = [value for value in row.recall.values() if value is not None]
        if row.stage == "lexical" and found and max(found) < LEXICAL_RECALL:
            yield (
                f"Lexical search finds {percent(max(found))} of the golds (below {percent(LEXICAL_RECALL)}): the "
                "questions use other words than the documents; look at stemming, synonyms and headings."
            )
