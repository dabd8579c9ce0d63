"""Whether the golds of a dataset are in a corpus: a reference that nothing can match is no one's miss."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from ragstone.matching.finder import Finder
from ragstone.matching.options import MatchOptions
from ragstone.types import Dataset, Gold, Hit, Validity


def check_golds(dataset: Dataset, passages: Iterable[Hit], options: MatchOptions | None = None) -> Validity:
    """Look for every judged gold among all passages of a corpus, as matching would.

    A gold is gone if no passage fits it, and ambiguous if it names its document without a key of its own and
    passages of several documents fit it.

    Example:
        >>> from ragstone.types import Query
        >>> golds = {"q": (Gold(kind="document", document="a"), Gold(kind="document", document="b"))}
        >>> dataset = Dataset(name="d", queries=(Query(id="q", text="?"),), golds=golds)
        >>> check_golds(dataset, [Hit(id="1", document="a")]).gone
        {'q': (1,)}
    """
    places = [
        (query.id, index) for query in dataset.queries for index in range(len(dataset.golds.get(query.id, ())))
    ]
    golds = [dataset.golds[query][index] for query, index in places]
    documents = _documents(golds, passages, options or MatchOptions())
    judged = [number for number, gold in enumerate(golds) if gold.grade >= 0]
    gone = [places[number] for number in judged if number not in documents]
    unclear = [places[number] for number in judged if _is_unclear(golds[number], documents.get(number, ()))]
    return Validity(source="system", total=len(judged), gone=_by_query(gone), ambiguous=_by_query(unclear))


def _documents(golds: Sequence[Gold], passages: Iterable[Hit], options: MatchOptions) -> dict[int, set[str]]:
    """Return the documents whose passages fit each gold."""
    finder = Finder(golds, options)
    documents: dict[int, set[str]] = {}
    for passage in passages:
        for number in finder.fitting(passage):
            documents.setdefault(number, set()).add(passage.document)
    return documents


def _is_unclear(gold: Gold, documents: Iterable[str]) -> bool:
    named = gold.kind in ("document", "page") and gold.ref in (None, "file_name")
    return named and len(set(documents)) > 1


def _by_query(places: Iterable[tuple[str, int]]) -> Mapping[str, tuple[int, ...]]:
    found: dict[str, tuple[int, ...]] = {}
    for query, index in places:
        found[query] = (*found.get(query, ()), index)
    return found
