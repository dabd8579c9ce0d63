"""What is to be said of the matching: golds that the corpus lacks, ways to match, matches for review."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from ragstone.experiments.readings import ReadingName
from ragstone.experiments.report import Report
from ragstone.experiments.results import RunResult
from ragstone.experiments.validity import unresolved
from ragstone.matching.reference import place
from ragstone.reports.words import value_text
from ragstone.types import Dataset, Summary

MOST = 100
GAP_NOTE = (
    "Strict takes the very page and heading, tolerant also neighbouring pages and subsections, by document any "
    "place in the right document. The gap is what tolerance adds."
)


@dataclass(frozen=True, slots=True)
class GapRow:
    """One metric of one run under every way to match.

    Attributes:
        gap: Tolerant less strict; None where one of the two is not computed.
        used: The way that the run's own scores were made by; None where it is neither.
    """

    run: str
    metric: str
    strict: Summary
    tolerant: Summary
    document: Summary
    used: ReadingName | None

    @property
    def gap(self) -> float | None:
        """What tolerance is worth."""
        if self.strict.value is None or self.tolerant.value is None:
            return None
        return self.tolerant.value - self.strict.value

    @property
    def gap_text(self) -> str:
        """The gap with its sign, in the metric's unit."""
        text = value_text(self.metric, self.gap)
        return text if self.gap is None else f"{'+' if self.gap >= 0 else ''}{text}"


def gap_rows(report: Report) -> list[GapRow]:
    """Return every run's metrics by way of matching; none where no gold points at a page or a heading."""
    return [row for result in report.runs for row in _gaps(result)]


def _gaps(result: RunResult) -> Iterator[GapRow]:
    by_name = {reading.name: reading.summaries for reading in result.readings}
    used = next((reading.name for reading in result.readings if reading.used), None)
    for metric in by_name.get("strict", {}):
        strict, tolerant, document = (by_name[name][metric] for name in ("strict", "tolerant", "document"))
        yield GapRow(result.run.spec.name, metric, strict, tolerant, document, used)


@dataclass(frozen=True, slots=True)
class Doubtful:
    """A hit that fits several golds: the one that it was matched to stands first."""

    query: str
    rank: int
    hit: str
    golds: Sequence[str]


def doubtful(result: RunResult) -> list[Doubtful]:
    """Return the ambiguous matches of a run, for a person to review."""
    rows = []
    for found, match in result.ambiguous:
        order = [index for index in match.alternatives if index == match.gold]
        order += [index for index in match.alternatives if index != match.gold]
        hit = found.response.hits[match.position] if found.response else None
        golds = [place(found.golds[index]) for index in order]
        rows.append(Doubtful(found.query.id, match.rank, place(hit) if hit else "", golds))
    return rows


def lacking(dataset: Dataset, result: RunResult) -> list[tuple[str, str]]:
    """Return question and reference of each gold that the corpus lacks, or has several documents for."""
    validity = result.run.validity
    return [] if validity is None else [(query, place(gold)) for query, gold in unresolved(dataset, validity)]


def validity_text(result: RunResult) -> str:
    """Return how many golds the corpus has, in words.

    The words name what was looked at: the passages of the system, or a catalogue.
    """
    validity = result.run.validity
    if validity is None:
        return "not checked: the system does not say what its corpus holds, and no catalogue is named"
    where = "the corpus" if validity.source == "system" else "the catalogue"
    gone, unclear = (sum(map(len, places.values())) for places in (validity.gone, validity.ambiguous))
    parts = [f"{gone:,} gone"] if gone else []
    parts += [f"{unclear:,} ambiguous"] if unclear else []
    fate = "left out" if result.benchmark.policy.unresolved == "drop" else "kept in the denominators"
    rest = f"; {' and '.join(parts)}, {fate}" if parts else ""
    return f"{validity.resolved:,} of {validity.total:,} are in {where}{rest}"


def matching_data(dataset: Dataset, result: RunResult) -> dict[str, Any]:
    """Return all of it as plain data, lists cut at 100."""
    validity = result.run.validity
    counts = None
    if validity is not None:
        counts = {
            "source": validity.source,
            "total": validity.total,
            "resolved": validity.resolved,
            "gone": sum(map(len, validity.gone.values())),
            "ambiguous": sum(map(len, validity.ambiguous.values())),
            "policy": result.benchmark.policy.unresolved,
            "samples": [{"query": query, "gold": gold} for query, gold in lacking(dataset, result)[:MOST]],
        }
    matches = doubtful(result)
    return {
        "golds": counts,
        "readings": [
            {
                "metric": row.metric,
                "strict": row.strict.value,
                "tolerant": row.tolerant.value,
                "document": row.document.value,
                "gap": row.gap,
                "used": row.used,
            }
            for row in _gaps(result)
        ],
        "ambiguous": len(matches),
        "ambiguous_samples": [
            {"query": one.query, "rank": one.rank, "hit": one.hit, "golds": list(one.golds)}
            for one in matches[:MOST]
        ],
    }
