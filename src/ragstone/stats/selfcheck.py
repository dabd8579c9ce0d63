"""How often intervals hold the truth and tests raise false alarms, on data like that of retrieval and RAG.

Every interval and test that reports print is run here on simulated experiments with a known truth. A promise is a
bar that a default method must meet from 20 queries on; methods that are kept for continuity are shown without one.
And what a set of queries "would probably have shown" is put to the test: it must show that often.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from ragstone.stats import simulate
from ragstone.stats.bootstrap import bca_many, percentile_many, ratio_bootstrap
from ragstone.stats.clustered import clustered_plus_two_t, clustered_wilson
from ragstone.stats.corrections import holm
from ragstone.stats.correlation import average_ranks
from ragstone.stats.distributions import t_quantile
from ragstone.stats.gate import GATE_LEVEL
from ragstone.stats.guarded import Sample, average, guarded_limits, guarded_t, sample_of, unguarded
from ragstone.stats.intervals import order_statistics, plus_two_t, wilson
from ragstone.stats.outlook import detectable
from ragstone.stats.quantile_difference import quantile_difference
from ragstone.stats.randomization import sign_flip_p_many
from ragstone.stats.simulate import SCENARIOS, Scenario
from ragstone.stats.slices import interaction_p
from ragstone.stats.tukey import randomized_tukey
from ragstone.types import Interval

Floats = NDArray[np.float64]
Kind = Literal["coverage", "false alarms", "power"]

SIZES = (10, 20, 50, 200)
RUNS = 3000
FULL_RUNS = 20_000
ALPHA = 0.05
LEAST_COVERAGE = 0.93
MOST_ALARMS = 0.065
LEAST_POWER = 0.70
BARRED_FROM = 20
_RESAMPLES = 1000
_SLOW = 8
_SYSTEMS = 16
_AVERAGED = 1000
_FLIPS = 0.4
_ROUNDS = 40
_RATES = np.linspace(0.5, 0.99, 50)


@dataclass(frozen=True, slots=True, kw_only=True)
class Cell:
    """One figure of the table.

    Attributes:
        kind: ``coverage`` of a 95% interval, ``false alarms`` of a test at 5%, or ``power`` of the default verdict
            where the difference is the one that is said to show with 80% chance.
        method: Name of the interval or test.
        data: The scenario.
        n: Number of queries.
        value: The share measured; None where the method gives no answer at this size.
        runs: Number of simulated experiments; 0 for a figure that is computed exactly.
        promised: Whether the bar of its kind applies.
    """

    kind: Kind
    method: str
    data: str
    n: int
    value: float | None
    runs: int
    promised: bool

    @property
    def holds(self) -> bool:
        """Whether the promise is kept; true where none is made."""
        if not self.promised or self.value is None:
            return True
        if self.kind == "false alarms":
            return self.value <= MOST_ALARMS
        return self.value >= (LEAST_COVERAGE if self.kind == "coverage" else LEAST_POWER)


def selfcheck(*, runs: int = RUNS, seed: int = 0, sizes: Sequence[int] = SIZES) -> Iterator[Cell]:
    """Yield the figures of all intervals and tests, one by one.

    Args:
        runs: Experiments for each figure; slow methods run an eighth of them.
        seed: Seed of the simulation; the same seed gives the same table.
        sizes: Numbers of queries.

    Example:
        >>> cells = list(selfcheck(runs=8, sizes=(20,)))
        >>> {cell.kind for cell in cells} == {"coverage", "false alarms", "power"}
        True
    """
    for n in sizes:
        yield from _exact_intervals(n)
        for number, scenario in enumerate(SCENARIOS):
            yield from _paired(scenario, np.random.default_rng([seed, n, number]), runs, n)
        yield _flips_found(np.random.default_rng([seed, n, 50]), runs, n)
        yield from _families(np.random.default_rng([seed, n, 100]), max(1, runs // _SLOW), n)
        yield from _in_clusters(np.random.default_rng([seed, n, 150]), runs, n)
        for number, scenario in enumerate(simulate.OPEN_SCENARIOS):
            yield from _without_bounds(scenario, np.random.default_rng([seed, n, 200 + number]), runs, n)
        yield _captured(np.random.default_rng([seed, n, 250]), max(1, runs // _SLOW), n)


def _exact_intervals(n: int) -> Iterator[Cell]:
    """Yield coverages that need no simulation."""
    covered = np.array([_wilson_coverage(n, float(rate)) for rate in _RATES])
    yield _cell("coverage", "Wilson, mean over rates", "rates .50 to .99", n, float(covered.mean()), 0)
    yield _cell("coverage", "Wilson, worst rate", "rates .50 to .99", n, float(covered.min()), 0, promised=False)
    for p in (0.5, 0.95):
        value = _order_coverage(n, p)
        yield _cell("coverage", f"order statistics, p{100 * p:g}", "any continuous latency", n, value, 0)


def _wilson_coverage(n: int, rate: float) -> float:
    total = 0.0
    for hits in range(n + 1):
        if _holds(wilson(hits, n), rate):
            total += math.comb(n, hits) * rate**hits * (1 - rate) ** (n - hits)
    return total


def _order_coverage(n: int, p: float) -> float | None:
    """Return the chance that the limits, as ranks, enclose the quantile; None where one does not exist."""
    found = order_statistics(np.arange(1.0, n + 1), p)
    if found.low is None or found.high is None:
        return None
    ranks = range(int(found.low), int(found.high))
    return sum(math.comb(n, below) * p**below * (1 - p) ** (n - below) for below in ranks)


def _paired(scenario: Scenario, rng: np.random.Generator, runs: int, n: int) -> Iterator[Cell]:
    """Yield what all paired intervals and tests make of a scenario."""
    first, second = scenario.draw(rng, runs, n)
    d = first - second
    low, high = _limits(scenario, d)
    p = _chances(scenario, d)
    name = "guarded t, clustered" if scenario.clustered else "guarded t (default)"
    yield _coverage(name, scenario, n, low, high, promised=True)
    for method, limits in _OTHER_INTERVALS.items():
        yield _coverage(method, scenario, n, *limits(d), promised=False)
    if scenario.difference:
        return
    yield _alarms("verdict (default)", scenario, n, (low * high > 0) & (p <= ALPHA), promised=True)
    yield _alarms("sign-flip, clustered" if scenario.clustered else "sign-flip", scenario, n, p <= ALPHA)
    for method, alarm in _OTHER_TESTS.items():
        yield _alarms(method, scenario, n, alarm(d))
    yield _false_passes(scenario, d, n)
    yield _false_equivalence(scenario, d, n)
    if not scenario.lopsided:
        yield _shift_found(scenario, d, n)


def _limits(scenario: Scenario, d: Floats, level: float = 1 - ALPHA) -> tuple[Floats, Floats]:
    """Return the default interval's limits in each experiment."""
    if not scenario.clustered:
        return guarded_limits(d, range_width=scenario.range_width, level=level)
    labels = _labels(d.shape[1])
    found = [guarded_t(one, range_width=scenario.range_width, level=level, clusters=labels) for one in d]
    low, high = np.array([(one.low, one.high) for one in found], dtype=np.float64).T
    return low, high


