"""Running what is planned. The store is the queue: what has no response is still to be done, and nothing else."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Protocol

from ragstone.errors import RagstoneError, UnreachableError, UsageError
from ragstone.experiments.ask import Manners, ask
from ragstone.experiments.results import score_run
from ragstone.experiments.stored import StoredBenchmark
from ragstone.experiments.validity import refuse_strangers
from ragstone.matching.validity import check_golds
from ragstone.ports import Clock, Store, System
from ragstone.types import JSON, Dataset, Lease, Response, Run, RunState, Task, Validity

OpenSystem = Callable[[Run], Awaitable[System]]


class Observer(Protocol):
    """Is told what happens, for progress."""

    def run_started(self, run: Run) -> None:
        """A run begins or goes on; `run.done` of `run.total` tasks are done already."""
        ...

    def task_done(self, run: Run, task: Task, response: Response) -> None:
        """A response is stored."""
        ...

    def run_finished(self, run: Run) -> None:
        """A run has reached its end, whichever."""
        ...


class Unobserved:
    """An `Observer` that looks away."""

    def run_started(self, run: Run) -> None:
        """Say nothing."""

    def task_done(self, run: Run, task: Task, response: Response) -> None:
        """Say nothing."""

    def run_finished(self, run: Run) -> None:
        """Say nothing."""


class _FailRunError(RagstoneError):
    """A query failed and the benchmark says that this ends the run."""


@dataclass(frozen=True, slots=True)
class Runner:
    """Executes runs one after another, resuming where there is something to resume.

    Attributes:
        open_system: Opens the system under test for a run, ready for its first search.
        owner: Names this process in leases.
    """

    store: Store
    open_system: OpenSystem
    clock: Clock
    observer: Observer
    owner: str

    async def run(self, run_ids: Iterable[str]) -> None:
        """Execute the runs in order; completed, failed and cancelled ones are left alone."""
        for run_id in run_ids:
            if self.store.move(run_id, ("pending", "interrupted"), "running", at=self.clock.now()):
                await self._execute(self.store.run(run_id))

    async def _execute(self, run: Run) -> None:
        try:
            await self._ask_all(run)
        except RagstoneError as error:
            self._end(run, error)
        except BaseException:
            self.store.move(run.id, ("running",), "interrupted", at=self.clock.now())
            raise
        else:
            self._end(run)

    async def _ask_all(self, run: Run) -> None:
        system = await self.open_system(run)
        try:
            _refuse_another_system(run, system.describe())
            dataset = self.store.dataset(run.dataset)
            self.store.describe(run.id, system.describe(), _validity(run, dataset, system))
            self.observer.run_started(run)
            queries = {query.id: query.text for query in dataset.queries}
            while lease := self.store.claim(run.id, self.owner):
                await self.execute_shard(run, lease, system, queries)
        finally:
            await system.close()

    async def execute_shard(self, run: Run, lease: Lease, system: System, queries: Mapping[str, str]) -> None:
        """Ask what the shard still lacks and store every response at once. The only place that does work."""
        benchmark = StoredBenchmark.of(run)
        manners = Manners(benchmark.configuration.top_k, benchmark.timeout_seconds, benchmark.retry)
        places = asyncio.Semaphore(benchmark.concurrency)

        async def work(task: Task) -> None:
            async with places:
                response = await ask(system, queries[task.query], manners, self.clock)
            if self.store.record(lease, task, response):
                self.observer.task_done(run, task, response)
            if response.failure and benchmark.on_error == "fail_run":
                raise _FailRunError(f"query {task.query!r} failed: {response.failure.message}")

        try:
            async with asyncio.TaskGroup() as group:
                for task in self.store.missing(lease):
                    group.create_task(work(task))
        except* RagstoneError as errors:
            raise errors.exceptions[0] from None

    def _end(self, run: Run, error: RagstoneError | None = None) -> None:
        self.store.save_scores(run.id, score_run(self.store, run))
        state: RunState = "completed" if error is None else "failed"
        why = None if error is None else str(error)
        unreachable = isinstance(error, UnreachableError)
        self.store.move(run.id, ("running",), state, at=self.clock.now(), error=why, unreachable=unreachable)
        self.observer.run_finished(self.store.run(run.id))


def _validity(run: Run, dataset: Dataset, system: System) -> Validity | None:
    """Hold the golds against the system's corpus, where it is known, before anything is asked."""
    passages = system.passages()
    if passages is None or (run.validity is not None and run.validity.source == "catalogue"):
        return None
    found = check_golds(dataset, passages, StoredBenchmark.of(run).matching)
    refuse_strangers(dataset, found)
    return found


def _refuse_another_system(run: Run, told: Mapping[str, JSON]) -> None:
    """Refuse to mix answers of two systems in one run: the numbers would be of neither."""
    if not run.done or not run.system:
        return
    changed = sorted(key for key in {*run.system, *told} if run.system.get(key) != told.get(key))
    if changed:
        raise UsageError(
            f"the system under test has changed since {run.done} answers of this run were stored "
            f"({', '.join(changed)}); start a new run with `ragstone run`, or restore what was measured"
        )


def reopen_failed(store: Store, run: Run, clock: Clock) -> int:
    """Open a run again for what failed in it, be it searches or the run as a whole.

    Failed responses are forgotten, so that `Runner.run` asks them again; returns how many there were.
    """
    # The state comes first: a process killed in between leaves a run that resumes, not one that looks complete.
    if run.failed or run.state == "failed":
        store.move(run.id, ("completed", "failed"), "interrupted", at=clock.now())
    return store.forget_failures(run.id)
