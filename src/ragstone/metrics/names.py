"""Metric names: one grammar, ``Family(param=value, ...)@k``, and the spellings of other tools as aliases."""

from __future__ import annotations

import ast
import math
import re
from collections.abc import Iterable, Mapping
from functools import cache
from types import MappingProxyType

from ragstone.errors import UnknownNameError, UsageError
from ragstone.metrics.base import FAMILIES, Family, Metric, Param, ParamValue

_NAME = re.compile(
    r"""\s*(?P<name>[A-Za-z][A-Za-z0-9_]*?(?:_\d\.\d+)?)
        (?:\((?P<params>[^()]*)\))?
        (?:@(?P<k>-?\d{1,9})|_cut_(?P<cut>\d{1,9})|_(?P<trec>\d{1,9}))?\s*""",
    re.VERBOSE,
)


_NO_PARAMS: Mapping[str, ParamValue] = MappingProxyType({})


@cache
def parse(name: str) -> Metric:
    """Return the metric that `name` means.

    Names are not case-sensitive. Accepted are the canonical names, the aliases of each family (``mrr@5``,
    ``hit_rate@5``, ``precision@5``) and trec_eval's spelling of cutoffs (``ndcg_cut_10``, ``P_5``) and of recall
    levels (``iprec_at_recall_0.10``).

    Raises:
        UnknownNameError: No family has this name or alias.
        UsageError: The name is not of the form, a parameter is unknown or wrong, or the cutoff does not fit.

    Example:
        >>> str(parse("ndcg_cut_10")), str(parse("mrr@5")), str(parse("nDCG(gain='exp')@10"))
        ('nDCG@10', 'RR@5', "nDCG(gain='exp')@10")
    """
    match = _NAME.fullmatch(name)
    if match is None:
        raise UsageError(f"metric {name!r} is not of the form Name(param=value)@k, such as nDCG@10")
    traits, params = _resolve(match["name"])
    given = {**params, **_parse_params(name, match["params"] or "", traits)}
    if missing := [key for key, param in traits.params.items() if param.default is None and key not in given]:
        param = traits.params[missing[0]]
        raise UsageError(f"metric {name!r} needs {missing[0]} ({_wanted(param)}): {param.doc}")
    kept = {key: value for key, value in given.items() if value != traits.params[key].default}
    cutoff = match["k"] or match["cut"] or match["trec"]
    return Metric(traits.name, None if cutoff is None else int(cutoff), tuple(sorted(kept.items())))


def describe(name: str) -> Family:
    """Return the family that a name means, also without the cutoff and parameters that a metric of it needs."""
    match = _NAME.fullmatch(name)
    return _resolve(match["name"] if match else name)[0]


def parse_all(names: Iterable[str]) -> tuple[Metric, ...]:
    """Return the metrics that the names mean, in order and without repetitions."""
    return tuple(dict.fromkeys(parse(name) for name in names))


def _resolve(name: str) -> tuple[Family, Mapping[str, ParamValue]]:
    # Other packages are searched for metrics only where the name is none of ours.
    found = _spellings(every=False).get(name.lower()) or _spellings(every=True).get(name.lower())
    if found is None:
        raise UnknownNameError("metric", name, FAMILIES)
    return FAMILIES[found[0]], found[1]


@cache
def _spellings(*, every: bool) -> dict[str, tuple[str, Mapping[str, ParamValue]]]:
    table: dict[str, tuple[str, Mapping[str, ParamValue]]] = {}
    for name, traits in FAMILIES.items() if every else FAMILIES.loaded().items():
        plain = dict.fromkeys((name.lower(), *traits.aliases), _NO_PARAMS)
        for spelling, params in {**plain, **traits.presets}.items():
            if spelling in table:
                raise ValueError(f"metric spelling {spelling!r} means both {table[spelling][0]!r} and {name!r}")
            table[spelling] = (name, params)
    return table


def _parse_params(name: str, text: str, traits: Family) -> dict[str, ParamValue]:
    given: dict[str, ParamValue] = {}
    for part in filter(None, (piece.strip() for piece in text.split(","))):
        key, equals, value = (piece.strip() for piece in part.partition("="))
        if not equals or key not in traits.params:
            known = ", ".join(traits.params) or "none"
            raise UsageError(
                f"metric {name!r}: {part!r} is not one of its parameters as key=value; known: {known}"
            )
        given[key] = _convert(name, key, value, traits.params[key])
    return given


def _convert(name: str, key: str, text: str, param: Param) -> ParamValue:
    try:
        value = ast.literal_eval(text)
    except (ValueError, SyntaxError):
        value = text
    if not _fits(value, param):
        raise UsageError(f"metric {name!r}: {key} must be {_wanted(param)}, got {text!r}")
    result: ParamValue = value
    return result


def _fits(value: object, param: Param) -> bool:
    if param.choices:
        return value in param.choices
    if isinstance(value, bool) or not isinstance(value, int if param.whole else int | float):
        return False
    return param.low <= value <= param.high and math.isfinite(value)


def _wanted(param: Param) -> str:
    if param.choices:
        return " or ".join(map(repr, param.choices))
    number = "a whole number" if param.whole else "a number"
    return (
        f"{number} from {param.low:g} to {param.high:g}"
        if math.isfinite(param.high)
        else f"{number} of at least {param.low:g}"
    )
