"""Words that several formats share."""

from __future__ import annotations

from typing import get_args

from ragstone.datasets.ground_truth import Difficulty

DIFFICULTIES: tuple[str, ...] = get_args(Difficulty)


def split_difficulty(value: object) -> tuple[str | None, tuple[str, ...]]:
    """Return a known difficulty, or another word as a tag; nothing where there is none.

    Example:
        >>> split_difficulty("Easy"), split_difficulty("expert"), split_difficulty(None)
        (('easy', ()), (None, ('expert',)), (None, ()))
    """
    if not isinstance(value, str) or not value.strip():
        return None, ()
    word = value.strip().lower()
    return (word, ()) if word in DIFFICULTIES else (None, (value.strip(),))
