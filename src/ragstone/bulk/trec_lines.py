"""Results as the lines that trec_eval prints, so that scripts which read those go on working."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

import numpy as np

from ragstone.bulk.files import readable
from ragstone.bulk.result import RunScores
from ragstone.errors import UsageError
from ragstone.metrics import Metric, parse

OFFICIAL = (
    *("runid", "num_q", "num_ret", "num_rel", "num_rel_ret", "map", "gm_map", "Rprec", "bpref", "recip_rank"),
    *(f"iprec_at_recall_{tenth / 10:.2f}" for tenth in range(11)),
    *(f"P_{k}" for k in (5, 10, 15, 20, 30, 100, 200, 500, 1000)),
)
SUMS = ("num_ret", "num_rel", "num_rel_ret")
_GEOMETRIC_FLOOR = 0.00001
_PLAIN = {"AP": "map", "RR": "recip_rank", "nDCG": "ndcg", "Rprec": "Rprec", "bpref": "bpref", "infAP": "infAP",
          "NumRet": "num_ret", "NumRel": "num_rel", "NumRelRet": "num_rel_ret"}  # fmt: skip
_CUT = {"P": "P", "R": "recall", "nDCG": "ndcg_cut", "Hit": "success", "AP": "map_cut"}
_TAIL = 1 << 16


def metrics_for(names: Sequence[str]) -> list[str]:
    """Return the metrics that have to be computed to print the named lines."""
    needed = ["map" if name == "gm_map" else name for name in names if name not in ("runid", "num_q")]
    return list(dict.fromkeys(str(parse(name)) for name in needed))


def trec_name(metric: Metric) -> str:
    """Return trec_eval's name of a metric, or our own where it has none.

    Example:
        >>> trec_name(parse("nDCG@10")), trec_name(parse("AP")), trec_name(parse("RBP@5"))
        ('ndcg_cut_10', 'map', 'RBP@5')
    """
    if metric.family == "IPrec" and metric.cutoff is None:
        return f"iprec_at_recall_{float(metric.arguments()['recall']):.2f}"
    if metric.params:
        return str(metric)
    if metric.cutoff is None:
        return _PLAIN.get(metric.family, str(metric))
    return f"{_CUT[metric.family]}_{metric.cutoff}" if metric.family in _CUT else str(metric)


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
    columns = {name: _column(result, name)[order].tolist() for name in names if name not in ("runid", "num_q")}
    if by_query:
        for place, row in enumerate(order):
            for name, values in columns.items():
                if name != "gm_map":
                    yield _line(name, result.queries[row], values[place])
    count = len(result.queries) if complete else len(order)
    for name in names:
        if name in ("runid", "num_q"):
            yield f"{name:<22}\tall\t{tag if name == 'runid' else count}"
        else:
            yield _line(name, "all", _overall(name, columns[name], count))


def _column(result: RunScores, name: str) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    return result.column(metrics_for([name])[0])


def _overall(name: str, values: Sequence[float], count: int) -> float:
    """Return the sum of counts, the geometric mean of gm_map, and the mean of all others, added up in order."""
    label = _label(name)
    if label in SUMS:
        return sum(values)
    if not count:
        return 0.0
    if name == "gm_map":
        floor = math.log(_GEOMETRIC_FLOOR)
        logs = sum(math.log(max(value, _GEOMETRIC_FLOOR)) for value in values)
        return math.exp((logs + (count - len(values)) * floor) / count)
    # A query to which a metric of ours does not apply has none; trec_eval's always have a value.
    known = [value for value in values if not math.isnan(value)]
    return sum(known) / (count - len(values) + len(known)) if known else 0.0


def _label(name: str) -> str:
    return name if name == "gm_map" else trec_name(parse(name))


def _line(name: str, query: str, value: float) -> str:
    label = _label(name)
    number = str(int(value)) if label in SUMS else f"{value:6.4f}"
    return f"{label:<22}\t{query}\t{number}"


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
