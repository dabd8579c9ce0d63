"""Comparing systems: 16 systems x 10 metrics x 10,000 queries beside scipy and statsmodels, in one run.

scipy and statsmodels take one comparison at a time; their time for all 1,200 is that of the few that were timed,
multiplied, and marked with ~.
"""

from __future__ import annotations

import itertools
import time
from collections.abc import Callable

import numpy as np
from scipy import stats
from statsmodels.stats.multitest import multipletests

from ragstone.stats.bootstrap import bca_many, percentile_many
from ragstone.stats.corrections import holm
from ragstone.stats.distributions import t_cdf
from ragstone.stats.paired import compare_paired
from ragstone.stats.randomization import randomization_p_many, sign_flip_p_many
from ragstone.stats.tukey import randomized_tukey_many

SYSTEMS, QUERIES = 16, 10_000
PERMUTATIONS = 100_000
BUDGETS = {
    "randomization, 100,000 permutations": 10.0,
    "exact sign-flip p": 2.0,
    "percentile and BCa intervals": 3.0,
    "t, Holm and Tukey (1,000)": 2.0,
}


def collection() -> np.ndarray:
    """Return scores, queries x metrics x systems: five metrics on a lattice, five graded, from a fixed seed."""
    rng = np.random.default_rng(11)
    hard = rng.beta(1.5, 1.5, (QUERIES, 1)) + np.linspace(0, 0.02, SYSTEMS)
    chance = np.repeat(hard.clip(0.02, 1), 10, axis=1).reshape(QUERIES, SYSTEMS, 10)
    found = rng.random((QUERIES, SYSTEMS, 10)) < chance * np.linspace(0.9, 0.3, 10)
    first = np.where(found.any(2), found.argmax(2) + 1, np.inf)
    gains = found / np.log2(np.arange(2, 12))
    noise = rng.random((QUERIES, SYSTEMS))
    metrics = [
        first == 1, first <= 5, found[:, :, :5].mean(2), found.mean(2), 1 / first,
        gains.sum(2) / 4.5436, gains[:, :, :5].sum(2) / 2.9485, gains[:, :, :3].sum(2) / 2.1309,
        hard * noise, noise,
    ]  # fmt: skip
    return np.stack([np.asarray(metric, dtype=np.float64) for metric in metrics], axis=1)


def seconds(work: Callable[[], object]) -> float:
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def paired_t_p(differences: np.ndarray) -> np.ndarray:
    """Return the p of the paired t test of each column."""
    n = len(differences)
    t = differences.mean(0) / (differences.std(0, ddof=1) / np.sqrt(n))
    return np.array([2 * t_cdf(-abs(one), n - 1) for one in t.tolist()])


def main() -> None:
    """Print each time beside its budget and its peer's."""
    scores = collection()
    _, metrics, systems = scores.shape
    flat = np.ascontiguousarray(scores.reshape(QUERIES, -1))
    within = list(itertools.combinations(range(systems), 2))
    pairs = np.array([(m * systems + a, m * systems + b) for m in range(metrics) for a, b in within])
    d = flat[:, pairs[:, 0]] - flat[:, pairs[:, 1]]
    print(f"statistics, {len(pairs):,} paired comparisons of {QUERIES:,} queries")
    _tests(flat, pairs, d, scores)
    _intervals(d)
    _two_runs()


def _tests(flat: np.ndarray, pairs: np.ndarray, d: np.ndarray, scores: np.ndarray) -> None:
    one, zeros, count = d[:, 700], np.zeros(QUERIES), len(pairs)
    sampled = seconds(lambda: randomization_p_many(flat, pairs, permutations=PERMUTATIONS))
    peer = seconds(
        lambda: stats.permutation_test(
            (one, zeros), lambda a, b, axis: np.mean(a - b, axis=axis), permutation_type="samples",
            vectorized=True, n_resamples=1000, batch=100,
        )
    )  # fmt: skip
    scipy = peer * PERMUTATIONS / 1000 * count
    line("randomization, 100,000 permutations", sampled, "scipy permutation_test", scipy)
    line("exact sign-flip p", seconds(lambda: sign_flip_p_many(d)), "scipy permutation_test", scipy)
    p = paired_t_p(d)
    t = seconds(lambda: paired_t_p(d))
    adjusted = seconds(lambda: holm(p))
    tukey = seconds(lambda: randomized_tukey_many(scores))
    line("t, Holm and Tukey (1,000)", t + adjusted + tukey)
    line("  paired t", t, "scipy ttest_rel", seconds(lambda: stats.ttest_rel(d, np.zeros_like(d))), about=False)
    line(
        "  Holm",
        adjusted,
        "statsmodels multipletests",
        seconds(lambda: multipletests(p, method="holm")),
        about=False,
    )
    line("  randomized Tukey", tukey)


def _intervals(d: np.ndarray) -> None:
    percentile, bca = seconds(lambda: percentile_many(d)), seconds(lambda: bca_many(d))
    line("percentile and BCa intervals", percentile + bca)
    for method, ours in (("percentile", percentile), ("BCa", bca)):
        peer = seconds(
            lambda name=method: stats.bootstrap((d[:, 700],), np.mean, n_resamples=1000, method=name, batch=100)
        )
        line(f"  {method}", ours, f"scipy bootstrap {method}, 10,000", 10 * peer * d.shape[1])


def _two_runs() -> None:
    rng = np.random.default_rng(3)
    a, b = rng.beta(2, 1, (2, 200))
    ms = 1000 * min(seconds(lambda: compare_paired(a, b, range_width=1)) for _ in range(5))
    ranks = 1 / rng.integers(1, 11, (2, 200))
    lattice = 1000 * min(seconds(lambda: compare_paired(*ranks, range_width=1)) for _ in range(5))
    print(f"  two runs of 200 queries: {ms:.1f} ms graded, {lattice:.1f} ms reciprocal ranks   budget 50 ms")


def line(name: str, ours: float, peer: str = "", theirs: float = 0.0, *, about: bool = True) -> None:
    """Print one time, with its budget, and how much longer the peer takes."""
    budget = f"   budget {BUDGETS[name]:.0f} s" if name in BUDGETS else ""
    beside = f"   {peer} {'~' if about else ''}{theirs:,.2f} s, {theirs / ours:,.0f} x" if peer else ""
    print(f"  {name:<36} {ours:8.4f} s{budget}{beside}")


if __name__ == "__main__":
    main()
