"""The page of the kernel benchmark."""

from __future__ import annotations

from collections.abc import Mapping
from importlib.metadata import version
from typing import Protocol

PEERS = ("pytrec-eval-terrier", "ir-measures", "ranx", "numpy", "polars")


class Cost(Protocol):
    wall: float | None
    cpu: float
    peak: float


def render(
    *,
    machine: str,
    cold: Mapping[str, Mapping[str, Cost]],
    warm: Mapping[str, Mapping[str, float]],
    growth: float,
    same: Mapping[str, str],
) -> str:
    """Return the page as Markdown."""
    packages = ", ".join(f"{name} {version(name)}" for name in PEERS)
    return "\n".join(
        [
            "# How fast run files are scored",
            "",
            "Written by `make bench-kernel`, which measures all tools in one go and in turn: ratios hold on a",
            "busy machine too, seconds less so.",
            "",
            f"Machine: {machine}. Packages: {packages}.",
            "",
            "Collections (queries x rows for each): S 1,000 x 100, M 10,000 x 100, L 10,000 x 1,000 and",
            "XL 1,000,000 x 20. A query has 5 to 20 judged documents; there are ties, holes and missing queries.",
            "Scored: P, R and nDCG at 5, 10 and 20, RR, AP and Hit@5, for every query.",
            "",
            "## From files, a fresh process",
            "",
            "Interpreter, imports, reading both files, scores of every query, means. Medians of 5 to 9 runs, of",
            "slower peers 3 on L; XL one run each, stopped at 300 s. *ratio* is wall time over Ragstone's. All",
            "run with `OPENBLAS_NUM_THREADS=1`: it makes no difference on an idle machine, and keeps the import",
            "of numpy, by Ragstone and by its peers, from taking twice as long on a busy one.",
            "",
            "| | tool | wall s | CPU s | peak MB | ratio |",
            "| --- | --- | ---: | ---: | ---: | ---: |",
            *(
                _cold_row(size, name, cost, costs["ragstone"])
                for size, costs in cold.items()
                for name, cost in costs.items()
            ),
            "",
            f"Twice the rows (10,000 x 500 to 10,000 x 1,000) take {growth:.2f} times as long.",
            "",
            "Two thirds of Ragstone's time on S are the start of Python and the import of numpy. Files of more",
            "than some megabytes are read on two threads, so that the processor works longer than the clock runs.",
            "",
            "## In memory",
            "",
            "Median milliseconds of 7 runs in one process. *ratio* is pytrec_eval's time over the row's.",
            "",
            "| | what | ms | ratio |",
            "| --- | --- | ---: | ---: |",
            *(
                f"| {size} | {name} | {1000 * seconds:.1f} | {times['pytrec_eval, dicts'] / seconds:.2f} |"
                for size, times in warm.items()
                for name, seconds in times.items()
            ),
            "",
            "## The same values",
            "",
            "Against pytrec_eval, every query and metric, compared as 64-bit numbers:",
            "",
            *(f"* {size}: {line}" for size, line in same.items()),
            "",
        ]
    )


def _cold_row(size: str, name: str, cost: Cost, ours: Cost) -> str:
    if cost.wall is None:
        return f"| {size} | {name} | stopped or failed | {cost.cpu:.2f} | {cost.peak:,.0f} | - |"
    ratio = f"{cost.wall / ours.wall:.2f}" if ours.wall else "-"
    return f"| {size} | {name} | {cost.wall:.3f} | {cost.cpu:.2f} | {cost.peak:,.0f} | {ratio} |"
