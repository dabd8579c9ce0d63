from __future__ import annotations

import asyncio
import hashlib
from dataclasses import replace

import pytest

from ragstone.errors import UnreachableError
from ragstone.experiments.configuration import Configuration
from ragstone.experiments.report import Report, build
from ragstone.experiments.runner import Runner
from ragstone.testing import FakeSystem, FrozenClock, InMemoryStore
from ragstone.types import Dataset, Gold, Hit, Query, Response, RunSpec, Stage

NASTY = (
    "<script>alert(1)</script>",
    "a | pipe, **bold** and [a link](http://evil.example)",
    "\x1b[31mred\x07 and \u202egnp.exe",
    "=cmd()",
)


class Quiet:
    def run_started(self, run): ...

    def task_done(self, run, task, response): ...

    def run_finished(self, run): ...


class SlowClock(FrozenClock):
    """Every look at the clock costs some milliseconds."""

    def __init__(self, step: float = 0.01) -> None:
        super().__init__()
        self.step = step

    def monotonic(self) -> float:
        self.seconds += self.step
        return self.seconds


def make_report(
    dataset: Dataset, systems: dict[str, object], *, clock=None, repeats: int = 1, **settings
) -> Report:
    """Run a benchmark of fakes and build its report."""
    store = InMemoryStore()
    content = {
        "name": "a benchmark",
        "dataset": ["questions.jsonl"],
        "system": {"type": "fake"},
        "top_k": 10,
        "timeout_seconds": 0.05,
        "retry": {"attempts": 1},
        **settings,
    }
    config = Configuration(**{key: content[key] for key in Configuration.model_fields if key in content})
    specs = [
        RunSpec(
            name=name,
            position=position,
            config=config.model_dump(),
            system=content["system"],
            factors={"name": name},
            config_hash=hashlib.sha256(name.encode()).hexdigest()[:16],
            repeats=repeats,
        )
        for position, name in enumerate(systems)
    ]
    runs = store.plan(content, dataset, specs, created_at="2000-01-01T00:00:00Z")

    async def opened(run):
        system = systems[run.spec.name]
        if isinstance(system, Exception):
            raise system
        return system

    asyncio.run(Runner(store, opened, clock or SlowClock(), Quiet(), "me").run(run.id for run in runs))
    return build(store, [store.run(run.id) for run in runs])


def questions(n: int = 12) -> Dataset:
    """Answerable questions with two golds each, and one that nothing answers."""
    queries = tuple(
        Query(
            id=f"q{i}",
            text=f"question {i}",
            category="even" if i % 2 == 0 else "odd",
            difficulty="easy",
            expected_answer=f"answer {i}",
        )
        for i in range(n)
    )
    golds = {
        query.id: (
            Gold(kind="document", document=f"d{i}", grade=3),
            Gold(kind="document", document=f"e{i}", grade=1),
        )
        for i, query in enumerate(queries)
    }
    extra = (Query(id="none", text="who knows?", answerable=False), Query(id="bare", text="not labelled yet"))
    return Dataset(name="questions", queries=(*queries, *extra), golds=golds, digest="0123456789abcdef" * 4)


class TroubledSystem(FakeSystem):
    """Finds, fails, hangs, falls back and misses, each on its own question."""

    async def search(self, query: str, k: int) -> Response:
        answer = await super().search(query, k)
        if query == "question 2":
            await asyncio.sleep(60)
        if query == "question 3":
            return replace(answer, degraded=("no reranker: fusion order",))
        return answer


def lost(i: int) -> Response:
    """A response in which the best gold was found by a retriever and dropped by the reranker."""
    hits = tuple(Hit(id=f"x{n}", document=f"x{n}", text="some text", score=1 / (n + 1)) for n in range(10))
    gold = Hit(id=f"d{i}", document=f"d{i}")
    names = tuple(hit.id for hit in hits)
    scores = (0.0,) * 10
    return Response(
        hits=hits,
        candidates=(gold,),
        stages=(
            Stage(name="lexical", ids=(*names, gold.id), scores=(*scores, 0.0), ms=1.0),
            Stage(name="rerank", ids=names, scores=scores, ms=1.0),
        ),
    )


def answers(n: int = 12) -> dict[str, object]:
    """A script: the best gold at rank i + 1, a failure, and one question whose gold was lost."""
    script: dict[str, object] = {
        f"question {i}": [[*(f"x{j}" for j in range(i)), f"d{i}", f"d{i}"]] for i in range(n)
    }
    script["question 1"] = ConnectionError("refused <b>")
    script["question 4"] = lost(4)
    script["who knows?"] = [["x"]]
    return script


@pytest.fixture(scope="session")
def troubled() -> Report:
    """Two runs with every kind of trouble: one hobbles along, one cannot even start."""
    return make_report(
        questions(),
        {"hobbling": TroubledSystem(answers()), "dead": UnreachableError("nobody is there")},
        thresholds={"Hit@5": "> 0.99", "latency_p95": "< 5 s"},
        metrics=["nDCG@10", "Hit@1", "Hit@5", "RR@10", "P@20"],
    )


@pytest.fixture(scope="session")
def good() -> Report:
    """One run in which all went well."""
    dataset = questions(20)
    answerable = dataset.queries[:20]
    dataset = replace(dataset, queries=answerable)
    script = {query.text: [[f"d{i}", f"e{i}"]] for i, query in enumerate(answerable)}
    return make_report(dataset, {"good": FakeSystem(script)}, metrics=["Hit@5", "nDCG@10"], primary="Hit@5")


@pytest.fixture(scope="session")
def empty() -> Report:
    """One run without a single question that can be scored."""
    dataset = Dataset(name="bare", queries=(Query(id="q", text="why?"),), golds={}, digest="f" * 64)
    return make_report(dataset, {"only": FakeSystem({})})


@pytest.fixture(scope="session")
def nasty() -> Report:
    """A report in which every text from outside tries to do harm."""
    queries = tuple(Query(id=f"={i}<i>", text=text, category=text) for i, text in enumerate(NASTY))
    golds = {query.id: (Gold(kind="document", document="<u>gold|</u>"),) for query in queries}
    dataset = Dataset(name="<b>set</b>", queries=queries, golds=golds, digest="d" * 64)
    script = {
        NASTY[0]: [["</td><script>x</script>", "a|b"]],
        NASTY[1]: [["<u>gold|</u>"]],
        NASTY[2]: RuntimeError("<script>boom</script>\x1b[2J `tick`"),
        NASTY[3]: Response(hits=(Hit(id="\u202ex", document="\u202ex", text="<script>t</script>"),)),
    }
    return make_report(
        dataset, {"<h1>run|</h1>": FakeSystem(script)}, name="<h1>title</h1>", description="*x* <b>"
    )


@pytest.fixture(params=["troubled", "good", "empty", "nasty"])
def any_report(request) -> Report:
    """Each of the reports."""
    return request.getfixturevalue(request.param)


@pytest.fixture
def make():
    """The function that runs fakes and builds their report."""
    return make_report


@pytest.fixture
def ask():
    """The function that makes a dataset of so many questions."""
    return questions


@pytest.fixture
def script():
    """The function that makes the troubled system's answers."""
    return answers
