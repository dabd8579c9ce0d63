"""The store on a SQL database."""

from __future__ import annotations

import re
import secrets
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from sqlalchemy import Connection, Engine, Row, Select, delete, exists, func, insert, select, update
from sqlalchemy.exc import SQLAlchemyError

from ragstone.errors import StaleLeaseError, StoreError, UnknownNameError
from ragstone.store import tables
from ragstone.store.content import (
    dump_dataset,
    dump_object,
    dump_passage,
    dump_response,
    dump_spec,
    dump_validity,
    load_dataset,
    load_object,
    load_passage,
    load_response,
    load_spec,
    load_validity,
)
from ragstone.types import JSON, Dataset, Hit, Lease, Response, Run, RunSpec, RunState, Score, Task, Validity

SHARD_SIZE = 100


class SqlStore:
    """Implements the port `Store`; every method is one transaction.

    Args:
        engine: Connected to a database whose tables exist.
    """

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    @contextmanager
    def _transaction(self) -> Iterator[Connection]:
        try:
            with self._engine.begin() as connection:
                yield connection
        except SQLAlchemyError as error:
            cause = getattr(error, "orig", None) or error
            raise StoreError(f"the store {self._engine.url.database!r} failed: {cause}") from error

    def close(self) -> None:
        """Close all connections."""
        self._engine.dispose()

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
        """Write runs, shards and tasks in one transaction."""
        batch = _new_id(str(benchmark["name"]))
        runs = [
            Run(
                id=_new_id(spec.name),
                batch=batch,
                spec=spec,
                benchmark=benchmark,
                dataset=dataset.digest,
                state="pending",
                base=base,
                validity=validity,
                created_at=created_at,
                total=len(dataset.queries) * spec.repeats,
            )
            for spec in specs
        ]
        with self._transaction() as connection:
            if not connection.scalar(select(exists().where(tables.datasets.c.digest == dataset.digest))):
                content = {"digest": dataset.digest, "content": dump_dataset(dataset)}
                connection.execute(insert(tables.datasets), content)
            connection.execute(insert(tables.runs), [_run_row(run) for run in runs])
            for run in runs:
                _insert_tasks(connection, run, dataset)
        return tuple(runs)

    def runs(self) -> tuple[Run, ...]:
        """Return all runs, oldest first."""
        with self._transaction() as connection:
            return tuple(_read_run(row) for row in connection.execute(_select_runs()))

    def run(self, run_id: str) -> Run:
        """Return one run."""
        with self._transaction() as connection:
            row = connection.execute(_select_runs().where(tables.runs.c.id == run_id)).first()
            if row is None:
                raise UnknownNameError("run", run_id, connection.scalars(select(tables.runs.c.id)).all())
            return _read_run(row)

    def dataset(self, digest: str) -> Dataset:
        """Return a dataset."""
        with self._transaction() as connection:
            query = select(tables.datasets.c.content).where(tables.datasets.c.digest == digest)
            content = connection.scalar(query)
            if content is None:
                raise UnknownNameError(
                    "dataset", digest, connection.scalars(select(tables.datasets.c.digest)).all()
                )
        return load_dataset(content)

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
        first = func.coalesce(tables.runs.c.started_at, at)
        stamp = {"started_at": first, "finished_at": None} if to == "running" else {"finished_at": at}
        change = (
            update(tables.runs)
            .where(tables.runs.c.id == run_id, tables.runs.c.state.in_(tuple(frm)))
            .values(state=to, error=error, unreachable=unreachable, **stamp)
        )
        with self._transaction() as connection:
            return connection.execute(change).rowcount == 1

    def describe(self, run_id: str, system: Mapping[str, JSON], validity: Validity | None = None) -> None:
        """Keep what the system said of itself and of its corpus."""
        told = {
            "system": dump_object(system),
            **({} if validity is None else {"validity": dump_validity(validity)}),
        }
        change = update(tables.runs).where(tables.runs.c.id == run_id).values(told)
        with self._transaction() as connection:
            connection.execute(change)

    def claim(self, run_id: str, owner: str) -> Lease | None:
        """Take the first shard with work left, under a new epoch.

        A shard that another owner holds is taken over: on a database with one writer, holding the writer's lock
        proves that the other is gone.
        """
        shards = tables.shards
        with self._transaction() as connection:
            open_shards = select(shards).where(shards.c.run == run_id, ~shards.c.done).order_by(shards.c.number)
            for shard in connection.execute(open_shards):
                here = (shards.c.run == run_id) & (shards.c.number == shard.number)
                if not connection.execute(_missing(run_id, shard.number).limit(1)).first():
                    connection.execute(update(shards).where(here).values(done=True))
                    continue
                epoch = shard.epoch + 1
                connection.execute(update(shards).where(here).values(epoch=epoch, owner=owner))
                return Lease(run=run_id, shard=shard.number, epoch=epoch, owner=owner)
        return None

    def missing(self, lease: Lease) -> tuple[Task, ...]:
        """Return the shard's tasks without a response."""
        with self._transaction() as connection:
            rows = connection.execute(_missing(lease.run, lease.shard))
            return tuple(Task(row.query, row.repeat) for row in rows)

    def record(self, lease: Lease, task: Task, response: Response) -> bool:
        """Store a response, unless the lease is stale or the task has one."""
        shards, kept = tables.shards, tables.responses
        row = {
            "run": lease.run,
            "query": task.query,
            "repeat": task.repeat,
            "epoch": lease.epoch,
            "failure": response.failure.kind if response.failure else None,
            "content": dump_response(response),
        }
        with self._transaction() as connection:
            here = (shards.c.run == lease.run) & (shards.c.number == lease.shard)
            epoch = connection.scalar(select(shards.c.epoch).where(here))
            if epoch != lease.epoch:
                raise StaleLeaseError(f"{lease.owner} lost shard {lease.shard} of {lease.run}: epoch is {epoch}")
            there = (kept.c.run == lease.run) & (kept.c.query == task.query) & (kept.c.repeat == task.repeat)
            if connection.scalar(select(exists().where(there))):
                return False
            connection.execute(insert(kept), row)
            _keep_passages(connection, lease.run, response.candidates)
            return True

    def responses(self, run_id: str) -> Iterator[tuple[Task, Response]]:
        """Yield the stored responses in planned order."""
        kept, tasks = tables.responses, tables.tasks
        same = (kept.c.run == tasks.c.run) & (kept.c.query == tasks.c.query) & (kept.c.repeat == tasks.c.repeat)
        query = (
            select(kept.c.query, kept.c.repeat, kept.c.content)
            .join(tasks, same)
            .where(kept.c.run == run_id)
            .order_by(tasks.c.position)
        )
        own = select(tables.passages.c.id, tables.passages.c.content).where(tables.passages.c.run == run_id)
        with self._transaction() as connection:
            passages = {row.id: load_passage(row.content) for row in connection.execute(own)}
            for row in connection.execute(query):
                yield Task(row.query, row.repeat), load_response(row.content, passages)

    def forget_failures(self, run_id: str) -> int:
        """Delete the rows of failed queries and open their shards again."""
        kept, shards = tables.responses, tables.shards
        with self._transaction() as connection:
            failed = (kept.c.run == run_id) & kept.c.failure.is_not(None)
            count = connection.execute(delete(kept).where(failed)).rowcount
            connection.execute(update(shards).where(shards.c.run == run_id).values(done=False))
            return count

    def save_scores(self, run_id: str, scores: Mapping[str, Mapping[str, Score]]) -> None:
        """Replace the run's scores."""
        rows = [
            {"run": run_id, "metric": metric, "query": query, "value": score.value, "reason": score.reason}
            for metric, by_query in scores.items()
            for query, score in by_query.items()
        ]
        with self._transaction() as connection:
            connection.execute(delete(tables.scores).where(tables.scores.c.run == run_id))
            if rows:
                connection.execute(insert(tables.scores), rows)

    def scores(self, run_id: str) -> Mapping[str, Mapping[str, Score]]:
        """Return the run's scores by metric and query."""
        found: dict[str, dict[str, Score]] = {}
        with self._transaction() as connection:
            for row in connection.execute(select(tables.scores).where(tables.scores.c.run == run_id)):
                found.setdefault(row.metric, {})[row.query] = Score(row.value, row.reason)
        return found

    def delete(self, run_id: str) -> None:
        """Delete a run, and its dataset if no other run uses it."""
        run = self.run(run_id)
        with self._transaction() as connection:
            for table in (tables.scores, tables.passages, tables.responses, tables.tasks, tables.shards):
                connection.execute(delete(table).where(table.c.run == run_id))
            connection.execute(delete(tables.runs).where(tables.runs.c.id == run_id))
            used = select(exists().where(tables.runs.c.dataset == run.dataset))
            if not connection.scalar(used):
                connection.execute(delete(tables.datasets).where(tables.datasets.c.digest == run.dataset))


