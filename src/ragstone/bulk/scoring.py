"""`score`: the bulk door to the metrics, for runs of any size and form."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from os import PathLike, fspath
from typing import TYPE_CHECKING, Any, Literal, Protocol, TypeAlias, TypeVar, overload

from ragstone.bulk.ahead import mapped
from ragstone.bulk.columns import GRADE, SCORE, from_frame, from_table
from ragstone.bulk.evaluate import Golds, evaluate
from ragstone.bulk.hits import Collector, Hits
from ragstone.bulk.judgments import Judgments
from ragstone.bulk.problems import Problems
from ragstone.bulk.qrels import QrelsCollector
from ragstone.bulk.ranking import Ties
from ragstone.bulk.result import RunScores
from ragstone.bulk.rows import InterleavedError, Rows, batches, regrouped
from ragstone.bulk.sources import Source, from_path
from ragstone.errors import Problem, UsageError
from ragstone.metrics import Policy, parse_all

if TYPE_CHECKING:
    from ragstone.bulk.dicts import DictJudgments

DEFAULT = ("nDCG@10", "P@10", "R@10", "Hit@10", "RR", "AP")


class ArrowData(Protocol):
    """A table, data frame or reader that hands its columns out."""

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        """Return the columns as an Arrow C stream."""


Rowlike: TypeAlias = str | PathLike[str] | ArrowData | Mapping[str, Mapping[str, Any]]


class Qrels:
    """Qrels that have been read: give them to `score` instead of a file, to read it once for many calls.

    Args:
        qrels: Anything that `score` takes as qrels.
    """

    def __init__(self, qrels: Rowlike) -> None:
        self._dict: tuple[DictJudgments, Golds] | None = None
        self._table: tuple[Judgments, Golds] | None = None
        self._given = qrels
        if isinstance(qrels, Mapping):
            from ragstone.bulk.dicts import DictJudgments  # noqa: PLC0415 - files do without

            judged = DictJudgments(qrels)
            self._dict = judged, Golds(judged.queries, judged.grade, judged.start)
        else:
            self._read(_source(qrels, "qrels", is_run=False))

    def hits(self, run: Rowlike, ties: Ties, name: str) -> tuple[Golds, Hits]:
        """Return the judged hits of a run, and what they are hits of."""
        if isinstance(run, Mapping) and self._dict is not None:
            from ragstone.bulk.dicts import dict_hits  # noqa: PLC0415 - files do without

            judged, golds = self._dict
            return golds, dict_hits(judged, run, ties, name)
        table, golds = self._table or self._read(from_table(self._given, "qrels"))  # type: ignore[arg-type]
        source = _source(run, name, is_run=True)
        return golds, _collected(source, lambda: Collector(table, ties, source.name)).hits()

    def _read(self, source: Source) -> tuple[Judgments, Golds]:
        table = _collected(source, lambda: QrelsCollector(source.name)).judgments()
        queries = tuple(map(bytes.decode, table.queries))
        self._table = table, Golds(queries, table.grade, table.offsets())
        return self._table


class _Found(Protocol):
    @property
    def problems(self) -> Sequence[Problem]:
        """What is wrong with a part."""


F = TypeVar("F", bound=_Found)


class _Collects(Protocol[F]):
    def find(self, rows: Rows, /) -> F:
        """Return what matters of whole blocks of rows."""

    def take(self, found: F, /) -> None:
        """Keep it."""


C = TypeVar("C", bound=_Collects[Any])


def _collected(source: Source, new: Callable[[], C]) -> C:
    """Hand all rows of a source to a collector; where queries are interleaved, once more in order."""
    collector, problems = new(), Problems()
    try:
        for found in mapped(lambda part: collector.find(part()), source.parts()):
            problems.extend(found.problems)
            collector.take(found)
    except InterleavedError:
        collector, problems = new(), Problems()
        ordered = regrouped(source.pieces())
        problems.extend(ordered.problems)
        for rows in batches(ordered):
            found = collector.find(rows)
            problems.extend(found.problems)
            collector.take(found)
    problems.raise_any()
    return collector


def _source(given: Any, name: str, *, is_run: bool) -> Source:  # noqa: ANN401 - judged here
    values = SCORE if is_run else GRADE
    if isinstance(given, str | PathLike):
        return from_path(fspath(given), is_run=is_run)
    if isinstance(given, Mapping):
        return from_table(given, name)
    if hasattr(given, "__arrow_c_stream__"):
        from ragstone.bulk.arrow import from_stream  # noqa: PLC0415 - Arrow is loaded where it is wanted

        return from_stream(given, values, name)
    if hasattr(given, "columns"):
        return from_frame(given, values, name)
    raise UsageError(
        f"{name}: a {type(given).__name__} holds no rows; give a path, a dictionary of dictionaries, a data frame "
        "or anything with __arrow_c_stream__"
    )


@overload
def score(
    qrels: Rowlike | Qrels,
    run: list[Rowlike] | tuple[Rowlike, ...],
    metrics: Iterable[str] = ...,
    *,
    ties: Ties = ...,
    no_gold: Literal["exclude", "zero"] = ...,
    missing_query: Literal["zero", "exclude"] = ...,
) -> dict[str, RunScores]: ...


@overload
def score(
    qrels: Rowlike | Qrels,
    run: Rowlike,
    metrics: Iterable[str] = ...,
    *,
    ties: Ties = ...,
    no_gold: Literal["exclude", "zero"] = ...,
    missing_query: Literal["zero", "exclude"] = ...,
) -> RunScores: ...


def score(
    qrels: Rowlike | Qrels,
    run: Rowlike | Sequence[Rowlike],
    metrics: Iterable[str] = DEFAULT,
    *,
    ties: Ties = "trec10",
    no_gold: Literal["exclude", "zero"] = "exclude",
    missing_query: Literal["zero", "exclude"] = "zero",
) -> RunScores | dict[str, RunScores]:
    """Score runs against qrels: every metric for every judged query, with means and intervals.

    Order is trec_eval's: score descending, ties by document id descending, compared byte by byte; the rank column
    and the order of rows mean nothing. Values are bit-identical to pytrec_eval's with ``ties="trec9"`` and
    ``no_gold="zero"``. A negative grade means unjudged.

    Args:
        qrels: Path of a file (TREC, JSON Lines, Parquet, a BEIR folder or its TSV; text may be packed with gzip or
            zstd), grades by document by query, a data frame or anything with ``__arrow_c_stream__``; or `Qrels`
            that have been read.
        run: The same with scores. A list of runs is scored against the same qrels and gives a result for each, by
            its path or its number; so does a dictionary of runs by name.
        metrics: Names such as ``nDCG@10``; trec_eval's spellings are known.
        ties: Scores are compared as 64-bit numbers, as trec_eval 10 does, or with ``trec9`` as the 32-bit numbers
            to which trec_eval 9 and pytrec_eval round them.
        no_gold: Queries without a relevant document are left out of the means, or score ``zero``.
        missing_query: Judged queries that a run lacks score ``zero``, or are left out.

    Raises:
        InvalidInputError: Lines that are no rows of a run or qrels, a document twice for a query, a score that is
            no finite number; up to 20 problems with their places.
        UsageError: An unknown metric or word.
        MissingExtraError: Reading the form needs an optional package.

    Example:
        >>> result = score({"q1": {"a": 1, "b": 0}}, {"q1": {"a": 0.9, "x": 0.5}}, ["P@5", "RR"])
        >>> result.by_query()
        {'q1': {'P@5': 0.2, 'RR': 1.0}}
        >>> result.summaries["RR"].value, result.summaries["RR"].n
        (1.0, 1)
    """
    policy = _policy(ties, no_gold, missing_query)
    chosen = parse_all([metrics] if isinstance(metrics, str) else metrics)
    read = qrels if isinstance(qrels, Qrels) else Qrels(qrels)
    runs, alone = _named(run)
    results = {}
    for name, one in runs.items():
        golds, hits = read.hits(one, ties, name)
        results[name] = evaluate(golds, hits, chosen, policy, name=name, ties=ties)
    return next(iter(results.values())) if alone else results


def _policy(ties: str, no_gold: Any, missing_query: Any) -> Policy:  # noqa: ANN401 - checked here
    for what, value, known in (
        ("ties", ties, ("trec9", "trec10")),
        ("no_gold", no_gold, ("exclude", "zero")),
        ("missing_query", missing_query, ("zero", "exclude")),
    ):
        if value not in known:
            raise UsageError(f"{what} is {' or '.join(map(repr, known))}, got {value!r}")
    return Policy(no_gold=no_gold, missing_query=missing_query)


def _named(run: Any) -> tuple[dict[str, Any], bool]:  # noqa: ANN401 - judged here
    """Return runs by name, and whether one run was given rather than a collection."""
    if isinstance(run, Mapping) and _holds_runs(run):
        return dict(run), False
    if not isinstance(run, list | tuple):
        return {_name(run, "run"): run}, True
    named = {_name(one, f"run {number}"): one for number, one in enumerate(run, 1)}
    if len(named) < len(run):
        raise UsageError("a run is named twice; name each once, or give runs as a dictionary by name")
    return named, False


def _name(run: object, otherwise: str) -> str:
    return str(run) if isinstance(run, str | PathLike) else otherwise


def _holds_runs(run: Mapping[str, Any]) -> bool:
    """Say whether a dictionary holds runs rather than the rows of one."""
    first = next(iter(run.values()), None)
    if not isinstance(first, Mapping):
        return first is not None
    return isinstance(next(iter(first.values()), None), Mapping)
