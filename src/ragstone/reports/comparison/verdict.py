"""A comparison in plain sentences: who is better, by how much, and how sure that is."""

from __future__ import annotations

import math
from collections.abc import Sequence

from ragstone.experiments.comparison.metric import MetricComparison
from ragstone.experiments.comparison.slices import Interaction
from ragstone.reports.comparison.words import (
    change_text,
    in_points,
    limits_text,
    lower_better,
    luck_text,
    p_text,
    signed_text,
)
from ragstone.reports.words import count, label, reasons_text
from ragstone.stats.guarded import FEW, FEW_CLUSTERS


def verdict_sentence(found: MetricComparison, candidate: str, baseline: str, *, secondary: bool = False) -> str:
    """Return the verdict of one metric in one or two sentences that need no statistics.

    Args:
        found: The comparison by that metric.
        candidate: Name of the candidate.
        baseline: Name of the baseline.
        secondary: Whether another metric decides, so that this one was adjusted along with the others like it.
    """
    paired = found.paired
    if paired.n < 2:
        return _nothing(found, candidate, baseline)
    if found.verdict == "not enough questions":
        return _too_few(found, candidate, baseline)
    if found.verdict == "no difference seen":
        return _no_difference(found, candidate, baseline)
    luck = _luck(found, "secondary comparisons" if secondary else "comparisons")
    if found.doubt:
        return _doubt(found, candidate, baseline, luck)
    return f"{candidate} is {better_word(found)} than {baseline} by {_by(found)}; {_record(found)}; {luck}."


def _doubt(found: MetricComparison, candidate: str, baseline: str, luck: str) -> str:
    head = f"{candidate} looks {better_word(found)} than {baseline} by {_by(found)}; {_record(found)}."
    if found.doubt == "failed searches":
        failing = candidate if found.paired.verdict == "better" else baseline
        return f"{head} Borderline: {failures_text(found, failing)}. Take it as undecided."
    if found.doubt == "no bounds":
        least = f"{FEW} questions" if found.paired.n < FEW else f"{FEW_CLUSTERS} groups of questions"
        return (
            f"{head} Borderline: {label(str(found.metric))} has no largest value, so that one rare question can "
            f"turn the mean; below {least} we promise nothing. Take it as undecided."
        )
    if found.doubt == "many comparisons":
        return (
            f"{head} Borderline: {luck}, which is more than the {_alpha(found)} that we accept. "
            "Take it as undecided."
        )
    return (
        f"{head} Borderline: the interval and the test disagree on whether luck explains it "
        f"({luck_text(found.paired.p)}). Take it as undecided."
    )


def failures_text(found: MetricComparison, failing: str) -> str:
    """Say on how many questions the search of the run that looks better failed, so that they are left out."""
    failed = max(found.pairs.failed)
    asked = found.paired.n + sum(found.pairs.failed)
    return (
        f"the search of {failing} failed on {failed:,} of {asked:,} questions ({100 * failed / asked:.0f}%), "
        "which are left out"
    )


def _no_difference(found: MetricComparison, candidate: str, baseline: str) -> str:
    paired, metric = found.paired, found.metric
    name, asked = label(str(metric)), count(paired.n, "question")
    if not found.differing:
        return (
            f"{candidate} and {baseline} score the same by {name} on {'all ' if paired.n > 2 else ''}{asked}. "
            f"{_seen(found)}"
        ).rstrip()
    return (
        f"No difference seen between {candidate} and {baseline} by {name}: "
        f"{signed_text(metric, paired.difference or 0.0)} ({_interval(found)}); "
        f"{candidate} {_record(found).removeprefix('it ')}. {_seen(found)}"
    ).rstrip()


def _too_few(found: MetricComparison, candidate: str, baseline: str) -> str:
    floor = found.paired.floor
    differing, needed = round(1 - math.log2(floor)), fewest_differing(found.paired.level)
    what = "question" if found.unclustered is None else "group of questions"
    many = "questions" if found.unclustered is None else "groups of questions"
    differs = f"{count(differing, what, many)} {'differs' if differing == 1 else 'differ'}"
    return (
        f"Not enough questions to tell {candidate} from {baseline} by {label(str(found.metric))}: only {differs}; "
        f"at least {needed} must before any result can reach {_alpha_number(found)}. "
        f"So far {candidate} {_record(found).removeprefix('it ')}."
    )


