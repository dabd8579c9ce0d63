"""Quality against cost in plain words."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ragstone.experiments.choice.names import RunNames, run_names
from ragstone.experiments.choice.pareto import Ceiling, Pareto, Tradeoff
from ragstone.reports.choice.names import Said, named
from ragstone.reports.choice.words import unplaced_reason
from ragstone.reports.words import NONE, count, interval_text, label, value_text
from ragstone.types import Interval

FRONTIER, NEAR, DOMINATED = "on the frontier", "within noise", "dominated"
_SAID = 7
DEFINITION = (
    "On the frontier: no run is at least as good and no dearer. Dominated: another run is better in both by more "
    "than noise (95%)."
)


def cost_label(pareto: Pareto) -> str:
    """Return what the cost is called."""
    return label(pareto.cost) if pareto.cost_metric else pareto.cost.replace("_", " ")


def cost_text(pareto: Pareto, value: float | None) -> str:
    """Return a cost with its unit, where it has one."""
    if pareto.cost_metric or value is None:
        return value_text(pareto.cost, value) if value is not None else NONE
    return f"{value:,.0f}" if value >= 1000 else f"{value:.4g}"


def cost_value(pareto: Pareto, one: Tradeoff) -> str:
    """Return a run's cost; where searches were cut off at the time limit it is at least so much."""
    return f"≥ {cost_text(pareto, one.cost)}" if one.cost_at_least else cost_text(pareto, one.cost)


def cost_limits(pareto: Pareto, interval: Interval | None) -> str:
    """Return the limits of a cost; one that does not exist is left open."""
    if pareto.cost_metric:
        return interval_text(pareto.cost, interval)
    if interval is None or interval.low is None or interval.high is None:
        return NONE
    return f"{cost_text(pareto, max(0.0, interval.low))}{NONE}{cost_text(pareto, interval.high)}"


def standing(one: Tradeoff) -> str:
    """Return where a run stands, in a word or two."""
    if one.dominated_by:
        return DOMINATED
    return FRONTIER if one.on_frontier else NEAR


def placed_names(pareto: Pareto) -> RunNames:
    """Return what the runs are called."""
    runs = [*(one.run for one in pareto.points), *(one.run for one in pareto.unplaced)]
    return run_names(sorted(runs, key=lambda run: run.run.spec.position))


def pareto_sentences(pareto: Pareto) -> list[str]:
    """Return what the plot shows."""
    names = Said(placed_names(pareto), {one.run.run.id: place for place, one in enumerate(pareto.points, 1)})
    if not pareto.points:
        return ["No run has both a quality and a cost.", *_unplaced(pareto, names)]
    said = [_frontier(pareto, names), *_dominated(pareto, names)]
    if pareto.ceiling is not None:
        said.append(ceiling_sentence(pareto, pareto.ceiling, names))
    return [*said, *_cut_off(pareto, names), *_unplaced(pareto, names)]


def _cut_off(pareto: Pareto, names: Said) -> Iterator[str]:
    for one in pareto.points:
        if one.cost_cut_off is not None:
            searches = count(one.cost_cut_off.n, "search", "searches")
            limit = cost_text(pareto, one.cost_cut_off.limit)
            yield f"Of {names.one(one.run.run.id)}, {searches} ran into the time limit of {limit}."


def _frontier(pareto: Pareto, names: Said) -> str:
    best = sorted((one for one in pareto.points if one.on_frontier), key=lambda one: one.cost)
    quality = str(pareto.quality)
    said = [
        f"{names.one(one.run.run.id)} ({value_text(quality, one.quality)} at {cost_value(pareto, one)})"
        for one in best
    ]
    head = f"{label(quality)} against {cost_label(pareto)}"
    if len(best) == 1:
        return f"{head}: {said[0]} is both the best and the cheapest as measured."
    return f"{head}, as measured: the choice is between {_all(said)}."


def _all(said: Sequence[str]) -> str:
    """Return the ends of a long list too: the cheapest and the best are what matters."""
    if len(said) > _SAID:
        said = [*said[: _SAID - 1], f"{len(said) - _SAID} more", said[-1]]
    return f"{', '.join(said[:-1])} and {said[-1]}"


def _dominated(pareto: Pareto, names: Said) -> Iterator[str]:
    beaten = [one for one in pareto.points if one.dominated_by]
    total = len(pareto.points)
    if beaten:
        who = named([f"{names.one(one.run.run.id)} (by {names.some(one.dominated_by)})" for one in beaten])
        yield f"Dominated at 95%, so worse in both by more than noise: {who}."
    elif not pareto.cost_decides and total > 1:
        yield f"Too few measurements to tell {cost_label(pareto)} of two runs apart, so no run can be ruled out."
    elif total > 1:
        yield "No run is dominated at 95%: none is worse than another in both by more than noise."


def ceiling_sentence(pareto: Pareto, found: Ceiling, names: Said) -> str:
    """Name the best run within a ceiling."""
    limit, quality = cost_text(pareto, found.limit), str(pareto.quality)
    if found.best is None:
        cheapest = min(pareto.points, key=lambda one: one.cost)
        least = cost_value(pareto, cheapest)
        return f"No run is within {limit}: the cheapest, {names.first(cheapest.run.run.id)}, has {least}."
    best = found.best
    cost = cost_value(pareto, best)
    high = best.cost_interval.high if best.cost_interval else None
    doubt = ""
    if not found.sure:
        may = "it may be any higher" if high is None else f"it may be up to {cost_text(pareto, high)}"
        doubt = f"; {may}, so measure more before promising {limit}"
    who = f"Within {limit} ({count(found.admitted, 'run')}) the best is {names.first(best.run.run.id)}"
    return f"{who}: {label(quality)} {value_text(quality, best.quality)} at {cost}{doubt}."


def _unplaced(pareto: Pareto, names: Said) -> Iterator[str]:
    for one in pareto.unplaced:
        yield f"Not placed: {names.first(one.run.run.id)}, because {unplaced_reason(one.reason)}."
