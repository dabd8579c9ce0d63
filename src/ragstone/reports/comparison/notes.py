"""What a reader must know before a comparison's numbers: what differs, what could not be paired, what failed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from ragstone.experiments.comparison.compare import Candidate, Comparison
from ragstone.experiments.diagnosis.holes import DIFFERS, ENOUGH, DifferenceBounds
from ragstone.experiments.results import RunResult
from ragstone.reports.comparison.verdict import clusters_sentence
from ragstone.reports.comparison.words import change_number, metric_label, signed_text
from ragstone.reports.words import NONE, count, label, reason_text, reasons_text

_NAMED = 5


@dataclass(frozen=True, slots=True)
class Note:
    """One thing to know: ``error`` spoils the comparison, ``warning`` may, ``note`` explains."""

    level: str
    message: str


def notes(comparison: Comparison) -> list[Note]:
    """Return the notes of a comparison, the gravest first; what holds for several runs alike is said once."""
    found = [
        *_runs(comparison),
        *(note for one in comparison.candidates for note in _candidate(comparison, one)),
        *_holes(comparison),
        *([Note("note", comparison.naming)] if comparison.naming else []),
    ]
    order = {"error": 0, "warning": 1, "note": 2}
    return sorted(dict.fromkeys(found), key=lambda note: order[note.level])


def _runs(comparison: Comparison) -> Iterator[Note]:
    for name, result in zip(comparison.names, comparison.results, strict=True):
        run = result.run
        if run.state != "completed":
            yield Note("warning", f"{name} is {run.state}: {run.done:,} of {run.total:,} searches are done")
        if result.failed:
            all_failed = len(result.failed) == len(result.queries)
            yield Note("error" if all_failed else "warning", _failed(name, result))


def _failed(name: str, result: RunResult) -> str:
    scored = "are left out" if result.benchmark.policy.on_error == "exclude" else "count as misses"
    ids = [found.query.id for found in result.failed]
    searches = count(len(ids), "question")
    return f"{name}: the search failed on {searches}, which {scored}: {named(ids)}"


def named(ids: Sequence[str]) -> str:
    """Return the first ids, and how many more there are."""
    more = f" and {len(ids) - _NAMED} more" if len(ids) > _NAMED else ""
    return ", ".join(ids[:_NAMED]) + more


def _candidate(comparison: Comparison, one: Candidate) -> Iterator[Note]:
    baseline = comparison.names[0]
    for mismatch in one.mismatches:
        level = "error" if mismatch.level == "refuse" else "warning"
        yield Note(level, f"{baseline} and {one.name}: {mismatch}")
    for group in unpaired_groups(one):
        lacking = baseline if group.lacking == "baseline" else one.name
        metrics, asked = ", ".join(map(label, group.metrics)), count(len(group.queries), "question")
        yield Note(
            "warning",
            f"{one.name}: {asked} left out of {metrics}, {reason_text(group.reason)} in {lacking}: "
            f"{named(group.queries)}",
        )
    if said := clusters_sentence(one.primary):
        yield Note("note", f"{one.name}: {said}")
    if neither := one.primary.pairs.neither:
        number, name = count(sum(neither.values()), "question"), label(str(comparison.primary))
        where = _nowhere(comparison, one)
        yield Note("note", f"{number} could not be scored by {name} in {where}: {reasons_text(neither)}")


def _nowhere(comparison: Comparison, one: Candidate) -> str:
    """Return where a candidate and the baseline both lack scores: in any run, where all are alike in that."""
    if len(comparison.candidates) == 1:
        return "either run"
    alike = all(other.primary.pairs.neither == one.primary.pairs.neither for other in comparison.candidates)
    return "any run" if alike else f"{comparison.names[0]} and in {one.name}"


@dataclass(frozen=True, slots=True)
class UnpairedGroup:
    """Questions that one of two runs has no score for, by the same metrics and for the same reason.

    Attributes:
        lacking: ``baseline`` or ``candidate``.
    """

    metrics: tuple[str, ...]
    lacking: str
    reason: str
    queries: tuple[str, ...]


def unpaired_groups(one: Candidate) -> list[UnpairedGroup]:
    """Return the questions that could not be paired; metrics that lack the same ones share a group."""
    reasons: dict[tuple[str, str, str], list[str]] = {}
    for name, found in one.metrics.items():
        for lost in found.pairs.unpaired:
            lacking = "baseline" if lost.baseline.value is None else "candidate"
            reason = lost.baseline.reason or lost.candidate.reason or "unknown"
            reasons.setdefault((name, lacking, reason), []).append(lost.query)
    alike: dict[tuple[str, str, tuple[str, ...]], list[str]] = {}
    for (name, lacking, reason), ids in reasons.items():
        alike.setdefault((lacking, reason, tuple(ids)), []).append(name)
    return [UnpairedGroup(tuple(names), *shared) for shared, names in alike.items()]


def _holes(comparison: Comparison) -> Iterator[Note]:
    """Say what hits that nobody judged could change, where they are many or the runs differ in them."""
    found = {one.name: one.holes for one in comparison.candidates if one.holes and _in_doubt(one.holes)}
    if not found:
        return
    shares = ", ".join(f"{_unjudged(one.judged[1])} of {name}'s" for name, one in found.items())
    first = next(iter(found.values()))
    before = f"{comparison.names[0]}: {_unjudged(first.judged[0])}"
    turned = [name for name, one in found.items() if one.turns]
    fate = "no way of judging them that was tried turns the sign"
    if turned:
        fate = f"judging them could turn the sign for {', '.join(turned)}"
    elif all(one.safe for one in found.values()):
        fate = "the sign holds all the same"
    extremes = _extremes(first) if len(found) == 1 else ""
    yield Note(
        "warning" if any(map(_apart, found.values())) else "note",
        f"{shares} first hits were never judged ({before}) and count as wrong; {fate}{extremes}",
    )


def _unjudged(share: float | None) -> str:
    return NONE if share is None else f"{1 - share:.0%}"


def _in_doubt(found: DifferenceBounds) -> bool:
    """Say whether unjudged hits are so many, or so unequally shared, that they may decide."""
    shares = [share for share in found.judged if share is not None]
    return bool(found.holes) and (min(shares, default=1.0) < ENOUGH or _apart(found))


def _apart(found: DifferenceBounds) -> bool:
    first, second = found.judged
    return first is not None and second is not None and abs(first - second) > DIFFERS


def _extremes(found: DifferenceBounds) -> str:
    least, most = change_number(found.metric, found.low), signed_text(found.metric, found.high)
    passages = count(found.holes, "passage")
    return (
        f". By how they are judged, the difference in {metric_label(found.metric)} could be {least} to {most}: "
        f"{passages} to judge"
    )
