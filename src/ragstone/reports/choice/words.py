"""A matrix of runs in plain words: which run is best, and how much of its lead is luck."""

from __future__ import annotations

from collections.abc import Iterator

from ragstone.experiments.choice.analysis import Best, MatrixAnalysis, Rerun
from ragstone.experiments.choice.factors import Alike
from ragstone.experiments.choice.names import RunNames, run_names
from ragstone.experiments.choice.noise import Spread
from ragstone.experiments.choice.pareto import NO_COST
from ragstone.experiments.choice.score_table import INCOMPLETE, OTHER_METRICS, ScoreTable
from ragstone.metrics import Metric
from ragstone.reports.choice.names import Said
from ragstone.reports.comparison.words import change_text
from ragstone.reports.words import count, label, reason_text, value_text

# Below so many questions the share of luck is not known well enough to be said.
FEWEST = 10
# Commands name so many runs; with more they would be longer than what they say.
_LISTED = 4
_REASONS = {
    INCOMPLETE: "it is not completed",
    OTHER_METRICS: "it has other metrics only, and one metric does not stand in for another",
    NO_COST: "its cost is not known",
}


def sentences(analysis: MatrixAnalysis) -> list[str]:
    """Return what is to be known of the matrix, the answer first."""
    best, table = analysis.best, analysis.table
    names = Said(names_of(table), {one.run.run.id: place for place, one in enumerate(analysis.ranked, 1)})
    if best is None:
        return [_nothing(table), *table_notes(table, names)]
    said = [_first(analysis, best, names), *_far_behind(analysis, names), *_luck(analysis, best, names)]
    said += [*_holdout(analysis, names), *_sight(analysis)]
    said += [alike_sentence(one, table, names) for one in analysis.alike]
    said += [_rerun(one, table.metric, names) for one in analysis.reruns if one.spread.changed]
    return [*said, *table_notes(table, names)]


def names_of(table: ScoreTable) -> RunNames:
    """Return what the runs are called, those that cannot be ranked among them."""
    return run_names([*table.runs, *(one.run for one in table.unranked)])


def _nothing(table: ScoreTable) -> str:
    name = label(str(table.metric))
    if len(table.runs) < 2:
        return f"There are no two runs to compare by {name}."
    return f"No question has a score by {name} in every run, so the runs cannot be compared."


def _first(analysis: MatrixAnalysis, best: Best, names: Said) -> str:
    metric, runs = analysis.table.metric, analysis.ranked
    value = value_text(str(metric), best.run.mean)
    asked = count(len(analysis.table.queries), "question")
    who = f"{names.first(best.run.run.run.id)} comes first of {len(runs)} runs"
    head = f"{who}: {label(str(metric))} {value} over {asked}"
    if analysis.test is not None and len(analysis.test.distinct) < 2:
        return f"{head}, but all runs gave the same results."
    critical = change_text(metric, analysis.test.critical if analysis.test else 0.0)
    if not best.tied:
        return f"{head}, better than every other by more than luck gives ({critical})."
    if best.tied == len(runs) - 1:
        return (
            f"{head}, but allowing for all pairs no run can be told apart from it: differences up to {critical} "
            "may be luck."
        )
    others = names.some([one.run.run.id for one in runs[1 : best.tied + 1]])
    tied = count(best.tied, "other")
    return (
        f"{head}. Allowing for all pairs, differences up to {critical} may be luck, so {tied} cannot be told "
        f"apart from it: {others}."
    )


def _far_behind(analysis: MatrixAnalysis, names: Said) -> Iterator[str]:
    """Name the runs that widen what may be luck for all others, and say what to do about it."""
    below = analysis.far_behind
    if not below:
        return
    others = analysis.ranked[: -len(below)]
    some = len(others) <= _LISTED
    best, second = others[0], next(one for one in others if one.mean != others[0].mean)
    listed = " ".join(one.run.run.id for one in others)
    stands, it = ("stands", "it") if len(below) == 1 else ("stand", "them")
    without = f"`ragstone matrix show {listed}`" if some else "`ragstone matrix show` with the other runs"
    two = f"`ragstone compare {second.run.run.id} {best.run.run.id}`" if some else "`ragstone compare`"
    yield (
        f"{names.some([one.run.run.id for one in below])} {stands} far behind all others, which widens what may "
        f"be luck between any two of them. Leave {it} out ({without}), or compare two runs ({two})."
    )


def _luck(analysis: MatrixAnalysis, best: Best, names: Said) -> Iterator[str]:
    test, metric = analysis.test, analysis.table.metric
    if test is None or len(test.distinct) < 2:
        return
    gift = change_text(metric, best.best_of_equal)
    lead = change_text(metric, best.lead)
    mean, shrunken = (value_text(str(metric), value) for value in (best.run.mean, best.shrunken))
    if len(test.sample) < FEWEST:
        return
    n = len(test.distinct)
    tries = f"{n} equal runs" if n == len(analysis.ranked) else f"{n} equal runs (so many gave different results)"
    flattery = f"The best of {tries} would look {gift} better than it is"
    if not _one_story(best, len(analysis.ranked)):
        yield f"{flattery}."
        return
    yield (
        f"{flattery}; this one leads the average run by {lead}. "
        f"About {100 * best.luck:.0f}% of the differences between these runs is luck; "
        f"without it, {names.one(best.run.run.run.id)} has about {shrunken} rather than {mean}."
    )


