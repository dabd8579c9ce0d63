"""Results of runs with given scores, for tests of comparisons."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cache

from ragstone.experiments.results import QueryResult, RunResult, collect
from ragstone.metrics import parse, summary
from ragstone.testing import FakeSystem
from ragstone.types import Score
from tests.judged import dataset_of
from tests.runs import finished_run

METRIC = "nDCG@5"


@cache
def _template(n: int) -> RunResult:
    golds = {f"q{i}": {f"d{i}": 3} for i in range(n)}
    script = {query: [f"d{query[1:]}"] for query in golds}
    return collect(*finished_run(FakeSystem(script), dataset=dataset_of(golds)))


def arm(
    scores: Sequence[float | None] | Mapping[str, Sequence[float | None]],
    name: str = "b",
    *,
    reason: str = "failed",
    tags: Mapping[str, object] | None = None,
) -> RunResult:
    """Return a run with these scores, by nDCG@5 or by the metrics named; the rest stay out of it.

    Args:
        scores: One for each question; None for no score, for the `reason`.
        name: Of the configuration.
        reason: Why there is no score.
        tags: Fields of the questions, each one value for a question.
    """
    columns = scores if isinstance(scores, Mapping) else {METRIC: scores}
    n = len(next(iter(columns.values())))
    whole = _template(n)
    queries = tuple(
        _question(found, {metric: values[place] for metric, values in columns.items()}, reason, tags or {}, place)
        for place, found in enumerate(whole.queries)
    )
    summaries = {metric: summary(parse(metric), [found.scores[metric] for found in queries]) for metric in columns}
    run = replace(whole.run, id=f"{name}-id", spec=replace(whole.run.spec, name=name))
    benchmark = replace(whole.benchmark, primary=parse(next(iter(columns))))
    return replace(whole, run=run, benchmark=benchmark, queries=queries, summaries=summaries)


def _question(
    found: QueryResult,
    scores: Mapping[str, float | None],
    reason: str,
    tags: Mapping[str, object],
    place: int,
) -> QueryResult:
    query = replace(found.query, **{key: values[place] for key, values in tags.items()})
    given = {name: Score(None, reason) if value is None else Score(value) for name, value in scores.items()}
    return replace(found, query=query, scores=given)
