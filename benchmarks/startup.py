"""What it costs to import the package and to ask for help, in CPU seconds over a bare interpreter."""

from __future__ import annotations

import resource
import statistics
import subprocess
import sys

RUNS = 9
BUDGETS = {"import ragstone": 0.15, "ragstone --help": 0.4}
COMMANDS = {
    "python -c pass": [sys.executable, "-c", "pass"],
    "import ragstone": [sys.executable, "-c", "import ragstone"],
    "ragstone --help": [sys.executable, "-m", "ragstone", "--help"],
    "ragstone --version": [sys.executable, "-m", "ragstone", "--version"],
}


def cpu_seconds(command: list[str]) -> float:
    """Return user plus system time of one process."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def main() -> None:
    """Print the medians, interleaved runs, beside the budgets."""
    times: dict[str, list[float]] = {name: [] for name in COMMANDS}
    for _ in range(RUNS):
        for name, command in COMMANDS.items():
            times[name].append(cpu_seconds(command))
    bare = statistics.median(times["python -c pass"])
    print(f"start-up, CPU s over bare Python ({bare:.3f} s), median of {RUNS}")
    for name in list(COMMANDS)[1:]:
        over = statistics.median(times[name]) - bare
        budget = f"   budget {BUDGETS[name]:.2f}" if name in BUDGETS else ""
        print(f"  {name:<20} {over:6.3f}{budget}")


if __name__ == "__main__":
    main()
