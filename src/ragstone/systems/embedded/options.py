"""The section of a benchmark file that describes an embedded system."""

from __future__ import annotations

from typing import Literal, Self

from pydantic import BaseModel, ConfigDict, Field, model_validator

from ragstone.systems.embedded.corpus import STDLIB


class EmbeddedOptions(BaseModel):
    """Ragstone's own search engine over a folder of documents or the standard library's documentation."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    type: Literal["embedded"] = Field(description="This kind of system.")
    corpus: str = Field(
        min_length=1,
        description="A folder of Markdown, text, HTML and PDF files, relative to the benchmark file; or stdlib, "
        "the documentation of the running Python's standard library (a folder of that name is ./stdlib).",
    )
    modules: tuple[str, ...] | None = Field(
        default=None, min_length=1, description="With stdlib: only these modules; null for all."
    )
    chunk_size: int = Field(default=120, ge=1, le=10_000, description="Words in a chunk at most.")
    chunk_overlap: int = Field(default=20, ge=0, description="Words that neighbouring chunks of a section share.")
    trace_depth: int = Field(
        default=100, ge=0, le=10_000, description="Candidates recorded for each stage of a search."
    )

    @model_validator(mode="after")
    def _fits_together(self) -> Self:
        if self.chunk_overlap >= self.chunk_size:
            raise ValueError(f"chunk_overlap {self.chunk_overlap} must be less than chunk_size {self.chunk_size}")
        if self.modules is not None and self.corpus != STDLIB:
            raise ValueError(f"modules belong to the corpus {STDLIB!r}; this corpus is {self.corpus!r}")
        return self
