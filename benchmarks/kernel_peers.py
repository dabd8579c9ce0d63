"""What each tool is asked to do: read both files, score every query, add up the means."""

from __future__ import annotations

import shutil
import sys

NAMES = [f"{family}@{k}" for family in ("P", "R", "nDCG") for k in (5, 10, 20)] + ["RR", "AP", "Hit@5"]
TREC = ["P.5,10,20", "recall.5,10,20", "ndcg_cut.5,10,20", "recip_rank", "map", "success.5"]
RANX = [f"{name}@{k}" for name in ("precision", "recall", "ndcg") for k in (5, 10, 20)] + [
    "mrr",
    "map",
    "hit_rate@5",
]

RAGSTONE = f"""
import sys, ragstone
result = ragstone.score(sys.argv[1], sys.argv[2], {NAMES!r}, ties="trec9", no_gold="zero", missing_query="exclude")
print(result.values[result.retrieved >= 0].mean(axis=0))
"""
PYTREC_EVAL = f"""
import sys, pytrec_eval
with open(sys.argv[1]) as qrels, open(sys.argv[2]) as run:
    qrels, run = pytrec_eval.parse_qrel(qrels), pytrec_eval.parse_run(run)
result = pytrec_eval.RelevanceEvaluator(qrels, {set(TREC)!r}).evaluate(run)
names = list(next(iter(result.values())))
print({{name: sum(row[name] for row in result.values()) / len(result) for name in names}})
"""
IR_MEASURES = """
import sys, ir_measures
from ir_measures import AP, P, R, RR, Success, nDCG
measures = [m @ k for m in (P, R, nDCG) for k in (5, 10, 20)] + [RR, AP, Success @ 5]
qrels, run = ir_measures.read_trec_qrels(sys.argv[1]), ir_measures.read_trec_run(sys.argv[2])
sums = {}
for one in ir_measures.iter_calc(measures, qrels, run):
    sums[one.measure] = sums.get(one.measure, 0.0) + one.value
print(sums)
"""
RANX_CODE = f"""
import sys, warnings
warnings.simplefilter("ignore")
from ranx import Qrels, Run, evaluate
qrels, run = Qrels.from_file(sys.argv[1], kind="trec"), Run.from_file(sys.argv[2], kind="trec")
print(evaluate(qrels, run, {RANX!r}, make_comparable=True))
"""
PROGRAMS = {"ragstone": RAGSTONE, "pytrec_eval": PYTREC_EVAL, "ir_measures": IR_MEASURES, "ranx": RANX_CODE}


def commands(qrels: str, run: str) -> dict[str, list[str]]:
    """Return the command of each tool that is installed; trec_eval where it is on the PATH."""
    found = {name: [sys.executable, "-c", code, qrels, run] for name, code in PROGRAMS.items()}
    if program := shutil.which("trec_eval"):
        measures = [part for name in TREC for part in ("-m", name)]
        found["trec_eval"] = [program, "-q", "-c", *measures, qrels, run]
    return found
