"""Agreement with ir-measures, which speaks for trec_eval, MS MARCO's script and gdeval, on every query."""

from __future__ import annotations

import random
import shutil

import ir_measures
import pytest
from ir_measures import AP, ERR, RR, Bpref, Judged, NumRel, P, R, Rprec, SetF, SetP, SetR, Success, nDCG

from ragstone.bulk import score

EXACT = {
    P @ 5: "P@5",
    P(rel=2) @ 5: "P(rel=2)@5",
    R @ 10: "R@10",
    R(rel=2) @ 10: "R(rel=2)@10",
    Success @ 5: "Hit@5",
    nDCG @ 10: "nDCG@10",
    nDCG: "nDCG",
    RR: "RR",
    RR @ 5: "RR@5",
    AP: "AP",
    AP(rel=2) @ 10: "AP(rel=2)@10",
    Rprec: "Rprec",
    Bpref: "bpref",
    SetP: "precision_returned",
    SetR: "R",
    SetF: "F1",
    NumRel: "NumRel",
    Judged @ 10: "Judged@10",
}
# gdeval.pl prints five digits.
ROUNDED = {nDCG(dcg="exp-log2") @ 10: "nDCG(gain='exp')@10", ERR @ 10: "ERR@10"}


@pytest.fixture(scope="module")
def data():
    """Return qrels and a run of 300 queries without ties or negative grades, which the providers treat alike."""
    rng = random.Random(11)
    documents = [f"d{number}" for number in range(60)]
    qrels, run = {}, {}
    for number in range(300):
        grades = {name: rng.choice([0, 0, 1, 2, 3]) for name in rng.sample(documents, rng.randint(2, 25))}
        grades[next(iter(grades))] = 2
        found = rng.sample(documents, rng.randint(1, 40))
        qrels[str(number + 1)] = grades
        run[str(number + 1)] = {name: float(len(found) - place) for place, name in enumerate(found)}
    return qrels, run


def compared(data, measures):
    """Return pairs of their value and ours for every measure and query."""
    qrels, run = data
    ours = score(qrels, run, list(measures.values()), no_gold="zero").by_query()
    theirs = {(one.measure, one.query_id): one.value for one in ir_measures.iter_calc(list(measures), qrels, run)}
    assert len(theirs) == len(measures) * len(qrels)
    return [(theirs[measure, query], ours[query][name]) for measure, name in measures.items() for query in qrels]


def test_every_common_metric_is_the_same(data):
    """To twelve digits; most are the same bits."""
    for theirs, ours in compared(data, EXACT):
        assert ours == pytest.approx(theirs, rel=1e-12, abs=1e-12)


@pytest.mark.skipif(not shutil.which("perl"), reason="gdeval is a Perl script, and there is no Perl")
def test_gdevals_metrics_are_the_same(data):
    """ERR and nDCG with exponential gain, to the five digits that gdeval prints."""
    for theirs, ours in compared(data, ROUNDED):
        assert ours == pytest.approx(theirs, abs=0.51e-5)
