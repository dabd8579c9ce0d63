"""Rerankers: scores of passages against a query, computed anew for the candidates of an earlier stage."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from ragstone.errors import UsageError
from ragstone.experiments.configuration import Configuration
from ragstone.ports import Reranker
from ragstone.registry import Registry
from ragstone.systems import Surroundings
from ragstone.systems.embedded.vectors import CachedEmbedder, load_embedder, open_embedder

if TYPE_CHECKING:
    from numpy.typing import NDArray


@dataclass(frozen=True, slots=True)
class RerankerKind:
    """A kind of reranker.

    Attributes:
        check: Raises `UsageError` for a configuration that it cannot run, before anything starts.
        open: Opens it; it is given all passages, so that it can prepare them before a query comes.
    """

    check: Callable[[Configuration], None]
    open: Callable[[Configuration, Surroundings, Sequence[str]], Reranker]


RERANKERS: Registry[RerankerKind] = Registry("reranker", group="rerankers")


class CosineReranker:
    """Scores a passage with the cosine of its vector and the query's.

    The passages' vectors come from the cache; the query's is computed for every call.
    """

    def __init__(self, embedder: CachedEmbedder) -> None:
        self.name = embedder.name
        self.fingerprint = f"cosine:{embedder.fingerprint}"
        self._embedder = embedder

    def score(self, query: str, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return one cosine per text, in order."""
        cosines: NDArray[np.float32] = np.vecdot(self._embedder.embed(texts), self._embedder.embed_query(query))
        return cosines


def check_cosine(name: str, configuration: Configuration) -> None:
    """Refuse a prompt or a temperature, which only an LLM reranker knows; see that the embedder can be loaded."""
    if configuration.reranker_prompt is not None or configuration.reranker_temperature:
        raise UsageError(
            f"reranker {name!r} is no LLM: leave out reranker_prompt ({configuration.reranker_prompt!r}) and "
            f"reranker_temperature ({configuration.reranker_temperature!r})"
        )
    load_embedder(name)


def open_cosine(
    name: str, configuration: Configuration, surroundings: Surroundings, passages: Sequence[str]
) -> Reranker:
    """Open the reranker of the embedder `name`, and embed the passages that are not in the cache yet."""
    check_cosine(name, configuration)
    embedder = open_embedder(name, surroundings)
    embedder.embed(passages)
    return CosineReranker(embedder)


for _name in ("minilm", "static"):
    RERANKERS.add(_name)(RerankerKind(partial(check_cosine, _name), partial(open_cosine, _name)))
