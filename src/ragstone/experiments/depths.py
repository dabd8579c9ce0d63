"""Cutoffs and search depths as other programs send them: read what is good, say what is not."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Depths:
    """Search depths, sorted into what can be used and what cannot.

    Attributes:
        valid: Depths of at least the minimum, in the order given.
        invalid: Values that are no whole number above 0.
        too_small: Depths below the minimum, at which the largest cutoff could not be computed.
    """

    valid: tuple[int, ...]
    invalid: tuple[object, ...]
    too_small: tuple[int, ...]


def parse_ks(values: Iterable[object], primary: object = None) -> tuple[int, ...]:
    """Return the cutoffs among the values, the primary one included, in ascending order without repetitions.

    Whole numbers above 0 count, also written as text; anything else is left out.

    Example:
        >>> parse_ks(["10", 0, -1, "nope", 5], primary="5")
        (5, 10)
    """
    found = (_positive(value) for value in (*values, primary))
    return tuple(sorted({k for k in found if k is not None}))


def split_depths(values: Iterable[object], minimum: int) -> Depths:
    """Sort search depths into those that reach the minimum, those that do not, and what is no depth.

    Example:
        >>> split_depths([5, "bad", 10, None, 20], minimum=15)
        Depths(valid=(20,), invalid=('bad', None), too_small=(5, 10))
    """
    given = list(values)
    depths = [_positive(value) for value in given]
    return Depths(
        valid=tuple(depth for depth in depths if depth is not None and depth >= minimum),
        invalid=tuple(value for value, depth in zip(given, depths, strict=True) if depth is None),
        too_small=tuple(depth for depth in depths if depth is not None and depth < minimum),
    )


def _positive(value: object) -> int | None:
    if isinstance(value, str) and value.strip().isdecimal():
        value = int(value)
    return value if isinstance(value, int) and not isinstance(value, bool) and value > 0 else None
