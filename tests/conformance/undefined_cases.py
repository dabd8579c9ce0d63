"""The degenerate cases of docs/explanation/undefined.md, each as a judged run of one query `q`."""

from __future__ import annotations

from collections.abc import Callable

from tests.judged import dataset_of, judged_trec, response_of

from ragstone.matching import judge_run
from ragstone.metrics import Policy, parse, score
from ragstone.types import JudgedRun, Response

GOLDS = {"a": 3, "b": 1, "n": 0}
FOUND = response_of("axb", [3.0, 2.0, 1.0])


def _run(golds=GOLDS, response: Response = FOUND, depth: int = 20) -> JudgedRun:
    groups = {"q": ((0, 1),)} if golds else {}
    return judge_run(dataset_of({"q": golds}, groups), {"q": response}, depth=depth)


CASES: dict[str, tuple[Callable[[], JudgedRun], Policy]] = {
    "plain": (_run, Policy()),
    "empty": (lambda: _run(response=Response(latency_ms=1.0)), Policy()),
    "missing": (lambda: judged_trec({"q": GOLDS}, {}), Policy()),
    "no gold": (lambda: _run({}), Policy()),
    "no gold, `zero`": (lambda: _run({}), Policy(no_gold="zero")),
    "grades 0": (lambda: _run({"a": 0, "n": 0}), Policy()),
    "short": (lambda: _run(response=response_of("a", [3.0])), Policy()),
    "too deep": (lambda: _run(depth=3), Policy()),
    "unjudged": (lambda: _run(response=response_of("xyz", [3.0, 2.0, 1.0])), Policy()),
    "unanswerable": (
        lambda: judge_run(dataset_of({"q": {}}, unanswerable=["q"]), {"q": FOUND}, depth=20),
        Policy(no_gold="zero"),
    ),
    "ties": (lambda: _run(response=response_of("axb", [1.0, 1.0, 1.0])), Policy()),
}


def outcome(name: str, case: str) -> str:
    """Return what the page must say: a number to four digits, or a reason code."""
    run, policy = CASES[case]
    found = score(run(), parse(name), policy)["q"]
    return found.reason or f"{found.value:.4g}"
