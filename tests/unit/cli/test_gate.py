"""Which run `ragstone gate` decides on."""

from __future__ import annotations

import pytest
from tests.gates import dataset
from tests.runs import planned

from ragstone.cli.gate import _candidate
from ragstone.errors import UsageError
from ragstone.testing import InMemoryStore


def test_the_latest_batch_is_meant_if_it_has_one_run():
    """Without a name there must be no choice; a name or an id always serves."""
    store = InMemoryStore()
    (alone,) = planned(store, dataset(3))
    assert _candidate(store, None) == alone
    one, two = planned(store, dataset(3), variants=[{"name": "one"}, {"name": "two"}])
    with pytest.raises(UsageError, match="the latest batch has 2 runs; name the one to decide on: one, two"):
        _candidate(store, None)
    assert (_candidate(store, "two"), _candidate(store, one.id), _candidate(store, alone.id)) == (two, one, alone)
