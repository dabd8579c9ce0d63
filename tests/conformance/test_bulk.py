"""The bulk door agrees with pytrec_eval bit for bit: files and dictionaries, however they are written."""

from __future__ import annotations

import random
from dataclasses import replace

import numpy as np
import pytest
from tests.conformance.collections import OURS, collection, oracle, write_files
from tests.judged import judged_trec

from ragstone.bulk import pieces, score
from ragstone.metrics import parse, score_columns

NAMES = list(dict.fromkeys(OURS.values()))
COLLECTIONS = 2100
SHARDS = 7


def differences(result, expected):
    """Return the values that are not the oracle's, for the queries of qrels and run."""
    found = dict(zip(result.queries, result.values.tolist(), strict=True))
    searched = {query for query, rows in zip(result.queries, result.retrieved, strict=True) if rows >= 0}
    assert searched == set(expected)
    return [
        (query, name, ours, expected[query][name])
        for query in expected
        for name, ours in zip(NAMES, found[query], strict=True)
        if ours != expected[query][name]
    ]


def by_64_bits(run):
    """Return the run with whole scores that fall in the order of 64-bit scores, then of ids, both descending."""
    ranked = {
        query: sorted(found, key=lambda name: (found[name], name.encode()), reverse=True)
        for query, found in run.items()
    }
    return {query: {name: float(-place) for place, name in enumerate(names)} for query, names in ranked.items()}


@pytest.mark.parametrize("shard", range(SHARDS))
def test_files_and_dictionaries_are_bit_identical(shard, tmp_path, monkeypatch):
    """Over 2,100 collections: ties, holes, missing queries, negative grades, odd ids, all ways to write scores."""
    for seed in range(shard, COLLECTIONS, SHARDS):
        rng = random.Random(seed)
        found = collection(rng)
        paths = write_files(found, tmp_path, rng)
        # Pieces of a few lines, so that blocks are carried over and buffers grow.
        monkeypatch.setattr(pieces, "CHUNK", rng.choice([64, 300, 1 << 20]))
        run = found.scores()
        # The oracle compares 32-bit scores; of 64-bit ones it is shown the order.
        orders = {"trec9": run} if seed % 4 else {"trec9": run, "trec10": by_64_bits(run)}
        for ties, ordered in orders.items():
            expected = oracle(found.qrels, ordered)
            for qrels, given in ((found.qrels, run), paths):
                result = score(qrels, given, NAMES, ties=ties, no_gold="zero")
                assert not differences(result, expected), (seed, ties)


def test_a_missing_query_scores_zero_or_is_left_out():
    """As with trec_eval -c, and without."""
    qrels, run = {"a": {"x": 1}, "b": {"x": 1}}, {"a": {"x": 1.0}}
    assert score(qrels, run, ["AP"]).summaries["AP"].value == 0.5
    left_out = score(qrels, run, ["AP"], missing_query="exclude")
    assert (left_out.summaries["AP"].value, left_out.summaries["AP"].missing) == (1.0, {"missing_query": 1})
    assert np.isnan(left_out.values[1, 0])
    assert left_out.reason("b", "AP") == "missing_query"


def test_metrics_of_scores_are_those_of_a_judged_run(tmp_path, monkeypatch):
    """Files, however they are cut and ordered, and dictionaries; against the definition on one query at a time."""
    names = ["score_auc", "score_margin", "score_cv", "score_cv@3"]
    for seed in range(60):
        rng = random.Random(seed)
        found = collection(rng)
        paths = write_files(found, tmp_path, rng)
        monkeypatch.setattr(pieces, "CHUNK", rng.choice([64, 300, 1 << 20]))
        scores = found.scores()
        run = judged_trec(found.qrels, by_64_bits(scores))
        ranked = [sorted(scores.get(query, {}).values(), reverse=True) for query in run.queries]
        run = replace(
            run,
            scores=np.array([score for rows in ranked for score in rows], dtype=np.float64),
            score_start=np.cumsum([0, *map(len, ranked)]),
        )
        wanted = {name: score_columns(run, parse(name)).values for name in names}
        for given in (paths, (found.qrels, scores)):
            result = score(*given, names)
            places = [result.queries.index(query) for query in run.queries]
            for name in names:
                assert np.array_equal(result.column(name)[places], wanted[name], equal_nan=True), (seed, name)
