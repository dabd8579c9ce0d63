"""The history of a benchmark in words."""

from __future__ import annotations

from collections.abc import Sequence

from ragstone.experiments.history import Change, Comparison, History, Mark, Moment, fallen
from ragstone.metrics import Metric
from ragstone.reports.comparison.words import change_text
from ragstone.reports.plain import shortened
from ragstone.reports.words import count, duration, label, value_text
from ragstone.stats.quantile_difference import QuantileDifference
from ragstone.types import Run

_SHOWN = 6
_LONG = 40
_COMPARED: frozenset[Mark] = frozenset({"same", "fell", "rose", "unclear"})
NOISE = (
    "Marks compare each run with the one before it, question by question, at 95%: about one mark in twenty comes "
    "up by chance where nothing changed."
)


def day(run: Run) -> str:
    """Return when a run was planned, to the minute.

    Example:
        >>> from ragstone.types import RunSpec
        >>> spec = RunSpec(name="n", position=0, config={}, system={}, factors={}, config_hash="")
        >>> run = Run(id="r", batch="b", spec=spec, benchmark={}, dataset="d", state="completed")
        >>> day(run)
        'no date'
    """
    return run.created_at[:16].replace("T", " ") or "no date"


def mark_text(moment: Moment, metric: Metric) -> str:
    """Return how a run stands to the one before it."""
    found = moment.comparison
    change = "" if found is None or found.difference is None else f" by {_change(found, metric)}"
    return {
        "first": "the first",
        "same": "no change beyond noise",
        "fell": f"worse{change}",
        "rose": f"better{change}",
        "unclear": "borderline, or too few questions",
        "not_comparable": f"not comparable: {moment.reason}",
        "no_value": f"no value ({moment.run.state})",
    }[moment.mark]


def _change(found: Comparison, metric: Metric) -> str:
    """Return by how much; a value that was cut off leaves open how much more."""
    size = _size(metric, abs(found.difference or 0.0))
    return f"at least {size}" if isinstance(found, QuantileDifference) and any(found.at_least) else size


def _size(metric: Metric, value: float) -> str:
    return duration(value) if metric.family == "latency" else change_text(metric, value)


def changes_text(changes: Sequence[Change], most: int = _SHOWN) -> str:
    """Return what changed, in words, the first few.

    Example:
        >>> changes_text([Change("rrf_k", "60", "20")])
        'rrf_k 60 → 20'
    """
    said = [f"{one.key} {shortened(one.before, _LONG)} → {shortened(one.after, _LONG)}" for one in changes[:most]]
    return ", ".join(said) + (f" and {len(changes) - most} more" if len(changes) > most else "")


def history_sentence(found: History) -> str:
    """Return the sentence that sums a history up: what fell last, and with what."""
    runs = sum(len(track.moments) for track in found.tracks)
    head = f"{label(str(found.metric))} of {found.benchmark} over {count(runs, 'run')}"
    falls = fallen(found.tracks)
    marks = {moment.mark for track in found.tracks for moment in track.moments}
    if not marks & _COMPARED:
        other = "; no run is comparable with the one before it" if "not_comparable" in marks else ""
        return f"{head}: nothing to compare yet{other}."
    if not falls:
        return f"{head}: nothing got worse by more than noise."
    name, last = max(falls, key=lambda fall: fall[1].run.created_at)
    with_ = f", together with {changes_text(last.changes, 3)}" if last.changes else ", though no setting changed"
    value = value_text(str(found.metric), last.value.value, at_least=last.value.at_least)
    worse = f"{count(len(falls), 'change')} for the worse; the last is {name} on {day(last.run)}"
    return f"{head}: {worse}, to {value}{with_}."
