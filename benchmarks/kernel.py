"""Scoring of a judged run in memory, beside pytrec_eval on the same data."""

from __future__ import annotations

import random
import statistics
import time

import pytrec_eval

from ragstone.matching import judge_run
from ragstone.metrics import Policy, parse_all, score_all
from ragstone.types import Dataset, Gold, Hit, Query, Response

RUNS = 5
QUERIES, DEPTH, GOLDS, CORPUS = 1000, 100, 12, 5000
NAMES = [f"{family}@{k}" for family in ("P", "R", "nDCG") for k in (5, 10, 20)] + ["RR", "AP", "Hit@5"]
MEASURES = {"P.5,10,20", "recall.5,10,20", "ndcg_cut.5,10,20", "recip_rank", "map", "success.5"}


def collection() -> tuple[dict[str, dict[str, int]], dict[str, dict[str, float]]]:
    """Return synthetic qrels and a run, from a fixed seed."""
    rng = random.Random(5)
    qrels, run = {}, {}
    for number in range(QUERIES):
        golds = rng.sample(range(CORPUS), GOLDS)
        others = rng.sample(range(CORPUS), DEPTH)
        ranked = list(dict.fromkeys(rng.sample(golds, GOLDS // 2) + others))[:DEPTH]
        rng.shuffle(ranked)
        qrels[f"q{number}"] = {f"d{gold}": rng.randint(0, 3) for gold in golds}
        run[f"q{number}"] = {f"d{name}": float(DEPTH - rank) for rank, name in enumerate(ranked)}
    return qrels, run


def median_ms(work: object) -> float:
    """Return the median wall time of a callable in milliseconds."""
    times = []
    for _ in range(RUNS):
        start = time.perf_counter()
        work()  # type: ignore[operator]
        times.append(1000 * (time.perf_counter() - start))
    return statistics.median(times)


def main() -> None:
    """Print matching and scoring beside pytrec_eval."""
    qrels, run = collection()
    golds = {
        query: tuple(Gold(kind="document", document=name, grade=grade) for name, grade in graded.items())
        for query, graded in qrels.items()
    }
    dataset = Dataset(name="s", queries=tuple(Query(id=query, text=query) for query in qrels), golds=golds)
    responses = {
        query: Response(hits=tuple(Hit(id=name, document=name, score=value) for name, value in ranked.items()))
        for query, ranked in run.items()
    }
    judged = judge_run(dataset, responses)
    metrics = parse_all(NAMES)
    ours = median_ms(lambda: score_all(judged, metrics, Policy(no_gold="zero")))
    matching = median_ms(lambda: judge_run(dataset, responses))
    theirs = median_ms(lambda: pytrec_eval.RelevanceEvaluator(qrels, MEASURES).evaluate(run))
    print(f"{QUERIES} queries x {DEPTH} hits, {len(NAMES)} metrics a query, median of {RUNS}")
    print(f"  score a judged run    {ours:8.1f} ms   {theirs / ours:5.1f} x pytrec_eval ({theirs:.1f} ms)")
    print(f"  match the responses   {matching:8.1f} ms")


if __name__ == "__main__":
    main()
