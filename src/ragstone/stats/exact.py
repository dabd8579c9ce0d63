"""Exact distributions of a sum whose terms have random signs: by enumeration, on a lattice, by inversion.

Each function takes the sizes of the terms (all above 0) and the size of the observed sum, and returns the chance
that a sum with random signs is at least as large in size. Sums equal to the observed one up to rounding count.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

# Hoeffding: a sum lies further out than this many standard deviations with a chance below 2e-16.
REACH = 8.6
_ROUNDING = 1e-10
_SAMPLE = 50
_NO_STEP = 1e-7
_MOST_MULTIPLE = 100_000
_MOST_WORK = 1 << 20
_LARGEST_ANGLE = 1.2
_POINTS = 32
_MOST_POINTS = 2048
_NEGLIGIBLE = 1e-7
_BLOCK = 1 << 21
_CACHED = 1 << 15


def by_enumeration(sizes: NDArray[np.float64], total: float) -> float:
    """Return the chance by going through all sign patterns, as the pairs of two halves' sums."""
    least = total - _ROUNDING * float(sizes.sum())
    if least <= 0:
        return 1.0
    half = len(sizes) // 2
    left, right = np.sort(_signed_sums(sizes[:half])), _signed_sums(sizes[half:])
    below = int(np.searchsorted(left, least - right).sum())
    return min(1.0, 2 * (len(left) * len(right) - below) / float(1 << len(sizes)))


def _signed_sums(sizes: NDArray[np.float64]) -> NDArray[np.float64]:
    sums = np.zeros(1)
    for size in sizes:
        sums = np.concatenate([sums + size, sums - size])
    return sums


def lattice_multiples(sizes: NDArray[np.float64]) -> NDArray[np.int64] | None:
    """Return the sizes as whole multiples of a common step, or None where there is no coarse one.

    Differences of hit rates, precisions and counts have such a step; those of nDCG have none.
    """
    scaled = np.round(sizes / sizes.max(), 14)
    if _common_step(scaled[:_SAMPLE]) is None:
        return None
    step = _common_step(scaled)
    if step is None:
        return None
    multiples = np.rint(scaled / step)
    fits = np.abs(scaled / step - multiples).max() < 1e-3
    return multiples.astype(np.int64) if fits else None


def _common_step(values: NDArray[np.float64]) -> float | None:
    """Return the greatest common divisor of 1 and values up to 1, by Euclid; None where it is too small."""
    step = 1.0
    for value in np.unique(values)[::-1].tolist():
        # One is a whole number of steps, which takes the rounding out again.
        step = 1 / round(1 / _divisor(value, step))
        if step * _MOST_MULTIPLE < 1:
            return None
    return step


def _divisor(a: float, b: float) -> float:
    while b > _NO_STEP:
        a, b = b, a % b
        if a - b < _NO_STEP:
            b = 0.0
    return a


def on_lattice(multiples: NDArray[np.int64]) -> LatticeSum | None:
    """Return the distribution of a sum of multiples with random signs; None where it would take too long."""
    values, counts = np.unique(multiples, return_counts=True)
    span = int(multiples.sum())
    deviation = math.sqrt(float((counts * values.astype(np.float64) ** 2).sum()))
    # Beyond the reach the distribution may wrap around: nothing is there.
    size = 1 << math.ceil(math.log2(min(span, REACH * deviation) + 2))
    if size // 2 * len(values) > _MOST_WORK:
        return None
    return LatticeSum(values, counts, span, size)


