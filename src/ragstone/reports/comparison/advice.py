"""What follows from a comparison: the winner, how sure, the price, and what to do."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from ragstone.experiments.comparison.compare import Candidate, Comparison
from ragstone.experiments.comparison.metric import MetricComparison
from ragstone.experiments.comparison.price import QuantileComparison
from ragstone.reports.comparison.undecided import MORE, UNDECIDED, rounded, so_far
from ragstone.reports.comparison.verdict import failures_text, verdict_sentence
from ragstone.reports.comparison.words import change_text, limits_text, metric_label, p_text, signed_text
from ragstone.reports.words import NONE, duration, label, value_text

# The change that questions are counted for, as a share of the metric's range.
WORTHWHILE = 0.05


def winner_text(comparison: Comparison) -> str:
    """Return the winner's name, or that there is none."""
    return "no winner" if comparison.winner is None else comparison.names[comparison.winner]


def confidence_text(comparison: Comparison) -> str:
    """Return interval and p of what decided: the winner's, or the baseline's narrowest victory."""
    candidates = comparison.candidates
    winner = comparison.winner
    if winner is None and len(candidates) > 1:
        return "see the metrics of each run"
    decisive = candidates[winner - 1] if winner else max(candidates, key=lambda one: one.primary.adjusted_p)
    found = decisive.primary
    if found.paired.interval.low is None:
        return "too few questions"
    failing = decisive.name if found.paired.verdict == "better" else comparison.names[0]
    failed = f"; {failures_text(found, failing)}" if found.doubt == "failed searches" else ""
    holm = f", {p_text(found.adjusted_p)} after Holm over {found.family}" if found.family > 1 else ""
    return (
        f"{metric_label(found.metric)} {signed_text(found.metric, found.paired.difference or 0.0)}, "
        f"{100 * comparison.level:g}% interval {limits_text(found.metric, found.paired.interval)}; "
        f"p {p_text(found.paired.p)}{holm}{failed}"
    )


def recommendation(comparison: Comparison) -> str:
    """Return what follows, in a sentence or two."""
    winner, baseline = comparison.winner, comparison.names[0]
    if comparison.primary.traits.higher_is_better is None:
        return f"{label(str(comparison.primary))} tells no better from worse: decide by another metric."
    if winner:
        return _switch(comparison, comparison.candidates[winner - 1])
    if winner == 0:
        return f"Keep {baseline}: {'; '.join(_worse(comparison))}."
    return " ".join(_stay(comparison))


def verdicts(comparison: Comparison) -> list[str]:
    """Return each candidate's verdict in a sentence, and what follows."""
    said = [verdict_sentence(one.primary, one.name, comparison.names[0]) for one in comparison.candidates]
    return [*said, recommendation(comparison)]


def metric_sentences(comparison: Comparison, one: Candidate) -> list[str]:
    """Return a candidate's verdict by every metric, the primary first."""
    first = verdict_sentence(one.primary, one.name, comparison.names[0])
    return [first, *secondary_sentences(comparison, one)]


def secondary_sentences(comparison: Comparison, one: Candidate) -> list[str]:
    """Return a candidate's verdict by every metric that does not decide."""
    return [verdict_sentence(found, one.name, comparison.names[0], secondary=True) for found in one.secondary]


def _switch(comparison: Comparison, best: Candidate) -> str:
    found = best.primary
    size = change_text(found.metric, found.paired.difference or 0.0)
    price = f"{price_text(best)}{_usage_text(best)}"
    said = f"Switch to {best.name}: better by {size} of {label(str(found.metric))}{price}."
    if len(comparison.candidates) > 1:
        tried = len(comparison.candidates)
        said += f" As the best of {tried} it looks better than it is: expect less on new questions."
    others = [one.name for one in comparison.candidates if one is not best and one.primary.verdict == "better"]
    if others:
        said += f" Better than {comparison.names[0]} too: {', '.join(others)}; compare with them before choosing."
    harmed = [
        label(name) for name, one in best.metrics.items() if one.verdict == "worse" and one.metric != found.metric
    ]
    return f"{said} But it is worse by {', '.join(harmed)}." if harmed else said


def _worse(comparison: Comparison) -> Iterator[str]:
    for one in comparison.candidates:
        found = one.primary
        size = change_text(found.metric, found.paired.difference or 0.0)
        faster = speed_up(one.p95)
        and_yet = f", though {faster} faster at p95" if faster else ""
        yield f"{one.name} is worse by {size} of {label(str(found.metric))}{and_yet}"


def _stay(comparison: Comparison) -> Iterator[str]:
    name = label(str(comparison.primary))
    undecided = [one for one in comparison.candidates if one.primary.verdict in UNDECIDED and one.primary.paired.n]
    if not any(one.primary.paired.n for one in comparison.candidates):
        yield f"Nothing to decide by: no question has a score by {name} in both runs."
        return
    open_ = [one for one in comparison.candidates if one.primary.verdict != "worse"]
    if undecided:
        yield f"Undecided by {name}: do not switch on this evidence."
        yield from so_far(undecided, comparison.names[0])
    else:
        yield f"No reason to switch by {name}."
        yield from _more_questions([one.primary for one in open_])
    faster = [f"{one.name} by {gain}" for one in open_ if (gain := speed_up(one.p95))]
    if faster:
        yield (
            f"Faster at p95: {', '.join(faster)}; but that it is as good is not shown: that takes a "
            "margin and `ragstone gate`."
        )
    if costs := [f"{one.name} {', '.join(more)}" for one in open_ if (more := _dearer(one))]:
        yield f"Switching would cost: {'; '.join(costs)}."


