"""The diagnosis of a run as tables and sentences, for every format to lay out."""

from __future__ import annotations

from collections.abc import Sequence

from ragstone.experiments.diagnosis.ablation import Ablation
from ragstone.experiments.diagnosis.funnel import Funnel
from ragstone.experiments.diagnosis.reranking import Moves, Reranking
from ragstone.experiments.diagnosis.retrievers import CascadeRow, Complementarity
from ragstone.reports.comparison.words import change_number, in_points, limits_text, p_text
from ragstone.reports.diagnosis.words import OPTIMISTIC, bound_of, end_words, percent, title
from ragstone.reports.tables import Table
from ragstone.reports.words import NONE, count, label, value_text
from ragstone.types import Score

_NAMED = 6


def funnel_table(funnel: Funnel) -> Table:
    """Return the stages that lost something, then what came to the end."""
    rows = [
        [
            title(stage.name, funnel.cutoff),
            str(stage.lost),
            percent(stage.lost / funnel.n),
            f"{stage.lost} of {stage.reached}",
            f"{percent(stage.interval.low)}{NONE}{percent(stage.interval.high)}",
            percent(bound_of(stage)),
            named(stage.queries),
        ]
        for stage in funnel.stages
        if stage.lost
    ]
    if funnel.unjudged:
        rows.append(["Answer not judged", str(funnel.unjudged), percent(funnel.unjudged / funnel.n), *[""] * 4])
    if funnel.n:
        limits = f"{percent(funnel.interval.low)}{NONE}{percent(funnel.interval.high)}"
        end = [title(funnel.end, funnel.cutoff), str(funnel.kept), percent(funnel.share)]
        rows.append([*end, f"{funnel.kept} of {funnel.n}", limits, "", ""])
    header = ["stage", "questions", "share", "of those that came here", "95% interval", "at most", "which"]
    return Table(header, rows, range(1, 6), title="Where the evidence was lost", note=_note(funnel))


def _note(funnel: Funnel) -> str:
    bound = f"“At most”: {end_words(funnel)} if this stage lost nothing. {OPTIMISTIC}"
    hops = f" {count(funnel.multi_hop, 'question')} need several pieces of evidence together." * bool(
        funnel.multi_hop
    )
    return bound + hops


def named(ids: Sequence[str], most: int = _NAMED) -> str:
    """Return the first few ids, and how many more there are.

    Example:
        >>> named(["a", "b", "c"], 2)
        'a, b and 1 more'
    """
    return ", ".join(ids[:most]) + (f" and {len(ids) - most} more" if len(ids) > most else "")


def signed(value: float) -> str:
    """Return a change with its sign and three decimals; none where it rounds to nothing.

    Example:
        >>> signed(0.1), signed(-0.0001)
        ('+0.100', '0.000')
    """
    shown = f"{value:+.3f}"
    return shown[1:] if shown[1:] == "0.000" else shown


def reranking_sentences(found: Reranking | None) -> list[str]:
    """Return what reranking gained, or what a perfect order of the candidates would gain."""
    if found is None:
        return []
    metric, name = str(found.metric), label(str(found.metric))
    oracle = value_text(metric, found.oracle)
    partial = f" Of {count(found.partial, 'question')} not all candidates were recorded: it may be more."
    more = partial if found.partial else ""
    if found.first is None or found.moves is None:
        actual = value_text(metric, found.actual)
        pool = f"{found.depth:.0f} recorded candidates a question"
        return [f"A perfect reordering of the {pool} would raise {name} from {actual} to {oracle}.{more}"]
    return [f"{_moved(found.moves)}; {_captured(found)}.{more}", _values(found, name)]


def _moved(moves: Moves) -> str:
    rescued, broken = len(moves.rescued), len(moves.broken)
    return f"Reranking rescued {count(rescued, 'question')} and broke {broken}"


def _captured(found: Reranking) -> str:
    if found.captured is None:
        return "no order of these candidates would have been better than the one before"
    limits = found.interval
    known = limits is not None and limits.low is not None and limits.high is not None
    shown = f" (95% interval {percent(limits.low)} to {percent(limits.high)})" if limits and known else ""
    if found.captured < 0:
        return f"it loses instead of gaining ({percent(found.captured)} of what a perfect reordering would{shown})"
    return f"it gets {percent(found.captured)} of what a perfect reordering would{shown}"


def _values(found: Reranking, name: str) -> str:
    first, actual, oracle = (
        value_text(str(found.metric), value) for value in (found.first, found.actual, found.oracle)
    )
    return f"{name}: {first} before, {actual} after, {oracle} at best, over {count(found.n, 'question')}."


