"""Metrics that trec_eval does not have, against their papers' formulas written out in plain Python."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
import scipy.stats
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.judged import judged_trec

from ragstone.metrics import parse, score_columns
from ragstone.types import JudgedRun

documents = [f"d{i}" for i in range(14)]
qrels_of_one = st.dictionaries(st.sampled_from(documents), st.integers(-1, 4), min_size=1)
rankings = st.lists(st.sampled_from(documents), unique=True)
collections = st.lists(st.tuples(qrels_of_one, rankings), min_size=1, max_size=5)
cutoffs = st.none() | st.integers(1, 16)


def judged(collection) -> JudgedRun:
    """Return the run of numbered queries, of which some may have no relevant gold."""
    qrels = {f"q{i}": golds for i, (golds, _) in enumerate(collection)}
    return judged_trec(qrels, {f"q{i}": ranking for i, (_, ranking) in enumerate(collection)})


def expected_values(collection, reference, cutoff):
    """Apply a reference to the grades of each ranked list, None where a hit has no grade."""
    return [
        reference([golds.get(document) for document in ranking][:cutoff], golds, cutoff)
        for golds, ranking in collection
    ]


def rbp(grades, golds, cutoff, p=0.8):
    """Moffat and Zobel 2008, equation 5: what a reader of patience p gets for each hit looked at."""
    return (1 - p) * sum(p**i for i, grade in enumerate(grades) if (grade or 0) > 0)


def rbp_residual(grades, golds, cutoff, p=0.8):
    """Moffat and Zobel 2008, section 4.2: the weight of all that is unknown, in the list and below it."""
    unknown = sum(p**i for i, grade in enumerate(grades) if grade is None or grade < 0)
    return (1 - p) * unknown + p ** len(grades)


def err(grades, golds, cutoff, best=4):
    """Chapelle and others 2009, algorithm 2."""
    value, going = 0.0, 1.0
    for rank, grade in enumerate(grades, 1):
        stop = (2 ** max(grade or 0, 0) - 1) / 2**best
        value += going * stop / rank
        going *= 1 - stop
    return value


def judged_share(grades, golds, cutoff):
    """ir-measures' Judged: judged hits among those looked at, except that a negative grade is no judgement."""
    return sum(grade is not None and grade >= 0 for grade in grades) / len(grades) if grades else None


def f1(grades, golds, cutoff):
    """The harmonic mean of both shares, with the denominators cleared: twice the hits over k plus the golds."""
    found = sum((grade or 0) > 0 for grade in grades)
    total = sum(grade > 0 for grade in golds.values())
    return 2 * found / ((cutoff or len(grades)) + total) if total else None


def context_precision(grades, golds, cutoff):
    """The formula of ragas: precision at each relevant hit, averaged over the relevant hits that came back."""
    flags = [(grade or 0) > 0 for grade in grades]
    at = [sum(flags[: i + 1]) / (i + 1) for i, flag in enumerate(flags) if flag]
    return math.fsum(at) / len(at) if at else 0.0


def dcg(grades, golds, cutoff):
    """Järvelin and Kekäläinen 2002, with the discount log2(rank + 1)."""
    return sum(max(grade or 0, 0) / math.log2(rank + 1) for rank, grade in enumerate(grades, 1))


def first_rank(grades, golds, cutoff):
    """The rank of the first relevant hit."""
    return next((float(rank) for rank, grade in enumerate(grades, 1) if (grade or 0) > 0), None)


REFERENCES = {
    "RBP": rbp,
    "RBP(p=0.5)": lambda *given: rbp(*given, p=0.5),
    "RBP_residual": rbp_residual,
    "ERR": err,
    "ERR(max_grade=5)": lambda *given: err(*given, best=5),
    "Judged": judged_share,
    "F1": f1,
    "context_precision": context_precision,
    "DCG": dcg,
    "first_rank": first_rank,
}
WITHOUT_GOLD = ("RBP_residual", "Judged")  # these do not depend on what is relevant


@pytest.mark.parametrize("name", REFERENCES)
@settings(max_examples=200)
@given(collection=collections, cutoff=cutoffs)
def test_the_papers_formula_gives_the_same(name, collection, cutoff):
    """Each query has the reference's value, and no value where the reference has none or nothing is relevant."""
    found = score_columns(
        judged(collection), parse(name if cutoff is None else f"{name}@{cutoff}")
    ).values.tolist()
    expected = expected_values(collection, REFERENCES[name], cutoff)
    for ours, theirs, (golds, _) in zip(found, expected, collection, strict=True):
        if theirs is None or (name not in WITHOUT_GOLD and max(golds.values()) < 1):
            assert math.isnan(ours)
        else:
            assert ours == pytest.approx(theirs, rel=1e-12, abs=1e-15)


scored = st.lists(st.tuples(st.sampled_from([0.0, 0.5, 1.0, 2.5, 7.0]), st.integers(0, 2)), min_size=2, max_size=9)


def scored_run(hits) -> JudgedRun:
    """Return one query's run from (score, grade) pairs, every hit judged."""
    golds = {f"d{i}": grade for i, (_, grade) in enumerate(hits)}
    run = judged_trec({"q": golds}, {"q": list(golds)})
    return replace(run, scores=np.array([one for one, _ in hits]), score_start=np.array([0, len(hits)]))


@given(hits=scored)
def test_auc_is_the_mann_whitney_statistic(hits):
    """The chance that a relevant hit outscores another is U divided by the number of pairs."""
    relevant = [one for one, grade in hits if grade > 0]
    others = [one for one, grade in hits if grade == 0]
    [ours] = score_columns(scored_run(hits), parse("score_auc")).values
    if not relevant or not others:
        assert math.isnan(ours)
    else:
        statistic = scipy.stats.mannwhitneyu(relevant, others).statistic
        assert ours == pytest.approx(statistic / (len(relevant) * len(others)))


@given(hits=scored, shift=st.floats(-5, 5), scale=st.floats(0.5, 4))
def test_the_margin_is_measured_in_pooled_deviations(hits, shift, scale):
    """The gap of the best scores over the pooled deviation, unmoved by a shift or another unit of the scores."""
    relevant = [one for one, grade in hits if grade > 0]
    others = [one for one, grade in hits if grade == 0]
    moved = [(one * scale + shift, grade) for one, grade in hits]
    [ours] = score_columns(scored_run(moved), parse("score_margin")).values
    if not relevant or not others or np.ptp(relevant) + np.ptp(others) == 0:
        assert math.isnan(ours)
    else:
        variance = sum(np.var(group) * len(group) for group in (relevant, others)) / (len(hits) - 2)
        assert ours == pytest.approx((max(relevant) - max(others)) / math.sqrt(variance))


@given(collection=collections)
@pytest.mark.parametrize(
    ("method", "oracle"), [("kendall", scipy.stats.kendalltau), ("spearman", scipy.stats.spearmanr)]
)
def test_rank_correlation_is_scipys(method, oracle, collection):
    """Judged hits alone count; hits without a judgement move nothing."""
    found = score_columns(judged(collection), parse(f"rank_correlation(method={method})")).values.tolist()
    for ours, (golds, ranking) in zip(found, collection, strict=True):
        grades = [golds[document] for document in ranking if golds.get(document, -1) >= 0]
        if len(set(grades)) < 2:
            assert math.isnan(ours)
        else:
            assert ours == pytest.approx(oracle([-i for i in range(len(grades))], grades).statistic)
