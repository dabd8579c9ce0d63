"""Scores as retrieval and RAG systems give them: many at 0 and 1, most questions unchanged, some in clusters.

Each scenario draws many experiments at once. Its true difference is known, so that `selfcheck` can count how often
an interval holds it and how often a test raises a false alarm.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Draw = Callable[[np.random.Generator, int, int], tuple[Floats, Floats]]

CLUSTER_SIZE = 5
MIDDLING, VERY_GOOD = (1.5, 1.5), (20.0, 1.0)
HITS = (0.8, 0.2)
CAPTURED = 0.4
_DEPTH = 5
_HARDEST = 0.02
_GAINED, _LOST = 0.05, 0.03
_CHANGED = 0.2
_TYPICAL_MS, _SPREAD = 200.0, 0.4
# Of a log-normal value with two parts of that spread.
MEAN_LATENCY = _TYPICAL_MS * float(np.exp(_SPREAD**2))


@dataclass(frozen=True, slots=True, kw_only=True)
class Scenario:
    """A kind of data for two systems on the same queries.

    Attributes:
        draw: From a generator, a number of experiments and a number of queries to the scores of both systems, each
            experiments x queries.
        difference: The true mean of the first minus the second; 0 where no system is better.
        range_width: Largest minus smallest score.
        clustered: Whether queries come in clusters of five, side by side.
        lopsided: Whether the differences have another shape on either side of 0.
    """

    name: str
    draw: Draw
    difference: float = 0.0
    range_width: float = 1.0
    clustered: bool = False
    lopsided: bool = False


def _hits(rng: np.random.Generator, runs: int, n: int) -> tuple[Floats, Floats]:
    chance = rng.beta(3, 1.2, (runs, n))
    return _as_hits(rng, chance), _as_hits(rng, chance)


def _as_hits(rng: np.random.Generator, chance: Floats) -> Floats:
    return (rng.random(chance.shape) < chance).astype(np.float64)


def _reciprocal(rng: np.random.Generator, chance: Floats) -> Floats:
    rank = rng.geometric(chance)
    return np.where(rank <= _DEPTH, 1 / rank, 0.0)


def _reciprocal_ranks(rng: np.random.Generator, runs: int, n: int) -> tuple[Floats, Floats]:
    chance = rng.beta(*MIDDLING, (runs, n)).clip(_HARDEST, 1)
    return _reciprocal(rng, chance), _reciprocal(rng, chance)


def _graded(rng: np.random.Generator, runs: int, n: int) -> tuple[Floats, Floats]:
    middle = rng.beta(3, 2, (runs, n))
    return _one_graded(rng, middle), _one_graded(rng, middle)


def _one_graded(rng: np.random.Generator, middle: Floats) -> Floats:
    """Return scores like nDCG: spread around a middle, 10% at 0 and 20% at 1."""
    score, luck = rng.beta(4 * middle + 0.1, 4 * (1 - middle) + 0.1), rng.random(middle.shape)
    return np.where(luck < 0.1, 0.0, np.where(luck > 0.8, 1.0, score))


def _judged(rng: np.random.Generator, runs: int, n: int) -> tuple[Floats, Floats]:
    middle = rng.normal(3.6, 1.2, (runs, n))
    first, second = (np.rint(middle + rng.normal(0, 0.8, (runs, n))).clip(0, 5) for _ in range(2))
    return first, second


def _lopsided(rng: np.random.Generator, runs: int, n: int) -> tuple[Floats, Floats]:
    """Return few large wins and many small losses whose mean is 0."""
    won = rng.random((runs, n)) < 0.1
    change = np.where(won, 0.45, -0.05) + rng.uniform(-0.02, 0.02, (runs, n))
    base = np.full((runs, n), 0.5)
    return base + change, base


def _mostly_unchanged(rng: np.random.Generator, runs: int, n: int) -> tuple[Floats, Floats]:
    chance = rng.beta(*MIDDLING, (runs, n)).clip(_HARDEST, 1)
    base, again = _reciprocal(rng, chance), _reciprocal(rng, chance)
    return np.where(rng.random((runs, n)) < _CHANGED, again, base), base


def _few_flips(rng: np.random.Generator, runs: int, n: int) -> tuple[Floats, Floats]:
    luck = rng.random((runs, n))
    base = _as_hits(rng, np.full((runs, n), 0.8))
    gained, lost = luck < _GAINED, luck > 1 - _LOST
    second = np.where(gained, 0.0, np.where(lost, 1.0, base))
    return np.where(gained, 1.0, np.where(lost, 0.0, base)), second


def _clustered(rng: np.random.Generator, runs: int, n: int) -> tuple[Floats, Floats]:
    """Return differences of which half of the variance lies between clusters."""
    shared = np.repeat(rng.normal(size=(runs, n // CLUSTER_SIZE)), CLUSTER_SIZE, axis=1)
    change = 0.15 * (shared + rng.normal(size=shared.shape)) / np.sqrt(2)
    base = np.full(shared.shape, 0.5)
    return base + change.clip(-0.5, 0.5), base


SCENARIOS = (
    Scenario(name="hit@5", draw=_hits),
    Scenario(name="reciprocal rank", draw=_reciprocal_ranks),
    Scenario(name="nDCG-like", draw=_graded),
    Scenario(name="judge 0-5", draw=_judged, range_width=5.0),
    Scenario(name="equal means, lopsided", draw=_lopsided, lopsided=True),
    Scenario(name="reciprocal rank, 80% unchanged", draw=_mostly_unchanged),
    Scenario(name="hits, 5% gained, 3% lost", draw=_few_flips, difference=_GAINED - _LOST),
    Scenario(name="clusters of 5, half shared", draw=_clustered, clustered=True),
)


def first_ranks(rng: np.random.Generator, runs: int, n: int) -> tuple[Floats, Floats]:
    """Return the rank of the first hit of two equal systems, which no depth cuts off: a scale without bounds."""
    chance = rng.beta(*MIDDLING, (runs, n)).clip(_HARDEST, 1)
    first, second = (rng.geometric(chance).astype(np.float64) for _ in range(2))
    return first, second


OPEN_SCENARIOS = (
    Scenario(name="lopsided, no bounds", draw=_lopsided, lopsided=True),
    Scenario(name="rank of the first hit", draw=first_ranks),
)


def reranked(rng: np.random.Generator, runs: int, n: int) -> tuple[Floats, Floats]:
    """Return what a reranker gained in reciprocal rank, and what a perfect order would have.

    The relevant passage is among the candidates of each query; with chance `CAPTURED` the reranker puts it first,
    else anywhere, as the order before did.
    """
    chance = rng.beta(*MIDDLING, (runs, n)).clip(_HARDEST, 1)
    before, elsewhere = _reciprocal(rng, chance), _reciprocal(rng, chance)
    after = np.where(rng.random((runs, n)) < CAPTURED, 1.0, elsewhere)
    return after - before, 1 - before


def equal_systems(
    rng: np.random.Generator, runs: int, n: int, systems: int, skill: tuple[float, float] = MIDDLING
) -> Floats:
    """Return reciprocal ranks of equal systems, experiments x queries x systems."""
    chance = rng.beta(*skill, (runs, n, 1)).clip(_HARDEST, 1)
    return _reciprocal(rng, np.repeat(chance, systems, axis=2))


def clustered_scores(rng: np.random.Generator, runs: int, n: int) -> tuple[Floats, Floats]:
    """Return hits and reciprocal ranks of one system on questions in clusters, each experiments x queries.

    The questions of a cluster have one chance, drawn as `HITS` and as `MIDDLING` say.
    """

    def shared(skill: tuple[float, float]) -> Floats:
        return np.repeat(rng.beta(*skill, (runs, n // CLUSTER_SIZE)), CLUSTER_SIZE, axis=1)

    return _as_hits(rng, shared(HITS)), _reciprocal(rng, shared(MIDDLING).clip(_HARDEST, 1))


def flips(rng: np.random.Generator, runs: int, n: int, share: float, difference: float) -> Floats:
    """Return differences of hits of which a share is gained or lost, with the gains ahead by `difference`."""
    luck = rng.random((runs, n))
    gained = (share + difference) / 2
    return np.where(luck < gained, 1.0, np.where(luck < share, -1.0, 0.0))


def mean_reciprocal_rank(skill: tuple[float, float]) -> float:
    """Return the true mean of `equal_systems`, by the midpoint rule over the beta distribution of chances."""
    chance = (np.arange(200_000) + 0.5) / 200_000
    density = chance ** (skill[0] - 1) * (1 - chance) ** (skill[1] - 1)
    clipped = chance.clip(_HARDEST, 1)
    value = sum(clipped * (1 - clipped) ** (rank - 1) / rank for rank in range(1, _DEPTH + 1))
    return float((value * density).sum() / density.sum())


def latencies(rng: np.random.Generator, runs: int, n: int) -> tuple[Floats, Floats]:
    """Return latencies of two equal systems in ms: skewed, and slow on the same queries."""
    shared = rng.normal(size=(runs, n))
    first, second = (_TYPICAL_MS * np.exp(_SPREAD * (shared + rng.normal(size=shared.shape))) for _ in range(2))
    return first, second
