"""The lines of trec_eval: names, widths, counts, means."""

from __future__ import annotations

import math

import pytest

from ragstone.bulk import score
from ragstone.bulk.trec_lines import metrics_for, tag_of, trec_lines
from ragstone.bulk.trec_names import expanded, trec_name
from ragstone.errors import UsageError
from ragstone.metrics import parse

QRELS = {"q2": {"a": 1, "b": 1}, "q10": {"a": 1}, "q3": {"z": 0}, "missing": {"a": 1}}
RUN = {"q2": {"a": 2.0, "x": 1.0}, "q10": {"x": 2.0, "a": 1.0}, "q3": {"y": 1.0}, "unjudged": {"a": 1.0}}


def lines(names, **options):
    result = score(QRELS, RUN, metrics_for(names), no_gold="zero", missing_query="exclude")
    defaults = {"by_query": False, "complete": False, "tag": "mine"}
    return list(trec_lines(result, names, **{**defaults, **options}))


def test_all_queries_of_both_files():
    """Counts are added up and whole, means have four decimals, names fill 22 places."""
    assert lines(["runid", "num_q", "num_ret", "num_rel", "num_rel_ret", "map", "P_5"]) == [
        "runid                 \tall\tmine",
        "num_q                 \tall\t3",
        "num_ret               \tall\t5",
        "num_rel               \tall\t3",
        "num_rel_ret           \tall\t2",
        "map                   \tall\t0.3333",
        "P_5                   \tall\t0.1333",
    ]


def test_each_query_comes_first_in_the_order_of_ids():
    """Byte by byte, as strcmp has it; names of runs and geometric means have no line of their own."""
    found = lines(["runid", "num_q", "map", "gm_map", "num_rel"], by_query=True)
    assert found[:6] == [
        "map                   \tq10\t0.5000",
        "num_rel               \tq10\t1",
        "map                   \tq2\t0.5000",
        "num_rel               \tq2\t2",
        "map                   \tq3\t0.0000",
        "num_rel               \tq3\t0",
    ]
    assert len(found) == 6 + 5


def test_complete_divides_by_all_judged_queries():
    """Missing ones count as 0, in the geometric mean as its floor; counts stay those of the queries found."""
    found = lines(["num_q", "num_rel", "map", "gm_map"], complete=True)
    gm = math.exp((2 * math.log(0.5) + 2 * math.log(0.00001)) / 4)
    assert [line.split("\t")[2] for line in found] == ["4", "3", "0.2500", f"{gm:6.4f}"]


def test_the_official_set_has_its_order():
    """The set that trec_eval prints when nothing is asked for."""
    labels = [line.split()[0] for line in lines(expanded(["official"])[0])]
    assert labels[:8] == ["runid", "num_q", "num_ret", "num_rel", "num_rel_ret", "map", "gm_map", "Rprec"]
    assert labels[8:12] == ["bpref", "recip_rank", "iprec_at_recall_0.00", "iprec_at_recall_0.10"]
    assert labels[-1] == "P_1000"
    assert len(labels) == 30


@pytest.mark.parametrize(
    ("name", "label"),
    [
        ("nDCG@10", "ndcg_cut_10"),
        ("nDCG", "ndcg"),
        ("R@5", "recall_5"),
        ("Hit@1", "success_1"),
        ("AP@5", "map_cut_5"),
        ("infAP", "infAP"),
        ("P(rel=2)@5", "P(rel=2)@5"),
        ("RR@5", "RR@5"),
    ],
)
def test_names(name, label):
    """Trec_eval's where it has the metric, ours elsewhere."""
    assert trec_name(parse(name)) == label


def test_other_policies_are_refused():
    """They would print other numbers under the same names."""
    with pytest.raises(UsageError, match="need no_gold='zero'"):
        list(trec_lines(score(QRELS, RUN, ["AP"]), ["map"], by_query=False, complete=False, tag=""))


def test_the_tag_is_that_of_the_last_line(tmp_path):
    """As trec_eval reads it; a file without tags goes by its path."""
    path = tmp_path / "run"
    path.write_text("q Q0 d 1 1 first\n" * 9000 + "q Q0 d 1 1 last\n\n")
    assert tag_of(str(path)) == "last"
    path.write_text('{"qid": 1}\n')
    assert tag_of(str(path)) == str(path)
    path.write_text("")
    assert tag_of(str(path)) == str(path)
