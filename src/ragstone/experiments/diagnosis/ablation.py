"""What a configuration loses without one of its parts: runs of a batch that differ in nothing else."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from ragstone.experiments.pairs import pair
from ragstone.experiments.results import RunResult
from ragstone.metrics import Metric
from ragstone.stats.corrections import holm
from ragstone.stats.paired import PairedComparison, Verdict, compare_paired

_OF_HYBRID = ("fusion", "rrf_k", "dense_weight", "sparse_weight")
_WITHOUT_EFFECT = object()


@dataclass(frozen=True, slots=True, kw_only=True)
class Ablation:
    """A run against the fuller one that it equals but for one part.

    Attributes:
        full: Name of the fuller run.
        without: The part that is left out: ``lexical``, ``dense`` or ``rerank``.
        run: Name of the run without it.
        comparison: Of that run against the full one, by the primary metric: a negative difference is what
            the part is worth.
        adjusted_p: Its p after Holm over all rows that `ablations` returned.
        family: How many rows those are.
    """

    full: str
    without: str
    run: str
    metric: Metric
    comparison: PairedComparison
    adjusted_p: float
    family: int = 1

    @property
    def verdict(self) -> Verdict:
        """The verdict after all rows are allowed for: where they undo it, it is borderline."""
        said = self.comparison.verdict
        undone = said in ("better", "worse") and self.adjusted_p > 1 - self.comparison.level
        return "borderline" if undone else said


def ablations(results: Sequence[RunResult]) -> tuple[Ablation, ...]:
    """Return every pair of runs of which one is the other with one part less, the full run's order first.

    The full runs are those of which no other has all parts and more. Settings without effect, such as the fusion
    constant of a dense search, do not count as differences. The p-values allow for all rows (Holm).
    """
    parts = [_parts(result) for result in results]
    full = [one for one, mine in zip(results, parts, strict=True) if not any(mine < other for other in parts)]
    rows = [found for one in full for found in _against(one, results)]
    adjusted = holm([row.comparison.p for row in rows]).tolist()
    return tuple(replace(row, adjusted_p=p, family=len(rows)) for row, p in zip(rows, adjusted, strict=True))


def _against(full: RunResult, results: Sequence[RunResult]) -> Iterator[Ablation]:
    mine = _parts(full)
    for other in results:
        lacking = mine - _parts(other)
        if len(lacking) != 1 or not _parts(other) < mine or not _same_otherwise(full, other):
            continue
        metric = full.benchmark.primary
        found = pair(full, other, metric)
        if len(found.queries):
            comparison = compare_paired(
                found.candidate,
                found.baseline,
                range_width=found.range_width,
                clusters=found.clusters,
                higher_is_better=metric.traits.higher_is_better is not False,
            )
            yield Ablation(
                full=full.run.spec.name,
                without=next(iter(lacking)),
                run=other.run.spec.name,
                metric=metric,
                comparison=comparison,
                adjusted_p=comparison.p,
            )


def _parts(result: RunResult) -> frozenset[str]:
    config = result.run.spec.config
    mode = config.get("search_mode")
    parts = {"lexical"} if mode == "sparse" else {"dense"} if mode == "dense" else {"lexical", "dense"}
    return frozenset(parts | ({"rerank"} if config.get("use_reranker") else set()))


def _same_otherwise(full: RunResult, other: RunResult) -> bool:
    """Say whether two runs differ in their parts alone: a setting matters only where both have the part."""
    settings = [_settings(one) for one in (full, other)]
    return all(
        first == second or _WITHOUT_EFFECT in (first, second)
        for key in settings[0]
        for first, second in [(settings[0][key], settings[1].get(key))]
    )


def _settings(result: RunResult) -> Mapping[str, Any]:
    parts = _parts(result)
    config = dict(result.run.spec.config)
    idle = [key for key in config if key.startswith("reranker_")] if "rerank" not in parts else []
    idle += _OF_HYBRID if not {"lexical", "dense"} <= parts else []
    idle += ["embedding_model"] if "dense" not in parts else []
    config.update(dict.fromkeys(idle, _WITHOUT_EFFECT))
    config.update(dict.fromkeys(("search_mode", "use_reranker"), _WITHOUT_EFFECT))
    return {**config, "system": dict(result.run.spec.system)}
