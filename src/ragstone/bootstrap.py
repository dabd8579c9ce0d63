"""The one place that knows settings and implementations, and joins them."""

from __future__ import annotations

import asyncio
import os
import signal
import socket
import sys
import threading
import time
from collections.abc import Callable, Coroutine, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from pydantic import AliasChoices, BaseModel

from ragstone.errors import InvalidInputError, Problem, RagstoneError, UsageError
from ragstone.experiments.benchmark import Benchmark, Matching
from ragstone.experiments.configuration import Configuration
from ragstone.experiments.extends import FLAT_KEYS
from ragstone.experiments.load import Plan, benchmark_model, check_metrics, load_plan, validate
from ragstone.experiments.matrix import expand
from ragstone.experiments.report import Report, build
from ragstone.experiments.runner import Observer, Runner, Unobserved
from ragstone.files import YamlFile
from ragstone.ports import Store, System
from ragstone.settings import Settings
from ragstone.store.open import open_store
from ragstone.systems import SYSTEMS, Progress, Surroundings, silent
from ragstone.systems.callable import CallableSystem
from ragstone.types import JSON, Dataset, Run


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
    extends = {"type": "string", "description": "A file that this one is merged over."}
    flat = {key: {"description": f"Another way to say {'.'.join(map(str, to))}."} for key, to in FLAT_KEYS.items()}
    schema["properties"] = {"extends": extends, **flat, **_with_aliases(Benchmark, schema["properties"])}
    matching = schema["$defs"]["Matching"]
    matching["properties"] = _with_aliases(Matching, matching["properties"])
    # A file that extends another need not repeat what is required.
    schema.pop("required", None)
    return {"$schema": "http://json-schema.org/draft-07/schema#", **schema}


def _with_aliases(model: type[BaseModel], properties: dict[str, Any]) -> dict[str, Any]:
    """Return the properties with one for each other spelling of a key."""
    spelled = dict(properties)
    for field in model.model_fields.values():
        if isinstance(field.validation_alias, AliasChoices):
            first, *others = map(str, field.validation_alias.choices)
            spelled |= {
                other: {**properties[first], "description": f"Another name of {first}."} for other in others
            }
    return spelled


def load_benchmark(path: Path) -> Plan:
    """Read a benchmark file and check everything that can be checked before it runs.

    Raises:
        InvalidInputError: Listing all that is wrong.
    """
    plan = load_plan(path, system_options())
    faults: dict[str, list[str]] = {}
    for spec in plan.specs:
        kind = SYSTEMS[str(spec.system["type"])]
        try:
            options, wanted = kind.options.model_validate(spec.system), Configuration.model_validate(spec.config)
            kind.check(options, wanted, path.parent)
        except UsageError as error:
            faults.setdefault(str(error), []).append(spec.name)
    if faults:
        raise InvalidInputError(
            [Problem(f"{_runs(names)}: {fault}", str(path)) for fault, names in faults.items()]
        )
    return plan


def _runs(names: Sequence[str]) -> str:
    more = f" and {len(names) - 1} more" if len(names) > 1 else ""
    return f"run {names[0]!r}{more}"


def store_plan(store: Store, plan: Plan) -> tuple[Run, ...]:
    """Write the planned runs, with the folder against which their relative paths are read."""
    base = str(plan.source.parent.resolve())
    now = SystemClock().now()
    return store.plan(plan.content, plan.dataset, plan.specs, created_at=now, base=base, validity=plan.validity)


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
    try:
        asyncio.run(_until_terminated(runner.run(run_ids)))
    except asyncio.CancelledError:
        raise KeyboardInterrupt from None


@contextmanager
def open_configured_store(settings: Settings, *, write: bool = False, create: bool = True) -> Iterator[Store]:
    """Open the store that the settings name."""
    with open_store(settings.store, write=write, create=create) as store:
        yield store


def evaluate(
    search: Callable[..., object],
    dataset: Dataset,
    metrics: Sequence[str] | None = None,
    *,
    k: int = 20,
    name: str | None = None,
    progress: Observer | None = None,
    **settings: object,
) -> Report:
    """Measure a function on a dataset, in this process and without files.

    Args:
        search: Called as ``search(query, k)``, sync or async; returns hits in any shape that the callable system
            reads: ids, ``(id, score)`` pairs, mappings, `Hit` objects or a `Response`.
        dataset: The questions, from `load_dataset`.
        metrics: Metric names; by default Hit, P, R and nDCG at 5, 10 and 20 (up to `k`), RR and AP.
        k: Hits asked for.
        name: What the run is called; by default the function's name.
        progress: Is told what happens.
        **settings: Further keys of a benchmark file, such as `repeats`, `on_error`, `thresholds` or `matching`.

    Returns:
        The report; ``report.runs[0].summaries["nDCG@10"]`` has a value with n, missing and interval.

    Raises:
        InvalidInputError: A metric or setting is wrong, or `k` is below the largest cutoff.
    """
    name = name or str(getattr(search, "__name__", "search"))
    if taken := settings.keys() & {"system", "dataset", "top_k", "matrix", "variants"}:
        raise UsageError(f"evaluate measures one function as it is; leave out {', '.join(sorted(taken))}")
    content: dict[str, Any] = {"name": name, "dataset": ["-"], "top_k": k, **settings}
    content["system"] = {"type": "callable", "function": "in:memory"}
    if metrics is not None:
        content["metrics"] = list(metrics)
    document = YamlFile("evaluate", content)
    benchmark = validate(document, system_options())
    specs, problems = expand(benchmark, document)
    if problems := [*problems, *check_metrics(benchmark, document)]:
        raise InvalidInputError(problems)
    clock, system = SystemClock(), CallableSystem(search, name)

    async def opened(_: Run) -> System:
        return system

    with TemporaryDirectory() as folder, open_store(Path(folder) / "store.db", write=True) as store:
        runs = store.plan(content, dataset, specs, created_at=clock.now())
        runner = Runner(store, opened, clock, progress or Unobserved(), "evaluate")
        _run_anywhere(runner.run([run.id for run in runs]))
        return build(store, [store.run(run.id) for run in runs])


async def _until_terminated(work: Coroutine[object, object, None]) -> None:
    """Do the work; a terminated process ends like one interrupted from the keyboard, resumable."""
    loop, task = asyncio.get_running_loop(), asyncio.current_task()
    if task is not None and sys.platform != "win32" and threading.current_thread() is threading.main_thread():
        loop.add_signal_handler(signal.SIGTERM, task.cancel)
    await work


def _run_anywhere(work: Coroutine[object, object, None]) -> None:
    """Run a coroutine to its end, also where a loop is running already, as in a notebook."""
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        asyncio.run(work)
    else:
        with ThreadPoolExecutor(1) as pool:
            pool.submit(asyncio.run, work).result()
