"""`ragstone power`."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ragstone.cli.options import JsonOption, StoreOption, complete_runs, settings
from ragstone.cli.output import put, put_json
from ragstone.errors import UsageError
from ragstone.stats.power import (
    ALPHA,
    MARGIN_SIZES,
    POWER,
    detectable_difference,
    margin_of_error,
    queries_needed,
    sd_from_flips,
)

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from ragstone.experiments.results import RunResult
    from ragstone.metrics import Metric
    from ragstone.stats.guarded import Sample

Planned = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Spread:
    """What a plan starts from: the figures to show, and after a run the sample with its metric's range."""

    shown: Planned
    sample: Sample | None = None
    range_width: float | None = None


def power(
    run: Annotated[
        str | None,
        typer.Argument(
            help="Run whose questions and scores to plan with.", metavar="RUN", autocompletion=complete_runs
        ),
    ] = None,
    metric: Annotated[
        str | None, typer.Argument(help="Metric [default: the benchmark's primary one].", metavar="METRIC")
    ] = None,
    *,
    against: Annotated[
        str | None, typer.Option("--against", help="Second run: plan with the spread of their differences.")
    ] = None,
    difference: Annotated[
        float | None,
        typer.Option("--difference", help="Difference to notice, in the metric's units: .05 is 5 points."),
    ] = None,
    n: Annotated[int | None, typer.Option("--n", help="Number of questions.", min=2)] = None,
    sd: Annotated[float | None, typer.Option("--sd", help="Standard deviation of the differences.", min=0)] = None,
    flips: Annotated[
        float | None, typer.Option("--flips", help="Share of questions whose hit is gained or lost.", min=0, max=1)
    ] = None,
    wanted: Annotated[float, typer.Option("--power", help="Chance to notice it.", min=0.5, max=0.999)] = POWER,
    alpha: Annotated[float, typer.Option("--alpha", help="Two-sided level.", min=0.0001, max=0.5)] = ALPHA,
    store: StoreOption = None,
    as_json: JsonOption = False,
) -> None:
    """Say how many questions it takes, or what difference a set can show.

    Without arguments: the margin of one rate. With --sd or --flips: a plan. With RUN: what its questions can show.
    """
    if run is not None:
        spread = _from_runs(store, run, metric, against)
    elif sd is not None or flips is not None:
        spread = _from_options(sd, flips, difference)
    elif difference is not None or n is not None:
        raise UsageError("a plan needs the spread of the differences: give --sd, --flips or a RUN")
    else:
        _put_margins(as_json)
        return
    planned = _plan(spread, n, difference, wanted, alpha)
    if as_json:
        put_json(planned)
    else:
        put("\n".join(_sentences(planned)))


def _put_margins(as_json: bool) -> None:
    margins = [{"n": n, "margin": margin_of_error(n)} for n in MARGIN_SIZES]
    if as_json:
        put_json({"title": "95% margin of one yes/no metric of one system at 50%", "margins": margins})
        return
    rows = [f"  {row['n']:>4} questions   ±{100 * row['margin']:.1f} points" for row in margins]
    put(
        "\n".join(
            [
                "Margin of one yes/no metric of one system, 95% (Wald), at its widest: a rate of 50%",
                *rows,
                "It is not the margin of a difference between two systems, nor of MRR or nDCG.",
                "For those: ragstone power --sd 0.33 --difference 0.05, or ragstone power RUN METRIC.",
            ]
        )
    )


def _from_options(sd: float | None, flips: float | None, difference: float | None) -> Spread:
    if sd is not None and flips is not None:
        raise UsageError("--sd and --flips both give the spread; give one of them")
    if sd is not None:
        if not sd:
            raise UsageError(
                "--sd 0 means that no question ever differs, and then there is nothing to plan; give more"
            )
        return Spread({"sd": sd, "source": "--sd", "questions_per_independent": 1.0})
    share = flips or 0.0
    if not share:
        raise UsageError(
            "--flips 0 means that no question ever differs, and then there is nothing to plan; give more"
        )
    return Spread(
        {
            "sd": sd_from_flips(share, difference or 0.0),
            "source": f"{100 * share:g}% of the questions flip",
            "questions_per_independent": 1.0,
        }
    )


def _from_runs(store: Path | None, run: str, metric: str | None, against: str | None) -> Spread:
    from ragstone.bootstrap import open_configured_store
    from ragstone.experiments.results import collect
    from ragstone.experiments.select import find_run
    from ragstone.metrics import parse

    with open_configured_store(settings(store, None)) as opened:
        result = collect(opened, find_run(opened, run))
        other = None if against is None else collect(opened, find_run(opened, against))
    chosen = result.benchmark.primary if metric is None else parse(metric)
    if chosen.traits.kind == "quantile":
        raise UsageError(_no_plan(chosen))
    return _of_one(result, chosen) if other is None else _of_two(result, other, chosen)


