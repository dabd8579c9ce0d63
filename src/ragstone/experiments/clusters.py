"""Questions that belong together, by where they come from."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from ragstone.metrics import parse, summary
from ragstone.types import Query, Score, Summary

# Keys of a question's provenance; questions that share the value of one stand or fall together.
CLUSTER_KEYS = ("conversation", "document", "source_document", "source_chunk", "paraphrase_of")


def clusters_of(queries: Sequence[Query]) -> tuple[int, ...] | None:
    """Return a cluster number for each question, or None where none shares its origin with another.

    Questions belong together if their provenance has the same value under one of `CLUSTER_KEYS`, or if one is a
    paraphrase of the other; so do those that are linked through a third.

    Example:
        >>> queries = [Query(id=str(i), text="?", provenance={"document": "ab"[i % 2]}) for i in range(4)]
        >>> clusters_of(queries), clusters_of(queries[:2])
        ((0, 1, 0, 1), None)
    """
    parents = list(range(len(queries)))

    def root(number: int) -> int:
        while parents[number] != number:
            parents[number] = parents[parents[number]]
            number = parents[number]
        return number

    for members in _sharing(queries):
        first, *others = sorted(map(root, members))
        for other in others:
            parents[root(other)] = root(first)
    return _numbered(map(root, range(len(queries))), len(queries))


def summaries_of(
    queries: Sequence[Query], samples: Mapping[str, Mapping[str, Sequence[Score]]]
) -> dict[str, Summary]:
    """Return the summary of each metric over some questions, whose intervals allow for what belongs together.

    Args:
        queries: The questions.
        samples: Per metric, the scores of each question by its id; several where repeats are measured one by one,
            as of a percentile. Its questions stand for themselves, and only its repeats belong together.
    """
    alone = tuple(range(len(queries)))
    related = clusters_of(queries) or alone
    found = {}
    for name, by_query in samples.items():
        labels = alone if parse(name).traits.kind == "quantile" else related
        rows = [
            (score, label) for query, label in zip(queries, labels, strict=True) for score in by_query[query.id]
        ]
        found[name] = summary(parse(name), [score for score, _ in rows], clusters=[label for _, label in rows])
    return found


def _sharing(queries: Sequence[Query]) -> Iterable[Sequence[int]]:
    """Return the groups of questions that share something."""
    groups: dict[tuple[str, str], list[int]] = {}
    for number, query in enumerate(queries):
        for key in CLUSTER_KEYS:
            if isinstance(value := query.provenance.get(key), str | int):
                groups.setdefault((key, str(value)), []).append(number)
        groups.setdefault(("paraphrase_of", query.id), []).append(number)
    return groups.values()


def _numbered(roots: Iterable[int], n: int) -> tuple[int, ...] | None:
    numbers: dict[int, int] = {}
    labels = tuple(numbers.setdefault(one, len(numbers)) for one in roots)
    return labels if len(numbers) < n else None
