"""What a search leaves behind: its candidates stage by stage, with the time each stage took."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from time import perf_counter

from ragstone.systems.embedded.documents import Chunk
from ragstone.systems.embedded.ranking import Ranking
from ragstone.types import Stage


class Trace:
    """The stages of one search.

    Args:
        chunks: The chunks of the index, by row.
        depth: Candidates recorded for each stage; `Stage.total` tells how many there were.

    Attributes:
        stages: What was recorded, in order.
        rows: The rows that any stage names, in the order in which they first came up.
    """

    def __init__(self, chunks: Sequence[Chunk], depth: int) -> None:
        self.stages: list[Stage] = []
        self.rows: dict[int, None] = {}
        self._chunks = chunks
        self._depth = depth

    def stage(self, name: str, work: Callable[[], Ranking]) -> Ranking:
        """Do the work of a stage, record what it returns, and return it."""
        start = perf_counter()
        ranking = work()
        ms = (perf_counter() - start) * 1000
        seen = ranking.head(self._depth)
        rows = seen.rows.tolist()
        ids = tuple(self._chunks[row].id for row in rows)
        self.stages.append(
            Stage(name=name, ids=ids, scores=tuple(seen.scores.tolist()), ms=ms, total=len(ranking))
        )
        self.rows.update(dict.fromkeys(rows))
        return ranking
