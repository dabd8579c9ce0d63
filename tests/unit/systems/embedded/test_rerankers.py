from __future__ import annotations

import numpy as np

from ragstone.experiments.configuration import Configuration
from ragstone.systems.embedded.rerankers import open_cosine


def test_cosine_reranking_uses_cached_passages(fake, surroundings):
    """Passages are embedded when it is opened; a search embeds the query alone."""
    passages = ["trees grow", "hammer and nails"]
    reranker = open_cosine("fake", Configuration(), surroundings, passages)
    assert fake.seen[-1] == passages
    fake.seen.clear()
    scores = reranker.score("trees grow", passages[::-1])
    assert fake.seen == [["trees grow"]]
    assert scores[1] > scores[0]
    assert np.isclose(scores[1], 1.0)
    assert scores.dtype == np.float32
    assert reranker.fingerprint == "cosine:fake-1"
