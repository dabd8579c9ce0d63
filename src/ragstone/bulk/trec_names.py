"""trec_eval's names: which metrics they are, and which lines they stand for, in its order."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import cache

from ragstone.errors import UnknownNameError, UsageError
from ragstone.metrics import Metric, parse

NOT_METRICS = ("runid", "num_q")
GEOMETRIC = {"gm_map": "map", "gm_bpref": "bpref"}
_CUTS = ("5", "10", "15", "20", "30", "100", "200", "500", "1000")
_CUTOFFS = {
    "iprec_at_recall": tuple(f"{tenth / 10:.2f}" for tenth in range(11)),
    **dict.fromkeys(("P", "recall", "ndcg_cut", "map_cut"), _CUTS),
    "success": ("1", "5", "10"),
}
_COUNTS = ("runid", "num_q", "num_ret", "num_rel", "num_rel_ret")
_OFFICIAL = (*_COUNTS, "map", "gm_map", "Rprec", "bpref", "recip_rank", "iprec_at_recall", "P")
_ALL = (
    *(*_OFFICIAL, "relstring", "recall", "infAP", "gm_bpref", "Rprec_mult", "utility", "11pt_avg", "binG", "G"),
    *("ndcg", "ndcg_rel", "Rndcg", "ndcg_cut", "map_cut", "relative_P", "success"),
    *("set_P", "set_relative_P", "set_recall", "set_map", "set_F", "num_nonrel_judged_ret"),
)
_SETS = {
    "official": _OFFICIAL,
    "set": (*_COUNTS, "utility", "set_P", "set_relative_P", "set_recall", "set_map", "set_F"),
    "all_trec": _ALL,
}
_NOT_COMPUTED = frozenset({
    *("relstring", "Rprec_mult", "utility", "11pt_avg", "binG", "G", "ndcg_rel", "Rndcg", "relative_P"),
    *("set_relative_P", "set_map", "num_nonrel_judged_ret"),
    "rbp",  # trec_eval's is of gains, with p = 0.9; RBP is of relevant hits
})  # fmt: skip
_LEVEL = re.compile(r"iprec_at_recall_(\d*\.?\d+)")
_WITH_CUTOFF = re.compile(r"(.+?)_(\d*\.?\d+)")
_PLAIN = {"AP": "map", "RR": "recip_rank", "nDCG": "ndcg", "Rprec": "Rprec", "bpref": "bpref", "infAP": "infAP",
          "NumRet": "num_ret", "NumRel": "num_rel", "NumRelRet": "num_rel_ret",
          "precision_returned": "set_P", "R": "set_recall", "F1": "set_F"}  # fmt: skip
_CUT = {"P": "P", "R": "recall", "nDCG": "ndcg_cut", "Hit": "success", "AP": "map_cut"}


def expanded(names: Iterable[str]) -> tuple[list[str], list[str]]:
    """Return the lines to print, in trec_eval's order, and what belongs to its sets and is not computed here.

    Args:
        names: trec_eval's measures, with their cutoffs or, for the default ones, without; its sets ``official``,
            ``set`` and ``all_trec``; and our own names, whose lines come last.

    Raises:
        UsageError: A name is none of these.

    Example:
        >>> expanded(["success", "map", "RBP@10"])
        (['map', 'success_1', 'success_5', 'success_10', 'RBP@10'], [])
    """
    wanted: dict[str, None] = {}
    absent: dict[str, None] = {}
    for name in names:
        for one in _SETS.get(name, (name,)):
            if name in _SETS and one in _NOT_COMPUTED:
                absent[one] = None
            else:
                wanted |= dict.fromkeys(map(label, _with_cutoffs(one)))
    return sorted(wanted, key=_place), list(absent)


def _with_cutoffs(name: str) -> Sequence[str]:
    return [f"{name}_{cutoff}" for cutoff in _CUTOFFS[name]] if name in _CUTOFFS else [name]


@cache
def label(name: str) -> str:
    """Return how trec_eval names a line; our own name where it has none."""
    if name in NOT_METRICS or name in GEOMETRIC:
        return name
    return trec_name(metric_of(name))


def metric_of(name: str) -> Metric:
    """Return the metric that has to be computed for a line.

    Raises:
        UsageError: Neither trec_eval's name of a metric that is computed here, nor one of ours.
    """
    name = GEOMETRIC.get(name, name)
    if level := _LEVEL.fullmatch(name):
        return parse(f"IPrec(recall={float(level[1])})")
    root = found[1] if (found := _WITH_CUTOFF.fullmatch(name)) else name
    if root in _NOT_COMPUTED or (root != name and root in _ALL and root not in _CUTOFFS):
        raise _unknown(name)
    try:
        return parse(name)
    except UnknownNameError:
        raise _unknown(name) from None


def _unknown(name: str) -> UsageError:
    known = ", ".join(one for one in _ALL if one not in _NOT_COMPUTED)
    return UsageError(
        f"trec_eval's lines cannot be printed for {name!r}; there are {known}, the sets {', '.join(_SETS)}, "
        "and all of Ragstone's own names"
    )


def trec_name(metric: Metric) -> str:
    """Return trec_eval's name of a metric, or our own where it has none.

    Example:
        >>> trec_name(parse("nDCG@10")), trec_name(parse("AP")), trec_name(parse("RBP@5"))
        ('ndcg_cut_10', 'map', 'RBP@5')
    """
    if metric.family == "IPrec" and [name for name, _ in metric.params] == ["recall"]:
        return f"iprec_at_recall_{float(metric.arguments()['recall']):.2f}"
    if metric.params:
        return str(metric)
    if metric.cutoff is None:
        return _PLAIN.get(metric.family, str(metric))
    return f"{_CUT[metric.family]}_{metric.cutoff}" if metric.family in _CUT else str(metric)


def _place(line: str) -> tuple[int, float]:
    """Return what sorts lines as trec_eval does: by measure, then by cutoff; those that are ours stay in order."""
    found = None if line in _ALL else _WITH_CUTOFF.fullmatch(line)
    root, cutoff = (found[1], float(found[2])) if found else (line, 0.0)
    return (_ALL.index(root), cutoff) if root in _ALL else (len(_ALL), 0.0)
