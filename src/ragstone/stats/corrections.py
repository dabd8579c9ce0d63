"""Corrections for many tests: each returns adjusted p-values, to be compared with the level itself."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ragstone.stats.samples import finite


def holm(p: ArrayLike) -> NDArray[np.float64]:
    """Return Holm's step-down adjusted p-values: the chance of even one false alarm stays below the level.

    Right for a family that decides something: all metrics or all systems against one baseline. It holds however
    the tests depend on each other.

    Source: S. Holm, Scandinavian Journal of Statistics 6 (1979); equal to statsmodels' ``multipletests``.

    Example:
        >>> holm([0.01, 0.04, 0.03]).round(3).tolist()
        [0.03, 0.06, 0.06]
    """
    values = finite(p, "p-values")
    order = np.argsort(values, kind="stable")
    adjusted = np.maximum.accumulate(values[order] * np.arange(len(values), 0, -1))
    return _in_place(adjusted, order)


def benjamini_hochberg(p: ArrayLike) -> NDArray[np.float64]:
    """Return Benjamini and Hochberg's adjusted p-values: of those below the level, that share is false on average.

    Right for a screen that lists candidates to look at, such as slices; not for a decision.

    Source: Y. Benjamini, Y. Hochberg, JRSS B 57 (1995); equal to statsmodels' ``multipletests``.

    Example:
        >>> benjamini_hochberg([0.01, 0.04, 0.03]).round(3).tolist()
        [0.03, 0.04, 0.04]
    """
    values = finite(p, "p-values")
    order = np.argsort(values, kind="stable")[::-1]
    n = len(values)
    adjusted = np.minimum.accumulate(values[order] * (n / np.arange(n, 0, -1)))
    return _in_place(adjusted, order)


def _in_place(adjusted: NDArray[np.float64], order: NDArray[np.intp]) -> NDArray[np.float64]:
    result = np.empty_like(adjusted)
    result[order] = np.minimum(adjusted, 1.0)
    return result
