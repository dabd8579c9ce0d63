"""The embedded system under test: retrieve, fuse, rerank, cut."""

from __future__ import annotations

import asyncio
import platform
from collections.abc import Mapping, Sequence
from dataclasses import replace
from importlib.metadata import version
from pathlib import Path

import numpy as np

from ragstone.errors import UsageError
from ragstone.experiments.configuration import Configuration
from ragstone.ports import Reranker, System
from ragstone.systems import SYSTEMS, Surroundings, SystemKind
from ragstone.systems.embedded.corpus import STDLIB, Corpus, check_corpus, find_corpus
from ragstone.systems.embedded.dense import DenseIndex
from ragstone.systems.embedded.embedders import EMBEDDERS
from ragstone.systems.embedded.extras import need_installed
from ragstone.systems.embedded.fusion import reciprocal_rank_fusion, weighted_fusion
from ragstone.systems.embedded.index import Index, open_index
from ragstone.systems.embedded.options import EmbeddedOptions
from ragstone.systems.embedded.ranking import Ranking
from ragstone.systems.embedded.rerankers import RERANKERS
from ragstone.systems.embedded.trace import Trace
from ragstone.systems.embedded.vectors import load_embedder, open_embedder
from ragstone.types import JSON, Hit, Response


class EmbeddedSystem:
    """A `System` over an index.

    The stages, each recorded under its name: ``lexical`` and ``dense`` (those that the search mode has; each hands
    on `retrieval_top_k` candidates, or k where that is more), ``fusion`` (hybrid), ``rerank`` (as many candidates,
    put in the order of the reranker's scores; equal scores keep their order), ``threshold``, ``returned`` (the
    first k). A hit's score is that of the last scoring stage: BM25, a cosine, a fused or a reranker's score.

    Args:
        options: The system's section of the benchmark file.
        configuration: What this run asks for.
        corpus: Where the index comes from.
        index: What is searched.
        dense: None where the search mode has no dense search.
        reranker: None for no reranking.
    """

    def __init__(
        self,
        options: EmbeddedOptions,
        configuration: Configuration,
        corpus: Corpus,
        index: Index,
        *,
        dense: DenseIndex | None,
        reranker: Reranker | None,
    ) -> None:
        self._options = options
        self._configuration = configuration
        self._corpus = corpus
        self._index = index
        self._dense = dense
        self._reranker = reranker

    async def search(self, query: str, k: int) -> Response:
        """Search in a worker thread; an empty query, or one of unknown words alone, finds nothing lexically."""
        return await asyncio.to_thread(self._search, query, k)

    def describe(self) -> Mapping[str, JSON]:
        """Say what is searched and by what, without paths or dates."""
        built = self._index.built
        told: dict[str, JSON] = {
            "type": "embedded",
            "corpus": self._corpus.kind,
            "corpus_digest": built.corpus_digest,
            "documents": built.documents,
            "chunks": len(built.chunks),
            "chunk_size": self._options.chunk_size,
            "chunk_overlap": self._options.chunk_overlap,
            "versions": {package: version(package) for package in ("bm25s", "numpy")},
        }
        if self._corpus.kind == STDLIB:
            told["python"] = platform.python_version()
        for role, model in (("embedder", self._dense), ("reranker", self._reranker)):
            if model is not None:
                told[role] = {"name": model.name, "fingerprint": model.fingerprint}
        return told

    def passages(self) -> Sequence[Hit]:
        """Return every chunk of the corpus."""
        return self._index.passages

    async def close(self) -> None:
        """Do nothing: index and models are shared by the process, and no file stays open."""

    def _search(self, query: str, k: int) -> Response:
        trace = Trace(self._index.built.chunks, self._options.trace_depth)
        depth = max(self._configuration.retrieval_top_k, k)
        ranking = self._retrieve(query, trace, depth)
        if reranker := self._reranker:
            candidates = ranking.head(depth)
            ranking = trace.stage("rerank", lambda: self._rerank(reranker, query, candidates))
        threshold = self._configuration.score_threshold
        if threshold is not None:
            scored = ranking
            ranking = trace.stage("threshold", lambda: scored.at_least(threshold))
        returned = trace.stage("returned", lambda: ranking.head(k))
        passages = self._index.passages
        found = dict(zip(returned.rows.tolist(), returned.scores.tolist(), strict=True))
        return Response(
            hits=tuple(replace(passages[row], score=score) for row, score in found.items()),
            stages=tuple(trace.stages),
            candidates=tuple(passages[row] for row in trace.rows if row not in found),
        )

    def _retrieve(self, query: str, trace: Trace, depth: int) -> Ranking:
        wanted = self._configuration
        rankings = []
        if wanted.search_mode != "dense":
            lexical = self._index.built.lexical
            rankings.append(trace.stage("lexical", lambda: lexical.search(query, depth)))
        if dense := self._dense:
            rankings.append(trace.stage("dense", lambda: dense.search(query, depth)))
        if wanted.search_mode != "hybrid":
            return rankings[0]
        weights = (wanted.sparse_weight, wanted.dense_weight)
        if wanted.fusion == "rrf":
            # Equal weights are the textbook's weight of 1 each, however they are written.
            weights = (2 * weights[0] / sum(weights), 2 * weights[1] / sum(weights))
            return trace.stage("fusion", lambda: reciprocal_rank_fusion(rankings, k=wanted.rrf_k, weights=weights))
        return trace.stage("fusion", lambda: weighted_fusion(rankings, weights))

    def _rerank(self, reranker: Reranker, query: str, candidates: Ranking) -> Ranking:
        scores = reranker.score(query, [self._index.texts[row] for row in candidates.rows]).astype(np.float64)
        order = np.argsort(-scores, kind="stable")
        return Ranking(candidates.rows[order], scores[order])


