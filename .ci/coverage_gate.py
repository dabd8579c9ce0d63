"""Hold the coverage of the core packages against its floor."""

from __future__ import annotations

import json
import sys
from collections import defaultdict
from pathlib import Path

FLOOR = 95.0
CORE = ("types", "errors", "files", "registry", "ports", "stats", "metrics", "matching", "datasets", "experiments")


def main(report: Path) -> int:
    """Print a line a package and return 1 if one of the core is below the floor."""
    covered: dict[str, list[int]] = defaultdict(lambda: [0, 0])
    for name, file in json.loads(report.read_text())["files"].items():
        package = name.partition("src/ragstone/")[2].split("/")[0].removesuffix(".py")
        totals = file["summary"]
        covered[package][0] += totals["covered_lines"] + totals["covered_branches"]
        covered[package][1] += totals["num_statements"] + totals["num_branches"]
    shares = {name: 100 * done / total for name, (done, total) in covered.items() if total}
    low = [name for name in CORE if shares.get(name, 0.0) < FLOOR]
    for name, share in sorted(shares.items()):
        sys.stdout.write(f"coverage {name:<14} {share:5.1f}%{'  below ' + str(FLOOR) if name in low else ''}\n")
    return 1 if low else 0


if __name__ == "__main__":
    raise SystemExit(main(Path(sys.argv[1])))
