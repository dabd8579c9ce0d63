"""Random small collections as files and as dictionaries, for conformance with pytrec_eval."""

from __future__ import annotations

import random
from dataclasses import dataclass
from pathlib import Path

import pytrec_eval

KS = (1, 3, 5, 10, 20)
CUT = {"P": "P", "recall": "R", "ndcg_cut": "nDCG", "success": "Hit", "map_cut": "AP"}
PLAIN = {"map": "AP", "recip_rank": "RR", "ndcg": "nDCG", "Rprec": "Rprec", "bpref": "bpref", "infAP": "infAP",
         "num_ret": "NumRet", "num_rel": "NumRel", "num_rel_ret": "NumRelRet"}  # fmt: skip
RECALLS = {f"iprec_at_recall_{tenth / 10:.2f}": f"IPrec(recall={tenth / 10})" for tenth in range(11)}
OURS = {f"{theirs}_{k}": f"{ours}@{k}" for k in KS for theirs, ours in CUT.items()} | PLAIN | RECALLS
MEASURES = {f"{name}.{','.join(map(str, KS))}" for name in CUT} | set(PLAIN) | {"iprec_at_recall"}

ODD = [
    "é",
    "é",
    "漢字",
    "\U0001f600",
    "a\u00a0b",
    "ß" * 9,
    "x" * 80,
    "x" * 79 + "y",
    "-1",
    "1e5",
    "0007",
    "%s",
    "z\ufeff",
]


@dataclass(frozen=True)
class Collection:
    """Qrels and a run; scores as they are written."""

    qrels: dict[str, dict[str, int]]
    run: dict[str, dict[str, str]]

    def scores(self) -> dict[str, dict[str, float]]:
        return {query: {name: float(text) for name, text in found.items()} for query, found in self.run.items()}


def collection(rng: random.Random) -> Collection:
    """Draw ties, holes, missing queries, grades from -1 to 3, and scores of every spelling."""
    pool = [*rng.sample(ODD, 5), *(f"d{rng.randrange(10 ** rng.randint(1, 12))}" for _ in range(25))]
    documents = list(dict.fromkeys(pool))
    queries = [f"q{i}" if rng.random() < 0.8 else rng.choice(ODD) + str(i) for i in range(rng.randint(1, 5))]
    qrels = {query: _grades(rng, documents) for query in queries if rng.random() < 0.9} or {"q": {"d": 1}}
    searched = [query for query in [*queries, "unjudged"] if rng.random() < 0.85]
    return Collection(qrels, {query: _ranking(rng, documents) for query in searched})


def _grades(rng: random.Random, documents: list[str]) -> dict[str, int]:
    chosen = rng.sample(documents, rng.randint(1, min(20, len(documents))))
    grades = {name: rng.randint(-1, 3) for name in chosen}
    if max(grades.values()) < 0:
        # A query with negative grades alone makes the oracle's C code run for ever.
        grades[chosen[0]] = rng.randint(0, 1)
    return grades


def _ranking(rng: random.Random, documents: list[str]) -> dict[str, str]:
    chosen = rng.sample(documents, rng.randint(1, len(documents)))
    write = rng.choice([_tied, _decimal, _exact, _close, _mixed])
    scores = [write(rng) for _ in chosen]
    if rng.random() < 0.5:
        scores.sort(key=float, reverse=True)
    return dict(zip(chosen, scores, strict=True))


def _tied(rng: random.Random) -> str:
    return rng.choice(["1", "1.0", "2.50", "-0", "0.0", "3"])


def _decimal(rng: random.Random) -> str:
    return f"{rng.uniform(-40, 40):.{rng.randint(0, 8)}f}"


def _exact(rng: random.Random) -> str:
    return repr(rng.uniform(-1, 30))


def _close(rng: random.Random) -> str:
    """Numbers that are one as 32-bit and several as 64-bit numbers."""
    return repr(0.5 + rng.randrange(4) * 1e-9)


def _mixed(rng: random.Random) -> str:
    number = rng.lognormvariate(0, 20) * rng.choice([1, -1])
    return rng.choice([f"{number:e}", f"{number:.17g}", f"{number:.3E}", "+1.5", ".25", "7."])


def write_files(found: Collection, folder: Path, rng: random.Random) -> tuple[Path, Path]:
    """Write qrels and run in one of the ways in which people write them."""
    gap = rng.choice([" ", " ", " ", "\t", "  ", " \t "])
    end = rng.choice(["\n", "\n", "\n", "\r\n", "\n\n"])
    judged = [(query, "0", name, str(grade)) for query, row in found.qrels.items() for name, grade in row.items()]
    rows = [
        (query, "Q0", name, str(rng.randrange(9)), score, "tag")
        for query, row in found.run.items()
        for name, score in row.items()
    ]
    if rng.random() < 0.2:
        rng.shuffle(rows)
        rng.shuffle(judged)
    paths = folder / "qrels", folder / "run"
    for path, lines in zip(paths, (judged, rows), strict=True):
        text = end.join(gap.join(line) for line in lines) + rng.choice(["", end])
        path.write_bytes(rng.choice([b"", b"", b"\xef\xbb\xbf"]) + text.encode())
    return paths


def oracle(qrels: dict[str, dict[str, int]], run: dict[str, dict[str, float]]) -> dict[str, dict[str, float]]:
    """Return pytrec_eval's values by query, under our names."""
    values = pytrec_eval.RelevanceEvaluator(qrels, MEASURES).evaluate(run)
    return {query: {ours: row[theirs] for theirs, ours in OURS.items()} for query, row in values.items()}