def _labels(n: int) -> NDArray[np.intp]:
    return np.arange(n) // simulate.CLUSTER_SIZE


def _chances(scenario: Scenario, d: Floats) -> Floats:
    """Return the default p-value of each experiment."""
    return sign_flip_p_many(d.T, clusters=_labels(d.shape[1]) if scenario.clustered else None)


def _false_passes(scenario: Scenario, d: Floats, n: int) -> Cell:
    """Count how often the gate lets a candidate pass that is worse by just the margin."""
    margin = 0.05 * scenario.range_width
    low, _ = _limits(scenario, d - margin, GATE_LEVEL)
    return _alarms("gate, worse by the margin", scenario, n, low > -margin, promised=True)


def _shift_found(scenario: Scenario, d: Floats, n: int) -> Cell:
    """Count how often the verdict sees every query better by the detectable difference."""
    labels = _labels(n) if scenario.clustered else None
    seen = average([sample for one in d[:_AVERAGED] if (sample := sample_of(one, labels))])
    difference = detectable(seen, range_width=scenario.range_width)
    if difference is None:
        return _cell("power", "verdict (default)", scenario.name, n, None, 0)
    shifted = d + difference
    low, _ = _limits(scenario, shifted)
    found = (low > 0) & (_chances(scenario, shifted) <= ALPHA)
    return _cell("power", "verdict (default)", scenario.name, n, float(found.mean()), len(d))


