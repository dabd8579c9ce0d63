"""The tables of a comparison as cells of plain text, the same for every format that people read."""

from __future__ import annotations

from collections.abc import Iterator

from ragstone.experiments.comparison.compare import Candidate, Comparison
from ragstone.experiments.comparison.metric import MetricComparison
from ragstone.experiments.comparison.price import QuantileComparison, UsageComparison
from ragstone.experiments.comparison.slices import SliceComparison
from ragstone.reports.comparison.advice import arm_texts, quantile_change, quantile_limits
from ragstone.reports.comparison.words import (
    change_number,
    change_text,
    in_points,
    limits_text,
    metric_label,
    p_text,
    stars,
)
from ragstone.reports.tables import Table
from ragstone.reports.words import NONE, count, label, value_text
from ragstone.stats.slices import FEW


def metric_table(comparison: Comparison) -> Table:
    """Return every metric of every candidate against the baseline."""
    many = len(comparison.candidates) > 1
    header = ["metric", *_arms(comparison), "difference", _level(comparison), "won / lost / tied", "p"]
    header += ["p after Holm", "could have seen", "verdict"]
    rows = [
        [*([one.name] if many else []), *_metric_row(found)]
        for one in comparison.candidates
        for found in one.metrics.values()
    ]
    first = 2 if many else 1
    return Table(["run", *header] if many else header, rows, frozenset(range(first, first + 8)))


def _arms(comparison: Comparison) -> list[str]:
    """Return what the columns of values are called."""
    names = comparison.names
    return [names[0], names[1]] if len(names) == 2 else [names[0], "value"]


def _level(comparison: Comparison) -> str:
    return f"{100 * comparison.level:g}% interval"


def _metric_row(found: MetricComparison) -> list[str]:
    paired, metric, seen = found.paired, found.metric, found.detectable
    name = str(metric)
    return [
        metric_label(metric),
        value_text(name, paired.mean_b),
        value_text(name, paired.mean_a),
        change_number(metric, paired.difference),
        limits_text(metric, paired.interval),
        f"{paired.wins} / {paired.losses} / {paired.ties}",
        p_text(paired.p) if paired.n else NONE,
        p_text(found.adjusted_p) if paired.n else NONE,
        NONE if seen is None else change_text(metric, seen),
        verdict_word(found),
    ]


def verdict_word(found: MetricComparison) -> str:
    """Return the verdict in a word or two; of a metric without a better side, which way it went."""
    if not found.paired.n:
        return "not computed"
    if found.metric.traits.higher_is_better is None and found.verdict in ("better", "worse"):
        return "higher" if found.verdict == "better" else "lower"
    return found.verdict


def classic_table(comparison: Comparison) -> Table:
    """Return Student's paired t with stars, the percentile bootstrap and Wilcoxon's test, under their names."""
    many = len(comparison.candidates) > 1
    header = ["metric", *_arms(comparison), "difference", "paired t", "p (t)", "percentile bootstrap"]
    header += ["p (Wilcoxon)"]
    rows = []
    for one in comparison.candidates:
        mine = [*map(_classic_row, one.metrics.values()), *map(_classic_quantile, one.quantiles)]
        rows += [[one.name, *row] if many else row for row in mine]
    first = 2 if many else 1
    return Table(["run", *header] if many else header, rows, frozenset(range(first, first + 7)))


def _classic_row(found: MetricComparison) -> list[str]:
    name, t = str(found.metric), found.t
    return [
        metric_label(found.metric),
        value_text(name, found.paired.mean_b),
        value_text(name, found.paired.mean_a),
        change_number(found.metric, t.mean_difference),
        NONE if t.t is None else f"{t.t:.3f}",
        f"{p_text(t.p)}{stars(t.p)}" if t.n else NONE,
        limits_text(found.metric, found.bootstrap),
        p_text(found.wilcoxon.p) if found.paired.n else NONE,
    ]


def _classic_quantile(one: QuantileComparison) -> list[str]:
    return [label(str(one.metric)), *arm_texts(one), quantile_change(one), NONE, NONE, NONE, NONE]


def price_table(comparison: Comparison) -> Table:
    """Return latency and usage of every candidate against the baseline."""
    many = len(comparison.candidates) > 1
    header = ["what", *_arms(comparison), "difference", _level(comparison), "questions"]
    rows = []
    for one in comparison.candidates:
        mine = [*map(_quantile_row, one.quantiles), *map(_usage_row, one.usage)]
        rows += [[one.name, *row] if many else row for row in mine]
    first = 2 if many else 1
    return Table(["run", *header] if many else header, rows, frozenset(range(first, first + 5)))


