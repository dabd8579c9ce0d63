"""Scoring of run files beside the peers, cold and warm: `make bench-kernel`.

Writes docs/explanation/performance.md. Runs are interleaved, so that other work on the machine slows all alike.
"""

from __future__ import annotations

import json
import os
import platform
import statistics
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

from benchmarks.kernel_data import SIZES, Size, write
from benchmarks.kernel_peers import commands
from benchmarks.kernel_report import render

LIMIT = 300
PAGE = Path("docs/explanation/performance.md")
RUNS = {"S": 9, "M": 7, "L": 5, "XL": 1}
SLOW_RUNS = {"S": 5, "M": 5, "L": 3, "XL": 1}
SLOW = ("ir_measures", "ranx")
# Where PYTHONDONTWRITEBYTECODE is set, our modules are compiled at every start, which no user has. BLAS, which
# scoring does without, starts a thread that spins when numpy is imported, whoever imports it: that costs nothing
# on an idle machine, and doubles the time of the import where another process wants the second core.
ENVIRONMENT = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
ENVIRONMENT["OPENBLAS_NUM_THREADS"] = "1"


@dataclass(frozen=True)
class Cost:
    """Wall seconds, processor seconds and peak megabytes of one process; wall is None where it was stopped."""

    wall: float | None
    cpu: float
    peak: float


def measure(command: list[str]) -> Cost:
    """Run a command to its end, or stop it after `LIMIT` seconds."""
    start = time.perf_counter()
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=ENVIRONMENT)
    while True:
        done, status, usage = os.wait4(process.pid, os.WNOHANG)
        wall = time.perf_counter() - start
        if done:
            break
        if wall > LIMIT:
            process.kill()
        # Short processes are watched closely, so that the watching does not count.
        time.sleep(min(0.05, wall / 200))
    process.returncode = status
    failed = wall > LIMIT or status != 0
    return Cost(None if failed else wall, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024)


def cold(size: Size) -> dict[str, Cost]:
    """Return the median cost of each tool on a collection, the tools in turn."""
    found: dict[str, list[Cost]] = {}
    for number in range(RUNS[size.name]):
        for name, command in commands(str(size.qrels), str(size.run)).items():
            if name in SLOW and number >= SLOW_RUNS[size.name]:
                continue
            found.setdefault(name, []).append(measure(command))
            print(f"{size.name} {name} {found[name][-1]}", file=sys.stderr)
    return {name: _median(costs) for name, costs in found.items()}


def _median(costs: list[Cost]) -> Cost:
    walls = [cost.wall for cost in costs if cost.wall is not None]
    return Cost(
        statistics.median(walls) if len(walls) == len(costs) else None,
        statistics.median(cost.cpu for cost in costs),
        statistics.median(cost.peak for cost in costs),
    )


def growth() -> float:
    """Return how much longer twice the rows take: the files L and half, in turn."""
    times: dict[str, list[float]] = {"half": [], "L": []}
    for _ in range(RUNS["L"]):
        for name, found in times.items():
            command = commands(str(SIZES[name].qrels), str(SIZES[name].run))["ragstone"]
            found.append(measure(command).wall or float("nan"))
    return statistics.median(times["L"]) / statistics.median(times["half"])


def module(name: str, size: str) -> str:
    """Return what a module of the benchmarks prints in a process of its own."""
    done = subprocess.run(
        [sys.executable, "-m", f"benchmarks.{name}", size], capture_output=True, text=True, check=True
    )
    return done.stdout.strip()


def main() -> None:
    """Measure everything, print the page and write it."""
    for size in SIZES.values():
        write(size)
    for command in commands(str(SIZES["S"].qrels), str(SIZES["S"].run)).values():
        measure(command)  # Python and numba compile once and keep it
    page = render(
        machine=f"{os.cpu_count()} cores, {platform.machine()}, Python {platform.python_version()}",
        cold={name: cold(SIZES[name]) for name in RUNS},
        warm={name: json.loads(module("kernel_warm", name)) for name in ("S", "M", "L")},
        growth=growth(),
        same={name: module("kernel_same", name) for name in ("S", "M", "L")},
    )
    print(page)
    PAGE.write_text(page, encoding="utf-8")


if __name__ == "__main__":
    main()
