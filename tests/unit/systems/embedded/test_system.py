from __future__ import annotations

import json
import subprocess
import sys

import numpy as np
import pytest
from pydantic import ValidationError

from ragstone.errors import InvalidInputError, UnknownNameError, UsageError
from ragstone.experiments.configuration import Configuration
from ragstone.systems import SYSTEMS
from ragstone.systems.embedded.rerankers import RERANKERS, RerankerKind

SCRIPT = """
import asyncio, hashlib, json, pathlib, sys
from ragstone.experiments.configuration import Configuration
from ragstone.systems import SYSTEMS, Surroundings
kind = SYSTEMS["embedded"]
here = pathlib.Path(sys.argv[1])
system = kind.open(
    kind.options(type="embedded", corpus="stdlib", modules=["json", "heapq", "shutil"]),
    Configuration(search_mode="sparse"), Surroundings(base=here, cache=here / sys.argv[2]),
)
response = asyncio.run(system.search("copy a file or parse json", 10))
files = sorted((here / sys.argv[2]).rglob("*.*"))
print(json.dumps(dict(system.describe())))
print([(hit.id, hit.score) for hit in response.hits])
print([(path.name, hashlib.sha256(path.read_bytes()).hexdigest()) for path in files if path.is_file()])
"""


def stage_names(response):
    return [stage.name for stage in response.stages]


@pytest.mark.parametrize(
    ("settings", "stages"),
    [
        ({"search_mode": "sparse"}, ["lexical", "returned"]),
        ({"search_mode": "dense"}, ["dense", "returned"]),
        ({}, ["lexical", "dense", "fusion", "returned"]),
        ({"fusion": "weighted"}, ["lexical", "dense", "fusion", "returned"]),
        (
            {"use_reranker": True, "reranker_model": "fake", "score_threshold": -1},
            ["lexical", "dense", "fusion", "rerank", "threshold", "returned"],
        ),
    ],
)
def test_stages_are_recorded_in_their_order(open_folder, ask, monkeypatch, settings, stages):
    """Every stage that ran leaves its candidates, best first, and the last one is what was returned."""
    kind = RerankerKind(lambda _: None, lambda *_: ByLength())
    monkeypatch.setitem(RERANKERS._entries, "fake", kind)
    response = ask(open_folder(**settings), "lemons and trees", 3)
    assert stage_names(response) == stages
    assert response.stages[-1].ids == tuple(hit.id for hit in response.hits)
    assert len(response.hits) == 3
    assert all(stage.ms >= 0 and len(stage.ids) == len(stage.scores) for stage in response.stages)
    assert all(list(stage.scores) == sorted(stage.scores, reverse=True) for stage in response.stages)


class ByLength:
    """A reranker that likes long texts."""

    name = "fake"
    fingerprint = "by-length"

    def score(self, query, texts):
        return np.array([len(text) for text in texts], np.float32)


def test_hits_tell_where_they_are_from(open_folder, ask):
    """Document, heading, text and score are set; the text is the section's own."""
    hit = ask(open_folder(search_mode="sparse"), "sour lemons").hits[0]
    assert (hit.id, hit.document, hit.heading) == ("fruit.md#1", "fruit.md", ("Fruit", "Citrus"))
    assert hit.text == "Lemons are sour, oranges are sweet."
    assert hit.score > 0


def test_candidates_are_what_stages_name_and_hits_lack(open_folder, ask):
    """With its text, so that a lost passage can be shown; a hit is not repeated."""
    response = ask(open_folder(), "sweet lemons", 2)
    named = {name for stage in response.stages for name in stage.ids}
    assert {hit.id for hit in response.candidates} == named - {hit.id for hit in response.hits}
    assert len(response.candidates) == 5
    assert all(hit.text and hit.document and hit.score is None for hit in response.candidates)


def test_trace_depth_limits_what_is_recorded_and_total_tells_the_rest(open_folder, ask):
    """Two candidates are recorded of all that there were."""
    stage = ask(open_folder(search_mode="dense", trace_depth=2), "trees").stages[0]
    assert len(stage.ids) == len(stage.scores) == 2
    assert stage.total == 7


def test_retrievers_hand_on_retrieval_top_k_candidates(open_folder, ask):
    """Fusion sees that many from each list, and never fewer than are asked for."""
    response = ask(open_folder(retrieval_top_k=2), "sweet lemons grow on trees", 2)
    totals = {stage.name: stage.total for stage in response.stages}
    assert totals["lexical"] == totals["dense"] == 2
    assert 2 <= totals["fusion"] <= 4


def test_the_reranker_reorders_the_first_candidates(open_folder, ask, monkeypatch):
    """It sees the indexed texts of the first retrieval_top_k; its scores are the hits' scores."""
    kind = RerankerKind(lambda _: None, lambda *_: ByLength())
    monkeypatch.setitem(RERANKERS._entries, "fake", kind)
    system = open_folder(search_mode="dense", retrieval_top_k=4, use_reranker=True, reranker_model="fake")
    response = ask(system, "trees", 4)
    dense, rerank = response.stages[0], response.stages[1]
    assert set(rerank.ids) == set(dense.ids)
    assert len(response.hits) == 4
    expected = [
        len(f"{' > '.join(hit.heading)}\n{hit.text}" if hit.heading else hit.text) for hit in response.hits
    ]
    assert [hit.score for hit in response.hits] == expected == sorted(expected, reverse=True)


