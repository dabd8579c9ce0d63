"""Rank correlation between two short sequences, with ties."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray


def average_ranks(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return 1-based ranks, smallest first; equal values share the mean of their ranks."""
    _, inverse, counts = np.unique(values, return_inverse=True, return_counts=True)
    last = np.cumsum(counts)
    return np.asarray((last - (counts - 1) / 2)[inverse], dtype=np.float64)


def spearman(x: NDArray[np.float64], y: NDArray[np.float64]) -> float:
    """Return Spearman's rho, the Pearson correlation of average ranks.

    NaN below two pairs or when one side is constant.
    """
    rx, ry = average_ranks(x), average_ranks(y)
    dx, dy = rx - rx.mean() if len(rx) else rx, ry - ry.mean() if len(ry) else ry
    norm = float(np.sqrt((dx @ dx) * (dy @ dy)))
    return float(dx @ dy) / norm if norm else float("nan")


def kendall_tau_b(x: NDArray[np.float64], y: NDArray[np.float64]) -> float:
    """Return Kendall's tau-b, which corrects for ties; NaN below two pairs or when one side is constant."""
    upper = np.triu_indices(len(x), 1)
    sx = np.sign(np.subtract.outer(x, x))[upper]
    sy = np.sign(np.subtract.outer(y, y))[upper]
    norm = float(np.sqrt(np.abs(sx).sum() * np.abs(sy).sum()))
    return float((sx * sy).sum()) / norm if norm else float("nan")