def _no_plan(metric: Metric) -> str:
    """Say why there is no plan for a percentile, and what tells the same."""
    from ragstone.experiments.gate.margins import for_limits
    from ragstone.stats.intervals import LEVEL

    share = float(metric.arguments()["p"]) / 100
    least = f", and takes {for_limits(share, LEVEL)} questions at least" if 0 < share < 1 else ""
    return (
        f"{metric} is a percentile, and a plan is for means; `ragstone compare BASELINE RUN` shows the interval "
        f"of its difference{least}: four times as many questions make that about half as wide"
    )


def _of_one(result: RunResult, metric: Metric) -> Spread:
    """Return the spread of one run's scores, which two runs' differences have if they correlate by one half."""
    import numpy as np

    from ragstone.experiments.clusters import clusters_of

    name = str(metric)
    scored = [(found.query, found.scores[name].value) for found in result.queries if name in found.scores]
    known = [(query, value) for query, value in scored if value is not None]
    values = np.array([value for _, value in known], dtype=np.float64)
    source = "the spread of this run's scores, as if a second run's correlated with them by one half"
    clusters = clusters_of([query for query, _ in known])
    return _spread(result, metric, values - values.mean() if known else values, clusters, source)


def _of_two(result: RunResult, other: RunResult, metric: Metric) -> Spread:
    from ragstone.experiments.pairs import pair
    from ragstone.stats.samples import differences

    pairs = pair(other, result, metric)
    d = differences(pairs.candidate, pairs.baseline)
    source = f"the differences of {result.run.id} and {other.run.id}"
    return _spread(result, metric, d, pairs.clusters, source)


def _spread(
    result: RunResult, metric: Metric, values: NDArray[np.float64], clusters: Sequence[int] | None, source: str
) -> Spread:
    from ragstone.stats.clusters import cluster_effect
    from ragstone.stats.guarded import sample_of

    if len(values) < 2:
        measured = ", ".join(result.summaries)
        raise UsageError(
            f"{metric} has a value for {len(values)} questions of {result.run.id}, a plan needs two; "
            f"measured: {measured}"
        )
    shown = {
        "metric": str(metric),
        "n": len(values),
        "sd": float(values.std(ddof=1)),
        "source": source,
        "questions_per_independent": 1.0 if clusters is None else cluster_effect(values, clusters).design_effect,
    }
    low, high = metric.traits.bounds
    return Spread(shown, sample_of(values, clusters), high - low if math.isfinite(high - low) else None)


def _plan(spread: Spread, n: int | None, difference: float | None, power: float, alpha: float) -> Planned:
    """Return the spread with the difference that n questions show, and the questions that the difference takes.

    Before a run these are the planning formulas; after one, what the default verdict would see.
    """
    planned = {**spread.shown, "power": power, "alpha": alpha}
    size = n or planned.get("n")
    if size is not None:
        planned |= {"n": size, "detectable": _detectable(spread, size, power, alpha)}
    if difference is not None:
        planned |= {"difference": difference, "needed": _needed(spread, difference, power, alpha)}
    if size is None and difference is None:
        raise UsageError(
            "what is wanted? Give --difference to get the number of questions, or --n to get the difference"
        )
    return planned


def _detectable(spread: Spread, n: int, power: float, alpha: float) -> float | None:
    if spread.sample is None:
        return detectable_difference(spread.shown["sd"], n, power, alpha)
    from ragstone.stats.outlook import detectable, like

    return detectable(like(spread.sample, n), range_width=spread.range_width, alpha=alpha, power=power)


def _needed(spread: Spread, difference: float, power: float, alpha: float) -> int | None:
    if spread.sample is None:
        return queries_needed(spread.shown["sd"], difference, power, alpha)
    from ragstone.stats.outlook import queries_to_show

    return queries_to_show(spread.sample, difference, range_width=spread.range_width, alpha=alpha, power=power)


def _sentences(planned: Planned) -> list[str]:
    chance = f"with {planned['power']:.0%} chance at the {planned['alpha']:.0%} level"
    lines = [f"Spread: standard deviation {planned['sd']:.3f} of the differences ({planned['source']})."]
    if "metric" in planned:
        lines.insert(0, f"Metric: {planned['metric']}.")
    if planned["questions_per_independent"] > 1.005:
        alike = planned["questions_per_independent"]
        lines.append(f"Questions come in groups: {alike:.1f} of them count as one independent question.")
    if not planned["sd"] and "metric" in planned:
        lines.append("No question differs, so the spread is a guess; --sd or --flips takes yours.")
    if "detectable" in planned:
        seen = planned["detectable"]
        size = "no difference at all" if seen is None else f"a difference of {_size(planned, seen)} or more"
        lines.append(f"{planned['n']:,} questions show {size} {chance}.")
    if "needed" in planned:
        takes = f"{planned['needed']:,}" if planned["needed"] else "more than ten million"
        lines.append(f"A difference of {_size(planned, planned['difference'])} takes {takes} questions {chance}.")
    return lines


def _size(planned: Planned, difference: float) -> str:
    """Return a difference as comparisons show it; where no metric is known, in the metric's units."""
    if "metric" not in planned:
        return f"{round(difference, 3):g}"
    from ragstone.metrics import parse
    from ragstone.reports.comparison.words import change_text

    return change_text(parse(planned["metric"]), difference)
