"""The page on metrics, from their registry."""

from __future__ import annotations

import inspect
import math
import re

from ragstone.metrics import FAMILIES, Family, Param
from ragstone.metrics.names import parse
from ragstone.stats.summary import Kind
from reference_parts.degenerate import REASONS
from reference_parts.tables import code, table

KINDS: dict[Kind, tuple[str, str]] = {
    "rate": ("0 or 1 for each question", "Wilson"),
    "mean": ("a number within a range", "plus-two t"),
    "quantile": ("a measurement, summarised as a percentile", "order statistics"),
    "open": ("a number without an upper end", "Student's t"),
}
CUTOFFS = {"required": "`@k` must be given", "optional": "`@k` may be given", "none": "none"}

MONOTONE = "moving a more relevant hit up never makes it worse"

INTRODUCTION = """\
# Metrics

A metric is named `Family(parameter=value)@k`, such as `nDCG@10`, `RR` or
`rejection_accuracy(criterion='empty')`. The same name is used in benchmark files, reports, JSON and the
store. Names are not case-sensitive; aliases and trec_eval's way to write a cutoff (`ndcg_cut_10`, `P_5`)
are accepted and printed under the name given here.

`ragstone metrics list` and `ragstone metrics show NAME` print the same definitions.

The kind of a metric decides which interval its mean gets ([why](../explanation/statistics.md)):
"""

AFTER_KINDS = """\
"Not computed" is never 0. A question to which a metric does not apply has no value but a reason code; it is
left out of the mean and counted beside it. What comes out in each doubtful case is in
[undefined.md](undefined.md); what all metrics have in common is in [what the metrics
count](../explanation/metrics.md).
"""


def page() -> str:
    """Return the page."""
    kinds = table(("kind", "one question's value", "interval"), [(kind, *words) for kind, words in KINDS.items()])
    reasons = table(("reason code", "a question"), [(code(one), words) for one, words in REASONS.items()])
    overview = table(
        ("metric", "kind", "range", "better", "in a sentence"),
        [
            (f"[{_named(one)}](#{one.name.lower()})", one.kind, _range(one), _better(one), _summary(one))
            for one in map(FAMILIES.__getitem__, FAMILIES)
        ],
    )
    families = "\n\n".join(_family(one) for _, one in FAMILIES.items())
    return "\n\n".join([INTRODUCTION + "\n" + kinds, AFTER_KINDS, reasons, "## All metrics", overview, families])


def _named(one: Family) -> str:
    return one.name + {"required": "@k", "optional": "[@k]", "none": ""}[one.cutoff]


def _range(one: Family) -> str:
    low, high = one.bounds
    if math.isinf(low):
        return "any number"
    return f"{low:g} to {high:g}" if math.isfinite(high) else f"{low:g} or more"


def _better(one: Family) -> str:
    return {True: "higher", False: "lower", None: "neither"}[one.higher_is_better]


def _summary(one: Family) -> str:
    return _markdown(one.doc.splitlines()[0])


def _family(one: Family) -> str:
    facts = [
        ("kind", one.kind),
        ("range", _range(one)),
        ("better", _better(one)),
        ("cutoff", CUTOFFS[one.cutoff]),
        *([("order", MONOTONE)] if one.monotone else []),
        ("aliases", ", ".join(map(code, one.aliases)) or "none"),
    ]
    if one.presets:
        facts.append(("also", ", ".join(f"`{name}` is `{_canonical(one, name)}`" for name in one.presets)))
    facts.append(("not computed", ", ".join(map(code, _reasons(one)))))
    parts = [f"## {one.name}", _markdown(inspect.cleandoc(one.doc)), table(("", ""), facts)]
    if one.params:
        rows = [(code(name), _values(param), _default(param), param.doc) for name, param in one.params.items()]
        parts.append(table(("parameter", "values", "default", "meaning"), rows))
    return "\n\n".join(parts)


def _canonical(one: Family, preset: str) -> str:
    return str(parse(preset + "@10")) if one.cutoff == "required" else str(parse(preset))


def _reasons(one: Family) -> list[str]:
    """Return the codes under which a question can lack this metric."""
    found = [requirement.reason for requirement in one.requires]
    if one.undefined != "undefined":
        found.append(one.undefined)
    if one.cutoff != "none":
        found.append("beyond_depth")
    return list(dict.fromkeys([*found, "not_asked"]))


def _values(param: Param) -> str:
    if param.choices:
        return ", ".join(code(repr(choice)) for choice in param.choices)
    number = "whole number" if param.whole else "number"
    if math.isfinite(param.high):
        return f"{number} from {param.low:g} to {param.high:g}"
    return f"{number} of at least {param.low:g}" if math.isfinite(param.low) else number


def _default(param: Param) -> str:
    return "must be given" if param.default is None else code(repr(param.default))


def _markdown(text: str) -> str:
    """Turn reStructuredText literals into Markdown's, and keep intervals and lists from being read as links."""
    return re.sub(r"``(.+?)``", r"`\1`", text).replace("[[", r"\[[")
