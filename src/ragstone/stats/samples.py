"""Scores of two systems on the same queries, made fit for arithmetic."""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ragstone.errors import UsageError

Labels = Sequence[Hashable] | NDArray[np.generic]
_ROUNDING = 1e-12
_SMALL = 1e-100
_LARGEST_POWER = 1023


def finite(values: ArrayLike, what: str = "values") -> NDArray[np.float64]:
    """Return values as float64.

    Raises:
        UsageError: One of them is not a finite number: a query without a value is to be left out first.
    """
    array = np.asarray(values, dtype=np.float64)
    bad = int((~np.isfinite(array)).sum())
    if bad:
        raise UsageError(f"{what}: {bad} of {array.size} are not finite; leave out queries without a value")
    return array


def differences(a: ArrayLike, b: ArrayLike) -> NDArray[np.float64]:
    """Return a - b query by query; what is only rounding becomes 0, so that a tie is a tie.

    Raises:
        UsageError: The two differ in length, or hold values that are not finite.

    Example:
        >>> differences([0.3, 1.0], [0.1 + 0.2, 0.5]).tolist()
        [0.0, 0.5]
    """
    first, second = finite(a, "first scores"), finite(b, "second scores")
    if first.shape != second.shape or first.ndim != 1:
        raise UsageError(
            f"paired scores need one value per query on both sides, got shapes {first.shape} and {second.shape}"
        )
    with np.errstate(over="ignore"):
        d = finite(first - second, "differences too large for a number")
    return np.where(np.abs(d) <= _ROUNDING * np.maximum(np.abs(first), np.abs(second)), 0.0, d)


def unscaled(values: NDArray[np.float64], unit: float | None = None) -> tuple[NDArray[np.float64], float]:
    """Return values whose squares neither overflow nor vanish, and the power of two to multiply them with.

    Ordinary values are returned as they are, with 1. So are tiny ones where the `unit` is ordinary, such as the
    range of their metric.

    Example:
        >>> unscaled(np.array([0.5, -2.0]))
        (array([ 0.5, -2. ]), 1.0)
        >>> values, scale = unscaled(np.array([2.0**500]))
        >>> values.tolist(), scale == 2.0**501
        ([0.5], True)
    """
    largest = float(np.abs(values).max(initial=unit or 0.0))
    if not largest or _SMALL < largest < 1 / _SMALL:
        return values, 1.0
    scale = 2.0 ** min(math.frexp(largest)[1], _LARGEST_POWER)
    return values / scale, scale


def group_numbers(labels: Labels, n: int) -> tuple[NDArray[np.intp], int]:
    """Return for each of `n` queries the number of its group, in order of first sight, and how many there are.

    Raises:
        UsageError: There is not one label for each query.
    """
    if len(labels) != n:
        raise UsageError(f"{n} queries need as many labels, got {len(labels)}")
    known: dict[Hashable, int] = {}
    numbers = [known.setdefault(label, len(known)) for label in labels]
    return np.array(numbers, dtype=np.intp), len(known)
