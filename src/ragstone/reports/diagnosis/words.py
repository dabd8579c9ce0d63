"""The loss funnel in words: names of its leaves, reasons, and the sentence that sums it up."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from ragstone.experiments.diagnosis.fates import Leaf
from ragstone.experiments.diagnosis.funnel import Funnel, FunnelStage
from ragstone.reports.words import count

OPTIMISTIC = (
    "It is an optimistic bound: the later stages let pass the share that they do now, though what is hard to find "
    "is often hard to rank as well."
)


@dataclass(frozen=True, slots=True)
class Words:
    """A leaf in words, with {k} for the cutoff.

    Attributes:
        title: In a table.
        because: After "lost because".
        mending: What it would take, before "could raise".
    """

    title: str
    because: str
    mending: str


_WORDS: Mapping[Leaf, Words] = {
    "not_in_corpus": Words("Not in the corpus", "the corpus does not hold it", "completing the corpus"),
    "not_indexed": Words("Not indexed", "no passage of its document fits it", "parsing and indexing"),
    "failed_search": Words("Search failed", "the search failed", "failing searches"),
    "out_of_scope": Words("Out of scope", "the search looked in other folders", "the choice of folders"),
    "not_in_candidates": Words("Not in the candidates", "no retriever found it", "retrieval"),
    "below_rerank_depth": Words(
        "Below the rerank depth", "it stood too deep to be reranked", "the depth of reranking"
    ),
    "reranked_out": Words("Reranked out", "reranking left it below rank {k}", "reranking"),
    "threshold": Words("Below the threshold", "its score was below the threshold", "the threshold"),
    "unknown": Words("Unknown where", "the system does not say where", "whatever loses it"),
    "cut": Words("Found, but cut off", "it ranked below {k}", "ranking"),
    "refused": Words("Wrongly refused", "the system said that it has no answer", "wrong refusals"),
    "not_cited": Words("Not cited", "the answer does not cite it", "citation"),
    "unsupported": Words("Unsupported", "the evidence does not support the answer", "grounding"),
    "wrong": Words("Answer wrong", "the answer is wrong all the same", "the answers"),
    "reached": Words("In the first {k}", "", ""),
    "right": Words("Answer right", "", ""),
}


def title(leaf: Leaf, cutoff: int) -> str:
    """Return a leaf's name in a table.

    Example:
        >>> title("reached", 10)
        'In the first 10'
    """
    return _WORDS[leaf].title.format(k=cutoff)


def because(leaf: Leaf, cutoff: int) -> str:
    """Return a leaf as the end of "lost because"; empty for the leaves that lose nothing."""
    return _WORDS[leaf].because.format(k=cutoff)


def end_words(funnel: Funnel) -> str:
    """Return what the share that came to the end is called."""
    if funnel.end == "right":
        return "right answers"
    if funnel.unit == "support":
        return f"the share of the evidence in the first {funnel.cutoff}"
    if funnel.multi_hop:
        return f"the share with all evidence in the first {funnel.cutoff}"
    return f"Hit@{funnel.cutoff}"


def funnel_sentence(funnel: Funnel) -> str:
    """Return the report line: where most was lost, and what mending that could bring at most."""
    if not funnel.n:
        return "No question has evidence that could be followed."
    if not funnel.lost:
        return f"No evidence was lost: {end_words(funnel)} for all of {_counted(funnel.n, funnel)}."
    losses = sorted((stage for stage in funnel.stages if stage.lost), key=lambda stage: -stage.lost)
    verb = "was" if losses[0].lost == 1 else "were"
    first, *reasons = (f"{stage.lost} {{}}{_how(stage, funnel)}" for stage in losses[:3])
    rest = sum(stage.lost for stage in losses[3:])
    said = [first.format(f"{verb} lost "), *(one.format("") for one in reasons)]
    said += [f"{rest} elsewhere"] if rest else []
    listed = ", ".join(said)
    return f"Of {_counted(funnel.lost, funnel)} without {_wanted(funnel)}, {listed}{_gain(losses[0], funnel)}."


def _how(stage: FunnelStage, funnel: Funnel) -> str:
    """Return the cause; what is unknown is a place and no cause."""
    return "at an unknown place" if stage.name == "unknown" else f"because {because(stage.name, funnel.cutoff)}"


def _wanted(funnel: Funnel) -> str:
    if funnel.end == "right":
        return "a right answer"
    return f"{'their evidence' if funnel.unit == 'question' else 'a place'} in the first {funnel.cutoff}"


def _counted(n: int, funnel: Funnel) -> str:
    """Return so many questions, or pieces of evidence where these are counted one by one."""
    return (
        count(n, "question") if funnel.unit == "question" else count(n, "piece of evidence", "pieces of evidence")
    )


def bound_of(stage: FunnelStage) -> float | None:
    """Return what mending a stage could bring at most; None for an unknown place, which nobody can mend."""
    return None if stage.name == "unknown" else stage.bound


def _gain(stage: FunnelStage, funnel: Funnel) -> str:
    bound = bound_of(stage)
    if bound is None or funnel.share is None:
        return ""
    values = f"from {percent(funnel.share)} to at most {percent(bound)}"
    return f"; mending {_WORDS[stage.name].mending} could raise {end_words(funnel)} {values}"


def percent(share: float | None) -> str:
    """Return a share in whole percent; a dash for none.

    Example:
        >>> percent(0.756)
        '76%'
    """
    return "\N{EN DASH}" if share is None else f"{100 * share:.0f}%"
