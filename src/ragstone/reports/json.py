"""JSON: everything in a report, and the same without what differs between two runs of the same results."""

from __future__ import annotations

import json
from typing import Any

from ragstone.experiments.report import Report
from ragstone.reports.base import FORMATS, Format
from ragstone.reports.data import report_data
from ragstone.reports.overview import is_latency

_OF_ONE_STORE = ("run_id", "error", "created_at", "started_at", "finished_at", "system_options")
_TIMES = ("latency_ms", "grading_latency_ms", "avg_latency_ms")


def render_json(report: Report) -> str:
    """Return everything in a report as JSON."""
    return json.dumps(report_data(report), allow_nan=False) + "\n"


def canonical_json(report: Report) -> str:
    """Return the results alone: no timings, dates, paths or ids, keys sorted, runs in planned order.

    Two stores with the same results give the same bytes. Notices, verdict and messages of failures are left out,
    because they may speak of ids and times; what they rest on is there.
    """
    data = report_data(report)
    kept = {key: data[key] for key in ("schema", "benchmark", "description", "dataset")}
    runs = sorted(data["runs"], key=lambda run: run["position"])
    kept["runs"] = [_timeless_run(run) for run in runs]
    return json.dumps(kept, allow_nan=False, sort_keys=True, indent=1) + "\n"


def _timeless_run(run: dict[str, Any]) -> dict[str, Any]:
    kept = {key: value for key, value in run.items() if key not in _OF_ONE_STORE}
    kept["summaries"] = _timeless_metrics(run["summaries"])
    kept["checks"] = _timeless_metrics(run["checks"])
    kept["slices"] = [{**one, "summaries": _timeless_metrics(one["summaries"])} for one in run["slices"]]
    kept["spread"] = {name: found for name, found in run["spread"].items() if not is_latency(name)}
    kept["queries"] = [_timeless_query(query) for query in run["queries"]]
    results = [_timeless(row) for row in run["results"]["results"]]
    kept["results"] = {**_timeless(run["results"]), "results": results}
    return kept


def _timeless_metrics(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [row for row in rows if not is_latency(row["metric"])]


def _timeless_query(query: dict[str, Any]) -> dict[str, Any]:
    kept = _timeless(query)
    kept["scores"] = {name: score for name, score in query["scores"].items() if not is_latency(name)}
    failure = query["failure"]
    kept["failure"] = None if failure is None else {"kind": failure["kind"], "type": failure["type"]}
    return kept


def _timeless(data: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in data.items() if key not in _TIMES}


FORMATS.add("json")(Format("json", ".json", render_json))
