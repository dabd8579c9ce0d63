"""The Python door: metrics of one query, and a function measured without files."""

from __future__ import annotations

import asyncio

import pytest
from tests.judged import dataset_of

import ragstone as rs
from ragstone.experiments.depths import Depths, parse_ks, split_depths


def test_all_metrics_of_one_query():
    """Hits a, b with gold a3 and c2: nDCG .703918, P@5 .2, R .5, AP .5."""
    values = rs.compute_all_metrics(["a", "b", "a"], {"a": 3, "c": 2, "z": -1}, ks=[5])
    assert values == {"P@5": 0.2, "R@5": 0.5, "nDCG@5": pytest.approx(0.703918, abs=1e-6), "RR": 1.0, "AP": 0.5}


def test_a_query_without_relevant_documents():
    """0 by default, as the design has it; None on request."""
    assert set(rs.compute_all_metrics(["a"], {}, ks=[5]).values()) == {0.0}
    assert set(rs.compute_all_metrics([], {"a": 0}, ks=[5], no_gold="exclude").values()) == {None}


def test_a_cutoff_below_one_is_refused():
    """K < 1 is an error."""
    with pytest.raises(rs.UsageError, match="1 or more"):
        rs.compute_all_metrics(["a"], {"a": 1}, ks=[0])


def test_wrong_grades_and_words_are_refused():
    """A grade that is no whole number, an unknown policy; any iterable of cutoffs is read once."""
    with pytest.raises(rs.UsageError, match="whole numbers"):
        rs.compute_all_metrics(["a"], {"a": 1.5})
    with pytest.raises(rs.UsageError, match="'zero' or 'exclude'"):
        rs.compute_all_metrics(["a"], {"a": 1}, no_gold="bogus")
    assert "R@5" in rs.compute_all_metrics(["a"], {"a": 1}, ks=iter([5]))


def test_evaluate_refuses_what_it_would_ignore():
    """The system, dataset and depth have arguments of their own; an undeclared primary metric is told."""
    with pytest.raises(rs.UsageError, match="leave out top_k"):
        rs.evaluate(search, dataset_of(GOLDS), top_k=3)
    with pytest.raises(rs.InvalidInputError, match="nDCG@10 is not among the metrics"):
        rs.evaluate(search, dataset_of(GOLDS), ["Hit@5"], primary="nDCG@10")


def test_cutoffs_and_depths_as_other_programs_send_them():
    """The worked cases: good values are read, the others are told apart."""
    assert parse_ks(["10", 0, -1, "nope", 5], primary="5") == (5, 10)
    assert parse_ks([True, 2.5, None]) == ()
    assert split_depths([5, "bad", 10, None, 20], minimum=15) == Depths((20,), ("bad", None), (5, 10))


GOLDS = {"one": {"a": 3}, "two": {"b": 2, "c": 1}}


def search(query, k):
    return {"one": ["x", "a"], "two": ["b", "c"]}[query][:k]


def test_a_function_is_measured():
    """Values with n, missing and interval, from a plain function."""
    report = rs.evaluate(search, dataset_of(GOLDS), ["Hit@1", "RR", "nDCG@5"], k=5)
    (run,) = report.runs
    assert (run.run.spec.name, run.run.state) == ("search", "completed")
    assert (run.summaries["Hit@1"].value, run.summaries["RR"].value) == (0.5, 0.75)
    assert run.summaries["Hit@1"].interval.method == "Wilson"


def test_an_async_function_in_a_running_loop_is_measured():
    """As in a notebook; settings of a benchmark file are passed by name."""

    async def fails(query, k):
        raise ValueError(query)

    async def notebook():
        return rs.evaluate(fails, dataset_of(GOLDS), ["Hit@5"], name="mine", on_error="exclude")

    report = asyncio.run(notebook())
    assert report.runs[0].summaries["Hit@5"].missing == {"failed": 2}
    assert report.title == "mine"


@pytest.mark.parametrize(
    ("metrics", "k", "message"), [(["nDCG@10"], 5, "depth 5 is below the k"), (["nope@5"], 5, "unknown metric")]
)
def test_wrong_arguments_are_refused(metrics, k, message):
    """Before anything is asked."""
    with pytest.raises(rs.InvalidInputError, match=message):
        rs.evaluate(search, dataset_of(GOLDS), metrics, k=k)
