"""The benchmark file: what is asked, of which system, in which configurations, measured how.

One schema holds the flat configuration of a single experiment (`Configuration`'s keys at the top), named variants
of it, and a matrix of lists that is multiplied out.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal, TypeVar

from pydantic import AfterValidator, AliasChoices, BaseModel, BeforeValidator, ConfigDict, Field, WithJsonSchema

from ragstone.errors import UsageError
from ragstone.experiments.configuration import AnySearchMode, Configuration
from ragstone.experiments.depths import parse_ks
from ragstone.experiments.thresholds import parse_limit
from ragstone.matching import MatchOptions
from ragstone.metrics import parse

DEFAULT_KS = (5, 10, 20)


def _metric_name(name: str) -> str:
    try:
        return str(parse(name))
    except UsageError as error:
        raise ValueError(str(error)) from None


def _limit(text: str) -> str:
    try:
        parse_limit(text)
    except UsageError as error:
        raise ValueError(str(error)) from None
    return text


def _each_metric_once(value: object) -> object:
    """Refuse two spellings of one metric, of which the second would silently replace the first."""
    if not isinstance(value, dict):
        return value
    seen: dict[str, str] = {}
    for name in value:
        canonical = _metric_name(str(name))
        if canonical in seen:
            raise ValueError(f"{seen[canonical]!r} and {name!r} are the same metric; keep one")
        seen[canonical] = str(name)
    return value


def _distinct(values: list[T] | None) -> list[T] | None:
    if values is not None:
        for index, value in enumerate(values):
            if value in values[:index]:
                raise ValueError(f"{value!r} stands twice; every value makes a run of its own")
    return values


def _one_or_more(value: object) -> object:
    return [value] if isinstance(value, str) else value


T = TypeVar("T")
Distinct = Annotated[list[T] | None, AfterValidator(_distinct), Field(min_length=1)]
MetricName = Annotated[str, AfterValidator(_metric_name)]
Limit = Annotated[str, AfterValidator(_limit)]
Strings = Annotated[
    list[str],
    BeforeValidator(_one_or_more),
    Field(min_length=1),
    WithJsonSchema({"anyOf": [{"type": "string"}, {"type": "array", "items": {"type": "string"}, "minItems": 1}]}),
]


class Matrix(BaseModel):
    """Lists of settings; every combination is a run, in this order of keys, the last varying fastest."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    search_modes: Distinct[AnySearchMode] = Field(default=None, description="Values of search_mode.")
    use_reranker: Distinct[bool] = Field(default=None, description="Values of use_reranker.")
    top_k_values: Distinct[Annotated[int, Field(ge=1, le=1000)]] = Field(
        default=None, description="Values of top_k."
    )
    rrf_k_values: Distinct[Annotated[int, Field(ge=1, le=10_000)]] = Field(
        default=None, description="Values of rrf_k."
    )
    score_thresholds: Distinct[Annotated[float, Field(allow_inf_nan=False)] | None] = Field(
        default=None, description="Values of score_threshold; null for none."
    )
    factors: dict[str, list[Any]] = Field(
        default_factory=dict,
        description="Lists for any other setting, by its name, such as dense_weight; options of the system as "
        "system.<option>, entries of one as system.<option>.<entry>.",
    )
    k_values_for_metrics: list[Annotated[int, Field(ge=1)]] | None = Field(
        default=None, min_length=1, description="The cutoffs of the default metrics."
    )
    primary_k: int | None = Field(default=None, ge=1, description="The k of the metric that reports lead with.")
    dedupe_noop: bool = Field(
        default=False, description="Leave out combinations that differ only in a setting without effect."
    )


class Matching(BaseModel):
    """How gold references are matched to hits."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    unit: Literal["document", "page", "chunk"] | None = Field(
        default=None,
        validation_alias=AliasChoices("unit", "granularity"),
        description="What hits are collapsed to; by default what the golds point at.",
    )
    page_tolerance: int = Field(default=1, ge=0, le=1000, description="How far a hit's page may be from a gold's.")
    headings: Literal["prefix", "exact"] = Field(
        default="prefix", description="Whether a heading's subsections count, or the very heading alone."
    )
    snippet_mode: Literal["ignore", "any", "all"] = Field(
        default="any", description="How many of a gold's snippets a chunk must contain."
    )

    def options(self) -> MatchOptions:
        """Return these settings as matching takes them."""
        return MatchOptions(**self.model_dump())


class Retry(BaseModel):
    """How often, and how patiently, a call that may pass is repeated."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    attempts: int = Field(default=3, ge=1, le=20, description="Calls in all, the first included.")
    wait_seconds: float = Field(
        default=0.5,
        ge=0,
        allow_inf_nan=False,
        description="Longest wait before the second call; doubles each time.",
    )
    max_wait_seconds: float = Field(
        default=30, ge=0, allow_inf_nan=False, description="Longest wait of all, Retry-After included."
    )