def _flips_found(rng: np.random.Generator, runs: int, n: int) -> Cell:
    """Count how often the verdict sees the detectable difference of hits that flip, at least 40% of them."""
    share, difference = _FLIPS, 0.0
    for _ in range(_ROUNDS):
        kind = Sample(
            queries=n, rows=n, mean=0.0, variance=share - difference**2, largest=1.0, typical=1.0, weight=1.0
        )
        difference = (difference + (detectable(kind, range_width=1.0) or 1.0)) / 2
        share = max(_FLIPS, difference)
    d = simulate.flips(rng, runs, n, share, difference)
    low, _ = guarded_limits(d, range_width=1.0)
    found = (low > 0) & (sign_flip_p_many(d.T) <= ALPHA)
    return _cell("power", "verdict (default)", "hits, 40% flip", n, float(found.mean()), runs)


def _false_equivalence(scenario: Scenario, d: Floats, n: int) -> Cell:
    """Count how often TOST calls systems equivalent that differ by just the margin."""
    margin = 0.05 * scenario.range_width
    low, high = _plain_t(d + margin, 1 - 2 * ALPHA)
    return _alarms("TOST, different by the margin", scenario, n, (low > -margin) & (high < margin))


def _plain_t(d: Floats, level: float = 1 - ALPHA) -> tuple[Floats, Floats]:
    n = d.shape[1]
    half = t_quantile((1 + level) / 2, n - 1) * d.std(1, ddof=1) / math.sqrt(n)
    return d.mean(1) - half, d.mean(1) + half


def _t_alarms(d: Floats) -> NDArray[np.bool_]:
    low, high = _plain_t(d)
    return np.asarray(low * high > 0)


def _wilcoxon_alarms(d: Floats) -> NDArray[np.bool_]:
    ranks = np.zeros_like(d)
    for row, ranked in zip(d.round(12), ranks, strict=True):
        differs = row != 0
        ranked[differs] = np.sign(row[differs]) * average_ranks(np.abs(row[differs]))
    return sign_flip_p_many(ranks.T) <= ALPHA


_OTHER_INTERVALS: dict[str, Callable[[Floats], tuple[Floats, Floats]]] = {
    "paired t": _plain_t,
    "percentile bootstrap": lambda d: percentile_many(d.T, resamples=_RESAMPLES),
    "BCa bootstrap": lambda d: bca_many(d.T, resamples=_RESAMPLES),
}
_OTHER_TESTS: dict[str, Callable[[Floats], NDArray[np.bool_]]] = {
    "paired t": _t_alarms,
    "Wilcoxon (not of the mean)": _wilcoxon_alarms,
}


