"""The diagnosis of a run as plain data."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from ragstone.experiments.diagnosis.ablation import Ablation, ablations
from ragstone.experiments.diagnosis.diagnose import Diagnosis, diagnose
from ragstone.experiments.diagnosis.funnel import Funnel
from ragstone.experiments.diagnosis.reranking import Reranking
from ragstone.experiments.diagnosis.retrievers import Complementarity
from ragstone.experiments.results import RunResult
from ragstone.reports.diagnosis.advice import advice
from ragstone.reports.diagnosis.words import bound_of, funnel_sentence

Data = dict[str, Any]


def diagnosis_data(result: RunResult, found: Diagnosis | None = None) -> Data:
    """Return the diagnosis of a run's first repeat; null stands for what is not known."""
    found = found or diagnose(result)
    return {
        "funnel": funnel_data(found.funnel),
        "supports": None if found.supports is None else funnel_data(found.supports),
        "reranking": None if found.reranking is None else _reranking(found.reranking),
        "oracle_context": asdict(found.oracle_context),
        "retrievers": [_pair(pair) for pair in found.retrievers],
        "cascade": [asdict(row) for row in found.cascade],
        "advice": advice(found),
    }


def funnel_data(funnel: Funnel) -> Data:
    """Return a funnel; its leaves are exclusive and add up to n."""
    return {
        "sentence": funnel_sentence(funnel),
        "unit": funnel.unit,
        "cutoff": funnel.cutoff,
        "n": funnel.n,
        "missing": dict(funnel.missing),
        "multi_hop": funnel.multi_hop,
        "stages": [
            {
                **asdict(stage),
                "bound": bound_of(stage),
                "queries": list(stage.queries),
                "share": stage.lost / funnel.n,
            }
            for stage in funnel.stages
            if funnel.n
        ],
        "end": funnel.end,
        "kept": funnel.kept,
        "unjudged": funnel.unjudged,
        "share": funnel.share,
        "interval": asdict(funnel.interval),
    }


def ablation_data(rows: Sequence[Ablation]) -> list[Data]:
    """Return what runs lose without one of their parts."""
    return [{**asdict(row), "metric": str(row.metric), "verdict": row.verdict} for row in rows]


def _reranking(found: Reranking) -> Data:
    moves = {"lift": found.lift, "headroom": found.headroom}
    return {**asdict(found), "metric": str(found.metric), **moves}


def _pair(pair: Complementarity) -> Data:
    return {**asdict(pair), "names": list(pair.names), "fusion_potential": pair.fusion_potential}


def run_diagnosis_data(result: RunResult, others: Sequence[RunResult] = ()) -> Data:
    """Return the diagnosis of one run on its own; `others` are the runs of its batch, for the ablation."""
    name = result.run.spec.name
    rows = [row for row in ablations(others) if name in (row.full, row.run)]
    head = {"schema": "ragstone.diagnosis/1", "run_id": result.run.id, "run": name}
    return {**head, **diagnosis_data(result), "ablation": ablation_data(rows)}
