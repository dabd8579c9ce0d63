"""The seams of Ragstone: what the core asks of the outside, as Protocols."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Protocol

from ragstone.types import JSON, Dataset, Hit, Lease, Response, Run, RunSpec, RunState, Score, Task, Validity

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


class System(Protocol):
    """The system under test.

    `search` returns up to `k` hits, best first, and sets everything it knows in the `Response`; the caller
    measures latency, retries and turns exceptions into a stored `Failure`. It raises `TransientError` for what may
    pass and any other exception for what will not.
    """

    async def search(self, query: str, k: int) -> Response:
        """Search for `query` and return at most `k` hits."""
        ...

    def describe(self) -> Mapping[str, JSON]:
        """Say what is under test: corpus, models and versions, each with a content hash where there is one."""
        ...

    def passages(self) -> Iterable[Hit] | None:
        """Return everything that the system could return, or None where it does not say.

        With it, golds that are not in the corpus are told from golds that were not found.
        """
        ...

    async def close(self) -> None:
        """Release what the system holds."""
        ...


class Embedder(Protocol):
    """Turns texts into vectors.

    Attributes:
        name: As used in configurations, such as ``minilm``.
        fingerprint: Hash of the weights and every setting that changes a vector.
        dimensions: Length of a vector.
    """

    name: str
    fingerprint: str
    dimensions: int

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return one unit-length row per text, in order; the same text always gives the same bits."""
        ...


class Reranker(Protocol):
    """Scores texts against a query; higher is better."""

    name: str
    fingerprint: str

    def score(self, query: str, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return one score per text, in order."""
        ...


class Clock(Protocol):
    """Time, so that tests can stop it."""

    def now(self) -> str:
        """Return the UTC time as ISO 8601 with seconds, such as ``2026-11-21T10:00:00Z``."""
        ...

    def monotonic(self) -> float:
        """Return seconds that only ever grow; differences are durations."""
        ...

    async def sleep(self, seconds: float) -> None:
        """Wait."""
        ...


class Store(Protocol):
    """Keeps datasets, runs, responses and scores. The rows are the queue: what has no row is still to be done.

    A run moves pending -> running -> completed | failed | interrupted | cancelled by compare-and-set; interrupted
    may start again. Work is claimed shard by shard; every claim raises the shard's epoch, and a response that
    comes in under an older epoch raises `StaleLeaseError`.
    """

    def plan(
        self,
        benchmark: Mapping[str, JSON],
        dataset: Dataset,
        specs: Sequence[RunSpec],
        *,
        created_at: str,
        base: str = "",
        validity: Validity | None = None,
    ) -> tuple[Run, ...]:
        """Write the runs and their shards, all or nothing, before anything starts.

        `base` is the folder against which the benchmark's relative paths are read.
        """
        ...

    def runs(self) -> tuple[Run, ...]:
        """Return all runs, oldest first, those of one batch in their planned order."""
        ...

    def run(self, run_id: str) -> Run:
        """Return one run; an unknown id raises `UnknownNameError`."""
        ...

    def dataset(self, digest: str) -> Dataset:
        """Return the dataset with this digest."""
        ...

    def move(
        self,
        run_id: str,
        frm: Iterable[RunState],
        to: RunState,
        *,
        at: str,
        error: str | None = None,
        unreachable: bool = False,
    ) -> bool:
        """Set the state if it is one of `frm`, and why the run failed; return whether it was."""
        ...

    def describe(self, run_id: str, system: Mapping[str, JSON], validity: Validity | None = None) -> None:
        """Keep what the system said of itself and, where it is known, which golds its corpus has."""
        ...

    def claim(self, run_id: str, owner: str) -> Lease | None:
        """Take the next shard that has work left, raising its epoch; None when there is none."""
        ...

    def missing(self, lease: Lease) -> tuple[Task, ...]:
        """Return the tasks of the shard that have no response yet, in planned order."""
        ...

    def record(self, lease: Lease, task: Task, response: Response) -> bool:
        """Store a response at once. Return False if the task has one already; refuse a stale lease."""
        ...

    def responses(self, run_id: str) -> Iterator[tuple[Task, Response]]:
        """Yield the stored responses in the dataset's order, then by repeat."""
        ...

    def forget_failures(self, run_id: str) -> int:
        """Delete the rows of failed queries so that they are asked again; return how many."""
        ...

    def save_scores(self, run_id: str, scores: Mapping[str, Mapping[str, Score]]) -> None:
        """Replace the run's scores: metric name -> query id -> score."""
        ...

    def scores(self, run_id: str) -> Mapping[str, Mapping[str, Score]]:
        """Return what `save_scores` stored."""
        ...

    def delete(self, run_id: str) -> None:
        """Delete a run with everything that belongs to it alone."""
        ...
