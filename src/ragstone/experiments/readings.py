"""The same responses matched more strictly and more loosely: how much of a score is the matching's."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from ragstone.experiments.clusters import summaries_of
from ragstone.experiments.stored import StoredBenchmark
from ragstone.matching import MatchOptions, judge_run
from ragstone.matching.normalise import document_name
from ragstone.metrics import Metric, parse, score
from ragstone.stats.summary import mean_over_repeats
from ragstone.types import Dataset, Gold, Response, Summary

ReadingName = Literal["strict", "tolerant", "document"]
DEFAULT_K = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """A run under one way of matching.

    Attributes:
        name: ``strict`` (the very page, the very heading), ``tolerant`` (neighbouring pages, headings below) or
            ``document`` (any place in the right document).
        used: Whether this is how the run's own scores were made.
        summaries: By metric: the primary one, and the hit rate at its cutoff.
    """

    name: ReadingName
    used: bool
    summaries: Mapping[str, Summary]


def readings(
    dataset: Dataset, repeats: Sequence[Mapping[str, Response]], benchmark: StoredBenchmark
) -> tuple[Reading, ...]:
    """Return the strict, the tolerant and the document reading of a run.

    There are none where no gold points at a page or a heading: then they are the same.
    """
    if not any(gold.kind in ("page", "anchor") for golds in dataset.golds.values() for gold in golds):
        return ()
    given = benchmark.matching
    strict = replace(given, page_tolerance=0, headings="exact")
    tolerant = replace(given, page_tolerance=max(1, given.page_tolerance), headings="prefix")
    ways: tuple[tuple[ReadingName, Dataset, MatchOptions], ...] = (
        ("strict", dataset, strict),
        ("tolerant", dataset, tolerant),
        ("document", by_document(dataset), replace(given, unit=None)),
    )
    return tuple(
        Reading(
            name=name,
            used=name != "document" and options == given,
            summaries=_summaries(golds, repeats, options, benchmark),
        )
        for name, golds, options in ways
    )


def by_document(dataset: Dataset) -> Dataset:
    """Return the dataset with every gold pointing at its whole document, each document once, at its best grade.

    Golds whose documents differ in case or extension alone are one, found by either spelling. A gold that names
    a chunk alone stays.
    """
    golds = {query: _documents(found) for query, found in dataset.golds.items()}
    return replace(dataset, golds=golds, support_groups={})


def _documents(golds: Iterable[Gold]) -> tuple[Gold, ...]:
    wholes: dict[str, list[Gold]] = {}
    for gold in golds:
        whole = Gold(
            kind="document", document=gold.document, ref=gold.ref, grade=gold.grade, resolved=gold.resolved
        )
        named = whole if gold.document else gold
        wholes.setdefault(document_name(gold.document) if gold.document else f"#{gold.chunk}", []).append(named)
    return tuple(_merged(found) for found in wholes.values())


def _merged(golds: Sequence[Gold]) -> Gold:
    """Return the best gold, found by its exact name only where all of them want that very name."""
    best = max(golds, key=lambda gold: (gold.resolved, gold.grade))
    alike = len({(gold.ref, gold.document) for gold in golds}) == 1
    return best if alike else replace(best, ref=None)


def _summaries(
    dataset: Dataset,
    repeats: Sequence[Mapping[str, Response]],
    options: MatchOptions,
    benchmark: StoredBenchmark,
) -> dict[str, Summary]:
    judged = [judge_run(dataset, answers, options, depth=benchmark.configuration.top_k) for answers in repeats]
    scores = {
        str(metric): mean_over_repeats([score(one, metric, benchmark.policy) for one in judged])
        for metric in _metrics(benchmark)
    }
    samples = {name: {query: [one] for query, one in by_query.items()} for name, by_query in scores.items()}
    return summaries_of(dataset.queries if repeats else (), samples)


def _metrics(benchmark: StoredBenchmark) -> tuple[Metric, ...]:
    cutoff = benchmark.primary.cutoff or min(DEFAULT_K, benchmark.configuration.top_k)
    return tuple(dict.fromkeys((benchmark.primary, parse(f"Hit@{cutoff}"))))
