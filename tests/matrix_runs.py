"""Runs of a matrix for tests: who finds which question's gold at which rank, and how long that takes."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence

from ragstone.errors import UnreachableError
from ragstone.experiments.configuration import Configuration
from ragstone.experiments.matrix import config_hash
from ragstone.experiments.report import Report, build
from ragstone.experiments.runner import Runner
from ragstone.testing import FakeSystem, FrozenClock, InMemoryStore
from ragstone.types import Dataset, Hit, Query, Response, RunSpec
from tests.judged import dataset_of

Ranks = Sequence[int | None]


class TimedSystem(FakeSystem):
    """Answers from a script and lets the clock go on by so many milliseconds a search."""

    def __init__(self, answers, clock: FrozenClock, ms: Mapping[str, float]) -> None:
        super().__init__(answers)
        self.clock, self.ms = clock, ms

    async def search(self, query: str, k: int) -> Response:
        self.clock.seconds += self.ms.get(query, 1.0) / 1000
        return await super().search(query, k)


class Nobody:
    def run_started(self, run): ...

    def task_done(self, run, task, response): ...

    def run_finished(self, run): ...


def ranked(query: int, rank: int | None, tokens: float | None = None) -> Response:
    """Return a response with the query's gold at this rank; nowhere if there is none."""
    names = [f"x{n}" for n in range(1, 10)]
    if rank is not None:
        names.insert(rank - 1, f"d{query}")
    hits = tuple(Hit(id=name, document=name) for name in names)
    return Response(hits=hits, usage={} if tokens is None else {"tokens": tokens})


def matrix_report(
    ranks: Mapping[str, Ranks | Sequence[Ranks]],
    *,
    settings: Mapping[str, Mapping[str, object]] | None = None,
    ms: Mapping[str, Sequence[float]] | None = None,
    tokens: Mapping[str, float] | None = None,
    dataset: Dataset | None = None,
    repeats: int = 1,
    skip: Mapping[str, Sequence[int]] | None = None,
    metrics: Sequence[str] = ("RR", "Hit@1", "Hit@5"),
    own_metrics: Mapping[str, Sequence[str]] | None = None,
    failing: Sequence[str] = (),
) -> Report:
    """Run a matrix of fakes and build its report.

    Args:
        ranks: By run, the rank of each question's gold; with repeats, that for each repeat.
        settings: By run, what differs from the usual configuration.
        ms: By run, how long each search takes.
        tokens: By run, what each response reports as used.
        dataset: Of as many questions; by default q0, q1, ...
        repeats: How often each question is asked.
        skip: By run, questions of which the search fails; with `on_error` exclude they have no score.
        metrics: What is computed, the first being the primary one.
        own_metrics: By run, what is computed instead.
        failing: Runs whose system cannot be opened.
    """
    first = next(iter(ranks.values()))
    n = len(first[0]) if repeats > 1 else len(first)
    data = dataset or dataset_of({f"q{i}": {f"d{i}": 1} for i in range(n)})
    store, clock = InMemoryStore(), FrozenClock()
    systems, runs = {}, []
    for position, (name, given) in enumerate(ranks.items()):
        by_repeat = given if repeats > 1 else [given]
        answers = {f"q{i}": [ranked(i, one[i], (tokens or {}).get(name)) for one in by_repeat] for i in range(n)}
        answers |= {f"q{i}": [ConnectionError("down")] for i in (skip or {}).get(name, ())}
        times = (ms or {}).get(name, [1.0] * n)
        systems[name] = TimedSystem(answers, clock, {f"q{i}": times[i] for i in range(n)})
        own = dict((settings or {}).get(name, {}))
        spec = RunSpec(
            name=name,
            position=position,
            config=Configuration(**{"top_k": 10, **own}).model_dump(),
            system={"type": "fake"},
            factors=own,
            config_hash=config_hash(own),
            repeats=repeats,
        )
        content = {
            "name": "matrix", "dataset": ["q.jsonl"], "system": {"type": "fake"}, "top_k": 10,
            "metrics": list((own_metrics or {}).get(name, metrics)), "on_error": "exclude" if skip else "miss",
            "repeats": repeats, "retry": {"attempts": 1},
        }  # fmt: skip
        runs += store.plan(content, data, [spec], created_at="2000-01-01T00:00:00Z")

    async def opened(run):
        if run.spec.name in failing:
            raise UnreachableError("cannot be opened")
        return systems[run.spec.name]

    asyncio.run(Runner(store, opened, clock, Nobody(), "tester").run(run.id for run in runs))
    return build(store, [store.run(run.id) for run in runs])


def clustered(n: int, size: int) -> Dataset:
    """Return a dataset of questions of which so many at a time come from one document."""
    plain = dataset_of({f"q{i}": {f"d{i}": 1} for i in range(n)})
    queries = tuple(Query(id=f"q{i}", text=f"q{i}", provenance={"document": f"doc{i // size}"}) for i in range(n))
    return Dataset(name="clustered", queries=queries, golds=plain.golds, digest="clustered")
