"""Fakes that ship: a system, a store and a clock for tests, also those of users.

Each passes the same contract suite as the real thing.
"""

from __future__ import annotations

import secrets
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from ragstone.errors import StaleLeaseError, UnknownNameError
from ragstone.types import JSON, Dataset, Hit, Lease, Response, Run, RunSpec, RunState, Score, Task, Validity

SHARD_SIZE = 10


class FrozenClock:
    """A clock that moves only when something sleeps."""

    def __init__(self, start: float = 0.0) -> None:
        self.seconds = start
        self.slept: list[float] = []

    def now(self) -> str:
        """Return a fixed date, advanced by the seconds slept."""
        minutes, seconds = divmod(int(self.seconds), 60)
        return f"2000-01-01T{minutes // 60:02d}:{minutes % 60:02d}:{seconds:02d}Z"

    def monotonic(self) -> float:
        """Return the seconds slept so far."""
        return self.seconds

    async def sleep(self, seconds: float) -> None:
        """Move the clock, at once."""
        self.slept.append(seconds)
        self.seconds += seconds


Answer = Sequence[str] | Response | BaseException


class FakeSystem:
    """A system that answers from a script.

    Args:
        answers: By query text, what to do: document names to return, a whole response, or an exception to raise;
            or a list of these, one a call, the last one staying. A query that it lacks finds nothing.
        corpus: Everything it says it could return; None where it does not say.
    """

    def __init__(
        self, answers: Mapping[str, Answer | Sequence[Answer]], corpus: Sequence[Hit] | None = None
    ) -> None:
        self._corpus = corpus
        self._answers = {query: _calls(answer) for query, answer in answers.items()}
        self.asked: list[str] = []
        self.closed = False

    async def search(self, query: str, k: int) -> Response:
        """Return or raise what the script says."""
        self.asked.append(query)
        script = self._answers.get(query, [()])
        answer = script.pop(0) if len(script) > 1 else script[0]
        if isinstance(answer, BaseException):
            raise answer
        if isinstance(answer, Response):
            return answer
        hits = (Hit(id=name, document=name, score=1.0 / rank) for rank, name in enumerate(answer, 1))
        return Response(hits=tuple(hits)[:k])

    def describe(self) -> Mapping[str, JSON]:
        """Return a fixed description."""
        return {"type": "fake"}

    def passages(self) -> Sequence[Hit] | None:
        """Return the corpus, if there is one."""
        return self._corpus

    async def close(self) -> None:
        """Note that it was closed."""
        self.closed = True


