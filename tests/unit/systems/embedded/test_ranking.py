from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from ragstone.systems.embedded.dense import DenseIndex
from ragstone.systems.embedded.ranking import best
from ragstone.systems.embedded.vectors import CachedEmbedder, VectorCache


@settings(deadline=None)
@given(st.lists(st.integers(-3, 3), max_size=30), st.integers(1, 40))
def test_best_equals_a_full_sort(values, n):
    """Score descending, then row ascending, cut after n; many equal scores included."""
    ranking = best(np.arange(len(values)), np.array(values, float), n)
    expected = sorted(range(len(values)), key=lambda row: (-values[row], row))[:n]
    assert ranking.rows.tolist() == expected
    assert ranking.scores.tolist() == [values[row] for row in expected]


def test_dense_search_is_exact(fake, tmp_path):
    """Every text is compared, equal texts get equal bits wherever they stand, and ties are in order of rows."""
    rng = np.random.default_rng(7)
    matrix = rng.standard_normal((501, 32)).astype(np.float32)
    matrix /= np.linalg.norm(matrix, axis=1, keepdims=True)
    [query] = fake.embed(["pears on trees"])
    matrix[[3, 250, 500]] = query
    index = DenseIndex(CachedEmbedder(fake, VectorCache(tmp_path / "v.sqlite")), matrix)
    ranking = index.search("pears on trees", 501)
    exact = matrix.astype(np.float64) @ query.astype(np.float64)
    assert ranking.rows[:3].tolist() == [3, 250, 500]
    assert len(set(ranking.scores[:3].tolist())) == 1
    assert np.allclose(ranking.scores, exact[ranking.rows], atol=1e-6)
    assert sorted(ranking.rows.tolist()) == list(range(501))
    assert index.search("pears on trees", 2).rows.tolist() == [3, 250]
