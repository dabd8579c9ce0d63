"""A comparison as JSON: everything in it. None means: not computed."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from ragstone.experiments.comparison.compare import Candidate, Comparison
from ragstone.experiments.comparison.flips import Flip
from ragstone.experiments.comparison.metric import MetricComparison
from ragstone.experiments.comparison.price import QuantileComparison
from ragstone.experiments.comparison.slices import SliceComparison
from ragstone.experiments.diagnosis.holes import DifferenceBounds
from ragstone.experiments.results import QueryResult, RunResult
from ragstone.reports.comparison.advice import (
    confidence_text,
    metric_sentences,
    recommendation,
    winner_text,
)
from ragstone.reports.comparison.notes import notes
from ragstone.reports.comparison.render import COMPARISON_FORMATS, ComparisonFormat
from ragstone.reports.comparison.words import stars
from ragstone.reports.data import golds_data, hit_data
from ragstone.reports.evidence import hit_rows
from ragstone.reports.words import label

SCHEMA = "ragstone.comparison/1"
Data = dict[str, Any]


def comparison_data(comparison: Comparison) -> Data:
    """Return everything in a comparison; differences are candidate less baseline, as fractions."""
    return {
        "schema": SCHEMA,
        "title": comparison.title,
        "baseline": comparison.names[0],
        "primary": str(comparison.primary),
        "level": comparison.level,
        "seed": comparison.seed,
        "clusters": comparison.clustered,
        "family": comparison.family,
        "secondary_family": comparison.secondary_family,
        "verdict": {
            "exit_code": int(comparison.exit_code),
            "winner": None if comparison.winner is None else comparison.names[comparison.winner],
            "word": winner_text(comparison),
            "confidence": confidence_text(comparison),
            "recommendation": recommendation(comparison),
        },
        "notes": [asdict(note) for note in notes(comparison)],
        "runs": [
            _run_data(name, result) for name, result in zip(comparison.names, comparison.results, strict=True)
        ],
        "candidates": [_candidate_data(comparison, one) for one in comparison.candidates],
    }


def _run_data(name: str, result: RunResult) -> Data:
    run = result.run
    return {
        "name": name,
        "run_id": run.id,
        "state": run.state,
        "dataset": run.dataset,
        "config": dict(run.spec.config),
        "config_hash": run.spec.config_hash,
        "failed": [found.query.id for found in result.failed],
    }


def _candidate_data(comparison: Comparison, one: Candidate) -> Data:
    return {
        "name": one.name,
        "settings": {key: list(values) for key, values in one.settings.items()},
        "mismatches": [asdict(mismatch) for mismatch in one.mismatches],
        "changed": {
            "metric": str(comparison.primary),
            "lost": [_flip_data(flip) for flip in one.flips.lost],
            "won": [_flip_data(flip) for flip in one.flips.won],
        },
        "metrics": [
            {**_metric_data(found), "primary": found is one.primary, "sentence": said}
            for found, said in zip(one.metrics.values(), metric_sentences(comparison, one), strict=True)
        ],
        "quantiles": [_quantile_data(found) for found in one.quantiles],
        "usage": [asdict(found) for found in one.usage],
        "slices": [_slice_data(found) for found in one.slices],
        "interactions": [asdict(found) for found in one.interactions],
        "holes": None if one.holes is None else _holes_data(one.holes),
    }


def _metric_data(found: MetricComparison) -> Data:
    paired = asdict(found.paired)
    plain = found.unclustered
    return {
        "metric": str(found.metric),
        "label": label(str(found.metric)),
        "higher_is_better": found.metric.traits.higher_is_better,
        **{key: paired[key] for key in ("n", "difference", "interval", "p")},
        "baseline": found.paired.mean_b,
        "candidate": found.paired.mean_a,
        "adjusted_p": found.adjusted_p,
        "family": found.family,
        "verdict": found.verdict,
        "doubt": found.doubt or None,
        **{key: paired[key] for key in ("method", "floor", "wins", "ties", "losses", "effective_n", "clusters")},
        **{key: paired[key] for key in ("d_z", "level")},
        "detectable": found.detectable,
        "without_clusters": None if plain is None else {"interval": asdict(plain.interval), "p": plain.p},
        "paired_t": {**asdict(found.t), "stars": stars(found.t.p)},
        "percentile_bootstrap": asdict(found.bootstrap),
        "wilcoxon": asdict(found.wilcoxon),
        "unpaired": [asdict(one) for one in found.pairs.unpaired],
        "neither": dict(found.pairs.neither),
        "scores": _scores(found),
    }


def _scores(found: MetricComparison) -> Mapping[str, list[float]]:
    """Return question -> scores of baseline and candidate."""
    pairs = found.pairs
    rows = zip(pairs.queries, pairs.baseline.tolist(), pairs.candidate.tolist(), strict=True)
    return {query: [first, second] for query, first, second in rows}


def _quantile_data(one: QuantileComparison) -> Data:
    data = asdict(one.found)
    renamed = {"value_a": "candidate", "value_b": "baseline"}
    renamed |= {"interval_a": "candidate_interval", "interval_b": "baseline_interval"}
    renamed |= {"cut_off_a": "candidate_cut_off", "cut_off_b": "baseline_cut_off"}
    return {"metric": str(one.metric), **{renamed.get(key, key): value for key, value in data.items()}}


def _slice_data(one: SliceComparison) -> Data:
    found = {key: value for key, value in asdict(one.found).items() if key != "label"}
    mine = {key: getattr(one, key) for key in ("baseline", "candidate", "wins", "ties", "losses")}
    return {"dimension": one.dimension, "value": one.value, **found, **mine}


def _holes_data(found: DifferenceBounds) -> Data:
    bounds = {key: getattr(found, key) for key in ("value", "low", "high", "n", "holes", "turns", "safe")}
    return {"metric": str(found.metric), "judged": list(found.judged), **bounds}


def _flip_data(flip: Flip) -> Data:
    query = flip.before.query
    return {
        "query": query.id,
        "text": query.text,
        "baseline": flip.baseline,
        "candidate": flip.candidate,
        "change": flip.change,
        "before": _side(flip.before),
        "after": _side(flip.after),
    }


def _side(found: QueryResult) -> Data:
    failure = found.response.failure if found.response else None
    return {
        "rank": found.rank,
        "failure": None if failure is None else asdict(failure),
        "hits": [hit_data(row) for row in hit_rows(found)],
        "golds": golds_data(found),
    }


def render_json(comparison: Comparison) -> str:
    """Return everything in a comparison as JSON."""
    return json.dumps(comparison_data(comparison), allow_nan=False) + "\n"


COMPARISON_FORMATS.add("json")(ComparisonFormat("json", ".json", render_json))
