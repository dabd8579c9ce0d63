"""Static word vectors of wordllama: a fast embedder that is truly weaker than MiniLM."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from threading import Lock
from typing import TYPE_CHECKING, Any

import numpy as np

from ragstone.systems.embedded.embedders import EMBEDDERS
from ragstone.systems.embedded.embedders.model_files import pinned_file
from ragstone.systems.embedded.extras import need, need_installed

if TYPE_CHECKING:
    from numpy.typing import NDArray

WEIGHTS = "64b47a2dc493cb8e85944076601189739852d7b64e0e1eedcb1937a251cd9fd5"
TOKENIZER = "93248f2a9ec36c7b35f700a033d5f36228aae48db61aee31007fa49062cdeb68"
_FEATURE = "embedder 'static'"
_EXTRA = "static"


class StaticVectors:
    """Mean of the vectors of a text's tokens, scaled to length 1; 256 dimensions, the whole text is read.

    A text without a token is read as the mark that begins every text. The package is never imported: its loader
    looks for its files in the wrong place and then on the network.

    Raises:
        MissingExtraError: A package is not installed.
        UsageError: A file is not the one that was checked.
    """

    name = "static"
    dimensions = 256

    def __init__(self) -> None:
        for module in ("safetensors", "tokenizers"):
            need_installed(module, _FEATURE, extra=_EXTRA)
        self._weights = pinned_file(
            _FEATURE, _EXTRA, "wordllama", "wordllama", "weights/l2_supercat_256.safetensors", WEIGHTS
        )
        self._vocabulary = pinned_file(
            _FEATURE, _EXTRA, "wordllama", "wordllama", "tokenizers/l2_supercat_tokenizer_config.json", TOKENIZER
        )
        self._lock = Lock()
        self._model: tuple[Any, NDArray[np.float32]] | None = None
        self.fingerprint = hashlib.sha256(f"{WEIGHTS} {TOKENIZER} mean".encode()).hexdigest()

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return one unit-length row per text, in order."""
        vectors = np.empty((len(texts), self.dimensions), np.float32)
        if not texts:
            return vectors
        tokenizer, weights = self._load()
        for row, encoding in enumerate(tokenizer.encode_batch(list(texts))):
            tokens = encoding.ids[1:] or encoding.ids
            vectors[row] = weights[tokens].mean(axis=0)
        unit: NDArray[np.float32] = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
        return unit

    def _load(self) -> tuple[Any, NDArray[np.float32]]:
        with self._lock:
            if self._model is None:
                tokenizer = need("tokenizers", _FEATURE, extra=_EXTRA).Tokenizer.from_file(str(self._vocabulary))
                tokenizer.no_padding()
                tokenizer.no_truncation()
                load = need("safetensors.numpy", _FEATURE, extra=_EXTRA, package="safetensors").load_file
                self._model = tokenizer, load(self._weights)["embedding.weight"].astype(np.float32)
            return self._model


EMBEDDERS.add(StaticVectors.name)(StaticVectors)
