from __future__ import annotations

import numpy as np
import pytest

from ragstone.systems.embedded.fusion import reciprocal_rank_fusion, weighted_fusion
from ragstone.systems.embedded.ranking import EMPTY, Ranking


def ranking(**scores: float) -> Ranking:
    """Rows named r<n>, best first."""
    return Ranking(np.array([int(name[1:]) for name in scores]), np.array(list(scores.values()), float))


def as_dict(fused: Ranking) -> dict[int, float]:
    """Scores by row, in order."""
    return dict(zip(fused.rows.tolist(), fused.scores.tolist(), strict=True))


def test_reciprocal_rank_fusion_by_hand():
    """Two lists with k = 60: 1/61 + 1/62 for both common rows, which tie and go by row."""
    fused = reciprocal_rank_fusion([ranking(r1=9.0, r2=8.0, r3=1.0), ranking(r2=0.9, r1=0.5, r4=0.1)])
    assert as_dict(fused) == pytest.approx({1: 1 / 61 + 1 / 62, 2: 1 / 61 + 1 / 62, 3: 1 / 63, 4: 1 / 63})
    assert list(as_dict(fused)) == [1, 2, 3, 4]


def test_weights_and_k_shape_reciprocal_rank_fusion():
    """With k = 1 and weights 3 and 1, rank 2 of the first list beats rank 1 of the second."""
    fused = reciprocal_rank_fusion([ranking(r1=2.0, r2=1.0), ranking(r3=5.0)], k=1, weights=[3, 1])
    assert as_dict(fused) == pytest.approx({1: 3 / 2, 2: 1.0, 3: 1 / 2})


def test_weighted_fusion_by_hand():
    """Each list is scaled to 0..1; a row that a list lacks gets 0 from it."""
    fused = weighted_fusion([ranking(r1=10.0, r2=7.5, r3=0.0), ranking(r2=0.8, r4=0.2)], [0.25, 0.75])
    assert as_dict(fused) == pytest.approx({2: 0.25 * 0.75 + 0.75, 1: 0.25, 3: 0.0, 4: 0.0})
    assert list(as_dict(fused)) == [2, 1, 3, 4]


@pytest.mark.parametrize(
    ("first", "expected"),
    [(ranking(r5=0.3), {5: 1.0}), (ranking(r5=2.0, r6=2.0), {5: 1.0, 6: 1.0}), (EMPTY, {})],
    ids=["single", "all equal", "empty"],
)
def test_a_list_without_spread_counts_as_all_best(first, expected):
    """One candidate, or equal scores, become 1; an empty list adds nothing."""
    assert as_dict(weighted_fusion([first, EMPTY], [1.0, 1.0])) == expected


@pytest.mark.parametrize("fuse", [lambda lists, w: reciprocal_rank_fusion(lists, weights=w), weighted_fusion])
def test_a_list_of_weight_zero_brings_no_candidates(fuse):
    """Weight 0 means that the list does not take part."""
    lists = [ranking(r1=2.0, r2=1.0), ranking(r3=1.0)]
    assert list(as_dict(fuse(lists, [1.0, 0.0]))) == [1, 2]
    assert len(fuse(lists, [0.0, 0.0])) == 0
