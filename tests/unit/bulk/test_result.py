"""What scoring gives: values with reasons, means with what they rest on, and ways out of it."""

from __future__ import annotations

import json

import numpy as np
import polars as pl
import pytest

from ragstone.bulk import score
from ragstone.bulk.comparing import against_first
from ragstone.errors import MissingExtraError, UnknownNameError, UsageError
from ragstone.stats import intervals

QRELS = {"q1": {"a": 1, "b": 0}, "q2": {"c": 0}, "q3": {"d": 2}}
RUN = {"q1": {"x": 3.0, "a": 2.0}, "q2": {"c": 1.0}}


@pytest.fixture
def result():
    return score(QRELS, RUN, ["RR", "P@5"])


def test_values_and_reasons(result):
    """A query without relevant documents has no value but a reason; a missing query is a miss."""
    assert result.by_query() == {"q1": {"RR": 0.5, "P@5": 0.2}, "q2": {"RR": None, "P@5": None},
                                 "q3": {"RR": 0.0, "P@5": 0.0}}  # fmt: skip
    assert (result.reason("q2", "RR"), result.reason("q1", "RR")) == ("no_gold", "")
    assert result.retrieved.tolist() == [2, 1, -1]
    assert result.column("RR")[0] == 0.5
    with pytest.raises(UnknownNameError, match="unknown metric of this result 'AP'"):
        result.column("AP")


def test_means_rest_on_something(result):
    """Each has n, what is missing and why, and the interval of its kind."""
    summary = result.summaries["RR"]
    assert (summary.value, summary.n, summary.missing) == (0.25, 2, {"no_gold": 1})
    assert summary.interval == intervals.plus_two_t(np.array([0.5, 0.0]), 0.0, 1.0)
    assert score(QRELS, RUN, ["Hit@1"]).summaries["Hit@1"].interval.method == "Wilson"


def test_policies_are_recorded(result):
    """Also in what is written as JSON."""
    data = json.loads(json.dumps(result.to_dict(by_query=True)))
    assert data["policy"]["no_gold"] == "exclude"
    assert data["policy"]["ties"] == "trec10"
    assert data["metrics"]["RR"]["n"] == 2
    assert data["by_query"]["q2"] == {"RR": None, "P@5": None}
    assert "by_query" not in result.to_dict()
    zero = score(QRELS, RUN, ["RR"], no_gold="zero", ties="trec9")
    assert (zero.policy.no_gold, zero.ties, zero.column("RR")[1]) == ("zero", "trec9", 0.0)


def test_data_frames_read_it(result, monkeypatch):
    """Through the Arrow C stream; no value is null."""
    frame = pl.DataFrame(result)
    assert frame["query_id"].to_list() == ["q1", "q2", "q3"]
    assert frame["RR"].to_list() == [0.5, None, 0.0]
    monkeypatch.setattr("ragstone.bulk.arrow.find_spec", lambda name: None)
    with pytest.raises(MissingExtraError, match=r"pip install 'ragstone\[parquet\]'"):
        pl.DataFrame(result)


def test_people_read_it(result):
    """In a terminal and in a notebook, with the warnings."""
    assert "RR   0.2500  [0.0000 to 1.0000]" in repr(result)
    assert "n 2, missing 1 no_gold" in repr(result)
    assert "note: 1 judged queries are not in the run, such as 'q3'" in repr(result)
    named = score(QRELS, {"<b>": RUN}, ["RR"])["<b>"]
    assert "<caption>&lt;b&gt;</caption>" in named._repr_html_()
    assert "<td>1 no_gold</td>" in named._repr_html_()


def test_nothing_has_no_mean():
    """Without queries there is no number, rather than 0."""
    result = score({}, {}, ["RR", "Hit@1"])
    assert result.summaries["RR"].value is None
    assert "-  [-]  n 0, missing 0" in repr(result)


def test_one_name_is_one_metric():
    """A string is not taken letter by letter."""
    assert score(QRELS, RUN, "recip_rank").metrics == ("RR",)
    with pytest.raises(UsageError, match="unknown metric 'nope'"):
        score(QRELS, RUN, ["nope"])


def test_runs_are_compared_query_by_query():
    """Only queries for which both have a value count."""
    golds = {f"q{i}": {"a": 1} for i in range(20)} | {"none": {"a": 0}}
    worse = {query: {"x": 2.0, "a": 1.0} for query in golds}
    better = {query: {"a": 1.0} for query in golds}
    found = against_first(score(golds, {"old": worse, "new": better}, ["RR"]), "RR")["new"]
    assert (found.n, found.difference, found.wins, found.losses, found.verdict) == (20, 0.5, 20, 0, "better")