def _quantile_row(one: QuantileComparison) -> list[str]:
    found = one.found
    interval = quantile_limits(one) if found.enough else "too few questions" if found.n else "not measured"
    return [label(str(one.metric)), *arm_texts(one), quantile_change(one), interval, f"{found.n:,}"]


def _usage_row(one: UsageComparison) -> list[str]:
    relative = f" ({100 * (one.candidate / one.baseline - 1):+.0f}%)" if one.baseline else ""
    change = f"{one.candidate - one.baseline:+,.6g}{relative}"
    name = one.name.replace("_", " ")
    return [name, f"{one.baseline:,.6g}", f"{one.candidate:,.6g}", change, NONE, f"{one.n:,}"]


def slice_table(comparison: Comparison, one: Candidate, most: int | None = None) -> Table:
    """Return a candidate's slices by the primary metric, strongest evidence first."""
    found = one.slices[:most]
    header = ["slice", "questions", comparison.names[0], one.name, "difference", _level(comparison)]
    header += ["shrunken", "won / lost / tied", "p adjusted"]
    rows = [_slice_row(one.primary, each) for each in found]
    faint = frozenset(place for place, each in enumerate(found) if each.found.few)
    return Table(header, rows, frozenset(range(1, 9)), faint)


def _slice_row(primary: MetricComparison, one: SliceComparison) -> list[str]:
    name, metric, found = str(primary.metric), primary.metric, one.found
    return [
        f"{one.dimension}: {one.value}",
        f"{found.n}{' (few)' if found.few else ''}",
        value_text(name, one.baseline),
        value_text(name, one.candidate),
        change_number(metric, found.difference),
        limits_text(metric, found.interval),
        change_number(metric, found.shrunken),
        f"{one.wins} / {one.losses} / {one.ties}",
        p_text(found.adjusted_p),
    ]


def settings_table(comparison: Comparison) -> Table:
    """Return the settings in which runs differ from the baseline, a row each."""
    keys = list(dict.fromkeys(key for one in comparison.candidates for key in one.settings))
    rows = [[key, *_values(comparison, key)] for key in keys]
    return Table(["setting", *comparison.names], rows, frozenset())


def _values(comparison: Comparison, key: str) -> Iterator[str]:
    for result in comparison.results:
        settings = {**result.run.spec.config, **result.run.spec.system}
        value = settings.get(key)
        yield NONE if value is None else str(value)


def units_note(comparison: Comparison) -> str:
    """Return what a point is, and where slices are small."""
    points = any(in_points(found.metric) for found in comparison.candidates[0].metrics.values())
    said = "A point is a hundredth: 17 points are the way from 0.25 to 0.42. " if points else ""
    return (
        f"{said}“Could have seen” is the smallest true difference that as many questions show 4 times in 5, with "
        "the other comparisons allowed for. "
        "Values are means over the questions that both runs have a score for."
    )


def correction_note(comparison: Comparison) -> str:
    """Return which metric decides, and how many comparisons the p-values allow for."""
    name, family, others = label(str(comparison.primary)), comparison.family, comparison.secondary_family
    corrected = (
        f"its p allows for {count(family, 'comparison')} (Holm)" if family > 1 else "its p needs no correction"
    )
    if not others:
        return f"{name} decides; {corrected}."
    allowed = f"; their p allows for {count(others, 'comparison')} among themselves (Holm)" if others > 1 else ""
    return f"{name} decides; {corrected}. The other metrics are secondary{allowed}."


def judged_note(comparison: Comparison) -> str:
    """Return how much of what each run returned was ever judged; empty where no metric reads judgements."""
    known = [(one.name, one.holes) for one in comparison.candidates if one.holes]
    if not known:
        return ""
    shares = [(comparison.names[0], known[0][1].judged[0]), *((name, holes.judged[1]) for name, holes in known)]
    cutoff = comparison.primary.cutoff
    name = "Judged" if cutoff is None else f"Judged@{cutoff}"
    listed = ", ".join(f"{run} {NONE if share is None else f'{share:.0%}'}" for run, share in shares)
    return f"{name}, the share of the first hits that anybody judged: {listed}. The rest counts as wrong."


CLASSIC_NOTE = (
    "As A/B reports usually have it: * below 0.05, ** below 0.01, nothing allowed for many comparisons. The "
    "percentile bootstrap is too narrow for small sets. Wilcoxon's test is of a shift of the typical difference, "
    "not of the mean."
)
SLICE_NOTE = (
    f"Strongest evidence first. “Few”: below {FEW} questions. The shrunken difference is drawn towards the mean "
    "over all slices of its kind (categories, or tags, where a question counts in each of its own), the more the "
    "smaller the slice. p is adjusted for all slices (Benjamini and Hochberg): these are candidates to look at, "
    "not findings."
)
