"""Work is shared among threads and comes back in order."""

from __future__ import annotations

import threading
from itertools import islice

import pytest

from ragstone.bulk.ahead import ALONE, THREADS, WAITING, mapped


@pytest.mark.parametrize("count", [0, 1, ALONE, ALONE + 1, 100])
def test_results_come_in_the_order_of_the_items(count):
    """With threads and without."""
    assert list(mapped(lambda one: one * 2, range(count))) == [one * 2 for one in range(count)]


def test_few_items_need_no_threads():
    """Small files are not slowed by what large ones need."""
    assert {threading.get_ident()} == set(mapped(lambda _: threading.get_ident(), range(ALONE)))


def test_many_items_are_worked_on_side_by_side():
    """Two items meet at a barrier, which one thread alone could never pass."""
    meeting = threading.Barrier(THREADS, timeout=10)
    assert list(mapped(lambda _: meeting.wait() >= 0, range(2 * THREADS), alone=0)) == [True] * 2 * THREADS


def test_few_items_are_taken_ahead():
    """However many there are, and however slowly the results are fetched: memory is bounded."""
    taken = []
    for number, _ in enumerate(mapped(str, (taken.append(one) or one for one in range(1000)), alone=0)):
        assert len(taken) <= number + WAITING + 2


def test_an_error_comes_where_the_result_would_have_come():
    """What was done before it is not lost."""
    results = mapped(lambda one: 10 // (70 - one), range(100))
    assert len(list(islice(results, 70))) == 70
    with pytest.raises(ZeroDivisionError):
        next(results)