def _more_questions(found_: Sequence[MetricComparison]) -> Iterator[str]:
    """Say how many more questions would probably show a difference worth having."""
    found = max(found_, key=lambda one: one.detectable or 0.0)
    low, high = found.metric.traits.bounds
    worth = WORTHWHILE * (high - low) if math.isfinite(high - low) else (found.detectable or 0.0) / 2
    needed = found.questions_for(worth) if worth else None
    if needed is None:
        if found.paired.n < 2:
            yield MORE
        return
    size = change_text(found.metric, worth)
    if needed <= found.paired.n:
        yield f"A difference of {size} would probably have shown."
        return
    yield f"Ask about {rounded(needed - found.paired.n):,} more questions to see a difference of {size}."


def price_text(one: Candidate) -> str:
    """Return what the change costs in time, as the end of a sentence."""
    found = one.p95
    if found is None or found.found.difference is None:
        return ""
    values = " against ".join(reversed(arm_texts(found)))
    if not found.found.enough:
        return f"; too few questions to say what it costs at p95 ({values})"
    if not _sure(found):
        return f", with no clear change of latency at p95 ({values})"
    if slower := _slower(found):
        return f", at the price of {slower}"
    size = duration(abs(found.found.difference))
    size = f"at least {size}" if any(found.found.at_least) else size
    return f", and {size} faster at p95 ({values})"


def _slower(found: QuantileComparison | None) -> str:
    """Return by how much the candidate is slower, where that is sure; else an empty string."""
    if found is None or not found.found.enough or not _sure(found) or (found.found.difference or 0.0) <= 0:
        return ""
    size = duration(found.found.difference or 0.0)
    size = f"at least {size}" if any(found.found.at_least) else size
    return f"{size} more at p95 ({' against '.join(reversed(arm_texts(found)))})"


def _usage_text(one: Candidate) -> str:
    """Return what the change costs in tokens and the like, where that is a hundredth or more."""
    changes = [text for text, _ in _usage_changes(one)]
    return f", with {', '.join(changes)}" if changes else ""


def _usage_changes(one: Candidate) -> Iterator[tuple[str, float]]:
    """Yield each change of usage of a hundredth or more in words, and as a share of what it was."""
    for used in one.usage:
        share = used.candidate / used.baseline - 1 if used.baseline else 0.0
        if abs(share) >= 0.01:
            yield f"{100 * share:+.0f}% {used.name.replace('_', ' ')}", share


def _dearer(one: Candidate) -> list[str]:
    """Return in what a candidate costs more for sure: time at p95, and what it reports as used."""
    more = [text for text, share in _usage_changes(one) if share > 0]
    return [*filter(None, [_slower(one.p95)]), *more]


def speed_up(found: QuantileComparison | None) -> str:
    """Return by how much the candidate is faster, where that is sure; else an empty string."""
    if found is None or not _sure(found) or (found.found.difference or 0.0) >= 0:
        return ""
    at_least = "at least " if found.found.at_least[1] else ""
    return at_least + duration(-(found.found.difference or 0.0))


def _sure(found: QuantileComparison) -> bool:
    low, high = found.found.interval.low, found.found.interval.high
    return (low is not None and low > 0) or (high is not None and high < 0)


def arm_texts(found: QuantileComparison) -> list[str]:
    """Return the percentile of the baseline and of the candidate."""
    name, one = str(found.metric), found.found
    values = zip((one.value_b, one.value_a), reversed(one.at_least), strict=True)
    return [value_text(name, value, at_least=at_least) for value, at_least in values]


def quantile_change(found: QuantileComparison) -> str:
    """Return the difference of the percentiles; a bound where one of them is known only to be at least so much."""
    candidate, baseline = found.found.at_least
    if candidate and baseline:
        return NONE
    sign = "≥ " if candidate else "≤ " if baseline else ""
    return sign + signed_quantile(found, found.found.difference)


def quantile_limits(found: QuantileComparison) -> str:
    """Return the interval of the difference; a limit that does not exist is left open."""
    low, high = found.found.interval.low, found.found.interval.high
    if low is not None and high is not None:
        return f"{signed_quantile(found, low)} to {signed_quantile(found, high)}"
    if low is None and high is None:
        return "cut off at the time limit"
    return f"≥ {signed_quantile(found, low)}" if high is None else f"≤ {signed_quantile(found, high)}"


def signed_quantile(found: QuantileComparison, value: float | None) -> str:
    """Return a difference of quantiles with its sign; a dash for none."""
    if value is None:
        return NONE
    size = value_text(str(found.metric), abs(value))
    sign = "+" if value > 0 else "-"
    return size if size.split()[0] in ("0", "0.0") else sign + size
