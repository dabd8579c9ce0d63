"""The sign-flip randomization test of a mean difference: how often luck alone gives a difference this large.

If two systems are exchangeable, each query's difference could as well have had the other sign. The p-value is the
share of sign patterns whose mean difference is at least as large as the one seen, either way. It needs no normal
distribution; for 0/1 scores it is McNemar's exact test. It is right for exchangeable pairs; where differences are
lopsided (many small losses, few large wins) it keeps its level only roughly, see
``docs/explanation/statistics.md``.

Sources: R. A. Fisher, The Design of Experiments (1935); M. D. Smucker, J. Allan, B. Carterette, CIKM 2007.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ragstone.errors import UsageError
from ragstone.stats.clusters import cluster_sums
from ragstone.stats.exact import by_enumeration, by_inversion, lattice_multiples, on_lattice
from ragstone.stats.samples import Labels, finite, group_numbers, unscaled

Method = Literal["none", "enumeration", "lattice", "inversion", "sampling"]
FLIPS = 10_000
_MOST_ENUMERATED = 28
# Below this the exact methods have no correct digit left, so nothing smaller is claimed.
_SMALLEST = 1e-13
_BLOCK = 1024
_SINGLE_ROUNDING = 1e-5


@dataclass(frozen=True, slots=True)
class SignFlip:
    """The result of a sign-flip test.

    Attributes:
        p: Two-sided p-value, within [floor, 1]; never below 1e-13.
        method: How it was found: ``enumeration`` (all sign patterns), ``lattice`` (exactly, for differences that
            are multiples of a step), ``inversion`` (all sign patterns, by the characteristic function, to about
            1e-5), ``sampling`` (random patterns) or ``none`` (nothing differs).
        floor: The smallest p that this many differing queries can give, 2^(1 - differing).
        differing: Number of queries (or clusters) whose difference is not 0.
    """

    p: float
    method: Method
    floor: float
    differing: int


def sign_flip_p(d: ArrayLike, *, clusters: Labels | None = None, flips: int = FLIPS, seed: int = 0) -> SignFlip:
    """Return the two-sided sign-flip p-value of the mean of paired differences.

    Up to 28 differing queries all sign patterns are counted; beyond, the same p is found exactly on a lattice or
    by inverting the characteristic function. Only where that does not converge are patterns sampled, and then
    p = (1 + at least as extreme) / (1 + flips), which is never 0.

    Args:
        d: Difference of each query.
        clusters: A label for each query; whole clusters are flipped.
        flips: Number of sampled patterns, where sampling is needed.
        seed: Seed of the sampling.

    Raises:
        UsageError: A difference is not finite, or the labels do not fit.

    Example:
        >>> sign_flip_p([0.5, 0.0, 0.5, 0.5, 0.0, 1.0])
        SignFlip(p=0.125, method='enumeration', floor=0.125, differing=4)
    """
    values, _ = unscaled(finite(d, "differences"))
    if clusters is not None:
        values = _settled(cluster_sums(values, clusters), values)
    sizes = values[values != 0]
    p, method = _exact(sizes)
    if p is None:
        p, method = float(by_inversion(sizes[None], np.abs(sizes.sum(keepdims=True)))[0]), "inversion"
        if np.isnan(p):
            p, method = _sampled(sizes, flips, seed), "sampling"
    floor = _floor(len(sizes))
    return SignFlip(min(1.0, max(p, floor, _SMALLEST)), method, floor, len(sizes))


def _settled(sums: NDArray[np.float64], values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return sums of which those that are only rounding are 0."""
    scale = float(np.abs(values).max(initial=0.0))
    return np.where(np.abs(sums) <= 1e-12 * scale, 0.0, sums)


def _floor(differing: int) -> float:
    return min(1.0, 2.0 ** (1 - differing))


def _exact(sizes: NDArray[np.float64]) -> tuple[float | None, Method]:
    """Return p by enumeration or on the lattice, or None."""
    if not len(sizes):
        return 1.0, "none"
    if len(sizes) <= _MOST_ENUMERATED:
        return by_enumeration(np.abs(sizes), abs(float(sizes.sum()))), "enumeration"
    multiples = lattice_multiples(np.abs(sizes))
    lattice = None if multiples is None else on_lattice(multiples)
    if multiples is None or lattice is None:
        return None, "inversion"
    return lattice.at_least(abs(int((np.sign(sizes) * multiples).sum()))), "lattice"


def _sampled(sizes: NDArray[np.float64], flips: int, seed: int) -> float:
    rng = np.random.default_rng(seed)
    least = abs(float(sizes.sum())) - 1e-10 * float(np.abs(sizes).sum())
    extreme = 0
    for start in range(0, flips, _BLOCK):
        signs = rng.integers(0, 2, (min(_BLOCK, flips - start), len(sizes))) * 2 - 1
        extreme += int((np.abs(signs @ sizes) >= least).sum())
    return (1 + extreme) / (1 + flips)


