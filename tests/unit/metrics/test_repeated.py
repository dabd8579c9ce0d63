"""A gold that several hits match: which metrics count it again, and that blocks keep track of it."""

from __future__ import annotations

import pytest

from ragstone.matching import MatchOptions, judge_run
from ragstone.metrics import parse, score_columns
from ragstone.metrics.blocks import blocks
from ragstone.types import Dataset, Gold, Hit, Query, Response


def run_of(hits, golds):
    """Judge one response, chunk by chunk, for two queries with the same golds."""
    queries = tuple(Query(id=name, text=name) for name in "pq")
    dataset = Dataset(name="two", queries=queries, golds=dict.fromkeys("pq", golds))
    return judge_run(dataset, dict.fromkeys("pq", Response(hits=hits)), MatchOptions(unit="chunk"))


# Hits: a, a again, the irrelevant n, n again, b.
REPEATED = run_of(
    tuple(Hit(id=str(i), document=name) for i, name in enumerate("aannb")),
    tuple(Gold(kind="document", document=name, grade=grade) for name, grade in (("a", 1), ("b", 1), ("n", 0))),
)


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("P@5", 3 / 5),
        ("precision_returned", 3 / 5),
        ("NumRelRet", 3.0),
        ("RBP(p=0.5)", 0.5 + 0.25 + 1 / 32),
        ("context_precision", (1 + 1 + 3 / 5) / 3),
        ("R@5", 1.0),
        ("AP", (1 + 2 / 5) / 2),
        ("nDCG", (1 + 1 / 2.584962500721156) / (1 + 1 / 1.584962500721156)),
        ("Rprec", 1 / 2),
        ("IPrec(recall=1)", 2 / 5),
        ("bpref", (1 + 0) / 2),
        ("ERR(max_grade=1)", 1 / 2 + 1 / 2 / 2 / 5),
        ("F1@5", 2 * 0.6 / 1.6),
    ],
)
def test_which_metrics_count_a_gold_again(name, expected):
    """Those that divide by the hits count every hit, those that divide by the golds each gold once."""
    assert score_columns(REPEATED, parse(name)).values.tolist() == pytest.approx([expected] * 2)


def test_inferred_ap_counts_a_gold_once():
    """A second hit of a gold is neither a relevant nor a judged hit above another."""
    once = 1 / 5 + 4 / 5 * (2 / 4) * (1 + 1e-5) / (2 + 2e-5)
    assert score_columns(REPEATED, parse("infAP")).values.tolist() == pytest.approx([(1 + once) / 2] * 2)


@pytest.mark.parametrize("name", ["R(match='any')@2", "R@2", "recall_all@2", "AP", "nDCG"])
def test_blocks_keep_the_golds_that_hits_fit_besides(name):
    """Two golds on one page are found by one hit in every block, as in the whole run."""
    pages = tuple(Gold(kind="page", document="d", page=page, grade=1) for page in (1, 2))
    run = run_of((Hit(id="1", document="d", page=1),), pages)
    whole = score_columns(run, parse(name)).values.tolist()
    parts = [score_columns(part, parse(name)).values.tolist() for part in blocks(run, 1)]
    assert str([value for part in parts for value in part]) == str(whole)
    if name == "R(match='any')@2":
        assert whole == [1.0, 1.0]


def test_a_grade_above_the_scale_satisfies_like_the_best():
    """ERR with a scale up to 2 takes a grade of 3 as 2."""
    golds = (Gold(kind="document", document="a", grade=3),)
    run = run_of((Hit(id="1", document="a"),), golds)
    assert score_columns(run, parse("ERR(max_grade=2)")).values.tolist() == [0.75, 0.75]
