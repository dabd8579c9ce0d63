"""The one place that knows settings and implementations, and joins them."""

from __future__ import annotations

import asyncio
import os
import socket
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path

from pydantic import BaseModel

from ragstone.errors import InvalidInputError, Problem, RagstoneError, UsageError
from ragstone.experiments.configuration import Configuration
from ragstone.experiments.load import Plan, benchmark_model, load_plan
from ragstone.experiments.runner import Observer, Runner
from ragstone.ports import Store, System
from ragstone.settings import Settings
from ragstone.store import open_store
from ragstone.systems import SYSTEMS, Progress, Surroundings, silent
from ragstone.types import JSON, Run


class SystemClock:
    """The time of this machine."""

    def now(self) -> str:
        """Return the UTC time in ISO 8601."""
        return datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")

    def monotonic(self) -> float:
        """Return `time.perf_counter`."""
        return time.perf_counter()

    async def sleep(self, seconds: float) -> None:
        """Wait."""
        await asyncio.sleep(seconds)


def system_options() -> dict[str, type[BaseModel]]:
    """Return the options model of every known system type."""
    return {name: kind.options for name, kind in SYSTEMS.items()}


def json_schema() -> dict[str, JSON]:
    """Return the JSON Schema of benchmark files, for editors."""
    schema = benchmark_model(system_options()).model_json_schema()
    properties = {"extends": {"type": "string", "description": "A file that this one is merged over."}}
    schema["properties"] = {**properties, **schema["properties"]}
    # A file that extends another need not repeat what is required.
    schema.pop("required", None)
    return {"$schema": "http://json-schema.org/draft-07/schema#", **schema}


def load_benchmark(path: Path) -> Plan:
    """Read a benchmark file and check everything that can be checked before it runs.

    Raises:
        InvalidInputError: Listing all that is wrong.
    """
    plan = load_plan(path, system_options())
    problems = []
    for spec in plan.specs:
        kind = SYSTEMS[str(spec.system["type"])]
        try:
            kind.check(kind.options.model_validate(spec.system), Configuration.model_validate(spec.config))
        except UsageError as error:
            problems.append(Problem(f"run {spec.name!r}: {error}", str(path)))
    if problems:
        raise InvalidInputError(problems)
    return plan


def store_plan(store: Store, plan: Plan) -> tuple[Run, ...]:
    """Write the planned runs, with the folder against which their relative paths are read."""
    base = str(plan.source.parent.resolve())
    return store.plan(plan.content, plan.dataset, plan.specs, created_at=SystemClock().now(), base=base)


def open_system(run: Run, settings: Settings, progress: Progress) -> System:
    """Open the system under test of a run, ready for its first search."""
    kind = SYSTEMS[str(run.spec.system["type"])]
    surroundings = Surroundings(base=Path(run.base), cache=settings.cache, progress=progress)
    return kind.open(
        kind.options.model_validate(run.spec.system), Configuration.model_validate(run.spec.config), surroundings
    )


def execute(
    store: Store, run_ids: Sequence[str], settings: Settings, observer: Observer, progress: Progress = silent
) -> None:
    """Execute runs in this process, one after another.

    Raises:
        KeyboardInterrupt: The user stopped it; unfinished runs are left interrupted.
    """
    stopped = threading.Event()

    def stoppable(label: str, done: int, total: int) -> None:
        if stopped.is_set():
            raise RagstoneError(f"stopped at {done} of {total} while {label}")
        progress(label, done, total)

    async def opened(run: Run) -> System:
        try:
            return await asyncio.to_thread(open_system, run, settings, stoppable)
        except asyncio.CancelledError:
            stopped.set()
            raise

    owner = f"{socket.gethostname()}:{os.getpid()}"
    runner = Runner(store, opened, SystemClock(), observer, owner)
    asyncio.run(runner.run(run_ids))


@contextmanager
def open_configured_store(settings: Settings, *, write: bool = False) -> Iterator[Store]:
    """Open the store that the settings name."""
    with open_store(settings.store, write=write) as store:
        yield store
