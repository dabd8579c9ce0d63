"""Searches with recorded stages, written as people read them, and runs made of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ragstone.experiments.results import RunResult, collect
from ragstone.testing import FakeSystem, InMemoryStore
from ragstone.types import Dataset, Hit, Response, Stage
from tests.judged import dataset_of
from tests.runs import execute, planned


def traced(
    returned: Sequence[str], stages: Mapping[str, Sequence[str]] = {}, totals: Mapping[str, int] = {}, **more
):
    """Return a response of one-passage documents with the stages that led to it."""
    recorded = [
        Stage(name=name, ids=tuple(ids), scores=(0.0,) * len(ids), ms=1.0, total=totals.get(name, len(ids)))
        for name, ids in stages.items()
    ]
    names = dict.fromkeys(name for ids in stages.values() for name in ids if name not in returned)
    return Response(
        hits=hits_of(returned), stages=tuple(recorded), candidates=hits_of(list(names)), latency_ms=1.0, **more
    )


def hits_of(names: Sequence[str]) -> tuple[Hit, ...]:
    """Return one hit a document, best first."""
    return tuple(Hit(id=name, document=name, text=f"text of {name}") for name in names)


def result_of(
    responses: Mapping[str, object],
    golds: Mapping[str, Mapping[str, int]] | Dataset,
    *,
    groups=None,
    unanswerable: Sequence[str] = (),
    corpus: Sequence[Hit] | None = None,
    **changes: object,
) -> RunResult:
    """Run a benchmark with the primary metric Hit@2 over four returned hits, and gather its results."""
    return results_of([responses], golds, groups=groups, unanswerable=unanswerable, corpus=corpus, **changes)[0]


def results_of(
    arms: Sequence[Mapping[str, object]],
    golds: Mapping[str, Mapping[str, int]] | Dataset,
    *,
    groups=None,
    unanswerable: Sequence[str] = (),
    corpus: Sequence[Hit] | None = None,
    **changes: object,
) -> list[RunResult]:
    """Do the same for several systems on the same questions."""
    dataset = golds if isinstance(golds, Dataset) else dataset_of(golds, groups, unanswerable)
    settings = {"top_k": 4, "metrics": ["Hit@2", "nDCG@2", "RR"], "primary": "Hit@2", **changes}
    store, found = InMemoryStore(), []
    for responses in arms:
        runs = planned(store, dataset, **settings)
        execute(store, runs, FakeSystem(dict(responses), corpus))
        found += [collect(store, store.run(run.id)) for run in runs]
    return found
