"""Benchmarks, stores and runners for tests."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping

from ragstone.experiments.benchmark import Benchmark
from ragstone.experiments.matrix import expand
from ragstone.experiments.runner import Runner
from ragstone.files import YamlFile
from ragstone.systems.callable import CallableOptions
from ragstone.testing import FakeSystem, FrozenClock, InMemoryStore
from ragstone.types import Run
from tests.judged import dataset_of

CONTENT: Mapping[str, object] = {
    "name": "test",
    "dataset": ["q.jsonl"],
    "system": {"type": "callable", "function": "a:b"},
    "top_k": 5,
    "metrics": ["Hit@5", "nDCG@5", "RR"],
}
GOLDS = {f"q{i}": {f"d{i}": 3, "x": 1} for i in range(12)}


class Silent:
    """An observer that counts."""

    def __init__(self) -> None:
        self.done: list[str] = []
        self.finished: list[Run] = []

    def run_started(self, run):
        pass

    def task_done(self, run, task, response):
        self.done.append(task.query)

    def run_finished(self, run):
        self.finished.append(run)


def specs_of(**changes: object):
    """Return content and run specifications of a small benchmark."""
    content = {**CONTENT, **changes}
    options = CallableOptions.model_validate(content["system"])
    specs, problems = expand(Benchmark.model_validate({**content, "system": options}), YamlFile("test", content))
    assert not problems
    return content, specs


def planned(store, dataset=None, **changes: object) -> list[Run]:
    """Plan a small benchmark in a store."""
    content, specs = specs_of(**changes)
    return list(store.plan(content, dataset or dataset_of(GOLDS), specs, created_at="2000-01-01T00:00:00Z"))


def execute(store, runs, system, clock=None, observer=None) -> Silent:
    """Execute runs against one system."""

    async def opened(_run):
        return system

    observer = observer or Silent()
    runner = Runner(store, opened, clock or FrozenClock(), observer, "tester")
    asyncio.run(runner.run([run.id for run in runs]))
    return observer


def answers() -> dict[str, object]:
    """Return a script in which every query finds its gold at rank 2."""
    return {query: ["y", f"d{query[1:]}", "z"] for query in GOLDS}


def finished_run(system=None, store=None, **changes: object):
    """Return a store with one executed run."""
    store = store or InMemoryStore()
    runs = planned(store, **changes)
    execute(store, runs, system or FakeSystem(answers()))
    return store, store.run(runs[0].id)
