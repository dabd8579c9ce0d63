"""What scoring a run gives: one value per query and metric, with what the means rest on."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ragstone.errors import UnknownNameError
from ragstone.metrics import Policy, parse

if TYPE_CHECKING:
    from ragstone.types import Summary


@dataclass(frozen=True, eq=False)
class RunScores:
    """The scores of one run.

    Attributes:
        name: Name of the run.
        queries: Ids of the judged queries, in the order of the qrels.
        metrics: Names of the metrics.
        values: One row per query and one column per metric; NaN where there is no value (float64).
        reasons: Per value the index in `reason_names` of why there is none; 0 where there is one (int8).
        reason_names: Reason codes; the first is the empty string.
        retrieved: Per query the number of rows of the run; -1 where the run does not have the query.
        warnings: What is doubtful about the inputs, one sentence each.
        policy: How open questions were settled.
        ties: ``trec10`` where scores were compared as 64-bit numbers, ``trec9`` as 32-bit numbers.
    """

    name: str
    queries: tuple[str, ...]
    metrics: tuple[str, ...]
    values: NDArray[np.float64]
    reasons: NDArray[np.int8]
    reason_names: tuple[str, ...]
    retrieved: NDArray[np.int64]
    warnings: tuple[str, ...]
    policy: Policy
    ties: str

    @cached_property
    def summaries(self) -> dict[str, Summary]:
        """Mean, n, what is missing and why, and interval, by metric."""
        return {name: self._summary(place) for place, name in enumerate(self.metrics)}

    def _summary(self, place: int) -> Summary:
        from ragstone.stats.summary import summarise_values  # noqa: PLC0415 - values alone do not need it

        metric, reasons = parse(self.metrics[place]), self.reasons[:, place]
        counts = np.bincount(reasons, minlength=len(self.reason_names)).tolist()
        return summarise_values(
            self.metrics[place],
            self.values[reasons == 0, place],
            {name: count for name, count in zip(self.reason_names, counts, strict=True) if name and count},
            kind=metric.traits.kind,
            bounds=metric.traits.bounds,
            quantile=float(metric.arguments().get("p", 50)) / 100,
        )

    def column(self, metric: str) -> NDArray[np.float64]:
        """Return one metric of all queries."""
        if metric not in self.metrics:
            raise UnknownNameError("metric of this result", metric, self.metrics)
        return self.values[:, self.metrics.index(metric)]

    def by_query(self) -> dict[str, dict[str, float | None]]:
        """Return values by metric by query; None where there is no value."""
        rows = self.values.astype(object)
        rows[np.isnan(self.values)] = None
        return {
            query: dict(zip(self.metrics, row, strict=True))
            for query, row in zip(self.queries, rows.tolist(), strict=True)
        }

    def reason(self, query: str, metric: str) -> str:
        """Return why a query has no value; an empty string where it has one."""
        row, column = self.queries.index(query), self.metrics.index(metric)
        return self.reason_names[int(self.reasons[row, column])]

    def to_dict(self, *, by_query: bool = False) -> dict[str, Any]:
        """Return plain data, ready for JSON."""
        data: dict[str, Any] = {
            "run": self.name,
            "policy": {**self.policy._asdict(), "ties": self.ties},
            "queries": len(self.queries),
            "metrics": {name: _plain(summary) for name, summary in self.summaries.items()},
            "warnings": list(self.warnings),
        }
        return {**data, "by_query": self.by_query()} if by_query else data

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        """Export one row per query through the Arrow C stream protocol, as data frames read it."""
        from ragstone.bulk.arrow import exported  # noqa: PLC0415 - Arrow is loaded where it is wanted

        return exported(self.queries, {name: self.column(name) for name in self.metrics}, requested_schema)

    def __repr__(self) -> str:
        lines = [f"{self.name}: {len(self.queries):,} queries"]
        width = max((len(name) for name in self.metrics), default=0)
        for name, summary in self.summaries.items():
            lines.append(f"  {name:<{width}}  {_text(summary)}")
        return "\n".join([*lines, *(f"  note: {warning}" for warning in self.warnings)])

    def _repr_html_(self) -> str:
        from html import escape  # noqa: PLC0415 - only notebooks ask

        head = "".join(f"<th>{word}</th>" for word in ("metric", "mean", "95% interval", "n", "missing"))
        rows = "".join(
            "<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in (name, *cells(summary))) + "</tr>"
            for name, summary in self.summaries.items()
        )
        notes = "".join(f"<p>{escape(warning)}</p>" for warning in self.warnings)
        return f"<table><caption>{escape(self.name)}</caption><tr>{head}</tr>{rows}</table>{notes}"


def cells(summary: Summary) -> tuple[str, str, str, str]:
    """Return value, interval, n and what is missing, as people read them."""
    value = "-" if summary.value is None else f"{summary.value:.4f}"
    missing = ", ".join(f"{count} {reason}" for reason, count in summary.missing.items())
    return value, _interval(summary), str(summary.n), missing or "0"


def _interval(summary: Summary) -> str:
    if summary.interval is None or (summary.interval.low is None and summary.interval.high is None):
        return "-"
    low, high = ("?" if one is None else f"{one:.4f}" for one in (summary.interval.low, summary.interval.high))
    return f"{low} to {high}"


def _text(summary: Summary) -> str:
    value, interval, n, missing = cells(summary)
    return f"{value}  [{interval}]  n {n}, missing {missing}"


def _plain(summary: Summary) -> dict[str, Any]:
    interval = None if summary.interval is None else asdict(summary.interval)
    return {"value": summary.value, "n": summary.n, "missing": dict(summary.missing), "interval": interval}
