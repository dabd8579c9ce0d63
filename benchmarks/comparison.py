"""Comparing two runs of 200 questions with everything that a report says of them, after import."""

from __future__ import annotations

import asyncio
import random
import statistics
import time

from ragstone.experiments.benchmark import Benchmark
from ragstone.experiments.comparison.compare import compare
from ragstone.experiments.matrix import expand
from ragstone.experiments.results import RunResult, collect
from ragstone.experiments.runner import Runner, Unobserved
from ragstone.files import YamlFile
from ragstone.systems.callable import CallableOptions
from ragstone.testing import FakeSystem, FrozenClock, InMemoryStore
from ragstone.types import Dataset, Gold, Query

QUESTIONS, HITS, RUNS = 200, 20, 9
CONTENT = {
    "name": "compared",
    "dataset": ["-"],
    "system": {"type": "callable", "function": "in:memory"},
    "top_k": HITS,
    "metrics": ["nDCG@10", "Hit@5", "RR@10", "R@10"],
}


def results() -> list[RunResult]:
    """Return two runs, the second a little better."""
    rng, store = random.Random(1), InMemoryStore()
    content = {**CONTENT, "system": CallableOptions.model_validate(CONTENT["system"])}
    specs, _ = expand(Benchmark.model_validate(content), YamlFile("-", CONTENT))
    return [collect(store, store.run(_run(store, specs, share, rng))) for share in (0.6, 0.7)]


def _run(store: InMemoryStore, specs, share: float, rng: random.Random) -> str:
    names = [f"q{number}" for number in range(QUESTIONS)]
    golds = {name: (Gold(kind="document", document=f"d-{name}", grade=3),) for name in names}
    queries = tuple(Query(id=name, text=name, category=f"c{len(name) % 6}") for name in names)
    (run,) = store.plan(
        CONTENT, Dataset(name="c", queries=queries, golds=golds, digest="c"), specs, created_at="-"
    )
    answers = {name: [f"x{rng.randrange(999)}-{rank}" for rank in range(HITS)] for name in names}
    for name, found in answers.items():
        if rng.random() < share:
            found[rng.randrange(HITS)] = f"d-{name}"

    async def opened(_run):
        return FakeSystem(answers)

    asyncio.run(Runner(store, opened, FrozenClock(), Unobserved(), "bench").run([run.id]))
    return run.id


def main() -> None:
    """Print the median time."""
    runs, times = results(), []
    for _ in range(RUNS):
        start = time.perf_counter()
        compare(runs)
        times.append(time.perf_counter() - start)
    print(f"comparing two runs of {QUESTIONS} questions, four metrics: {1000 * statistics.median(times):.0f} ms")


if __name__ == "__main__":
    main()
