"""What every metric gives in degenerate cases: computed by scoring small runs, nothing typed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from ragstone.matching import judge_run
from ragstone.metrics import FAMILIES, Family, Metric, Policy, parse, score
from ragstone.reports.words import reason_text
from ragstone.types import Dataset, Failure, Gold, Hit, Query, Response
from reference_parts.tables import code, table

K = 5
GOLDS = (Gold(kind="document", document="a", grade=3), Gold(kind="document", document="b", grade=1))
GROUPS = ((0, 1),)
FOUND = ("a", "x", "b")
ERROR = Failure(kind="error", message="no index")
TIMEOUT = Failure(kind="timeout", message="no answer within 60 s")


def _hits(names: Sequence[str], scores: Sequence[float | None] = ()) -> tuple[Hit, ...]:
    given = scores or [1.0 / rank for rank in range(1, len(names) + 1)]
    return tuple(
        Hit(id=name, document=name.partition("#")[0], heading=("A",), score=value)
        for name, value in zip(names, given, strict=True)
    )


@dataclass(frozen=True)
class Case:
    """One question, what it got back, and how that is scored."""

    title: str
    response: Response
    golds: tuple[Gold, ...] = GOLDS
    groups: tuple[tuple[int, ...], ...] = GROUPS
    answerable: bool = True
    depth: int = 20
    policy: Policy = field(default_factory=Policy)


_BARE = ((), ())  # no golds, no groups
CASES = (
    Case("Plain: two golds, found at ranks 1 and 3 of three hits", Response(hits=_hits(FOUND), latency_ms=8.0)),
    Case("Nothing returned", Response(latency_ms=8.0)),
    Case("Three hits, none of them judged", Response(hits=_hits(("x", "y", "z")), latency_ms=8.0)),
    Case("One hit, relevant", Response(hits=_hits(("a",)), latency_ms=8.0)),
    Case("All hits relevant", Response(hits=_hits(("a", "b")), latency_ms=8.0)),
    Case("Two hits of one document that is a gold", Response(hits=_hits(("a#1", "a#2", "x")), latency_ms=8.0),
         (Gold(kind="document", document="a", grade=3),), ((0,),)),
    Case("Two chunks under the same gold heading", Response(hits=_hits(("a#1", "a#2", "x")), latency_ms=8.0),
         (Gold(kind="anchor", document="a", heading=("A",), grade=3),), ((0,),)),
    Case("Hits without scores", Response(hits=_hits(FOUND, [None] * 3), latency_ms=8.0)),
    Case("Hits with equal scores", Response(hits=_hits(FOUND, [1.0] * 3), latency_ms=8.0)),
    Case("No gold at all", Response(hits=_hits(FOUND), latency_ms=8.0), *_BARE),
    Case("No gold at all, with `no_gold: zero`", Response(hits=_hits(FOUND), latency_ms=8.0), *_BARE,
         policy=Policy(no_gold="zero")),
    Case("Golds of grade 0 alone", Response(hits=_hits(FOUND), latency_ms=8.0),
         (Gold(kind="document", document="a", grade=0),), ()),
    Case("Golds of a negative grade (unjudged) alone", Response(hits=_hits(FOUND), latency_ms=8.0),
         (Gold(kind="document", document="a", grade=-1),), ()),
    Case("No support groups", Response(hits=_hits(FOUND), latency_ms=8.0), groups=()),
    Case("An unanswerable question, hits returned", Response(hits=_hits(FOUND), latency_ms=8.0), *_BARE,
         answerable=False),
    Case("An unanswerable question, nothing returned", Response(latency_ms=8.0), *_BARE, answerable=False),
    Case("An unanswerable question, the system says that it abstains",
         Response(hits=_hits(FOUND), latency_ms=8.0, abstained=True), *_BARE, answerable=False),
    Case("An unanswerable question, the search failed", Response(failure=ERROR), *_BARE, answerable=False),
    Case("The search failed", Response(failure=ERROR)),
    Case("The search failed, with `on_error: exclude`", Response(failure=ERROR),
         policy=Policy(on_error="exclude")),
    Case("The search ran into the time limit of 60 s", Response(failure=TIMEOUT, latency_ms=60_000.0)),
    Case("A cutoff deeper than the search (`top_k` 3)", Response(hits=_hits(FOUND), latency_ms=8.0), depth=3),
)  # fmt: skip

INTRODUCTION = f"""\
# What comes out when little goes in

Every metric is scored here on one question for each case; the values are computed by the code. Cutoffs are
{K}. A value of 0 says that the system did badly; a reason code in italics says that the question cannot be
scored, so that it is left out of the mean and counted beside it.

Unless a case says otherwise, the question is answerable and has two golds, `a` of grade 3 and `b` of grade
1, which are also its one support group; the search is not scoped to folders.
"""


def page() -> str:
    """Return the page."""
    return "\n\n".join([INTRODUCTION.rstrip(), *map(_section, CASES)])


def _section(case: Case) -> str:
    outcomes: dict[str, list[str]] = {}
    for metric in all_metrics():
        outcomes.setdefault(outcome(metric, case), []).append(str(metric))
    rows = [(key, ", ".join(map(code, outcomes[key]))) for key in sorted(outcomes, key=_order)]
    return f"## {case.title}\n\n{table(('result', 'metrics'), rows)}"


def _order(outcome_text: str) -> tuple[bool, float, str]:
    is_reason = outcome_text.startswith("*")
    return is_reason, 0.0 if is_reason else -float(outcome_text.replace(",", "")), outcome_text


def all_metrics() -> Iterator[Metric]:
    """Yield a metric of every family: each choice of a parameter that must be given, one cutoff."""
    for name, one in FAMILIES.items():
        for params in _params(one):
            yield parse(f"{name}{params}" + ("" if one.cutoff == "none" else f"@{K}"))


def _params(one: Family) -> list[str]:
    for key, param in one.params.items():
        if param.default is None:
            return [f"({key}={choice!r})" for choice in param.choices or (min(95, param.high),)]
    return [""]


def outcome(metric: Metric, case: Case) -> str:
    """Return the value or the reason code of a metric in a case."""
    query = Query(id="q", text="q", answerable=case.answerable)
    golds = {"q": case.golds} if case.golds else {}
    groups = {"q": case.groups} if case.groups else {}
    dataset = Dataset(name="case", queries=(query,), golds=golds, support_groups=groups)
    run = judge_run(dataset, {"q": case.response}, depth=case.depth)
    found = score(run, metric, case.policy)["q"]
    return f"*{found.reason}*" if found.value is None else f"{found.value:,.4g}"


def _known_reasons() -> Mapping[str, str]:
    """Return all reason codes with their meaning, in the order of the alphabet."""
    codes = {"beyond_depth", "failed", "not_asked"}
    for one in map(FAMILIES.__getitem__, FAMILIES):
        codes |= {requirement.reason for requirement in one.requires}
        codes |= {one.undefined} - {"undefined"}
    return {one: reason_text(one) for one in sorted(codes)}


REASONS = _known_reasons()