def test_a_threshold_drops_hits_below_it(open_folder, ask):
    """A hit exactly at the threshold stays; a threshold above all scores leaves nothing."""
    scores = [hit.score for hit in ask(open_folder(search_mode="dense"), "sweet lemons").hits]
    kept = ask(open_folder(search_mode="dense", score_threshold=scores[2]), "sweet lemons").hits
    assert [hit.score for hit in kept] == scores[: len(kept)]
    assert kept[-1].score == scores[2]
    assert ask(open_folder(search_mode="dense", score_threshold=2.0), "sweet lemons").hits == ()


@pytest.mark.parametrize("query", ["", "   ", "?", "qqqq"])
def test_an_empty_or_unknown_query_is_no_error(open_folder, ask, query):
    """Lexical search finds nothing; hybrid search returns what dense search can."""
    assert ask(open_folder(search_mode="sparse"), query).hits == ()
    assert len(ask(open_folder(), query, 3).hits) == 3


def test_sparse_search_computes_no_vector(open_folder, ask, fake):
    """Neither opening nor searching touches the embedder."""
    ask(open_folder(search_mode="sparse"), "trees")
    assert fake.seen == []


def test_passages_are_embedded_once_and_queries_every_time(open_folder, ask, fake):
    """A second system over the same corpus embeds nothing but its queries."""
    ask(open_folder(search_mode="dense"), "trees")
    fake.seen.clear()
    system = open_folder()
    assert fake.seen == [["warm-up"]]  # loads the model, so that the first query need not
    fake.seen.clear()
    ask(system, "trees")
    ask(system, "trees")
    assert fake.seen == [["trees"], ["trees"]]


def test_k_cuts_the_hits(open_folder, ask):
    """No more than k come back, and they are the first of the longer list."""
    system = open_folder(search_mode="dense")
    assert ask(system, "trees", 2).hits == ask(system, "trees", 5).hits[:2]


def test_describe_tells_what_matters_and_no_more(open_folder, tmp_path):
    """Corpus, chunks, models and versions; no path, no date; the embedder only where it is used."""
    told = open_folder(chunk_size=30).describe()
    assert (told["documents"], told["chunks"], told["chunk_size"], told["chunk_overlap"]) == (4, 7, 30, 20)
    assert told["embedder"] == {"name": "fake", "fingerprint": "fake-1"}
    assert set(told["versions"]) == {"bm25s", "numpy"}
    assert str(tmp_path) not in json.dumps(told)
    assert "python" not in told
    assert "embedder" not in open_folder(search_mode="sparse").describe()


@pytest.mark.parametrize("settings", [{"embedding_model": "minilmm"}, {"reranker_model": "minilmm"}])
@pytest.mark.parametrize("mode", ["sparse", "dense"])
def test_unknown_names_are_refused_when_opening(open_folder, settings, mode):
    """Also where the setting is not used: a typing error never passes unseen."""
    with pytest.raises(UnknownNameError, match="did you mean 'minilm'"):
        open_folder(search_mode=mode, **settings)


def test_what_it_cannot_do_is_refused(open_folder):
    """Hybrid search without any weight, and settings of an LLM reranker for one that is none."""
    with pytest.raises(UsageError, match="at least one must be above 0"):
        open_folder(sparse_weight=0, dense_weight=0)
    for setting in ({"reranker_prompt": "p.yaml"}, {"reranker_temperature": 0.5}):
        with pytest.raises(UsageError, match="is no LLM"):
            open_folder(use_reranker=True, **setting)


def test_the_check_comes_before_anything_is_read(tmp_path):
    """What cannot run is told first: names, modules, and a corpus that is not there."""
    kind = SYSTEMS["embedded"]
    options = kind.options(type="embedded", corpus="docs")
    with pytest.raises(InvalidInputError, match="there is no such folder"):
        kind.check(options, Configuration(search_mode="sparse"), tmp_path)
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "a.txt").write_text("text")
    kind.check(options, Configuration(search_mode="sparse"), tmp_path)
    with pytest.raises(UnknownNameError):
        kind.check(options, Configuration(search_mode="sparse", reranker_model="x"), tmp_path)
    with pytest.raises(UnknownNameError, match="standard library module 'jsn'"):
        kind.check(kind.options(type="embedded", corpus="stdlib", modules=["jsn"]), Configuration(), tmp_path)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"chunk_size": 20, "chunk_overlap": 20}, "chunk_overlap 20 must be less than chunk_size 20"),
        ({"modules": ["json"]}, "modules belong to the corpus 'stdlib'"),
        ({"chunksize": 20}, "Extra inputs are not permitted"),
        ({"chunk_size": 0}, "greater than or equal to 1"),
    ],
)
def test_options_are_checked(options, message):
    """Mistakes in the section of the benchmark file are told before anything is read."""
    with pytest.raises(ValidationError, match=message):
        SYSTEMS["embedded"].options(**{"type": "embedded", "corpus": "docs", **options})


def test_two_processes_build_and_find_the_same(tmp_path):
    """With other hash seeds, the index files, the description and the scores are equal byte for byte."""
    outputs = {
        subprocess.run(
            [sys.executable, "-c", SCRIPT, str(tmp_path), f"cache{seed}"],
            env={"PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in ("1", "2")
    }
    assert len(outputs) == 1
    assert "shutil#" in outputs.pop()
