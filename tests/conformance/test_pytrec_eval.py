"""Agreement with pytrec_eval, the field's oracle, bit for bit, on every query."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import pytest
import pytrec_eval
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.judged import judged_of, judged_trec, trec_order

from ragstone.metrics import Policy, parse, score, score_columns

KS = (1, 3, 5, 10, 20)
CUT = [f"{name}.{','.join(map(str, KS))}" for name in ("P", "recall", "ndcg_cut", "success", "map_cut")]
BINARY = [
    "iprec_at_recall",
    "map",
    "recip_rank",
    "Rprec",
    "bpref",
    "infAP",
    "set_P",
    "set_recall",
    "set_F",
    "num_rel",
    "num_rel_ret",
]
TREC_EVAL = Policy(no_gold="zero")

documents = st.sampled_from([f"d{i}" for i in range(30)])
# A query with negative grades alone makes the oracle's C code run for ever; ours is tested elsewhere.
grades = st.dictionaries(documents, st.integers(-1, 3), min_size=1, max_size=25).filter(
    lambda graded: max(graded.values()) >= 0
)
# Few different scores, so that ties are common.
scores = st.sampled_from([-1.5, 0.0, 0.25, 1.0, 1.0000001, 2.0, 1e9])
runs = st.dictionaries(documents, scores, max_size=30)
collections = st.dictionaries(
    st.sampled_from("abcdef"), st.tuples(grades, st.none() | runs), min_size=1, max_size=6
)


def same_bits(qrels, run, measures, relevance_level=1):
    """Compare every value of the oracle with ours, under the oracle's names.

    The oracle reads memory that is not its own where nothing came back, so only other queries are shown to it.
    """
    shown = {query: found for query, found in run.items() if found}
    oracle = pytrec_eval.RelevanceEvaluator(qrels, set(measures), relevance_level=relevance_level).evaluate(shown)
    judged = judged_trec(qrels, {query: trec_order(found) for query, found in run.items()})
    names = sorted({name for values in oracle.values() for name in values})
    for theirs in names:
        metric = parse(theirs)
        if relevance_level > 1:
            metric = replace(metric, params=(*metric.params, ("rel", relevance_level)))
        ours = dict(zip(judged.queries, score_columns(judged, metric, TREC_EVAL).values.tolist(), strict=True))
        expected = {query: values[theirs] for query, values in oracle.items()}
        assert (theirs, {query: ours[query] for query in oracle}) == (theirs, expected)
        nothing = {ours[query] for query in qrels if not run.get(query)}
        assert theirs == "num_rel" or nothing <= {0.0}, theirs


@settings(max_examples=1600)
@given(collections)
def test_every_query_and_metric_is_bit_identical(collection):
    """Ties, holes, graded golds, golds without a judgement, short, empty and missing answers score the same."""
    qrels = {query: golds for query, (golds, _) in collection.items()}
    run = {query: found for query, (_, found) in collection.items() if found is not None}
    same_bits(qrels, run, [*CUT, *BINARY, "ndcg", "num_ret"])


@pytest.mark.parametrize("rel", [2, 3])
@settings(max_examples=300)
@given(collection=collections)
def test_the_relevance_threshold_is_trec_evals(rel, collection):
    """A threshold in the metric's name means what trec_eval's relevance level means."""
    qrels = {query: golds for query, (golds, _) in collection.items()}
    run = {query: found for query, (_, found) in collection.items() if found is not None}
    same_bits(qrels, run, [*(name for name in CUT if "ndcg" not in name), *BINARY], rel)


@settings(max_examples=200)
@given(collections)
def test_matching_documents_by_name_changes_nothing(collection):
    """A run that came through matching scores like the same run read from a file."""
    qrels = {query: golds for query, (golds, _) in collection.items()}
    run = {query: found for query, (_, found) in collection.items() if found}
    oracle = pytrec_eval.RelevanceEvaluator(qrels, {"P.5", "recall.5", "ndcg", "map", "bpref"}).evaluate(run)
    judged = judged_of(qrels, {query: trec_order(found) for query, found in run.items()})
    for name in ("P_5", "recall_5", "ndcg", "map", "bpref"):
        ours = score(judged, parse(name), TREC_EVAL)
        assert {query: ours[query].value for query in oracle} == {q: values[name] for q, values in oracle.items()}


def test_the_page_of_names_is_what_was_compared():
    """Every trec_eval name in the documentation is one compared above, and prints as the page says."""
    page = Path(__file__).parents[2] / "docs/explanation/metrics.md"
    rows = re.findall(r"^\| `([\w.]+)` \| `(\S+)` \|$", page.read_text(encoding="utf-8"), re.MULTILINE)
    compared = {measure.partition(".")[0] for measure in (*CUT, *BINARY, "ndcg", "num_ret")}
    assert {re.sub(r"_[\d.]+$", "", theirs) for theirs, _ in rows} == compared
    assert all(str(parse(theirs)) == ours for theirs, ours in rows)
