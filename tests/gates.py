"""Runs with known scores for tests of the gate."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from ragstone.experiments.gate.decide import GateReport, decide
from ragstone.experiments.gate.margins import GateCheck
from ragstone.experiments.gate.policy import read_policy
from ragstone.files import YamlFile
from ragstone.testing import FakeSystem, FrozenClock, InMemoryStore
from ragstone.types import Dataset, Response, Run
from tests.judged import dataset_of
from tests.matrix_runs import TimedSystem
from tests.runs import execute, planned


def dataset(n: int, name: str = "test") -> Dataset:
    """Return n questions with one gold each."""
    return replace(dataset_of({f"q{i}": {f"d{i}": 2} for i in range(n)}), digest=f"{name}{n}")


def from_documents(n: int, size: int) -> Dataset:
    """Return n questions of which so many belong to each document."""
    questions = dataset(n)
    queries = tuple(
        replace(one, provenance={"document": str(i // size)}) for i, one in enumerate(questions.queries)
    )
    return replace(questions, queries=queries, digest=f"documents{n}")


def only(report: GateReport) -> GateCheck:
    """Return the one check of a gate."""
    (check,) = report.checks
    return check


def hits(n: int, right: Callable[[int], bool]) -> dict[str, object]:
    """Return a script in which the questions that are right find their gold first, the others nothing."""
    return {f"q{i}": [f"d{i}"] if right(i) else ["x"] for i in range(n)}


def latencies(n: int, ms: Callable[[int], float]) -> dict[str, object]:
    """Return a script of answers; what the clock says is not theirs, so see `SlowSystem`."""
    return {f"q{i}": Response(latency_ms=ms(i)) for i in range(n)}


def ran(store: InMemoryStore, script: Mapping[str, object], n: int, **settings: object) -> Run:
    """Return a finished run."""
    questions = settings.pop("questions", None) or dataset(n)
    (run,) = planned(store, questions, **{"metrics": ["Hit@5", "R@5"], **settings})
    execute(store, [run], FakeSystem(script), settings.pop("clock", None))
    return store.run(run.id)


def timed(store: InMemoryStore, seconds: Sequence[float]) -> Run:
    """Return a finished run whose searches take so long; the time limit is 60 s."""
    n, clock = len(seconds), FrozenClock()
    system = TimedSystem(hits(n, lambda i: True), clock, {f"q{i}": 1000 * one for i, one in enumerate(seconds)})
    (run,) = planned(store, dataset(n), metrics=["Hit@5", "R@5"], concurrency=1)
    execute(store, [run], system, clock)
    return store.run(run.id)


def policy_of(**rules: object):
    """Return a policy."""
    return read_policy(YamlFile("policy", rules))


def gate(n: int, before: Callable[[int], bool], after: Callable[[int], bool], **rules: object) -> GateReport:
    """Return the gate of a run in which `after` are right against one in which `before` are."""
    store = InMemoryStore()
    baseline, candidate = (ran(store, hits(n, right), n) for right in (before, after))
    return decide(store, candidate, baseline, policy_of(**rules))
