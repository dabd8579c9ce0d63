"""What every registered reranker promises."""

from __future__ import annotations

import numpy as np
import pytest

from ragstone.errors import MissingExtraError
from ragstone.experiments.configuration import Configuration
from ragstone.systems import Surroundings
from ragstone.systems.embedded.rerankers import RERANKERS

QUERY = "How do I sort a list of numbers?"
TEXTS = ["the capital of France", "sorted returns a new sorted list", "", "open a file for reading"]


@pytest.fixture(
    params=[pytest.param(name, marks=pytest.mark.minilm if name == "minilm" else ()) for name in RERANKERS]
)
def reranker(request, tmp_path):
    """A registered reranker, opened with the default settings."""
    try:
        return RERANKERS[request.param].open(Configuration(), Surroundings(base=tmp_path, cache=tmp_path), TEXTS)
    except MissingExtraError as error:
        pytest.skip(f"NOT TESTED: {error}")


def test_it_gives_one_finite_score_a_text(reranker):
    """Scores are in the order of the texts; no texts give no scores."""
    scores = reranker.score(QUERY, TEXTS)
    assert scores.shape == (len(TEXTS),)
    assert np.isfinite(scores).all()
    assert reranker.score(QUERY, []).shape == (0,)


def test_a_score_does_not_depend_on_the_other_texts(reranker):
    """Alone, in another order, a second time: the same score."""
    scores = reranker.score(QUERY, TEXTS)
    assert reranker.score(QUERY, TEXTS[::-1]).tolist() == scores[::-1].tolist()
    assert [reranker.score(QUERY, [text])[0] for text in TEXTS] == scores.tolist()


def test_texts_it_was_not_shown_can_be_scored(reranker):
    """What is prepared when it is opened is a matter of speed only."""
    assert reranker.score(QUERY, ["something new"]).shape == (1,)


def test_the_relevant_text_comes_first(reranker):
    """The easiest of tasks is solved."""
    assert int(np.argmax(reranker.score(QUERY, TEXTS))) == 1


def test_it_has_a_name_and_a_fingerprint(reranker):
    """The name is the registered one."""
    assert reranker.name in RERANKERS
    assert reranker.fingerprint
