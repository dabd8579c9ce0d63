"""The pytest plug-in: benchmarks as tests.

    @pytest.mark.rag_eval("bench.yaml", policy="gate.yaml", against="main-1f2e3d")
    def test_search(rag_eval):
        rag_eval.assert_above("Hit@5", 0.8)

Every pytest run on a machine loads this module, so it imports nothing of Ragstone until a test is marked.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from ragstone.experiments.gate.decide import GateReport
    from ragstone.experiments.gate.policy import GatePolicy
    from ragstone.experiments.report import Report
    from ragstone.experiments.results import RunResult
    from ragstone.ports import Store
    from ragstone.pytest_session import Session
    from ragstone.settings import Settings
    from ragstone.types import Run

# ruff: noqa: PLC0415 - what is imported here would be imported into every pytest run

MARKER = "rag_eval"
_SIGNATURE = (
    "rag_eval(benchmark, run=None, policy=None, against=None): run a benchmark once a session; the policy, or "
    "else the benchmark's thresholds, is asserted before the body of the test."
)


class RagEvalWarning(UserWarning):
    """A gate without enough evidence, whose policy says to warn."""


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class RagEval:
    """What a marked test gets: the results of its benchmark, and ways to assert something of them.

    Attributes:
        report: Of all runs of the benchmark.
        result: Of the run that is decided on: scores, summaries, questions.
        policy: The marker's policy file.
        against: The marker's baseline.
        settings: Where the store is.
        folders: Where policy files are looked for.
    """

    report: Report
    result: RunResult
    policy: str | Path | None
    against: str | None
    settings: Settings
    folders: tuple[Path, ...]

    def gate(self, policy: str | Path | Mapping[str, Any] | None = None, against: str | None = None) -> GateReport:
        """Hold a policy against the run and return the outcome.

        Args:
            policy: A policy file, or its content; by default that of the marker, else the benchmark's thresholds.
            against: The baseline: another run of the benchmark by name, or any run in the store; by default that
                of the marker.
        """
        from ragstone.bootstrap import open_configured_store
        from ragstone.experiments.gate.decide import decide

        rules = self._policy(self.policy if policy is None else policy)
        reference = against or self.against
        with _readable(), open_configured_store(self.settings) as store:
            baseline = None if reference is None else self._baseline(store, reference)
            return decide(store, self.result.run, baseline, rules)

    def assert_gate(
        self, policy: str | Path | Mapping[str, Any] | None = None, against: str | None = None
    ) -> None:
        """Fail the test unless the gate passes; too little evidence warns where the policy says so."""
        __tracebackhide__ = True
        from ragstone.reports.gate.render import render_gate

        found = self.gate(policy, against)
        if found.blocks:
            raise AssertionError(render_gate(found))
        if found.outcome != "pass":
            warnings.warn(render_gate(found), RagEvalWarning, stacklevel=2)

    def assert_above(self, metric: str, bound: float | str) -> None:
        """Fail the test unless a metric's value is above a bound, such as 0.8."""
        __tracebackhide__ = True
        self._assert_limit(metric, ">", bound)

    def assert_below(self, metric: str, bound: float | str) -> None:
        """Fail the test unless a metric's value is below a bound, such as 0.01 or, for a latency, ``"5 s"``."""
        __tracebackhide__ = True
        self._assert_limit(metric, "<", bound)

    def value(self, metric: str) -> float | None:
        """Return a metric's value; None where it could not be computed."""
        from ragstone.metrics import parse

        with _readable():
            return self.result.summaries[str(parse(metric))].value

    def _assert_limit(self, metric: str, sign: str, bound: float | str) -> None:
        __tracebackhide__ = True
        from ragstone.reports.gate.words import check_sentence

        rules = {"thresholds": {metric: f"{sign} {bound}"}, "thresholds_by": "value", "on_not_enough": "block"}
        found = self.gate(rules)
        if found.blocks:
            raise AssertionError(
                "\n".join(check_sentence(check) for check in found.checks if check.outcome != "pass")
            )

    def _policy(self, policy: str | Path | Mapping[str, Any] | None) -> GatePolicy:
        from ragstone.experiments.gate.decide import benchmark_policy
        from ragstone.experiments.gate.policy import load_policy, read_policy
        from ragstone.files import YamlFile

        with _readable():
            if policy is None:
                return benchmark_policy(self.result.run)
            if isinstance(policy, Mapping):
                return read_policy(YamlFile("policy", dict(policy)))
            return load_policy(_existing(policy, self.folders))

    def _baseline(self, store: Store, reference: str) -> Run:
        from ragstone.experiments.gate.decide import find_baseline

        own = {result.run.spec.name: result.run for result in self.report.runs}
        return own.get(reference) or find_baseline(store, reference)


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the option that names the store."""
    group = parser.getgroup("ragstone", "retrieval and RAG benchmarks")
    message = (
        "SQLite file that keeps the runs of marked tests, and where baselines are looked up [default: none kept]."
    )
    group.addoption("--rag-store", metavar="FILE", help=message)


def pytest_configure(config: pytest.Config) -> None:
    """Make the marker known."""
    config.addinivalue_line("markers", _SIGNATURE)


def pytest_unconfigure(config: pytest.Config) -> None:
    """Remove what was kept for the session."""
    session = config.stash.get(_SESSION, None)
    if session is not None:
        session.close()


@pytest.fixture
def rag_eval(request: pytest.FixtureRequest) -> RagEval:
    """The results of the benchmark that the test's marker ``rag_eval`` names."""
    return _evaluation(request.node)


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_call(item: pytest.Item) -> None:
    """Assert what the marker demands, before the body of the test."""
    __tracebackhide__ = True
    if item.get_closest_marker(MARKER) is None:
        return
    found = _evaluation(item)
    if found.policy is not None or found.result.benchmark.thresholds:
        found.assert_gate()
    elif MARKER not in getattr(item, "fixturenames", ()):
        pytest.fail(
            "nothing is checked: name a policy in the marker, give the benchmark thresholds, or take the fixture "
            "rag_eval and assert something",
            pytrace=False,
        )