class Benchmark(Configuration):
    """A benchmark file after `extends`. The keys of a configuration stand at the top."""

    name: str = Field(min_length=1, max_length=200, description="What reports call the benchmark.")
    description: str = Field(default="", description="A sentence for readers of the report.")
    dataset: Strings = Field(
        validation_alias=AliasChoices("dataset", "datasets", "ground_truth_path"),
        description="Files or folders of questions, relative to this file; several make one dataset.",
    )
    system: Any = Field(description="The system under test: its type and that type's options.")
    catalogue: str | None = Field(
        default=None,
        min_length=1,
        description="The documents of the corpus, a folder or JSON Lines of id, uri, content_hash, path and "
        "file_name: golds are looked up in it before the run.",
    )
    fallthrough: bool = Field(
        default=False,
        description="Whether a reference with several keys tries the later ones where the first is not in the "
        "catalogue.",
    )
    metrics: list[MetricName] | None = Field(
        default=None,
        min_length=1,
        validation_alias=AliasChoices("metrics", "metrics_to_compute"),
        description="Metric names such as nDCG@10; by default Hit, P, R, nDCG at 5, 10, 20 (to top_k), RR, AP.",
    )
    primary: MetricName | None = Field(default=None, description="The metric that reports lead with.")
    matrix: Matrix | None = Field(
        default=None,
        validation_alias=AliasChoices("matrix", "config_matrix"),
        description="Lists of settings that are multiplied out, a run each.",
    )
    variants: list[dict[str, Any]] | None = Field(
        default=None, min_length=1, description="Named runs: a name and the settings that differ from the top."
    )
    thresholds: Annotated[dict[MetricName, Limit], BeforeValidator(_each_metric_once)] = Field(
        default_factory=dict,
        description="What every run must reach, such as 'Hit@5: \"> 0.80\"' or 'latency_p95: \"< 5 s\"'.",
    )
    matching: Matching = Field(default_factory=Matching, description="How golds are matched to hits.")
    no_gold: Literal["exclude", "zero"] = Field(
        default="exclude", description="Queries without relevant gold: left out, or scored 0."
    )
    unresolved: Literal["count", "drop"] = Field(
        default="count",
        description="Golds that the corpus does not hold: counted as never retrieved, or left out.",
    )
    on_error: Literal["miss", "exclude", "fail_run"] = Field(
        default="miss", description="A failed search: scored as found nothing, left out, or the end of the run."
    )
    repeats: int = Field(
        default=1, ge=1, le=1000, description="How often each question is asked; scores are averaged."
    )
    concurrency: int = Field(default=1, ge=1, le=1000, description="Questions asked at the same time.")
    timeout_seconds: float = Field(default=60, gt=0, allow_inf_nan=False, description="Time limit of one search.")
    retry: Retry = Field(default_factory=Retry, description="How calls that may pass are repeated.")

    def base(self) -> Configuration:
        """Return the settings that every run starts from."""
        return Configuration(**{key: getattr(self, key) for key in Configuration.model_fields})

    def metric_names(self) -> list[str]:
        """Return the declared metrics, or the default ones up to the search depth."""
        if self.metrics is not None:
            return list(dict.fromkeys(self.metrics))
        declared = self.matrix.k_values_for_metrics if self.matrix else None
        depth = min(self.matrix.top_k_values if self.matrix and self.matrix.top_k_values else [self.top_k])
        primary = self.matrix.primary_k if self.matrix else None
        ks = parse_ks(declared or [k for k in DEFAULT_KS if k <= depth] or [depth], primary)
        families = ("Hit", "P", "R", "nDCG")
        return [f"{family}@{k}" for family in families for k in ks] + ["RR", "AP"]

    def primary_metric(self) -> str:
        """Return the declared primary metric, else nDCG at the primary k, else the first metric."""
        names = self.metric_names()
        wanted = f"nDCG@{self.matrix.primary_k}" if self.matrix and self.matrix.primary_k else "nDCG@10"
        return self.primary or (wanted if wanted in names else names[0])
