"""The registry of data set formats: a format is one module that recognises its files by content and reads them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from ragstone.datasets.intake import Intake
from ragstone.datasets.sample import Sample
from ragstone.registry import Registry


@dataclass(frozen=True, slots=True)
class Format:
    """A format of data sets.

    Attributes:
        phrase: What its files look like, for people whose file is not recognised.
        recognises: Whether a file or folder is of this format; at most one format may say so.
        read: Reads files of the format into an intake: one file, or all of them where they belong `together`.
        together: Whether all files of the format are read at once, as TREC topics and qrels are.
    """

    phrase: str
    recognises: Callable[[Sample], bool]
    read: Callable[[Sequence[Sample], Intake], None]
    together: bool = False


_MODULES = ("adaptive", "beir", "chunk_level", "eval_set", "ground_truth", "question_sets", "schema_json", "trec")
formats: Registry[Format] = Registry(
    "data set format", "dataset_formats", tuple(f"ragstone.datasets.{name}" for name in _MODULES)
)
