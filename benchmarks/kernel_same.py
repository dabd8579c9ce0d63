"""The same values as pytrec_eval on a whole file, bit for bit: python -m benchmarks.kernel_same L."""

from __future__ import annotations

import sys

import pytrec_eval

import ragstone
from benchmarks.kernel_data import SIZES
from benchmarks.kernel_peers import NAMES, TREC

SPELLED = [f"{family}_{k}" for family in ("P", "recall", "ndcg_cut") for k in (5, 10, 20)]
THEIRS = [*SPELLED, "recip_rank", "map", "success_5"]


def main() -> None:
    """Print how many values there are and how many differ."""
    size = SIZES[sys.argv[1]]
    with size.qrels.open() as qrels, size.run.open() as run:
        oracle = pytrec_eval.RelevanceEvaluator(pytrec_eval.parse_qrel(qrels), set(TREC))
        expected = oracle.evaluate(pytrec_eval.parse_run(run))
    result = ragstone.score(size.qrels, size.run, NAMES, ties="trec9", no_gold="zero")
    rows = dict(zip(result.queries, result.values.tolist(), strict=True))
    pairs = [(rows[query][i], row[name]) for query, row in expected.items() for i, name in enumerate(THEIRS)]
    print(f"{len(pairs):,} values, {sum(ours != theirs for ours, theirs in pairs)} of them differ")


if __name__ == "__main__":
    main()
