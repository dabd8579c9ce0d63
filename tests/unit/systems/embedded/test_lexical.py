from __future__ import annotations

import math
from collections import Counter

import numpy as np
import pytest

from ragstone.systems.embedded.lexical import K1, B, LexicalIndex
from ragstone.systems.embedded.tokens import tokenize

TEXTS = [
    "The json module: json.dumps(obj) serialises, json.loads parses.",
    "A JSONEncoder subclass overrides default().",
    "Parse command line arguments with argparse.",
    "",
    "Parse command line arguments with argparse.",
    "Trees, trees, trees and one parse tree.",
]


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("json.JSONEncoder", ["json.jsonencoder", "json", "jsonencoder", "json", "encoder"]),
        ("read_csv_file", ["read_csv_file", "read", "csv", "file"]),
        ("parseHTTPResponse", ["parsehttpresponse", "parse", "http", "response"]),
        ("How do I sort the list?", ["sort", "list"]),
        ("Größe 3.11", ["größe", "3.11", "3", "11"]),
        ("__init__", ["__init__", "init"]),
        ("base64Encode", ["base64encode", "base64", "encode"]),
        (" ?! ", []),
    ],
)
def test_names_are_split_and_kept_whole(text, tokens):
    """Identifiers give themselves, their dotted components and their parts; stop words give nothing."""
    assert tokenize(text) == tokens


def brute_force(query: str) -> list[float]:
    """BM25 by its formula, in double precision."""
    documents = [Counter(tokenize(text)) for text in TEXTS]
    # An empty text counts as one token: bm25s cannot hold a text without any.
    lengths = [max(sum(counts.values()), 1) for counts in documents]
    mean = sum(lengths) / len(lengths)
    scores = [0.0] * len(documents)
    for token in tokenize(query):
        n = sum(token in counts for counts in documents)
        idf = math.log(1 + (len(documents) - n + 0.5) / (n + 0.5))
        for row, counts in enumerate(documents):
            tf = counts[token]
            scores[row] += idf * tf / (tf + K1 * (1 - B + B * lengths[row] / mean))
    return scores


@pytest.mark.parametrize(
    "query", ["parse json", "JSONEncoder.default", "trees trees parse", "arguments unknownword"]
)
def test_scores_follow_the_formula(query):
    """bm25s scores equal BM25 written out, to single precision, and only texts above 0 come back."""
    expected = brute_force(query)
    ranking = LexicalIndex.build(TEXTS).search(query, 10)
    assert sorted(ranking.rows.tolist()) == [row for row, score in enumerate(expected) if score > 0]
    assert ranking.scores == pytest.approx([expected[row] for row in ranking.rows], rel=1e-5)
    assert (np.diff(ranking.scores) <= 0).all()


def test_equal_scores_are_ordered_by_row():
    """Two equal texts tie; the first in the corpus comes first, also where the tie is at the cut."""
    index = LexicalIndex.build(TEXTS)
    assert index.search("argparse", 10).rows.tolist() == [2, 4]
    assert index.search("argparse", 1).rows.tolist() == [2]


@pytest.mark.parametrize("query", ["", "?!", "the of", "zzz"])
def test_a_query_without_known_words_finds_nothing(query):
    """Empty queries, stop words and unknown words give an empty ranking, not an error."""
    assert len(LexicalIndex.build(TEXTS).search(query, 5)) == 0


def test_a_corpus_without_a_single_word_can_be_indexed():
    """Punctuation alone gives an index that finds nothing."""
    assert len(LexicalIndex.build(["...", "!"]).search("word", 5)) == 0


def test_an_index_can_be_saved_and_loaded(tmp_path):
    """The loaded index gives the same bits, and nothing on disk is a pickle."""
    index = LexicalIndex.build(TEXTS)
    index.save(tmp_path)
    again = LexicalIndex.load(tmp_path).search("parse json", 10)
    assert again.scores.tolist() == index.search("parse json", 10).scores.tolist()
    assert {path.suffix for path in tmp_path.iterdir()} == {".npy", ".json"}
    for path in tmp_path.glob("*.npy"):
        np.load(path, allow_pickle=False)


def test_nothing_is_printed(capfd, tmp_path):
    """Building, saving, loading and searching show no progress bar of bm25s."""
    LexicalIndex.build(TEXTS).save(tmp_path)
    LexicalIndex.load(tmp_path).search("json", 3)
    assert capfd.readouterr() == ("", "")
