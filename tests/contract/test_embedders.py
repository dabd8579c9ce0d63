"""What every registered embedder promises."""

from __future__ import annotations

import numpy as np
import pytest

from ragstone.errors import MissingExtraError
from ragstone.systems.embedded.embedders import EMBEDDERS
from ragstone.systems.embedded.vectors import load_embedder

TEXTS = [
    "How do I parse JSON?",
    "",
    "word " * 400,
    "Größe, 東京 and \N{SNOWMAN}",
    "def f(x):\n    return x",
    "a",
    "json.loads(s) deserialises a str that holds a JSON document to a Python object.",
] * 3


@pytest.fixture(
    params=[pytest.param(name, marks=pytest.mark.minilm if name == "minilm" else ()) for name in EMBEDDERS]
)
def embedder(request):
    """A registered embedder; its model is loaded once."""
    try:
        return load_embedder(request.param)
    except MissingExtraError as error:
        pytest.skip(f"NOT TESTED: {error}")


def test_vectors_have_unit_length(embedder):
    """Every text, the empty one included, gives a finite vector of length 1."""
    vectors = embedder.embed(TEXTS)
    assert vectors.shape == (len(TEXTS), embedder.dimensions)
    assert vectors.dtype == np.float32
    assert np.allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-5)


def test_a_text_gets_the_same_bits_in_any_company(embedder):
    """Alone, in a batch, in another order, a second time: the same vector, in the order of the texts."""
    vectors = embedder.embed(TEXTS)
    assert np.array_equal(np.concatenate([embedder.embed([text]) for text in TEXTS]), vectors)
    assert np.array_equal(embedder.embed(TEXTS[::-1]), vectors[::-1])


def test_no_texts_give_no_rows(embedder):
    """The empty list gives a matrix of the right width."""
    assert embedder.embed([]).shape == (0, embedder.dimensions)


def test_it_has_a_name_and_a_fingerprint(embedder):
    """The name is the registered one, and two instances share a fingerprint."""
    assert EMBEDDERS[embedder.name]().fingerprint == embedder.fingerprint != ""


def test_meaning_is_nearer_than_chance(embedder):
    """A paraphrase is nearer than an unrelated sentence."""
    query, near, far = embedder.embed(
        ["sort a list of numbers", "arrange the numbers of a list in order", "the capital of France"]
    )
    assert query @ near > query @ far
