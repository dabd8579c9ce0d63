"""Scoring of what is in memory already, in one process, the tools in turn: python -m benchmarks.kernel_warm M."""

from __future__ import annotations

import gc
import json
import statistics
import sys
import time
from collections.abc import Callable

import polars as pl
import pytrec_eval

import ragstone
from benchmarks.kernel_data import SIZES, Size
from benchmarks.kernel_peers import NAMES, TREC

RUNS = 7


def frame(path: str, columns: list[str]) -> pl.DataFrame:
    """Return a file of columns as polars reads it, ids as strings."""
    kinds = {"query_id": pl.String, "doc_id": pl.String}
    return pl.read_csv(path, separator=" ", has_header=False, new_columns=columns, schema_overrides=kinds)


def work(size: Size) -> dict[str, Callable[[], object]]:
    """Return what is timed, by name."""
    with size.qrels.open() as qrels_file, size.run.open() as run_file:
        qrels, run = pytrec_eval.parse_qrel(qrels_file), pytrec_eval.parse_run(run_file)
    golds = frame(str(size.qrels), ["query_id", "iteration", "doc_id", "relevance"])
    rows = frame(str(size.run), ["query_id", "q0", "doc_id", "rank", "score", "tag"])
    table = rows.to_arrow()
    judged = golds.to_arrow()
    return {
        "pytrec_eval, dicts": lambda: pytrec_eval.RelevanceEvaluator(qrels, set(TREC)).evaluate(run),
        "ragstone, dicts": lambda: ragstone.score(qrels, run, NAMES, ties="trec9", no_gold="zero"),
        "ragstone, polars": lambda: ragstone.score(golds, rows, NAMES, ties="trec9", no_gold="zero"),
        "ragstone, pyarrow": lambda: ragstone.score(judged, table, NAMES, ties="trec9", no_gold="zero"),
        "ragstone, file": lambda: ragstone.score(size.qrels, size.run, NAMES, ties="trec9", no_gold="zero"),
    }


def main() -> None:
    """Print median seconds by name as JSON."""
    todo = work(SIZES[sys.argv[1]])
    times: dict[str, list[float]] = {name: [] for name in todo}
    for _ in range(RUNS):
        for name, one in todo.items():
            gc.collect()
            start = time.perf_counter()
            one()
            times[name].append(time.perf_counter() - start)
    print(json.dumps({name: statistics.median(found) for name, found in times.items()}))


if __name__ == "__main__":
    main()
