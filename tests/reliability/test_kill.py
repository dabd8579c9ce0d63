"""A run killed at any moment loses nothing and counts nothing twice."""

from __future__ import annotations

import random
from concurrent.futures import ThreadPoolExecutor

from tests.killing import QUERIES, kill_and_resume, prepare, undisturbed

KILLS = 50


def test_fifty_kills_lose_nothing(tmp_path, capsys):
    """SIGKILL at 50 random moments, then resume: results lost 0, double counted 0, exports identical."""
    prepare(tmp_path)
    whole = undisturbed(tmp_path)
    with ThreadPoolExecutor(3) as pool:
        outcomes = list(pool.map(lambda i: kill_and_resume(tmp_path, f"kill{i}", random.Random(i)), range(KILLS)))
    with capsys.disabled():
        stored = sorted(outcome.stored for outcome in outcomes)
        lost, doubled = sum(one.lost for one in outcomes), sum(one.rows - one.distinct for one in outcomes)
        other = sum(one.export != whole for one in outcomes)
        print(  # noqa: T201 - the figures are what a soak is for
            f"\nkills {KILLS}, stored when killed {stored[0]} to {stored[-1]} of {2 * QUERIES}, "
            f"lost {lost}, double counted {doubled}, exports that differ {other}"
        )
    assert (lost, doubled, other) == (0, 0, 0)
    assert {outcome.rows for outcome in outcomes} == {2 * QUERIES}
    assert stored[0] < stored[-1]
