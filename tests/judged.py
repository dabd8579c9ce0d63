"""Small judged runs for tests, written as people read them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from ragstone.matching import MatchOptions, judge_run
from ragstone.types import Dataset, Gold, Hit, JudgedRun, Query, Response


def dataset_of(golds: Mapping[str, Mapping[str, int]], groups=None, unanswerable: Sequence[str] = ()) -> Dataset:
    """Return a dataset from grades by query and document."""
    queries = tuple(Query(id=name, text=name, answerable=name not in unanswerable) for name in golds)
    references = {
        name: tuple(Gold(kind="document", document=document, grade=grade) for document, grade in graded.items())
        for name, graded in golds.items()
    }
    return Dataset(name="test", queries=queries, golds=references, support_groups=groups or {}, digest="test")


def response_of(documents: Sequence[str], scores: Sequence[float] | None = None) -> Response:
    """Return a response with one hit a document."""
    given = scores if scores is not None else [float(len(documents) - i) for i in range(len(documents))]
    hits = (
        Hit(id=f"{name}#{i}", document=name, score=score)
        for i, (name, score) in enumerate(zip(documents, given, strict=True))
    )
    return Response(hits=tuple(hits), latency_ms=1.0)


def judged_of(
    golds: Mapping[str, Mapping[str, int]], rankings: Mapping[str, Sequence[str]], **options: object
) -> JudgedRun:
    """Return a judged run from grades and rankings."""
    groups = options.pop("groups", None)
    dataset = dataset_of(golds, groups, options.pop("unanswerable", ()))
    responses = {name: response_of(ranking) for name, ranking in rankings.items()}
    return judge_run(dataset, responses, MatchOptions(**options))


def one(golds: Mapping[str, int], ranking: Sequence[str], **options: object) -> JudgedRun:
    """Return the judged run of a single query named q."""
    return judged_of({"q": golds}, {"q": ranking}, **options)


def trec_order(run: Mapping[str, float]) -> list[str]:
    """Return documents as trec_eval ranks them: by score, then by id, both from high to low."""
    return sorted(run, key=lambda document: (run[document], document), reverse=True)


def judged_trec(qrels: Mapping[str, Mapping[str, int]], rankings: Mapping[str, Sequence[str]]) -> JudgedRun:
    """Return the judged run of TREC data: all queries of the qrels, hits of a negative grade kept."""
    rows = [
        (number, rank, qrels[query][document])
        for number, query in enumerate(qrels)
        for rank, document in enumerate(rankings.get(query, ()), 1)
        if document in qrels[query]
    ]
    query, rank, grade = np.array(rows, dtype=np.int32).reshape(-1, 3).T
    return JudgedRun(
        queries=tuple(qrels),
        query=query,
        rank=rank,
        grade=grade,
        gold=np.full(len(rows), -1, dtype=np.int32),
        n_returned=np.array([len(rankings.get(query, ())) for query in qrels], dtype=np.int32),
        gold_grade=np.array([grade for graded in qrels.values() for grade in graded.values()], dtype=np.int32),
        gold_start=np.cumsum([0, *map(len, qrels.values())]),
    )
