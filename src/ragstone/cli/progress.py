"""Progress of runs: a bar on a terminal, a line now and then when piped."""

from __future__ import annotations

import sys
import time
from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Self

from ragstone.cli.output import say
from ragstone.experiments.runner import Unobserved

if TYPE_CHECKING:
    from rich.progress import TaskID

    from ragstone.types import Response, Run, Task

SECONDS_BETWEEN_LINES = 10.0
STEPS = 20


class Silence(Unobserved):
    """No progress at all; also what the others build on."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *raised: object) -> None:
        """Nothing to close."""

    def prepare(self, label: str, done: int, total: int) -> None:
        """Something is prepared before a run."""


class _Counting(Silence, ABC):
    """Counts what is done and what failed, and shows both with rate and time left."""

    def __init__(self) -> None:
        self._done = self._failed = 0
        self._start = 0.0

    def prepare(self, label: str, done: int, total: int) -> None:
        self.show(label, done, total, "")

    def run_started(self, run: Run) -> None:
        self._done, self._failed, self._start = 0, run.failed, time.monotonic()
        self.show(run.spec.name, run.done, run.total, "starts")

    def task_done(self, run: Run, task: Task, response: Response) -> None:  # noqa: ARG002 - the port
        self._done += 1
        self._failed += response.failure is not None
        rate = self._done / max(time.monotonic() - self._start, 1e-9)
        left = (run.total - run.done - self._done) / rate
        errors = f"{self._failed} failed" if self._failed else "no errors"
        self.show(run.spec.name, run.done + self._done, run.total, f"{rate:.1f}/s, {errors}, {left:.0f} s left")

    @abstractmethod
    def show(self, label: str, done: int, total: int, note: str) -> None:
        """Show how far something is."""


class Bars(_Counting):
    """A bar a run, for a terminal."""

    def __init__(self) -> None:
        super().__init__()
        from rich.console import Console
        from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn

        columns = (
            TextColumn("{task.description}"),
            BarColumn(),
            MofNCompleteColumn(),
            TextColumn("{task.fields[note]}"),
        )
        self._bars = Progress(*columns, console=Console(stderr=True))
        self._tasks: dict[str, TaskID] = {}

    def __enter__(self) -> Self:
        self._bars.start()
        return self

    def __exit__(self, *raised: object) -> None:
        self._bars.stop()

    def show(self, label: str, done: int, total: int, note: str) -> None:
        """Move the bar, or add it."""
        if label not in self._tasks:
            self._tasks[label] = self._bars.add_task(label, total=total, note=note)
        self._bars.update(self._tasks[label], completed=done, note=note)


class Lines(_Counting):
    """A line every 5% or 10 seconds, for logs and pipes."""

    def __init__(self) -> None:
        super().__init__()
        self._last: dict[str, tuple[int, float]] = {}

    def run_finished(self, run: Run) -> None:
        """Say how the run ended."""
        say(f"{run.spec.name}: {run.state}, {run.done} of {run.total} done, {run.failed} failed")

    def show(self, label: str, done: int, total: int, note: str) -> None:
        """Say it, if enough has happened since the last line."""
        now, reached = time.monotonic(), STEPS * done // max(total, 1)
        step, when = self._last.get(label, (-1, 0.0))
        if done < total and (reached > step or now - when > SECONDS_BETWEEN_LINES):
            self._last[label] = (reached, now)
            say(f"{label}: {done} of {total}" + (f", {note}" if note else ""))


def progress(*, quiet: bool) -> Silence:
    """Return what fits: silence when asked for, bars on a terminal, lines elsewhere."""
    if quiet:
        return Silence()
    return Bars() if sys.stderr.isatty() else Lines()
