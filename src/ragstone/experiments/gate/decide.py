"""May this change ship? A policy held against a run and its baseline, as one object that every output reads."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from ragstone.errors import ExitCode, UsageError, did_you_mean
from ragstone.experiments.benchmark import Benchmark
from ragstone.experiments.comparison.identity import Mismatch
from ragstone.experiments.gate.checks import all_checks, must_pass_metric
from ragstone.experiments.gate.facts import tolerated
from ragstone.experiments.gate.margins import GateCheck
from ragstone.experiments.gate.policy import GatePolicy
from ragstone.experiments.results import RunResult, collect
from ragstone.experiments.select import find_run
from ragstone.metrics import parse
from ragstone.ports import Store
from ragstone.stats.gate import Outcome
from ragstone.types import Run


@dataclass(frozen=True, slots=True, kw_only=True)
class RunName:
    """Which run is meant."""

    id: str
    name: str


@dataclass(frozen=True, slots=True, kw_only=True)
class GateReport:
    """A gate's outcome with every check. Text, JSON, JUnit, Markdown and exit code are made of this alone.

    Attributes:
        title: The benchmark's name.
        dataset: Digest of the questions.
        questions: How many there are.
        baseline: None where nothing is compared.
        tolerated: In what the runs differ beside the configuration, allowed by the policy or worth knowing.
    """

    title: str
    dataset: str
    questions: int
    candidate: RunName
    baseline: RunName | None
    policy: GatePolicy
    checks: tuple[GateCheck, ...]
    tolerated: tuple[Mismatch, ...] = ()

    @property
    def outcome(self) -> Outcome:
        """Any failed check fails it; else any without enough evidence leaves it open."""
        outcomes = {check.outcome for check in self.checks}
        return "fail" if "fail" in outcomes else "not_enough" if "not_enough" in outcomes else "pass"

    @property
    def statistical(self) -> bool:
        """Whether any check asked chance; else measured values alone decided."""
        return any(check.interval for check in self.checks)

    @property
    def blocks(self) -> bool:
        """Whether the change is held up."""
        return self.verdict != ExitCode.OK

    @property
    def verdict(self) -> ExitCode:
        """The exit code: 0, 1, or 6 unless the policy makes that a warning."""
        if self.outcome == "fail":
            return ExitCode.GATE_FAILED
        open_ = self.outcome == "not_enough" and self.policy.on_not_enough == "block"
        return ExitCode.NOT_ENOUGH_EVIDENCE if open_ else ExitCode.OK

    @property
    def to_settle(self) -> int | None:
        """About how many more questions would settle the open checks; None where that is not known of each."""
        counts = [check.to_settle for check in self.checks if check.outcome == "not_enough"]
        known = [count for count in counts if count is not None]
        return max(known, default=0) if len(known) == len(counts) else None

    def having(self, outcome: Outcome) -> tuple[GateCheck, ...]:
        """Return the checks that came out so."""
        return tuple(check for check in self.checks if check.outcome == outcome)


def find_baseline(store: Store, reference: str) -> Run:
    """Return the run that a baseline reference means.

    Raises:
        UsageError: There is none; the message says how to get one.
    """
    try:
        return find_run(store, reference)
    except UsageError as error:
        raise UsageError(
            f"the baseline: {error}; `ragstone runs list` shows what this store holds, and `ragstone run` on the "
            "version to compare with makes a baseline"
        ) from None


def benchmark_policy(run: Run) -> GatePolicy:
    """Return the policy of a benchmark without a policy file: its thresholds, by the measured values.

    Raises:
        UsageError: It has none.
    """
    thresholds = Benchmark.model_validate(run.benchmark).thresholds
    if not thresholds:
        raise UsageError(
            f"there is nothing to check: the benchmark of {run.id} has no thresholds; give a policy with --policy"
        )
    return GatePolicy(thresholds=thresholds, thresholds_by="value")


def decide(store: Store, candidate: Run, baseline: Run | None, policy: GatePolicy) -> GateReport:
    """Hold a policy against stored runs; metrics that the benchmark does not list are scored from the responses.

    Raises:
        UsageError: The policy does not fit the runs, or the runs cannot be compared.
    """
    if baseline is None and policy.needs_baseline:
        raise UsageError("the policy has margins or drops, which need a baseline run: name it with --against")
    if baseline is not None and baseline.id == candidate.id:
        raise UsageError(f"{candidate.id} is both run and baseline; compare it with another run")
    new = _collect(store, candidate, policy)
    old = None if baseline is None else _collect(store, baseline, policy)
    accepted = () if old is None else tolerated(old, new, policy.allow_identity)
    _check_fit([new] if old is None else [new, old], policy)
    return GateReport(
        title=new.benchmark.name,
        dataset=candidate.dataset,
        questions=len(new.queries),
        candidate=RunName(id=candidate.id, name=candidate.spec.name),
        baseline=None if baseline is None else RunName(id=baseline.id, name=baseline.spec.name),
        policy=policy,
        checks=tuple(all_checks(new, old, policy)),
        tolerated=accepted,
    )


def _collect(store: Store, run: Run, policy: GatePolicy) -> RunResult:
    result = collect(store, _with_metrics(run, policy.metric_names()))
    wanted = str(must_pass_metric(result, policy))
    if not policy.must_pass or wanted in result.summaries:
        return result
    return collect(store, _with_metrics(run, [*policy.metric_names(), wanted]))


def _with_metrics(run: Run, names: Iterable[str]) -> Run:
    """Return the run as if its benchmark listed these metrics too."""
    benchmark = Benchmark.model_validate(run.benchmark)
    listed = [*benchmark.metric_names(), *benchmark.thresholds]
    missing = [name for name in names if name not in listed]
    if not missing:
        return run
    kept = {key: value for key, value in run.benchmark.items() if key not in ("metrics", "metrics_to_compute")}
    content = {**kept, "metrics": [*benchmark.metric_names(), *missing], "primary": benchmark.primary_metric()}
    return replace(run, benchmark=content)


def _check_fit(results: Sequence[RunResult], policy: GatePolicy) -> None:
    candidate = results[0]
    known = [found.query.id for found in candidate.queries]
    strangers = [f"{name!r}{did_you_mean(name, known)}" for name in policy.must_pass if name not in known]
    if strangers:
        raise UsageError(f"must_pass: the dataset has no question {', '.join(strangers)}")
    names = [*policy.metric_names(), *([str(must_pass_metric(candidate, policy))] if policy.must_pass else [])]
    for name in names:
        for result in results:
            depth = result.benchmark.configuration.top_k
            if (parse(name).cutoff or 0) > depth:
                raise UsageError(
                    f"{name} looks deeper than {result.run.id} searched (top_k {depth}); use a cutoff of at most "
                    f"{depth}, or run with a larger top_k"
                )
