"""The part of a run's name that tells it apart."""

from __future__ import annotations

from ragstone.experiments.leading import short_names


def test_a_setting_is_kept_or_left_out_whole():
    """A value with spaces, such as a mapping, is never torn."""
    names = [f'top_k=5 system.arguments={{"quality": {q}, "tag": "a"}} rrf_k=10' for q in (0.4, 0.55)]
    assert short_names(names) == [f'system.arguments={{"quality": {q}, "tag": "a"}}' for q in (0.4, 0.55)]


def test_words_of_a_variant_that_all_share_are_left_out():
    """Variants are told apart by the words in which they differ, with the settings that differ."""
    assert short_names(["bm25 small top_k=5", "bm25 large top_k=5"]) == ["small", "large"]
    assert short_names(["same top_k=5", "same top_k=10"]) == ["top_k=5", "top_k=10"]