class LatticeSum:
    """The sum of whole numbers with random signs: its chances, from the characteristic function by FFT."""

    def __init__(self, values: NDArray[np.int64], counts: NDArray[np.int64], span: int, size: int) -> None:
        self.span, self.size = span, size
        table = np.cos(np.pi * np.arange(2 * size) / size)
        table[[size // 2, 3 * size // 2]] = 0.0
        with np.errstate(divide="ignore"):
            logs = np.log(np.abs(table))
        frequency = np.arange(size // 2 + 1)
        log, flips = np.zeros(len(frequency)), np.zeros(len(frequency), dtype=np.int64)
        for value, count in zip(values.tolist(), counts.tolist(), strict=True):
            angle = (frequency * value) % (2 * size)
            log += count * logs[angle]
            flips += count * (table[angle] < 0)
        phase = (frequency * span) % (2 * size)
        turn = table[phase] - 1j * table[(phase - size // 2) % (2 * size)]
        # The number of plus signs' total, which is whole: (sum + span) / 2.
        self._chances = np.fft.irfft((1 - 2 * (flips % 2)) * np.exp(log) * turn, size)

    def at_least(self, total: int) -> float:
        """Return the chance of a sum of at least this size, either sign."""
        if total <= 0:
            return 1.0
        first, last = (self.span + total) // 2, (self.span + self.size) // 2
        tail = float(self._chances[np.arange(first, max(first, last)) % self.size].sum())
        return min(1.0, max(0.0, 2 * tail))


def by_inversion(rows: NDArray[np.float64], totals: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the chances for many sums at once by inverting the characteristic function; NaN where that fails.

    The function of a sum with random signs is the product of cos(t x size) (Gil-Pelaez 1951); the integral is
    taken by the midpoint rule, whose error is the chance beyond `REACH` (Davies 1973). Where all sizes are small
    beside the standard deviation the logarithm is a power series of the even power sums. The result counts half
    of the chance of the observed sum itself, which is negligible for scores without a lattice.

    Args:
        rows: One row of terms for each sum; zeros do not matter.
        totals: The observed sums' sizes.
    """
    norms = np.sqrt(np.einsum("ij,ij->i", rows, rows))
    largest = np.maximum(rows.max(1), -rows.min(1)) / norms
    observed = totals / norms
    chances = np.zeros(len(rows))
    near = observed < REACH
    series = near & (largest * REACH <= _LARGEST_ANGLE)
    direct = near & ~series
    step = 2 * np.pi / (observed + REACH)
    chances[series] = _by_series(rows, norms, observed, step, np.flatnonzero(series))
    chances[direct] = _by_products(rows, norms, observed, step, np.flatnonzero(direct))
    return chances


def _by_series(
    rows: NDArray[np.float64],
    norms: NDArray[np.float64],
    observed: NDArray[np.float64],
    step: NDArray[np.float64],
    which: NDArray[np.intp],
) -> NDArray[np.float64]:
    if not len(which):
        return np.empty(0)
    points = math.ceil(REACH / float(step[which].min()))
    t = (np.arange(points) + 0.5) * step[which, None]
    sums = power_sums(rows[which], np.zeros(len(which)), norms[which], len(_LOG_COSINE), even=True)
    log = np.zeros_like(t)
    for coefficient, power in zip(_LOG_COSINE[::-1], sums.T[::-1], strict=True):
        log = (log + coefficient * power[:, None]) * (t * t)
    integral = (np.exp(log) * np.sin(t * observed[which, None]) / t).sum(1) * step[which]
    return np.asarray(np.clip(1 - 2 / np.pi * integral, 0.0, 1.0))


def power_sums(
    rows: NDArray[np.float64], shift: NDArray[np.float64], scale: NDArray[np.float64], orders: int, *, even: bool
) -> NDArray[np.float64]:
    """Return for each row, less its shift and divided by its scale, the sums of its powers.

    Args:
        rows: One sample a row.
        shift: What is taken off each row.
        scale: What each row is divided by.
        orders: How many powers.
        even: Powers 2, 4, 6, ... instead of 1, 2, 3, ...
    """
    sums = np.empty((len(rows), orders))
    block = max(1, _CACHED // rows.shape[1])
    for start in range(0, len(rows), block):
        some = slice(start, start + block)
        base = (rows[some] - shift[some, None]) / scale[some, None]
        if even:
            base *= base
        power = base.copy()
        for order in range(orders):
            sums[some, order] = power.sum(1)
            power *= base
    return sums


def _log_cosine(orders: int) -> tuple[float, ...]:
    """Return the coefficients of x^2, x^4, ... in log cos x, from the derivative -tan x."""
    # tan' = 1 + tan^2 gives the series of tan term by term.
    tangent = [1.0]
    for k in range(1, orders):
        tangent.append(sum(tangent[i] * tangent[k - 1 - i] for i in range(k)) / (2 * k + 1))
    return tuple(-value / (2 * k + 2) for k, value in enumerate(tangent))


_LOG_COSINE = _log_cosine(16)


def _by_products(
    rows: NDArray[np.float64],
    norms: NDArray[np.float64],
    observed: NDArray[np.float64],
    step: NDArray[np.float64],
    which: NDArray[np.intp],
) -> NDArray[np.float64]:
    block = max(1, _BLOCK // (_POINTS * rows.shape[1]))
    parts = [
        _products(rows[some] / norms[some, None], observed[some], step[some])
        for some in (which[start : start + block] for start in range(0, len(which), block))
    ]
    return np.concatenate([np.empty(0), *parts])


def _products(
    sizes: NDArray[np.float64], observed: NDArray[np.float64], step: NDArray[np.float64]
) -> NDArray[np.float64]:
    integral = np.full(len(sizes), np.nan)
    sums = np.zeros(len(sizes))
    left = np.arange(len(sizes))
    for start in range(0, _MOST_POINTS, _POINTS):
        t = (np.arange(start, start + _POINTS) + 0.5) * step[left, None]
        values = np.cos(t[:, :, None] * sizes[left, None, :]).prod(2)
        sums[left] += (values * np.sin(t * observed[left, None]) / t).sum(1) * step[left]
        quiet = (t[:, -1] > REACH) & (np.abs(values[:, -_POINTS // 4 :]).max(1) < _NEGLIGIBLE)
        integral[left[quiet]] = sums[left[quiet]]
        left = left[~quiet]
        if not len(left):
            break
    return np.asarray(np.clip(1 - 2 / np.pi * integral, 0.0, 1.0))