def _new_id(name: str) -> str:
    slug = re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-")[:40].rstrip("-") or "run"
    return f"{slug}-{secrets.token_hex(3)}"


def _run_row(run: Run) -> dict[str, Any]:
    return {
        "id": run.id,
        "batch": run.batch,
        "state": run.state,
        "spec": dump_spec(run.spec),
        "benchmark": dump_object(run.benchmark),
        "dataset": run.dataset,
        "base": run.base,
        "system": dump_object(run.system),
        "validity": None if run.validity is None else dump_validity(run.validity),
        "total": run.total,
        "unreachable": run.unreachable,
        "created_at": run.created_at,
    }


def _insert_tasks(connection: Connection, run: Run, dataset: Dataset) -> None:
    keys = [(query.id, repeat) for query in dataset.queries for repeat in range(run.spec.repeats)]
    rows = [
        {"run": run.id, "query": query, "repeat": repeat, "shard": position // SHARD_SIZE, "position": position}
        for position, (query, repeat) in enumerate(keys)
    ]
    numbers = range(len(rows) // SHARD_SIZE + bool(len(rows) % SHARD_SIZE))
    shards = [{"run": run.id, "number": number, "epoch": 0, "done": False} for number in numbers]
    connection.execute(insert(tables.shards), shards)
    connection.execute(insert(tables.tasks), rows)


def _keep_passages(connection: Connection, run_id: str, candidates: Sequence[Hit]) -> None:
    """Keep the passages that the run does not have yet."""
    table = tables.passages
    names = [passage.id for passage in candidates]
    known = set(connection.scalars(select(table.c.id).where(table.c.run == run_id, table.c.id.in_(names))))
    new = {passage.id: dump_passage(passage) for passage in candidates if passage.id not in known}
    if new:
        rows = [{"run": run_id, "id": name, "content": content} for name, content in new.items()]
        connection.execute(insert(table), rows)


def _missing(run_id: str, shard: int) -> Select[tuple[str, int]]:
    tasks, kept = tables.tasks, tables.responses
    same = (kept.c.run == tasks.c.run) & (kept.c.query == tasks.c.query) & (kept.c.repeat == tasks.c.repeat)
    return (
        select(tasks.c.query, tasks.c.repeat)
        .where(tasks.c.run == run_id, tasks.c.shard == shard, ~exists().where(same))
        .order_by(tasks.c.position)
    )


def _select_runs() -> Select[Any]:
    kept = tables.responses
    own = kept.c.run == tables.runs.c.id
    done = select(func.count()).where(own).scalar_subquery().label("done")
    failed = select(func.count()).where(own, kept.c.failure.is_not(None)).scalar_subquery().label("failed")
    return select(tables.runs, done, failed).order_by(tables.runs.c.number)


def _read_run(row: Row[Any]) -> Run:
    return Run(
        id=row.id,
        batch=row.batch,
        spec=load_spec(row.spec),
        benchmark=load_object(row.benchmark),
        dataset=row.dataset,
        state=row.state,
        base=row.base,
        system=load_object(row.system),
        validity=None if row.validity is None else load_validity(row.validity),
        created_at=row.created_at,
        total=row.total,
        done=row.done,
        failed=row.failed,
        started_at=row.started_at,
        finished_at=row.finished_at,
        error=row.error,
        unreachable=row.unreachable,
    )
