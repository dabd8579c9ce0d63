"""The settings of one run: seed names for what a retrieval system can be asked to do."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import AliasChoices, BaseModel, BeforeValidator, ConfigDict, Field, WithJsonSchema

SearchMode = Literal["dense", "sparse", "hybrid"]


def _lexical_is_sparse(value: object) -> object:
    return "sparse" if value == "lexical" else value


AnySearchMode = Annotated[
    SearchMode,
    BeforeValidator(_lexical_is_sparse),
    WithJsonSchema({"enum": ["dense", "sparse", "lexical", "hybrid"], "type": "string"}),
]


class Configuration(BaseModel):
    """What a system is asked to do in one run. A system uses what it knows and refuses what it cannot do.

    The same keys stand at the top of a benchmark file (the base of every run), in a variant, and, as lists, in
    the matrix.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    search_mode: AnySearchMode = Field(
        default="hybrid", description="dense, sparse (also written lexical) or hybrid."
    )
    top_k: int = Field(
        default=20, ge=1, le=1000, description="Hits asked for; at least the largest k of a metric."
    )
    retrieval_top_k: int = Field(
        default=100,
        ge=1,
        le=10_000,
        description="Candidates each retriever hands on to fusion and reranking.",
    )
    score_threshold: float | None = Field(
        default=None, allow_inf_nan=False, description="Hits with a lower score are left out; null for none."
    )
    embedding_model: str = Field(default="minilm", description="Name of the embedder for dense search.")
    fusion: Literal["rrf", "weighted"] = Field(
        default="rrf",
        description="How hybrid search joins its lists: reciprocal rank fusion, or weighted scores.",
    )
    rrf_k: int = Field(default=60, ge=1, le=10_000, description="The constant of reciprocal rank fusion.")
    dense_weight: float = Field(
        allow_inf_nan=False, default=0.5, ge=0, le=1, description="Weight of the dense list in hybrid search."
    )
    sparse_weight: float = Field(
        allow_inf_nan=False, default=0.5, ge=0, le=1, description="Weight of the lexical list in hybrid search."
    )
    use_reranker: bool = Field(
        default=False,
        validation_alias=AliasChoices("use_reranker", "reranker_enabled"),
        description="Whether candidates are reranked.",
    )
    reranker_model: str = Field(default="minilm", description="Name of the reranker.")
    reranker_prompt: str | None = Field(
        default=None, description="Prompt file, for a reranker that calls a model."
    )
    reranker_temperature: float = Field(
        allow_inf_nan=False, default=0.0, ge=0, le=2, description="Temperature, for a reranker that calls a model."
    )
    reranker_timeout_seconds: float = Field(
        allow_inf_nan=False,
        default=60,
        gt=0,
        description="Time limit of one reranking, for a reranker that calls a model.",
    )