def _one_story(best: Best, runs: int) -> bool:
    """Say whether the share of luck tells of the winner what the groups tell.

    The share speaks of the differences between all runs. Where some are far from the winner and others cannot be
    told apart from it, it is small because of the former and says nothing of the latter.
    """
    return not best.tied or (best.tied == runs - 1 and best.luck >= 0.5)


def _holdout(analysis: MatrixAnalysis, names: Said) -> Iterator[str]:
    found, table = analysis.holdout, analysis.table
    if found is None:
        return
    name, metric = names.one(table.runs[found.system].run.id), str(table.metric)
    what = "questions" if table.clusters is None else "groups of questions"
    than = "below" if found.difference < 0 else "above"
    side = change_text(table.metric, found.difference)
    yield (
        f"Holdout: picked on {found.n_picked} {what}, {name} had {value_text(metric, found.picked_mean)} there; "
        f"on the {found.n} others it has {value_text(metric, found.mean)}, {side} {than} the average run."
    )


def _sight(analysis: MatrixAnalysis) -> Iterator[str]:
    found, metric = analysis.sight, analysis.table.metric
    if found is None:
        return
    more, asked = "", f"{len(analysis.table.queries):,} questions"
    if found.wanted is not None and found.needed is not None and found.needed > len(analysis.table.queries):
        more = f"; to notice {change_text(metric, found.wanted)} takes about {found.needed:,}"
    if found.detectable is None:
        yield f"With these {asked} no difference between two runs could be relied on to show{more}."
        return
    yield (
        f"With these {asked}, two runs had to differ by "
        f"{change_text(metric, found.detectable)} for a comparison of the two to notice it 8 times in 10{more}."
    )


def table_notes(table: ScoreTable, names: Said) -> list[str]:
    """Return what is not in the comparison, and what belongs together."""
    notes = [
        f"Not ranked: {names.first(one.run.run.id)}, because {unplaced_reason(one.reason)}."
        for one in table.unranked
    ]
    if table.left_out:
        one = table.left_out[0]
        run, reason = next(iter(one.reasons.items()))
        left_out = f"{count(len(table.left_out), 'question')} left out, for want of a score in some run"
        notes.append(f"{left_out} (the first: {one.query}, {reason_text(reason)} in {names.first(run)}).")
    if table.clusters is not None:
        groups = len(set(table.clusters))
        notes.append(
            f"The {len(table.queries)} questions come from {count(groups, 'origin')} (a document, a conversation, "
            "a paraphrase); those of one origin are tested together."
        )
    return notes


def unplaced_reason(code: str) -> str:
    """Return why a run is not compared."""
    return _REASONS.get(code) or f"its questions are all {reason_text(code)}"


def alike_sentence(one: Alike, table: ScoreTable, names: Said) -> str:
    """Say between which runs nothing changed."""
    runs = names.some([table.runs[index].run.id for index in one.runs])
    settings = " and ".join(filter(None, [", ".join(one.settings[:-1]), *one.settings[-1:]]))
    n = len(one.runs)
    if one.same_settings and not one.settings:
        same = "and gave identical results" if one.same_results else "but gave different results"
        return f"{n} runs have the same configuration {same}: {runs}."
    if one.same_settings:
        same = "gave identical results" if one.same_results else "all the same gave different results: noise"
        return f"{n} runs differ only in settings without effect there ({settings}) and {same}: {runs}."
    verb = "differ" if len(one.settings) > 1 else "differs"
    return f"{n} runs gave identical results although {settings} {verb}, so they count as one try: {runs}."


def _rerun(one: Rerun, metric: Metric, names: Said) -> str:
    runs = names.some([run.run.id for run in one.runs])
    floor = change_text(metric, one.spread.floor())
    return (
        f"Noise floor: {one.spread.changed} of {count(one.spread.n, 'question')} scored differently in runs of "
        f"one configuration ({runs}). Two runs of the same thing differ by up to {floor} 19 times in 20."
    )


def spread_sentence(found: Spread, metric: Metric) -> str:
    """Say how far the repeats of a run lie apart, and what that does to its mean."""
    name, asked = label(str(metric)), f"{found.repeats} times"
    if not found.changed:
        return (
            f"Each of {count(found.n, 'question')} was asked {asked}, always with the same {name}: no noise seen."
        )
    low, high = (value_text(str(metric), end) for end in (min(found.means), max(found.means)))
    share = f"{100 * (found.noise_share or 0.0):.0f}%"
    return (
        f"Each of {count(found.n, 'question')} was asked {asked}; {name} varied on {found.changed} of them, its "
        f"mean from {low} to {high}. Noise is {share} of the variance of a score, the rest lies between "
        f"questions. Two runs of this configuration, each question asked once, differ by up to "
        f"{change_text(metric, found.floor())} 19 times in 20; asked {asked}, by up to "
        f"{change_text(metric, found.floor(found.repeats))}."
    )
