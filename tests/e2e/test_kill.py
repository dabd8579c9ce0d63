"""The short form of the reliability soak."""

from __future__ import annotations

import random

from tests.killing import QUERIES, kill_and_resume, prepare, undisturbed


def test_a_killed_run_is_resumed_without_loss(tmp_path):
    """SIGKILL in the middle, twice: nothing lost, nothing doubled, the export that of an undisturbed run."""
    prepare(tmp_path)
    whole = undisturbed(tmp_path)
    for seed in (1, 2):
        outcome = kill_and_resume(tmp_path, f"kill{seed}", random.Random(seed))
        assert (outcome.lost, outcome.rows, outcome.distinct) == (0, 2 * QUERIES, 2 * QUERIES)
        assert outcome.export == whole