def moves_table(moves: Moves | None) -> Table | None:
    """Return the questions that reranking rescued and broke."""
    if moves is None:
        return None
    rows = [
        ["rescued", str(len(moves.rescued)), named(moves.rescued, 20)],
        ["broken", str(len(moves.broken)), named(moves.broken, 20)],
    ]
    note = f"Relevant references that entered the first ranks: {moves.entered}; that left them: {moves.left}."
    return Table(["", "questions", "which"], rows, range(1, 2), title="What reranking moved", note=note)


def oracle_context_sentence(score: Score) -> str:
    """Return why the ceiling of the generator is not there."""
    reasons = {
        "no_answers": "the system gave no answers",
        "gold_context_not_asked": "no answers from the gold passages were asked for",
    }
    return f"Oracle context: not computed, {reasons.get(score.reason or '', 'it is not known why')}."


def retrievers_table(pairs: Sequence[Complementarity]) -> Table | None:
    """Return what every two retrievers have in common."""
    if not pairs:
        return None
    rows = []
    for pair in pairs:
        first, second = pair.names
        rows += [
            *([f"overlap of the first {k}", _percent(value)] for k, value in pair.overlap.items()),
            ["questions that both find", str(pair.both)],
            [f"only {first}", _with_ids(pair.only[first])],
            [f"only {second}", _with_ids(pair.only[second])],
            ["neither", str(pair.neither)],
            [
                f"correlation of misses in the first {pair.cutoff}",
                NONE if pair.error_correlation is None else f"{pair.error_correlation:.2f}",
            ],
            [f"recall of {first}", percent(pair.recall[first])],
            [f"recall of {second}", percent(pair.recall[second])],
            ["recall of both together", percent(pair.union_recall)],
            ["fusion potential", f"{100 * pair.fusion_potential:+.1f} points"],
        ]
    pair = pairs[0]
    name = " and ".join(pair.names)
    note = f"Among the first {pair.depth} candidates of each, over {count(pair.n, 'question')}."
    return Table(["", "value"], rows, range(0), title=f"What {name} find", note=note)


def _percent(value: float | None) -> str:
    return "not recorded so deep" if value is None else percent(value)


def _with_ids(ids: Sequence[str]) -> str:
    return f"{len(ids)}: {named(ids)}" if ids else "0"


def cascade_table(rows: Sequence[CascadeRow]) -> Table | None:
    """Return recall and MRR stage by stage."""
    if not rows:
        return None
    depths = [depth for depth in rows[0].recall if any(depth <= row.longest for row in rows)]
    body = [
        [
            row.stage,
            f"{row.candidates:.0f}",
            *(percent(row.recall[depth]) if depth <= row.longest else NONE for depth in depths),
            percent(_recall_of_all(row)),
            f"{row.mrr:.3f}",
            "" if row.change is None else signed(row.change),
        ]
        for row in rows
    ]
    header = ["stage", "candidates", *(f"R@{depth}" for depth in depths), "R of all", "MRR", "change"]
    note = (
        "Each stage by its own list, to the recorded depth; R of all: recall of the whole list. Change: MRR less "
        "that of the stage before; after several retrievers, less that of the best of them."
    )
    return Table(header, body, range(1, len(header)), title="Stage by stage", note=note)


def _recall_of_all(row: CascadeRow) -> float | None:
    """Return the recall of all that a stage left over; None where that is deeper than what is measured."""
    return next((value for depth, value in row.recall.items() if depth >= row.longest), None)


def ablation_table(rows: Sequence[Ablation]) -> Table | None:
    """Return what runs lose without one of their parts."""
    if not rows:
        return None
    body = []
    for row in rows:
        found = row.comparison
        limits = limits_text(row.metric, found.interval)
        change = change_number(row.metric, found.difference)
        body.append([row.full, row.without, row.run, change, limits, p_text(row.adjusted_p), row.verdict])
    name, unit = label(str(rows[0].metric)), ", points" if in_points(rows[0].metric) else ""
    header = ["run", "without", "is", f"change of {name}{unit}", "95% interval", "p", "verdict"]
    note = "Paired by question. A negative change is what the part is worth; a positive one, that it does harm."
    note = f"{note}{_allowance(rows)}"
    return Table(header, body, range(3, 6), title="What each part is worth", note=note)


def _allowance(rows: Sequence[Ablation]) -> str:
    """Say how many comparisons p and verdict allow for, and that two runs alone may be told apart all the same."""
    if rows[0].family < 2:
        return ""
    said = f" p and verdict allow for all {rows[0].family} such comparisons of the batch (Holm)."
    undone = any(row.verdict != row.comparison.verdict for row in rows)
    alone = " What that leaves borderline may stand where the two runs alone are compared."
    return f"{said}{alone}" if undone else said
