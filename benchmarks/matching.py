"""Matching 10,000 queries x 100 hits against 10 golds each: by page, by anchor and by id, and its growth."""

from __future__ import annotations

import random
import time

from ragstone.matching import judge_run
from ragstone.types import Dataset, Gold, Hit, Query, Response

QUERIES, HITS, GOLDS = 10_000, 100, 10


def gold(kind: str, rng: random.Random) -> Gold:
    """Return a random gold of a kind."""
    number = rng.randrange(300)
    if kind == "page":
        return Gold(kind="page", document=f"Book {number}.pdf", page=rng.randrange(1, 40))
    if kind == "anchor":
        return Gold(kind="anchor", document=f"notes/n{number}.md", heading=(f"H{rng.randrange(9)}",))
    return Gold(kind="chunk", chunk=f"c{number}-{rng.randrange(40)}")


def hit(kind: str, position: int, rng: random.Random) -> Hit:
    """Return a random hit that golds of the kind may match."""
    number = rng.randrange(300)
    name = f"Book {number}.pdf" if kind == "page" else f"notes/n{number}.md"
    heading = (f"H{rng.randrange(9)}", f"S{rng.randrange(5)}")
    return Hit(id=f"c{number}-{position}", document=name, page=rng.randrange(1, 40), heading=heading, score=1.0)


def seconds(kind: str, hits: int) -> float:
    """Return the time to match the whole run."""
    rng = random.Random(3)
    queries = tuple(Query(id=f"q{i}", text="") for i in range(QUERIES))
    golds = {query.id: tuple(gold(kind, rng) for _ in range(GOLDS)) for query in queries}
    pool = [tuple(hit(kind, position, rng) for position in range(hits)) for _ in range(50)]
    responses = {query.id: Response(hits=pool[i % 50]) for i, query in enumerate(queries)}
    dataset = Dataset(name="m", queries=queries, golds=golds)
    start = time.perf_counter()
    judge_run(dataset, responses)
    return time.perf_counter() - start


def main() -> None:
    """Print the times and what twice the hits cost."""
    print(f"matching {QUERIES:,} queries x {HITS} hits, {GOLDS} golds each")
    for kind in ("page", "anchor", "chunk"):
        half, whole = seconds(kind, HITS // 2), seconds(kind, HITS)
        print(f"  by {kind:<7} {whole:5.2f} s   twice the hits cost {whole / half:.2f} x")


if __name__ == "__main__":
    main()