def _nothing(found: MetricComparison, candidate: str, baseline: str) -> str:
    pairs, name = found.pairs, label(str(found.metric))
    if found.paired.n == 1:
        return f"Only 1 question has a score by {name} in both {candidate} and {baseline}: nothing can be said."
    missing = dict(pairs.neither)
    for one in pairs.unpaired:
        reason = one.baseline.reason or one.candidate.reason or "unknown"
        missing[reason] = missing.get(reason, 0) + 1
    return (
        f"{candidate} and {baseline} cannot be compared by {name}: no question has a score in both "
        f"({reasons_text(missing) or 'none was asked'})."
    )


def fewest_differing(level: float) -> int:
    """Return how many questions must differ before a sign-flip p can reach 1 - level.

    Example:
        >>> fewest_differing(0.95)
        6
    """
    return 1 + math.ceil(-math.log2(1 - level) - 1e-9)


def better_word(found: MetricComparison) -> str:
    """Return which way the difference goes: better or worse, higher or lower where neither side is better."""
    up = (found.paired.difference or 0.0) > 0
    if found.metric.traits.higher_is_better is None:
        return "higher" if up else "lower"
    return "better" if (found.sign > 0) == up else "worse"


def _by(found: MetricComparison) -> str:
    """Return by how much; where lower is better, with the sign that the tables have."""
    difference = found.paired.difference or 0.0
    if lower_better(found.metric):
        return f"{label(str(found.metric))}: {signed_text(found.metric, difference)} ({_interval(found)})"
    of = "of" if in_points(found.metric) else "in"
    size = f"{change_text(found.metric, difference)} {of} {label(str(found.metric))}"
    return f"{size} ({_interval(found, math.copysign(1.0, difference))})"


def _interval(found: MetricComparison, sign: float = 1.0) -> str:
    """Return the interval in the sign of the number before it, and how to read that sign."""
    interval = found.paired.interval
    limits = "too few questions for an interval"
    if interval.low is not None:
        limits = f"{100 * interval.level:g}% interval {limits_text(found.metric, interval, sign=sign)}"
    return "; ".join(filter(None, [lower_better(found.metric), limits]))


def _record(found: MetricComparison) -> str:
    """Return how often it won, lost and tied."""
    paired = found.paired
    won, lost = ("was higher", "lower") if found.metric.traits.higher_is_better is None else ("won", "lost")
    return f"it {won} on {count(paired.wins, 'question')}, {lost} on {paired.losses}, tied on {paired.ties}"


def _luck(found: MetricComparison, what: str) -> str:
    if found.family < 2:
        return f"a difference this large would appear by luck {luck_text(found.paired.p)}"
    often = luck_text(found.adjusted_p)
    return f"allowing for the {found.family} {what} made here, luck alone would do this {often}"


def _seen(found: MetricComparison) -> str:
    """Say what this set of questions could have seen."""
    seen, asked = found.detectable, f"{found.paired.n:,} questions"
    low, high = found.metric.traits.bounds
    if seen is None or seen >= high - low:
        return f"With these {asked} no difference at all could be relied on to show."
    size = change_text(found.metric, seen)
    return f"With these {asked} only a difference of {size} or more would probably have shown."


def _alpha(found: MetricComparison) -> str:
    return f"{100 * (1 - found.paired.level):.3g} in 100"


def _alpha_number(found: MetricComparison) -> str:
    return f"{1 - found.paired.level:.3g}"


def clusters_sentence(found: MetricComparison) -> str | None:
    """Say as how many independent questions those of common origin count; None where each stands for itself."""
    paired, plain = found.paired, found.unclustered
    if paired.clusters is None or plain is None:
        return None
    metric, level = found.metric, f"{100 * paired.level:g}%"
    return (
        f"{count(paired.n, 'question')} come from {count(paired.clusters.clusters, 'origin')} (a document, a "
        f"conversation, a paraphrase), so they count as about {paired.effective_n:.0f} independent ones. "
        f"{level} interval with that in mind: {limits_text(metric, paired.interval)}; "
        f"without: {limits_text(metric, plain.interval)}. Classic tests take each question by itself."
    )


def interactions_text(found: Sequence[Interaction], level: float = 0.95) -> list[str]:
    """Say by which dimensions the change differs, and by which there is no sign of it."""
    said = [
        f"The change differs by {one.dimension}: shuffled labels spread it as much {luck_text(one.p)}."
        for one in found
        if one.p <= 1 - level
    ]
    quiet = [f"{one.dimension} (p {p_text(one.p)})" for one in found if one.p > 1 - level]
    if quiet:
        listed = " or ".join(filter(None, (", ".join(quiet[:-1]), quiet[-1])))
        said.append(
            f"No sign that the change differs by {listed}: do not read “helps here, hurts there” into single rows."
        )
    return said
