"""The words of Ragstone as data: frozen dataclasses without behaviour.

A `Query` is what may be told to a system under test; its `Gold` references are kept apart from it in the
`Dataset`, so that no adapter ever sees them. A `Response` is what came back for one query. Matching turns the
responses of a `Run` into a `JudgedRun`, the only thing a metric sees.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias

from ragstone.judged import JudgedRun as JudgedRun  # noqa: PLC0414 - one of the words too

JSON: TypeAlias = bool | int | float | str | Sequence["JSON"] | Mapping[str, "JSON"] | None
GoldKind = Literal["document", "page", "anchor", "chunk"]
DocRefKind = Literal["document_id", "uri", "content_hash", "path", "file_name", "prefix"]
Unit = Literal["document", "page", "chunk"]
FailureKind = Literal["error", "timeout", "unreachable", "bad_response"]
RunState = Literal["pending", "running", "interrupted", "completed", "failed", "cancelled"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Query:
    """A question with its tags.

    Attributes:
        id: Unique in its dataset.
        text: The question as asked.
        answerable: False for a rejection query: nothing in the corpus answers it.
        category: One slice name, such as ``options_derivatives``; None where not given.
        difficulty: easy, medium, hard or adversarial; None where not given.
        tags: Any number of further slice names.
        vaults: The collections the question is about.
        folders: The folders a scoped search may be restricted to.
        expected_answer: A gist of the right answer, for judges.
        key_facts: Facts that a right answer states.
        recency_rule: ``cite_newer``, ``acknowledge_both`` or ``cite_both`` for conflicting sources.
        provenance: How the question came to be (golden, synthetic, generator, source, reviewer).
        notes: Free text for people.
    """

    id: str
    text: str
    answerable: bool = True
    category: str | None = None
    difficulty: str | None = None
    tags: tuple[str, ...] = ()
    vaults: tuple[str, ...] = ()
    folders: tuple[str, ...] = ()
    expected_answer: str | None = None
    key_facts: tuple[str, ...] = ()
    recency_rule: str | None = None
    provenance: Mapping[str, Any] = field(default_factory=dict, hash=False)
    notes: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Gold:
    """A reference to what answers a query, with its grade.

    Attributes:
        kind: What the reference points at; decides how it is matched.
        grade: 0 irrelevant, 1 marginal, 2 relevant, 3 highly relevant; negative means unjudged.
        document: Name, path or id of the document; empty only for ``kind="chunk"``.
        ref: What kind of reference `document` is, where the data set says so; None for a name that is folded.
            A ``prefix`` means every document whose id begins with it.
        page: 1-based page, for ``kind="page"``.
        heading: Heading path from the top, for ``kind="anchor"``.
        chunk: Chunk id, for ``kind="chunk"``.
        snippets: Texts of which a matching chunk must contain some (matching option ``snippet_mode``).
        modified_at: ISO date of the source, for recency rules.
        resolved: False where the reference means no one thing in the corpus: it counts, and nothing matches it.
    """

    kind: GoldKind
    grade: int = 2
    document: str = ""
    ref: DocRefKind | None = None
    page: int | None = None
    heading: tuple[str, ...] = ()
    chunk: str | None = None
    snippets: tuple[str, ...] = ()
    modified_at: str | None = None
    resolved: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class Dataset:
    """Queries and their golds, versioned by content.

    Attributes:
        golds: Gold references by query id; a query without golds may be absent.
        support_groups: By query id, the alternatives of a multi-hop question: each group lists indices into
            the query's golds that are required together; one complete group suffices.
        digest: SHA-256 over the content, independent of file names and formatting.
    """

    name: str
    queries: tuple[Query, ...]
    golds: Mapping[str, tuple[Gold, ...]] = field(hash=False)
    support_groups: Mapping[str, tuple[tuple[int, ...], ...]] = field(default_factory=dict, hash=False)
    digest: str = ""
    description: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Hit:
    """One ranked item; its rank is its position in the response.

    Attributes:
        id: Chunk id, unique in the corpus.
        document: Name, path or id of the document that the chunk is from.
        score: Higher is better; None when the system gives none.
        text: The chunk's text, where the system returns it.
        page: 1-based page, where known.
        heading: Heading path of the chunk, where known.
    """

    id: str
    document: str = ""
    score: float | None = None
    text: str = ""
    page: int | None = None
    heading: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Stage:
    """What one stage of a search left over: candidates best first, to a recorded depth, and its time."""

    name: str
    ids: tuple[str, ...]
    scores: tuple[float, ...]
    ms: float
    total: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Scope:
    """Where a scoped search looked: the mode (off, on, on_with_fallback) and the selected folders."""

    mode: str
    folders: tuple[str, ...] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Failure:
    """Why there is no answer for a query. A failure is data: it is stored, shown and counted."""

    kind: FailureKind
    message: str
    type: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Response:
    """What one query got back.

    Attributes:
        hits: Best first, in the order the system returned them.
        latency_ms: Wall time of the successful attempt, or of the last one.
        answer: Generated answer, where the system generates one.
        citations: What the answer cites, in its order.
        abstained: Whether the system said that it has no answer; None where it does not say.
        scope: Where a scoped search looked; None where searches are not scoped.
        stages: Candidates stage by stage, for the loss funnel.
        candidates: The passages that stages name and `hits` lacks; a store keeps each once per run.
        usage: Tokens and the like, by name.
        attempts: Calls made, retries included.
        degraded: What the system silently fell back from, one sentence each.
        failure: Why there is no result; None on success.
    """

    hits: tuple[Hit, ...] = ()
    latency_ms: float = 0.0
    answer: str | None = None
    citations: tuple[Hit, ...] = ()
    abstained: bool | None = None
    scope: Scope | None = None
    stages: tuple[Stage, ...] = ()
    candidates: tuple[Hit, ...] = ()
    usage: Mapping[str, float] = field(default_factory=dict, hash=False)
    attempts: int = 1
    degraded: tuple[str, ...] = ()
    failure: Failure | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Validity:
    """Which golds of a dataset could be found in a corpus, by query id as indices into the query's golds.

    Attributes:
        source: What the golds were held against: ``system`` (its passages) or ``catalogue`` (a list of documents).
        total: Judged golds.
        gone: Golds that nothing in the corpus can match.
        ambiguous: Golds whose name several documents have.
    """

    source: Literal["system", "catalogue"]
    total: int
    gone: Mapping[str, tuple[int, ...]] = field(default_factory=dict, hash=False)
    ambiguous: Mapping[str, tuple[int, ...]] = field(default_factory=dict, hash=False)

    @property
    def resolved(self) -> int:
        """Golds that mean one thing in the corpus."""
        return self.total - sum(map(len, self.gone.values())) - sum(map(len, self.ambiguous.values()))


@dataclass(frozen=True, slots=True, kw_only=True)
class RunSpec:
    """One planned run: a configuration on a dataset.

    Attributes:
        position: 0-based place in the benchmark's order.
        config: The full configuration after matrix and variants are applied.
        system: Options of the system under test, by name, its type among them.
        factors: The settings in which the runs of the benchmark differ, for matrix analysis.
        config_hash: First 16 hex digits of SHA-256 over the factors as sorted-key JSON.
    """

    name: str
    position: int
    config: Mapping[str, Any] = field(hash=False)
    system: Mapping[str, Any] = field(hash=False)
    factors: Mapping[str, Any] = field(hash=False)
    config_hash: str
    repeats: int = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """A run as the store keeps it, without its responses.

    Attributes:
        id: Unique in the store.
        benchmark: The benchmark file's content after `extends`, as data.
        base: Folder against which the benchmark's relative paths are read.
        system: What the system said of itself when the run started (corpus, models, versions).
        validity: Which golds are in the corpus; None where that is not known.
        error: Why the run failed; None otherwise.
        unreachable: Whether it failed because nothing answered when the system was opened.
    """

    id: str
    batch: str
    spec: RunSpec
    benchmark: Mapping[str, JSON] = field(hash=False)
    dataset: str
    state: RunState
    base: str = ""
    system: Mapping[str, JSON] = field(default_factory=dict, hash=False)
    validity: Validity | None = None
    created_at: str = ""
    started_at: str | None = None
    finished_at: str | None = None
    error: str | None = None
    unreachable: bool = False
    total: int = 0
    done: int = 0
    failed: int = 0


@dataclass(frozen=True, slots=True)
class Task:
    """One unit of work: a query of a run, asked for the n-th time."""

    query: str
    repeat: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Lease:
    """The right to work on a shard of a run; results under an older epoch are refused."""

    run: str
    shard: int
    epoch: int
    owner: str


@dataclass(frozen=True, slots=True)
class Score:
    """A metric's value for one query: a number, or None with a reason code. Never a stand-in zero.

    A number with a reason is known only to be at least so much: the latency of a search that was cut off at the
    time limit has the reason ``timeout``.
    """

    value: float | None
    reason: str | None = None

    @property
    def at_least(self) -> bool:
        """Whether the value is known only to be at least so much."""
        return self.value is not None and self.reason is not None


@dataclass(frozen=True, slots=True)
class CutOff:
    """Measurements that stopped at a time limit.

    Attributes:
        n: How many.
        limit: Where they stopped; the smallest, where the limits differ.
        reached: Whether the percentile rests on one of them: then it is at least the value given.
    """

    n: int
    limit: float
    reached: bool


@dataclass(frozen=True, slots=True)
class Interval:
    """A confidence interval; a limit is None where no finite one exists at this level."""

    low: float | None
    high: float | None
    level: float
    method: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Summary:
    """An aggregate with what it rests on: n, what is missing and why, and an interval.

    Attributes:
        effective_n: As how many independent questions the n count; None where each stands for itself.
        cut_off: The measurements behind a percentile that stopped at a time limit; None where none did.
    """

    metric: str
    value: float | None
    n: int
    missing: Mapping[str, int] = field(default_factory=dict, hash=False)
    interval: Interval | None = None
    effective_n: float | None = None
    cut_off: CutOff | None = None

    @property
    def at_least(self) -> bool:
        """Whether the value is known only to be at least so much."""
        return self.cut_off is not None and self.cut_off.reached