def check_embedded(options: EmbeddedOptions, configuration: Configuration, base: Path) -> None:
    """Refuse what cannot run, before anything is read or built.

    Names are checked even where the configuration does not use them, so that a typing error never passes unseen.

    Raises:
        UnknownNameError: No embedder, reranker or module of the standard library has this name.
        MissingExtraError: A package is missing that the search mode needs.
        InvalidInputError: There is no such folder, or nothing in it that can be read.
        UsageError: Both weights of a hybrid search are 0, or a model file is not the one that was checked.
    """
    need_installed("bm25s", "the embedded system", extra="embedded")
    check_corpus(options.corpus, options.modules, base)
    EMBEDDERS[configuration.embedding_model]
    reranker = RERANKERS[configuration.reranker_model]
    if configuration.use_reranker:
        reranker.check(configuration)
    if configuration.search_mode != "sparse":
        load_embedder(configuration.embedding_model)
    weights = configuration.sparse_weight, configuration.dense_weight
    if configuration.search_mode == "hybrid" and not any(weights):
        raise UsageError(
            f"hybrid search has the weights sparse_weight={weights[0]!r} and dense_weight={weights[1]!r}: "
            "at least one must be above 0"
        )


def open_embedded(options: EmbeddedOptions, configuration: Configuration, surroundings: Surroundings) -> System:
    """Open the system for one configuration; vectors are computed only where the configuration needs them.

    Raises what `check_embedded` raises, and

    Raises:
        InvalidInputError: The corpus cannot be read, or has no text.
        MissingExtraError: A package is missing that the corpus or the reranker needs.
        UsageError: The reranker cannot do what is asked.
    """
    check_embedded(options, configuration, surroundings.base)
    corpus = find_corpus(options.corpus, options.modules, surroundings.base)
    index = open_index(
        corpus,
        chunk_size=options.chunk_size,
        chunk_overlap=options.chunk_overlap,
        cache=surroundings.cache,
        progress=surroundings.progress,
    )
    dense = reranker = None
    if configuration.search_mode != "sparse":
        dense = index.dense(open_embedder(configuration.embedding_model, surroundings))
    if configuration.use_reranker:
        reranker = RERANKERS[configuration.reranker_model].open(configuration, surroundings, index.texts)
    return EmbeddedSystem(options, configuration, corpus, index, dense=dense, reranker=reranker)


SYSTEMS.add("embedded")(SystemKind(EmbeddedOptions, open_embedded, check_embedded))