def sign_flip_p_many(
    differences: ArrayLike, *, clusters: Labels | None = None, flips: int = FLIPS, seed: int = 0
) -> NDArray[np.float64]:
    """Return the sign-flip p-value of each column, as `sign_flip_p` does for one.

    Args:
        differences: Array of queries x comparisons.
        clusters: A label for each query (row).
        flips: As in `sign_flip_p`.
        seed: As in `sign_flip_p`.

    Example:
        >>> sign_flip_p_many([[0.5, 0.0], [0.5, 0.0], [0.5, 0.0], [1.0, 1.0]]).tolist()
        [0.125, 1.0]
    """
    rows = _rows(finite(differences, "differences"), clusters)
    counts = np.count_nonzero(rows, axis=1)
    chances = np.empty(len(rows))
    smooth = np.zeros(len(rows), dtype=bool)
    for number, row in enumerate(rows):
        p, _ = _exact(row[row != 0])
        smooth[number] = p is None
        chances[number] = np.nan if p is None else p
    if smooth.any():
        chances[smooth] = by_inversion(rows[smooth], np.abs(rows[smooth].sum(1)))
    for left in np.flatnonzero(np.isnan(chances)).tolist():
        chances[left] = _sampled(rows[left][rows[left] != 0], flips, seed)
    return np.clip(chances, np.clip(2.0 ** (1.0 - counts), _SMALLEST, 1.0), 1.0)


def _rows(differences: NDArray[np.float64], clusters: Labels | None) -> NDArray[np.float64]:
    """Return one contiguous row for each comparison, over queries or clusters."""
    if differences.ndim != 2:
        raise UsageError(f"differences need the shape (queries, comparisons), got {differences.shape}")
    if clusters is None:
        return np.ascontiguousarray(differences.T)
    numbers, count = group_numbers(clusters, len(differences))
    sums = np.zeros((count, differences.shape[1]))
    np.add.at(sums, numbers, differences)
    return np.ascontiguousarray(_settled(sums, differences).T)


def randomization_p_many(
    scores: ArrayLike, pairs: ArrayLike, *, permutations: int = 100_000, seed: int = 0
) -> NDArray[np.float64]:
    """Return the sampled sign-flip p-value of many pairs of columns, all from the same random signs.

    One matrix product of signs and scores serves all pairs, because flipping a - b is flipping a and b. Prefer
    `sign_flip_p_many`, which is exact; this is the Monte-Carlo form, (1 + count) / (1 + permutations), for those
    who want the permutations.

    Args:
        scores: Array of queries x columns; a column is one system under one metric.
        pairs: Array of pairs x 2, column numbers.
        permutations: Number of random sign patterns.
        seed: Seed of the signs.

    Example:
        >>> randomization_p_many([[1, 0], [1, 0], [1, 0], [1, 0], [1, 0], [1, 0]], [[0, 1]]).round(2).tolist()
        [0.03]
    """
    values = finite(scores, "scores")
    first, second = np.asarray(pairs, dtype=np.intp).reshape(-1, 2).T
    centred = values - values.mean(1, keepdims=True)
    single = np.ascontiguousarray(centred, dtype=np.float32)
    least = _least(centred, first, second)
    columns = centred.sum(0).astype(np.float32)
    extreme = np.zeros(len(first), dtype=np.int64)
    rng = np.random.default_rng(seed)
    for start in range(0, permutations, _BLOCK):
        bits = _random_bits(rng, min(_BLOCK, permutations - start), len(values))
        sums = np.ascontiguousarray((2 * (bits @ single) - columns).T)
        extreme += (np.abs(sums[first] - sums[second]) >= least[:, None]).sum(1)
    return np.asarray((1 + extreme) / (1 + permutations))


def _least(scores: NDArray[np.float64], first: NDArray[np.intp], second: NDArray[np.intp]) -> NDArray[np.float32]:
    """Return for each pair the sum that counts as equally extreme, allowing for rounding in single precision."""
    total = scores.sum(0)
    gram = scores.T @ scores
    spread = np.sqrt(np.maximum(gram[first, first] + gram[second, second] - 2 * gram[first, second], 0.0))
    least = np.abs(total[first] - total[second]) - _SINGLE_ROUNDING * spread
    return np.asarray(least, dtype=np.float32)


def _random_bits(rng: np.random.Generator, rows: int, columns: int) -> NDArray[np.float32]:
    packed = np.frombuffer(rng.bytes(rows * ((columns + 7) // 8)), dtype=np.uint8).reshape(rows, -1)
    return np.unpackbits(packed, axis=1, count=columns).astype(np.float32)
