"""Work shared among threads, its results in order."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from typing import TypeVar

THREADS = 2  # numpy lets them run side by side, Python between its calls does not
WAITING = 3
ALONE = 6

T = TypeVar("T")
R = TypeVar("R")


def mapped(function: Callable[[T], R], items: Iterable[T], *, alone: int = ALONE) -> Iterator[R]:
    """Apply a function to each item, in threads where there are many, and yield the results in order.

    Few items are taken before the results of the earlier ones have been fetched, so that memory stays bounded.
    What the function raises is raised where its result would have come.

    Args:
        function: What is done.
        items: To what.
        alone: With so many items or fewer there are no threads, which take longer to load than they would save.

    Example:
        >>> list(mapped(str, range(9)))
        ['0', '1', '2', '3', '4', '5', '6', '7', '8']
    """
    rest = iter(items)
    yield from map(function, islice(rest, alone))
    first = list(islice(rest, 1))
    if not first:
        return
    from concurrent.futures import Future, ThreadPoolExecutor  # noqa: PLC0415 - slow to load, and small files do without

    with ThreadPoolExecutor(THREADS) as threads:
        waiting: deque[Future[R]] = deque([threads.submit(function, first[0])])
        for item in rest:
            waiting.append(threads.submit(function, item))
            if len(waiting) > WAITING:
                yield waiting.popleft().result()
        while waiting:
            yield waiting.popleft().result()
