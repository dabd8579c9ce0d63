"""The checks of a gate that compare with a baseline: margins, with statistics, and drops, without."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Literal, TypedDict

import numpy as np
from numpy.typing import NDArray

from ragstone.experiments.gate.policy import Allowance, GatePolicy, allowance
from ragstone.experiments.pairs import Pairs
from ragstone.metrics import Metric
from ragstone.stats.distributions import normal_quantile
from ragstone.stats.gate import Outcome, non_inferiority
from ragstone.stats.measurements import Measurements, quantile_of
from ragstone.stats.power import POWER
from ragstone.stats.quantile_difference import QuantileDifference, quantile_difference
from ragstone.types import CutOff

CheckKind = Literal["margin", "drop", "threshold", "must_pass", "questions", "complete", "failures"]
_ROUNDING = 1e-9


@dataclass(frozen=True, slots=True, kw_only=True)
class GateCheck:
    """One rule of a policy, held against the runs.

    Attributes:
        subject: What is checked: a metric, or the id of a question.
        metric: Canonical name of the metric; None where the rule has none.
        rule: The rule as the policy writes it.
        baseline: The baseline's value, over the questions that both runs have a score for.
        candidate: The candidate's, over the same; over all its questions for a threshold.
        low: Lower limit of the candidate's value, where a threshold is held against its interval; None without a
            limit.
        high: Its upper limit, likewise.
        interval: Whether chance was asked: an interval decided, and not the measured value alone.
        gain: By how much the candidate is better, in the metric's units; negative where it is worse.
        gain_low: Lower limit of that.
        gain_high: Its upper limit.
        allowed: The loss that is accepted, in the metric's units.
        n: Number of questions that the check rests on; of a threshold on a percentile, of measurements.
        asked: As how many questions those measurements count, where questions were asked repeatedly.
        cut_off: The measurements behind a percentile that stopped at the time limit, the candidate's.
        cut_off_baseline: The baseline's.
        groups: Number of groups of related questions, where there are any; they are then the sample.
        to_settle: About how many more questions would settle it; None where that is not known.
        unmeasured: Searches that failed and have no latency; where there are any, the rest may be the fast ones.
        left_out: Questions that one run alone has a score for, by the other's reason.
        reason: Why there is no value, or what went wrong.
        run: Id of the run that something is to be done with.
    """

    kind: CheckKind
    subject: str
    outcome: Outcome
    metric: str | None = None
    rule: str = ""
    baseline: float | None = None
    candidate: float | None = None
    low: float | None = None
    high: float | None = None
    interval: bool = False
    gain: float | None = None
    gain_low: float | None = None
    gain_high: float | None = None
    allowed: float | None = None
    n: int = 0
    asked: int | None = None
    cut_off: CutOff | None = None
    cut_off_baseline: CutOff | None = None
    groups: int | None = None
    to_settle: int | None = None
    unmeasured: int = 0
    left_out: Mapping[str, int] = field(default_factory=dict)
    reason: str | None = None
    run: str | None = None


def margin(pairs: Pairs, loss: float | str, policy: GatePolicy) -> GateCheck:
    """Decide whether the candidate is at most a margin worse, given what chance can do."""
    allowed = allowance(pairs.metric, loss)
    if pairs.metric.traits.kind == "quantile":
        return _quantile_margin(pairs, allowed, loss, policy)
    found = non_inferiority(
        _gains(pairs),
        margin=allowed.amount,
        range_width=pairs.range_width,
        strict=policy.strict,
        clusters=pairs.clusters,
        level=policy.level,
    )
    return replace(
        _undecided("margin", pairs, loss),
        outcome=found.outcome,
        interval=True,
        gain=found.difference,
        gain_low=found.low,
        gain_high=found.high,
        allowed=allowed.amount,
        to_settle=found.queries_to_settle,
        groups=None if pairs.clusters is None else len(set(pairs.clusters)),
    )


def _gains(pairs: Pairs) -> NDArray[np.float64]:
    sign = 1.0 if pairs.metric.traits.higher_is_better else -1.0
    return sign * (pairs.candidate - pairs.baseline)


def _undecided(kind: CheckKind, pairs: Pairs, loss: float | str) -> GateCheck:
    """Return what is known of a check before it is decided."""
    reasons = (one.candidate.reason or one.baseline.reason or "unknown" for one in pairs.unpaired)
    return GateCheck(
        kind=kind,
        subject=str(pairs.metric),
        metric=str(pairs.metric),
        outcome="not_enough",
        rule=loss if isinstance(loss, str) else f"{loss:g}",
        **_values(pairs),
        n=len(pairs.queries),
        left_out=dict(sorted(Counter(reasons).items())),
    )


class _Values(TypedDict, total=False):
    baseline: float | None
    candidate: float | None
    cut_off_baseline: CutOff | None
    cut_off: CutOff | None


def _values(pairs: Pairs) -> _Values:
    """Return the values of both runs: means, or percentiles over all measurements."""
    if pairs.metric.traits.kind != "quantile":
        before, after = (float(one.mean()) if len(one) else None for one in (pairs.baseline, pairs.candidate))
        return {"baseline": before, "candidate": after}
    given = pairs.measured or (Measurements.plain(pairs.baseline), Measurements.plain(pairs.candidate))
    first, second = (quantile_of(one, _share(pairs.metric)) for one in given)
    return {
        "baseline": first.value,
        "candidate": second.value,
        "cut_off_baseline": first.cut_off,
        "cut_off": second.cut_off,
    }


def _share(metric: Metric) -> float:
    return float(metric.arguments()["p"]) / 100


def _quantile_margin(pairs: Pairs, allowed: Allowance, loss: float | str, policy: GatePolicy) -> GateCheck:
    """Compare a percentile, of which higher is worse; a relative margin is a share of the one measured before."""
    p, level = _share(pairs.metric), policy.level
    before, after = pairs.measured or (pairs.baseline, pairs.candidate)
    worse = quantile_difference(after, before, p=p, level=level)
    low, high, about = worse.interval.low, worse.interval.high, _undecided("margin", pairs, loss)
    if worse.difference is None or worse.value_b is None or not worse.enough:
        return replace(about, to_settle=max(1, for_limits(p, level) - worse.n))
    most = allowed.of(worse.value_b)
    outcome: Outcome = "pass" if high is not None and high < most else "not_enough"
    if low is not None and low > (0.0 if policy.strict else most):
        outcome = "fail"
    return replace(
        about,
        outcome=outcome,
        interval=True,
        gain=-worse.difference,
        gain_low=None if high is None else -high,
        gain_high=None if low is None else -low,
        allowed=most,
        to_settle=_more_to_settle(worse, worse.difference - most) if outcome == "not_enough" else 0,
    )


def _more_to_settle(worse: QuantileDifference, gap: float) -> int | None:
    """Return how many more questions would settle it; None where that needs a longer time limit."""
    low, high = worse.interval.low, worse.interval.high
    return None if low is None or high is None else more(worse.n, high - low, gap, worse.interval.level)


def for_limits(p: float, level: float) -> int:
    """Return how many measurements it takes until both limits of a percentile are finite."""
    return math.ceil(math.log((1 - level) / 2) / math.log(max(p, 1 - p)))


def more(n: int, width: float, gap: float, level: float) -> int | None:
    """Return how many more questions would settle it with 80% chance, if intervals narrow by the root of n."""
    reached = normal_quantile((1 + level) / 2)
    if not gap or not width:
        return None
    error = width / 2 / reached
    return max(1, math.ceil(n * (((reached + normal_quantile(POWER)) * error / gap) ** 2 - 1)))


def drop(pairs: Pairs, loss: float | str) -> GateCheck:
    """Decide whether the measured value fell further than allowed; a plain rule, chance is not asked."""
    allowed = allowance(pairs.metric, loss)
    about = _undecided("drop", pairs, loss)
    before, after = about.baseline, about.candidate
    if before is None or after is None:
        return about
    gain = after - before if pairs.metric.traits.higher_is_better else before - after
    most = allowed.of(before)
    # Means are sums of fractions: .80 - .75 may come out a hair above .05.
    outcome: Outcome = "pass" if -gain <= most + _ROUNDING else "fail"
    if about.cut_off is not None and about.cut_off.reached and outcome == "pass":
        outcome = "not_enough"  # it may have fallen any further
    return replace(about, outcome=outcome, gain=gain, allowed=most)
