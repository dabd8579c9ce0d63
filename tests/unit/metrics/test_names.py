"""Metric names parse and print the same; other tools' spellings are understood."""

from __future__ import annotations

import pytest

from ragstone.errors import UnknownNameError, UsageError
from ragstone.metrics import FAMILIES, Metric, parse, parse_all
from ragstone.metrics.names import describe


@pytest.mark.parametrize(
    ("spelling", "canonical"),
    [
        ("ndcg_cut_10", "nDCG@10"),
        ("NDCG@5", "nDCG@5"),
        ("precision@5", "P@5"),
        ("P_5", "P@5"),
        ("recall_20", "R@20"),
        ("hit_rate@5", "Hit@5"),
        ("success_1", "Hit@1"),
        ("recall_any@10", "Hit@10"),
        ("mrr@5", "RR@5"),
        ("mrr", "RR"),
        ("recip_rank", "RR"),
        ("set_P", "precision_returned"),
        ("set_recall", "R"),
        ("set_F", "F1"),
        ("infap", "infAP"),
        ("num_rel_ret", "NumRelRet"),
        ("iprec_at_recall_0.10", "IPrec(recall=0.1)"),
        ("RBP(p=0.8)", "RBP"),
        ("err@20", "ERR@20"),
        ("map", "AP"),
        ("map_cut_10", "AP@10"),
        ("ap", "AP"),
        ("ndcg_seed003@5", "nDCG(ideal='retrieved')@5"),
        ("nDCG( gain = exp )@10", "nDCG(gain='exp')@10"),
        ("nDCG(gain='linear')@10", "nDCG@10"),
        ("P(rel=2)@5", "P(rel=2)@5"),
        ("latency_p95", "latency(p=95)"),
        ("score_discrimination", "score_cv"),
        ("kendall_tau", "rank_correlation(method='kendall')"),
        ("rejection", "rejection_accuracy(criterion='empty')"),
        (
            "rejection(criterion=score, threshold=0.4)",
            "rejection_accuracy(criterion='score', threshold=0.4)",
        ),
    ],
)
def test_spellings(spelling, canonical):
    """Each spelling means one metric, whose printed name parses to itself."""
    assert str(parse(spelling)) == canonical
    assert parse(canonical) == parse(spelling)
    assert str(parse(canonical)) == canonical


@pytest.mark.parametrize("name", FAMILIES)
def test_every_family_documents_itself(name):
    """Each metric says in a sentence what it is, and its parameters what they do."""
    family = FAMILIES[name]
    assert len(family.doc.splitlines()[0]) > 30
    assert all(param.doc for param in family.params.values())
    assert describe(name) is family


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("P", "needs a cutoff, such as P@10"),
        ("P@0", "1 or more"),
        ("P@x", "not of the form"),
        ("", "not of the form"),
        ("latency_p95@4", "takes no cutoff"),
        ("latency", "needs p"),
        ("latency(p=200)", "a number from 0 to 100"),
        ("P(rel=0)@5", "a whole number of at least 1"),
        ("P(rel=1.5)@5", "a whole number"),
        ("P(rel=True)@5", "a whole number"),
        ("P(x=1)@5", "known: rel"),
        ("P(rel)@5", "as key=value"),
        ("scope_miss(a=1)", "known: none"),
        ("nDCG(gain='cubic')@5", "'linear' or 'exp'"),
        ("rejection_accuracy", "'empty' or 'score' or 'abstained'"),
    ],
)
def test_what_does_not_fit_is_refused(name, message):
    """The message names what was seen and what would fit."""
    with pytest.raises(UsageError, match=message):
        parse(name)


def test_an_unknown_name_is_an_error_with_a_suggestion():
    """It is never dropped with a warning."""
    with pytest.raises(UnknownNameError, match=r"did you mean 'nDCG'"):
        parse("nDCK@10")


def test_repetitions_are_dropped():
    """Two spellings of one metric are one metric."""
    assert parse_all(["mrr@5", "RR@5", "P@5"]) == (parse("RR@5"), parse("P@5"))


def test_metrics_are_values():
    """They compare, hash and print."""
    assert {parse("P@5"): 1}[Metric("P", 5)] == 1
