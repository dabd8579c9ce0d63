"""Results as the lines that trec_eval prints, so that scripts which read those go on working."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

import numpy as np

from ragstone.bulk.files import readable
from ragstone.bulk.result import RunScores
from ragstone.bulk.trec_names import GEOMETRIC, NOT_METRICS, label, metric_of
from ragstone.errors import UsageError

SUMS = ("num_ret", "num_rel", "num_rel_ret")
_GEOMETRIC_FLOOR = 0.00001
_TAIL = 1 << 16


def metrics_for(names: Sequence[str]) -> list[str]:
    """Return the metrics that have to be computed to print the named lines."""
    return list(dict.fromkeys(str(metric_of(name)) for name in names if name not in NOT_METRICS))


def trec_lines(
    result: RunScores, names: Sequence[str], *, by_query: bool, complete: bool, tag: str
) -> Iterator[str]:
    """Yield the lines: per query where asked for, by query id, then those over all queries.

    Args:
        result: Scores with the policies ``no_gold="zero"`` and ``missing_query="exclude"``.
        names: What to print, in trec_eval's or our spelling, in this order.
        by_query: Print each query's values, as ``-q`` does.
        complete: Divide by the number of judged queries, as ``-c`` does.
        tag: Name of the run.
    """
    if result.policy.no_gold != "zero" or result.policy.missing_query != "exclude":
        raise UsageError("trec_eval's lines need no_gold='zero' and missing_query='exclude'")
    searched = np.flatnonzero(result.retrieved >= 0).tolist()
    order = sorted(searched, key=lambda row: result.queries[row].encode())
    columns = {name: _column(result, name)[order].tolist() for name in names if name not in NOT_METRICS}
    if by_query:
        for place, row in enumerate(order):
            for name, values in columns.items():
                if name not in GEOMETRIC:
                    yield _line(name, result.queries[row], values[place])
    count = len(result.queries) if complete else len(order)
    for name in names:
        if name in NOT_METRICS:
            yield f"{name:<22}\tall\t{tag if name == 'runid' else count}"
        else:
            yield _line(name, "all", _overall(name, columns[name], count))


def _column(result: RunScores, name: str) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    return result.column(metrics_for([name])[0])


def _overall(name: str, values: Sequence[float], count: int) -> float:
    """Return the sum of counts, the geometric mean of what is named so, and the mean of all others, in order."""
    if label(name) in SUMS:
        return sum(values)
    if not count:
        return 0.0
    if name in GEOMETRIC:
        floor = math.log(_GEOMETRIC_FLOOR)
        logs = sum(math.log(max(value, _GEOMETRIC_FLOOR)) for value in values)
        return math.exp((logs + (count - len(values)) * floor) / count)
    # A query to which a metric of ours does not apply has none; trec_eval's always have a value.
    known = [value for value in values if not math.isnan(value)]
    return sum(known) / (count - len(values) + len(known)) if known else 0.0


def _line(name: str, query: str, value: float) -> str:
    printed = label(name)
    number = str(int(value)) if printed in SUMS else f"{value:6.4f}"
    return f"{printed:<22}\t{query}\t{number}"


def tag_of(path: str) -> str:
    """Return the tag in the last line of a run file in TREC's columns, or the path where there is none."""
    last = b""
    with readable(path) as stream:
        buffer = bytearray(_TAIL)
        if stream.seekable() and hasattr(stream, "name"):
            size = stream.seek(0, 2)
            stream.seek(max(0, size - _TAIL))
        while count := stream.readinto(buffer):
            last = (last + bytes(buffer[:count]))[-_TAIL:]
    columns = last.strip().rsplit(b"\n", 1)[-1].split()
    return columns[5].decode(errors="replace") if len(columns) >= 6 else path
