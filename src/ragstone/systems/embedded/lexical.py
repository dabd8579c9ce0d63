"""Lexical search: BM25 by bm25s."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from types import ModuleType
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from ragstone.systems.embedded.extras import need
from ragstone.systems.embedded.ranking import EMPTY, Ranking, best
from ragstone.systems.embedded.tokens import tokenize

K1 = 1.5
B = 0.75
_NOTHING = ""  # stands first in every vocabulary, and in no text: bm25s cannot index an empty vocabulary


class _Model(Protocol):
    """What is used of a bm25s model."""

    def get_tokens_ids(self, query_tokens: Sequence[str]) -> list[int]: ...
    def get_scores_from_ids(self, query_tokens_ids: list[int]) -> NDArray[np.float32]: ...
    def save(self, save_dir: Path, *, allow_pickle: bool, show_progress: bool) -> None: ...


class LexicalIndex:
    """BM25 over tokenised texts, with Lucene's inverse document frequency.

    The score of a text d for a query is the sum over the query's tokens t, repeated ones counted as often, of
    ``idf(t) * tf / (tf + K1 * (1 - B + B * len(d) / mean_len))``, where ``idf(t)`` is
    ``ln(1 + (N - n_t + .5) / (n_t + .5))``, in single precision. Rows are numbered in the order of the texts.
    """

    def __init__(self, model: _Model) -> None:
        self._model = model

    @classmethod
    def build(cls, texts: Iterable[str]) -> LexicalIndex:
        """Index `texts`; at least one."""
        documents = [tokenize(text) for text in texts]
        known = sorted({token for tokens in documents for token in tokens})
        # Our own vocabulary, because that of bm25s is in the order of a set: it changes with the hash seed.
        vocabulary = {token: number for number, token in enumerate([_NOTHING, *known])}
        model = _bm25s().BM25(k1=K1, b=B, method="lucene", backend="numpy", csc_backend="numpy")
        numbers = [[vocabulary[token] for token in tokens or [_NOTHING]] for tokens in documents]
        model.index((numbers, vocabulary), create_empty_token=False, show_progress=False)
        return cls(model)

    @classmethod
    def load(cls, folder: Path) -> LexicalIndex:
        """Read what `save` wrote."""
        return cls(_bm25s().BM25.load(folder, allow_pickle=False, show_progress=False))

    def save(self, folder: Path) -> None:
        """Write the index into `folder`: numpy arrays and JSON, no pickle."""
        self._model.save(folder, allow_pickle=False, show_progress=False)

    def search(self, query: str, n: int) -> Ranking:
        """Return the `n` best texts with a score above 0; ties by row. Unknown tokens count for nothing."""
        numbers = self._model.get_tokens_ids(tokenize(query))
        if not numbers:
            return EMPTY
        scores = self._model.get_scores_from_ids(numbers)
        rows = np.flatnonzero(scores > 0)
        return best(rows, scores[rows], n)


def _bm25s() -> ModuleType:
    return need("bm25s", "lexical search of the embedded system")
