"""What is in a dataset: how many questions and golds of each sort."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from ragstone.types import Dataset


@dataclass(frozen=True, slots=True, kw_only=True)
class Mix:
    """The make-up of a dataset; every count by name, the most frequent first.

    Attributes:
        rejection: Questions that nothing in the corpus answers.
        multi_hop: Questions with support groups.
        without_golds: Answerable questions without golds.
        references: What kind of reference the golds hold; ``name`` where they do not say.
    """

    questions: int
    rejection: int
    multi_hop: int
    without_golds: int
    golds: int
    categories: dict[str, int]
    difficulties: dict[str, int]
    tags: dict[str, int]
    kinds: dict[str, int]
    references: dict[str, int]
    grades: dict[str, int]


def mix(dataset: Dataset) -> Mix:
    """Count what a dataset holds."""
    queries = dataset.queries
    golds = [gold for query in queries for gold in dataset.golds.get(query.id, ())]
    return Mix(
        questions=len(queries),
        rejection=sum(not query.answerable for query in queries),
        multi_hop=sum(bool(dataset.support_groups.get(query.id)) for query in queries),
        without_golds=sum(query.answerable and not dataset.golds.get(query.id) for query in queries),
        golds=len(golds),
        categories=_counts(query.category or "none" for query in queries),
        difficulties=_counts(query.difficulty or "none" for query in queries),
        tags=_counts(tag for query in queries for tag in query.tags),
        kinds=_counts(gold.kind for gold in golds),
        references=_counts(gold.ref or "name" for gold in golds if gold.document),
        grades=dict(sorted(_counts(str(gold.grade) for gold in golds).items(), key=lambda pair: -int(pair[0]))),
    )


def _counts(names: Iterable[str]) -> dict[str, int]:
    return dict(Counter(names).most_common())
