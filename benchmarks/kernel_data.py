"""Synthetic qrels and runs as TREC files, the same bytes every time."""

from __future__ import annotations

import random
from dataclasses import dataclass
from pathlib import Path

FOLDER = Path("build/bench")
VERSION = "1"


@dataclass(frozen=True)
class Size:
    """How large a collection is: its queries, and the rows that a run has for each."""

    name: str
    queries: int
    depth: int

    @property
    def qrels(self) -> Path:
        return FOLDER / f"{self.name}.qrels"

    @property
    def run(self) -> Path:
        return FOLDER / f"{self.name}.run"


SIZES = {one.name: one for one in (Size("S", 1_000, 100), Size("M", 10_000, 100), Size("L", 10_000, 1_000),
                                   Size("XL", 1_000_000, 20), Size("half", 10_000, 500))}  # fmt: skip


def write(size: Size) -> None:
    """Write a collection unless it is there.

    Each query has 5 to 20 judged documents of grades 0 to 3, some 60% of them retrieved. 5% of the queries have
    many equal scores, 2% no relevant document; 1% are missing from the run and 0.5% of the run's are not judged.
    """
    stamp = FOLDER / f"{size.name}.{VERSION}"
    if stamp.exists():
        return
    FOLDER.mkdir(parents=True, exist_ok=True)
    rng = random.Random(size.queries + size.depth)
    with size.qrels.open("w", encoding="ascii") as qrels, size.run.open("w", encoding="ascii") as run:
        for number in range(size.queries):
            judged, rows = _query(rng, size.depth)
            if rng.random() >= 0.005:
                qrels.writelines(f"q{number} 0 d{name} {grade}\n" for name, grade in judged)
            if rng.random() >= 0.01:
                run.writelines(f"q{number} Q0 d{name} {rank} {score} bench\n" for rank, name, score in rows)
    stamp.touch()


def _query(rng: random.Random, depth: int) -> tuple[list[tuple[int, int]], list[tuple[int, int, str]]]:
    names = rng.sample(range(10_000_000), depth)
    count = rng.randint(5, 20)
    found = rng.sample(names, min(int(count * 0.6), depth))
    missed = rng.sample(range(10_000_000, 11_000_000), count - len(found))
    most = 0 if rng.random() < 0.02 else 3
    judged = [(name, rng.randint(0, most)) for name in (*found, *missed)]
    score, tied = 30.0, rng.random() < 0.05
    rows = []
    for rank, name in enumerate(names, 1):
        score -= rng.random() * 0.03
        rows.append((rank, name, f"{round(score * 2) / 2 if tied else score:.6f}"))
    return judged, rows
