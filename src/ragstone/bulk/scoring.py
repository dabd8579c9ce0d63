"""`score`: the bulk door to the metrics, for runs of any size and form."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from os import PathLike, fspath
from typing import TYPE_CHECKING, Any, Literal, Protocol, TypeAlias, TypeVar, overload

from ragstone.bulk.ahead import mapped
from ragstone.bulk.columns import GRADE, SCORE, TableSource, from_frame
from ragstone.bulk.evaluate import Golds, evaluate
from ragstone.bulk.hits import Collector, Hits
from ragstone.bulk.judgments import Judgments
from ragstone.bulk.problems import Problems, shown
from ragstone.bulk.qrels import QrelsCollector
from ragstone.bulk.ranking import Ties
from ragstone.bulk.result import RunScores
from ragstone.bulk.rows import InterleavedError, Rows, batches, regrouped
from ragstone.bulk.sources import Source, from_path
from ragstone.errors import Problem, UsageError
from ragstone.metrics import Metric, Policy, parse_all
from ragstone.metrics.requirements import SCORED

if TYPE_CHECKING:
    from ragstone.bulk.dicts import DictJudgments

DEFAULT = ("nDCG@10", "P@10", "R@10", "Hit@10", "RR", "AP")


class ArrowData(Protocol):
    """A table, data frame or reader that hands its columns out."""

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        """Return the columns as an Arrow C stream."""


Metrics: TypeAlias = str | Metric | Iterable[str | Metric]
Rowlike: TypeAlias = str | PathLike[str] | ArrowData | Mapping[str, Mapping[str, Any]]


class Qrels:
    """Qrels that have been read: give them to `score` instead of a file, to read it once for many calls.

    Args:
        qrels: Anything that `score` takes as qrels.
    """

    def __init__(self, qrels: Rowlike) -> None:
        self._dict: tuple[DictJudgments, Golds] | None = None
        self._table: tuple[Judgments, Golds] | None = None
        if isinstance(qrels, Mapping):
            self._dict = _of_dict(qrels)
        else:
            self._table = _of_source(_source(qrels, "qrels", is_run=False))

    def hits(self, run: Rowlike, ties: Ties, name: str, *, scored: bool = False) -> tuple[Golds, Hits]:
        """Return the judged hits of a run, with the scores of all rows if asked, and what they are hits of."""
        if isinstance(run, Mapping):
            from ragstone.bulk.dicts import dict_hits  # noqa: PLC0415 - files do without

            judged, golds = self._by_key()
            return golds, dict_hits(judged, run, ties, name, scored=scored)
        table, golds = self._in_columns()
        source = _source(run, name, is_run=True)
        return golds, _collected(source, lambda: Collector(table, ties, source.name, scored=scored)).hits()

    def _by_key(self) -> tuple[DictJudgments, Golds]:
        if self._dict is None:
            from ragstone.bulk.dicts import as_dict  # noqa: PLC0415 - files do without

            self._dict = _of_dict(as_dict(self._in_columns()[0]))
        return self._dict

    def _in_columns(self) -> tuple[Judgments, Golds]:
        if self._table is None:
            self._table = _of_source(TableSource("qrels", self._by_key()[0].table))
        return self._table


def _of_dict(qrels: Mapping[str, Mapping[str, Any]]) -> tuple[DictJudgments, Golds]:
    from ragstone.bulk.dicts import DictJudgments  # noqa: PLC0415 - files do without

    judged = DictJudgments(qrels)
    return judged, Golds(judged.queries, judged.grade, judged.start)


def _of_source(source: Source) -> tuple[Judgments, Golds]:
    table = _collected(source, lambda: QrelsCollector(source.name)).judgments()
    try:
        queries = tuple(map(bytes.decode, table.queries))
    except UnicodeDecodeError as error:
        raise UsageError(f"{source.name}: the query id {shown(error.object)} is not UTF-8") from None
    return table, Golds(queries, table.grade, table.offsets())


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
    if _has(given, "__arrow_c_stream__"):
        from ragstone.bulk.arrow import from_data  # noqa: PLC0415 - Arrow is loaded where it is wanted

        return from_data(given, values, name)
    kind = type(given).__name__
    if _has(given, "collect"):
        raise UsageError(f"{name}: a {kind} holds no rows yet; call .collect()")
    if _has(given, "columns"):
        return from_frame(given, values, name)
    raise UsageError(
        f"{name}: a value of type {kind} holds no rows; give a path, a dictionary of dictionaries, a data frame "
        "or anything with __arrow_c_stream__"
    )


def _has(given: object, name: str) -> bool:
    """Say whether an object, not its class given by mistake, has an attribute."""
    return not isinstance(given, type) and hasattr(given, name)


@overload
def score(
    qrels: Rowlike | Qrels,
    run: list[Rowlike] | tuple[Rowlike, ...],
    metrics: Metrics = ...,
    *,
    ties: Ties = ...,
    no_gold: Literal["exclude", "zero"] = ...,
    missing_query: Literal["zero", "exclude"] = ...,
) -> dict[str, RunScores]: ...


@overload
def score(
    qrels: Rowlike | Qrels,
    run: Rowlike,
    metrics: Metrics = ...,
    *,
    ties: Ties = ...,
    no_gold: Literal["exclude", "zero"] = ...,
    missing_query: Literal["zero", "exclude"] = ...,
) -> RunScores: ...


def score(
    qrels: Rowlike | Qrels,
    run: Rowlike | Sequence[Rowlike],
    metrics: Metrics = DEFAULT,
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
        metrics: Names such as ``nDCG@10``, or what `parse` makes of them; trec_eval's spellings are known.
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
    chosen = _chosen(metrics)
    read = qrels if isinstance(qrels, Qrels) else Qrels(qrels)
    runs, alone = _named(run)
    scored = any(SCORED in metric.traits.requires for metric in chosen)
    results = {}
    for name, one in runs.items():
        golds, hits = read.hits(one, ties, str(name), scored=scored)
        results[name] = evaluate(golds, hits, chosen, policy, name=str(name), ties=ties)
    return next(iter(results.values())) if alone else results


def _policy(ties: str, no_gold: Any, missing_query: Any) -> Policy:  # noqa: ANN401 - checked here
    for what, value, known in (
        ("ties", ties, ("trec9", "trec10")),
        ("no_gold", no_gold, ("exclude", "zero")),
        ("missing_query", missing_query, ("zero", "exclude")),
    ):
        if not isinstance(value, str) or value not in known:
            raise UsageError(f"{what} is {' or '.join(map(repr, known))}, got {value!r}")
    return Policy(no_gold=no_gold, missing_query=missing_query)


def _chosen(metrics: Any) -> tuple[Metric, ...]:  # noqa: ANN401 - judged here
    one = isinstance(metrics, str | Metric)
    if not one and not isinstance(metrics, Iterable):
        raise UsageError(f"metrics are names such as nDCG@10, got {shown(metrics)}")
    return parse_all(map(str, [metrics] if one else metrics))


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


def _holds_runs(run: Mapping[Any, Any]) -> bool:
    """Say whether a dictionary holds runs rather than the rows of one; where values are empty, others tell."""
    for value in run.values():
        if value is None or (isinstance(value, Mapping) and not value):
            continue
        return not isinstance(value, Mapping) or isinstance(next(iter(value.values())), Mapping)
    return False
