from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.compared import METRIC, arm

from ragstone.experiments.clusters import clusters_of
from ragstone.experiments.pairs import pair, values_by
from ragstone.metrics import parse
from ragstone.types import Query

NDCG = parse(METRIC)


def test_scores_are_paired_by_question_whatever_their_order():
    """The candidate's order does not matter; the baseline's stays."""
    first, second = arm([0.1, 0.2, 0.3]), arm([0.4, 0.5, 0.6])
    second = replace(second, queries=second.queries[::-1])
    pairs = pair(first, second, NDCG)
    assert pairs.queries == ("q0", "q1", "q2")
    assert pairs.baseline.tolist() == [0.1, 0.2, 0.3]
    assert pairs.candidate.tolist() == [0.4, 0.5, 0.6]


def test_what_one_run_lacks_is_listed_and_what_both_lack_is_counted():
    """No question is dropped without a reason."""
    first, second = arm([0.1, None, None, 0.4]), arm([0.4, 0.5, None, None], reason="not_measured")
    pairs = pair(first, second, NDCG)
    assert pairs.queries == ("q0",)
    assert [(one.query, one.baseline.reason, one.candidate.reason) for one in pairs.unpaired] == [
        ("q1", "failed", None),
        ("q3", None, "not_measured"),
    ]
    assert dict(pairs.neither) == {"failed": 1}


def test_a_question_of_one_run_alone_was_not_asked_in_the_other():
    """Both sides are looked at."""
    pairs = pair(arm([0.1, 0.2]), arm([0.1, 0.2, 0.3]), NDCG)
    assert [(one.query, one.baseline.reason) for one in pairs.unpaired] == [("q2", "not_asked")]
    pairs = pair(arm([0.1, 0.2, 0.3]), arm([0.1, 0.2]), NDCG)
    assert [(one.query, one.candidate.reason) for one in pairs.unpaired] == [("q2", "not_asked")]


def test_one_id_for_two_questions_makes_no_pair():
    """What is asked decides, not what it is called."""
    pairs = pair(arm([0.1, 0.2]), arm([0.1, 0.2], tags={"text": ["q0", "something else"]}), NDCG)
    assert pairs.queries == ("q0",)
    assert [(one.query, one.candidate.reason) for one in pairs.unpaired] == [("q1", "other_question")]


def test_clusters_are_linked_through_a_third_question():
    """Two share a document, one of them paraphrases a third: the three stand or fall together."""
    queries = [
        Query(id="a", text="?", provenance={"document": "x"}),
        Query(id="b", text="?", provenance={"document": "x", "paraphrase_of": "c"}),
        Query(id="c", text="?"),
        Query(id="d", text="?", provenance={"document": "y"}),
    ]
    assert clusters_of(queries) == (0, 0, 0, 1)


@given(st.lists(st.sampled_from(["x", "y", None]), max_size=12))
def test_clusters_are_numbered_by_first_sight_and_none_without_company(documents):
    """Questions are together exactly if they share a document; alone, there are no clusters to speak of."""
    queries = [
        Query(id=str(i), text="?", provenance={} if document is None else {"document": document})
        for i, document in enumerate(documents)
    ]
    labels = clusters_of(queries)
    shared = any(documents.count(name) > 1 for name in ("x", "y"))
    assert (labels is not None) == shared
    for i, first in enumerate(documents if labels else ()):
        for j, second in enumerate(documents):
            together = i == j or (first is not None and first == second)
            assert (labels[i] == labels[j]) == together


def test_slices_point_into_the_pairs():
    """Positions are those of the paired questions, not of the dataset."""
    result = arm([None, 0.2, 0.3, 0.4], tags={"category": ["a", "a", "b", "a"]})
    pairs = pair(result, result, NDCG)
    assert values_by(pairs, result, lambda query: [query.category]) == {"a": [0, 2], "b": [1]}


@pytest.mark.parametrize(("name", "width"), [("Hit@5", 1.0), ("latency(p=95)", None)])
def test_the_range_of_a_metric_is_known_or_not(name, width):
    """A guard needs the range; a metric without bounds has none."""
    assert pair(arm([0.1]), arm([0.2]), parse(name)).range_width == width