class InMemoryStore:
    """Implements the port `Store` in dictionaries, for one process."""

    def __init__(self) -> None:
        self._runs: dict[str, Run] = {}
        self._datasets: dict[str, Dataset] = {}
        self._tasks: dict[str, list[Task]] = {}
        self._epochs: dict[tuple[str, int], int] = {}
        self._responses: dict[str, dict[Task, Response]] = {}
        self._scores: dict[str, dict[str, dict[str, Score]]] = {}

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
        """Keep the runs."""
        batch = f"batch-{secrets.token_hex(3)}"
        self._datasets[dataset.digest] = dataset
        planned = []
        for spec in specs:
            tasks = [Task(query.id, repeat) for query in dataset.queries for repeat in range(spec.repeats)]
            run = Run(
                id=f"run-{secrets.token_hex(3)}",
                batch=batch,
                spec=spec,
                benchmark=benchmark,
                dataset=dataset.digest,
                state="pending",
                base=base,
                validity=validity,
                created_at=created_at,
                total=len(tasks),
            )
            self._runs[run.id] = run
            self._tasks[run.id] = tasks
            self._responses[run.id] = {}
            planned.append(run)
        return tuple(planned)

    def runs(self) -> tuple[Run, ...]:
        """Return all runs in the order they were planned."""
        return tuple(self.run(run_id) for run_id in self._runs)

    def run(self, run_id: str) -> Run:
        """Return one run with its counts."""
        if run_id not in self._runs:
            raise UnknownNameError("run", run_id, self._runs)
        kept = self._responses[run_id].values()
        failed = sum(response.failure is not None for response in kept)
        return replace(self._runs[run_id], done=len(kept), failed=failed)

    def dataset(self, digest: str) -> Dataset:
        """Return a dataset."""
        if digest not in self._datasets:
            raise UnknownNameError("dataset", digest, self._datasets)
        return self._datasets[digest]

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
        """Change the state by compare-and-set."""
        run = self.run(run_id)
        if run.state not in tuple(frm):
            return False
        began = replace(run, started_at=run.started_at or at, finished_at=None)
        stamp = began if to == "running" else replace(run, finished_at=at)
        self._runs[run_id] = replace(stamp, state=to, error=error, unreachable=unreachable)
        return True

    def describe(self, run_id: str, system: Mapping[str, JSON], validity: Validity | None = None) -> None:
        """Keep what the system said of itself and of its corpus."""
        run = self.run(run_id)
        self._runs[run_id] = replace(run, system=system, validity=validity or run.validity)

    def claim(self, run_id: str, owner: str) -> Lease | None:
        """Take the first shard with work left."""
        for position, task in enumerate(self._tasks[run_id]):
            if task not in self._responses[run_id]:
                shard = position // SHARD_SIZE
                epoch = self._epochs.get((run_id, shard), 0) + 1
                self._epochs[run_id, shard] = epoch
                return Lease(run=run_id, shard=shard, epoch=epoch, owner=owner)
        return None

    def missing(self, lease: Lease) -> tuple[Task, ...]:
        """Return the shard's tasks without a response."""
        start = lease.shard * SHARD_SIZE
        shard = self._tasks[lease.run][start : start + SHARD_SIZE]
        return tuple(task for task in shard if task not in self._responses[lease.run])

    def record(self, lease: Lease, task: Task, response: Response) -> bool:
        """Keep a response."""
        if self._epochs.get((lease.run, lease.shard)) != lease.epoch:
            raise StaleLeaseError(f"{lease.owner} lost shard {lease.shard} of {lease.run}")
        if task in self._responses[lease.run]:
            return False
        self._responses[lease.run][task] = response
        return True

    def responses(self, run_id: str) -> Iterator[tuple[Task, Response]]:
        """Yield the responses in planned order."""
        kept = self._responses[run_id]
        yield from ((task, kept[task]) for task in self._tasks[run_id] if task in kept)

    def forget_failures(self, run_id: str) -> int:
        """Forget failed responses."""
        kept = self._responses[run_id]
        good = {task: response for task, response in kept.items() if response.failure is None}
        self._responses[run_id] = good
        return len(kept) - len(good)

    def save_scores(self, run_id: str, scores: Mapping[str, Mapping[str, Score]]) -> None:
        """Replace the run's scores."""
        self._scores[run_id] = {metric: dict(by_query) for metric, by_query in scores.items()}

    def scores(self, run_id: str) -> Mapping[str, Mapping[str, Score]]:
        """Return the run's scores."""
        return self._scores.get(run_id, {})

    def delete(self, run_id: str) -> None:
        """Forget a run, and its dataset if no other run uses it."""
        digest = self.run(run_id).dataset
        del self._runs[run_id], self._tasks[run_id], self._responses[run_id]
        self._scores.pop(run_id, None)
        if not any(run.dataset == digest for run in self._runs.values()):
            del self._datasets[digest]


def _calls(answer: Answer | Sequence[Answer]) -> list[Answer]:
    """Return the answers to one query call by call; a sequence of names is one answer."""
    if isinstance(answer, Response | BaseException):
        return [answer]
    names = [item for item in answer if isinstance(item, str)]
    return [names] if len(names) == len(answer) else [item for item in answer if not isinstance(item, str)]
