"""Matching 10,000 queries x 100 hits against 10 golds each: by page, by anchor and by id, and its growth."""

from __future__ import annotations

import random
import time

from ragstone.matching import judge_run
from ragstone.types import Dataset, Gold, Hit, Query, Response

QUERIES, HITS, GOLDS, NAMES = 10_000, 100, 10, 100_000


def hit(position: int, rng: random.Random) -> Hit:
    """Return a random hit."""
    number = rng.randrange(NAMES)
    name, heading = f"Notes/N{number}.md", (f"H{rng.randrange(9)}", f"S{rng.randrange(5)}")
    return Hit(id=f"c{number}-{position}", document=name, page=rng.randrange(1, 40), heading=heading, score=1.0)


def gold(kind: str, found: Hit) -> Gold:
    """Return the gold that a hit matches: its page, the heading above its own, or its id."""
    if kind == "page":
        return Gold(kind="page", document=found.document.casefold(), page=found.page)
    if kind == "anchor":
        return Gold(kind="anchor", document=found.document, heading=found.heading[:1])
    return Gold(kind="chunk", chunk=found.id)


def seconds(kind: str, hits: int) -> float:
    """Return the time to match a whole run; half of each query's golds are found, half are of other queries."""
    rng = random.Random(3)
    lists = [tuple(hit(position, rng) for position in range(hits)) for _ in range(QUERIES)]
    queries = tuple(Query(id=f"q{i}", text="") for i in range(QUERIES))
    half = GOLDS // 2
    golds = {
        query.id: tuple(gold(kind, one) for own in (lists[i], lists[i - 1]) for one in rng.sample(own, half))
        for i, query in enumerate(queries)
    }
    responses = {query.id: Response(hits=found) for query, found in zip(queries, lists, strict=True)}
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
