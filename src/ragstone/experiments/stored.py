"""What a stored run needs of its benchmark, read back from the store."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from ragstone.experiments.benchmark import Benchmark, Retry
from ragstone.experiments.configuration import Configuration
from ragstone.matching import MatchOptions
from ragstone.metrics import Metric, Policy, parse
from ragstone.types import Run

OPERATIONS = ("latency_p50", "latency_p95", "latency_p99", "error_rate", "timeout_rate", "empty_rate")


@dataclass(frozen=True, slots=True)
class StoredBenchmark:
    """The settings under which a stored run is executed, scored and judged."""

    name: str
    configuration: Configuration
    metrics: tuple[Metric, ...]
    primary: Metric
    thresholds: dict[str, str]
    matching: MatchOptions
    policy: Policy
    on_error: Literal["miss", "exclude", "fail_run"]
    concurrency: int
    timeout_seconds: float
    retry: Retry

    @classmethod
    def of(cls, run: Run) -> StoredBenchmark:
        """Read them from a run."""
        benchmark = Benchmark.model_validate(run.benchmark)
        names = [*benchmark.metric_names(), *benchmark.thresholds, *OPERATIONS]
        return cls(
            name=benchmark.name,
            configuration=Configuration.model_validate(run.spec.config),
            metrics=tuple(dict.fromkeys(parse(name) for name in names)),
            primary=parse(benchmark.primary_metric()),
            thresholds=dict(benchmark.thresholds),
            matching=benchmark.matching.options(),
            policy=Policy(
                no_gold=benchmark.no_gold,
                on_error="exclude" if benchmark.on_error == "exclude" else "miss",
                unresolved=benchmark.unresolved,
            ),
            on_error=benchmark.on_error,
            concurrency=benchmark.concurrency,
            timeout_seconds=benchmark.timeout_seconds,
            retry=benchmark.retry,
        )