_SESSION: pytest.StashKey[Session] = pytest.StashKey()


def _evaluation(item: pytest.Item) -> RagEval:
    __tracebackhide__ = True
    marker = item.get_closest_marker(MARKER)
    if marker is None:
        pytest.fail('the fixture rag_eval needs a marker: @pytest.mark.rag_eval("bench.yaml")', pytrace=False)
    wanted = _arguments(marker)
    if _SESSION not in item.config.stash:
        from ragstone.pytest_session import Session

        item.config.stash[_SESSION] = Session(item.config)
    session = item.config.stash[_SESSION]
    folders = (item.path.parent, item.config.rootpath)
    with _readable():
        report = session.report(_existing(wanted["benchmark"], folders))
        return RagEval(
            report=report,
            result=_the_run(report, wanted["run"]),
            policy=wanted["policy"],
            against=wanted["against"],
            settings=session.settings,
            folders=folders,
        )


def _arguments(marker: pytest.Mark) -> dict[str, Any]:
    """Return the marker's arguments, all of them."""
    known = dict.fromkeys(("benchmark", "run", "policy", "against"))
    given = {**dict(zip(known, marker.args, strict=False)), **marker.kwargs}
    if len(marker.args) > 1 or given.keys() - known.keys() or not given.get("benchmark"):
        pytest.fail(
            f"the marker is {_SIGNATURE.partition(': ')[0]}, got {marker.args} and {marker.kwargs}", pytrace=False
        )
    return {**known, **given}


def _existing(name: str | Path, folders: tuple[Path, ...]) -> Path:
    """Return the file beside the test, else in the root folder; where there is none, the first place."""
    places = [(folder / name).resolve() for folder in folders]
    return next((place for place in places if place.is_file()), places[0])


def _the_run(report: Report, name: str | None) -> RunResult:
    from ragstone.errors import UnknownNameError, UsageError

    named = {result.run.spec.name: result for result in report.runs}
    if name is None and len(report.runs) > 1:
        raise UsageError(
            f"the benchmark has {len(report.runs)} runs; name one in the marker, run=: {', '.join(named)}"
        )
    if name is not None and name not in named:
        raise UnknownNameError("run", name, named)
    return report.runs[0] if name is None else named[name]


@contextmanager
def _readable() -> Iterator[None]:
    """Turn an error of ours into a failure that is its message alone."""
    __tracebackhide__ = True
    from ragstone.errors import RagstoneError

    try:
        yield
    except RagstoneError as error:
        raise pytest.fail.Exception(str(error), pytrace=False) from None
