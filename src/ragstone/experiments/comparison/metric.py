"""One metric of two runs, question by question: every test and interval that a comparison shows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from ragstone.experiments.pairs import Pairs
from ragstone.metrics import Metric
from ragstone.stats.bootstrap import RESAMPLES, percentile_bootstrap
from ragstone.stats.corrections import holm
from ragstone.stats.guarded import Sample, sample_of
from ragstone.stats.outlook import detectable, queries_to_show
from ragstone.stats.paired import (
    PairedComparison,
    PairedT,
    Verdict,
    Wilcoxon,
    compare_paired,
    differences,
    paired_t,
    wilcoxon,
)
from ragstone.types import Interval

Doubt = Literal["", "interval and p", "no bounds", "failed searches", "many comparisons"]


@dataclass(frozen=True, slots=True, kw_only=True)
class MetricComparison:
    """A candidate against the baseline by one metric; every difference is candidate less baseline.

    Attributes:
        pairs: The scores that both have, and what could not be paired.
        paired: The default tests, with clusters respected where there are any.
        unclustered: The same as if every question stood for itself; None where it does in `paired`.
        adjusted_p: The sign-flip p after Holm over the comparison's whole family.
        family: How many tests that family has.
        t: Student's paired t, as seed reports show it.
        bootstrap: The percentile bootstrap interval of 1,000 seeded resamples, as seed reports show it.
        wilcoxon: Of the typical difference, not of the mean.
    """

    pairs: Pairs
    paired: PairedComparison
    unclustered: PairedComparison | None
    adjusted_p: float
    family: int
    t: PairedT
    bootstrap: Interval
    wilcoxon: Wilcoxon

    @property
    def metric(self) -> Metric:
        """The metric."""
        return self.pairs.metric

    @property
    def sign(self) -> float:
        """1 where higher is better (or neither is), -1 where lower is."""
        return -1.0 if self.metric.traits.higher_is_better is False else 1.0

    @property
    def doubt(self) -> Doubt:
        """Why the verdict is borderline; empty where it is not.

        ``no bounds`` if the metric's scale has none and the questions are too few for a promise without them.
        ``failed searches`` if the run that looks better is the one that lost more questions to failed searches
        which are left out: on those it answered nothing at all.
        """
        if self.paired.verdict == "borderline":
            return "no bounds" if self.paired.unguarded else "interval and p"
        decided = self.paired.verdict in ("better", "worse")
        first, second = self.pairs.failed
        if (self.paired.verdict == "better" and second > first) or (
            self.paired.verdict == "worse" and first > second
        ):
            return "failed searches"
        return "many comparisons" if decided and self.adjusted_p > 1 - self.paired.level else ""

    @property
    def verdict(self) -> Verdict:
        """The verdict after all comparisons and failed searches are allowed for: borderline where they undo it."""
        return "borderline" if self.doubt else self.paired.verdict

    @property
    def differing(self) -> int:
        """How many questions the two score differently."""
        return self.paired.wins + self.paired.losses

    @property
    def sample(self) -> Sample | None:
        """What the default interval knows of the differences; None below two questions or clusters."""
        return sample_of(self.differences, None if self.unclustered is None else self.pairs.clusters)

    @property
    def detectable(self) -> float | None:
        """The smallest true difference for which `verdict` would probably be better or worse.

        Allows for the family, so it is larger than `paired.detectable` of the same comparison made alone; None
        where no difference within the metric's range would show.
        """
        return detectable(
            self.sample, range_width=self.pairs.range_width, alpha=1 - self.paired.level, family=self.family
        )

    def questions_for(self, difference: float) -> int | None:
        """Return how many questions like these, in all, would probably show a difference; None: no number."""
        return queries_to_show(
            self.sample,
            difference,
            range_width=self.pairs.range_width,
            alpha=1 - self.paired.level,
            family=self.family,
        )

    @property
    def differences(self) -> NDArray[np.float64]:
        """Candidate less baseline, for each of the paired questions."""
        return differences(self.pairs.candidate, self.pairs.baseline)


def compare_metric(pairs: Pairs, *, level: float, clusters: bool, seed: int) -> MetricComparison:
    """Run every test on one metric's pairs; the p-value is not adjusted yet.

    Args:
        pairs: From `pair`.
        level: Confidence level.
        clusters: Whether to respect the clusters that `pairs` found.
        seed: Of the resampling.
    """
    labels = pairs.clusters if clusters else None
    plain = _paired(pairs, None, level, seed)
    paired = plain if labels is None else _paired(pairs, labels, level, seed)
    d = differences(pairs.candidate, pairs.baseline)
    return MetricComparison(
        pairs=pairs,
        paired=paired,
        unclustered=None if labels is None else plain,
        adjusted_p=paired.p,
        family=1,
        t=paired_t(pairs.candidate, pairs.baseline),
        bootstrap=percentile_bootstrap(d, resamples=RESAMPLES, level=level, seed=seed),
        wilcoxon=wilcoxon(pairs.candidate, pairs.baseline, seed=seed),
    )


def _paired(pairs: Pairs, clusters: Sequence[int] | None, level: float, seed: int) -> PairedComparison:
    return compare_paired(
        pairs.candidate,
        pairs.baseline,
        range_width=pairs.range_width,
        clusters=clusters,
        level=level,
        higher_is_better=pairs.metric.traits.higher_is_better is not False,
        seed=seed,
    )


def adjusted(comparisons: Sequence[MetricComparison]) -> list[MetricComparison]:
    """Return the comparisons with p-values adjusted by Holm, as one family; those without a pair stay out."""
    tested = [one for one in comparisons if one.paired.n]
    values = iter(holm([one.paired.p for one in tested]).tolist())
    return [
        replace(one, adjusted_p=next(values), family=len(tested)) if one.paired.n else one for one in comparisons
    ]