def _families(rng: np.random.Generator, runs: int, n: int) -> Iterator[Cell]:
    """Yield the figures of methods that look at many systems, slices or measurements at once."""
    scores = simulate.equal_systems(rng, runs, n, _SYSTEMS)
    against = scores[:, :, 1:] - scores[:, :, :1]
    some = [bool(holm(sign_flip_p_many(one)).min() <= ALPHA) for one in against]
    yield _family("Holm, 15 against a baseline", n, some)
    some = [bool(randomized_tukey(one, seed=run).p.min() <= ALPHA) for run, one in enumerate(scores)]
    yield _family("randomized Tukey, 16 systems", n, some)
    labels = np.arange(n) % min(8, n // 5)
    some = [interaction_p(one[:, 0], labels, permutations=_RESAMPLES) <= ALPHA for one in against]
    yield _family("interaction of slices", n, some)
    for level, skill in {"middling": simulate.MIDDLING, "very good": simulate.VERY_GOOD}.items():
        yield _plus_two(simulate.equal_systems(rng, runs * _SLOW, n, 1, skill)[:, :, 0], skill, level, n)
    yield _unbounded(simulate.latencies(rng, runs * _SLOW, n)[0], n)
    yield from _quantiles(rng, runs, n)


def _family(method: str, n: int, alarms: Sequence[bool]) -> Cell:
    return _cell("false alarms", method, "reciprocal rank", n, float(np.mean(alarms)), len(alarms), promised=False)


def _plus_two(scores: Floats, skill: tuple[float, float], level: str, n: int) -> Cell:
    truth = simulate.mean_reciprocal_rank(skill)
    found = [plus_two_t(one, 0.0, 1.0) for one in scores]
    value = float(np.mean([_holds(one, truth) for one in found]))
    return _cell("coverage", "plus-two t", f"reciprocal rank, {level}", n, value, len(scores))


def _in_clusters(rng: np.random.Generator, runs: int, n: int) -> Iterator[Cell]:
    """Yield how often intervals of one system's score hold where questions come in clusters of five."""
    hits, ranks = simulate.clustered_scores(rng, runs, n)
    labels = _labels(n)
    right, wrong = simulate.HITS
    covered = [_holds(clustered_wilson(one, labels), right / (right + wrong)) for one in hits]
    yield _cell("coverage", "Wilson, clustered", "hits, clusters of 5", n, float(np.mean(covered)), runs)
    truth = simulate.mean_reciprocal_rank(simulate.MIDDLING)
    covered = [_holds(clustered_plus_two_t(one, 0.0, 1.0, labels), truth) for one in ranks]
    name = "reciprocal rank, clusters of 5"
    yield _cell("coverage", "plus-two t, clustered", name, n, float(np.mean(covered)), runs)


def _without_bounds(scenario: Scenario, rng: np.random.Generator, runs: int, n: int) -> Iterator[Cell]:
    """Yield what the defaults make of a scale without bounds, where too few queries get no verdict."""
    first, second = scenario.draw(rng, runs, n)
    d = first - second
    low, high = guarded_limits(d, range_width=None)
    decided = not unguarded(n, n, None)
    yield _coverage("guarded t, no bounds", scenario, n, low, high, promised=decided)
    alarms = (low * high > 0) & (sign_flip_p_many(d.T) <= ALPHA) & decided
    yield _alarms("verdict (default)", scenario, n, alarms, promised=True)


def _captured(rng: np.random.Generator, runs: int, n: int) -> Cell:
    """Count how often the interval of the share that a reranker captures holds it."""
    found = [
        ratio_bootstrap(*one, seed=run)
        for run, one in enumerate(zip(*simulate.reranked(rng, runs, n), strict=True))
    ]
    value = float(np.mean([_holds(one, simulate.CAPTURED) for one in found]))
    return _cell("coverage", "captured share", "reranked", n, value, runs, promised=False)


def _unbounded(values: Floats, n: int) -> Cell:
    low, high = _plain_t(values)
    covered = float(((low <= simulate.MEAN_LATENCY) & (high >= simulate.MEAN_LATENCY)).mean())
    return _cell("coverage", "t, unbounded mean", "latency", n, covered, len(values), promised=False)


def _quantiles(rng: np.random.Generator, runs: int, n: int) -> Iterator[Cell]:
    first, second = simulate.latencies(rng, runs, n)
    for p in (0.5, 0.95):
        pairs = zip(first, second, strict=True)
        found = [quantile_difference(a, b, p=p, seed=run).interval for run, (a, b) in enumerate(pairs)]
        limited = [one for one in found if one.low is not None]
        value = float(np.mean([_holds(one, 0.0) for one in limited])) if limited else None
        yield _cell("coverage", f"difference of p{100 * p:g}", "latency", n, value, len(limited))


def _holds(interval: Interval, truth: float) -> bool:
    return interval.low is not None and interval.high is not None and interval.low <= truth <= interval.high


def _coverage(
    method: str, scenario: Scenario, n: int, low: Floats, high: Floats, *, promised: bool = True
) -> Cell:
    slack = 1e-12
    value = float(((low <= scenario.difference + slack) & (scenario.difference - slack <= high)).mean())
    return _cell("coverage", method, scenario.name, n, value, len(low), promised=promised)


def _alarms(method: str, scenario: Scenario, n: int, alarm: NDArray[np.bool_], *, promised: bool = False) -> Cell:
    return _cell("false alarms", method, scenario.name, n, float(alarm.mean()), len(alarm), promised=promised)


def _cell(
    kind: Kind, method: str, data: str, n: int, value: float | None, runs: int, *, promised: bool = True
) -> Cell:
    return Cell(
        kind=kind, method=method, data=data, n=n, value=value, runs=runs, promised=promised and n >= BARRED_FROM
    )
