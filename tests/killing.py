"""Killing a run at a random moment, resuming it, and comparing what is left with an undisturbed one."""

from __future__ import annotations

import json
import os
import random
import signal
import sqlite3
import subprocess
import sys
import time
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

QUERIES = 60
BENCHMARK = """\
name: slow
dataset: questions.jsonl
system: {type: callable, function: "slow_search:search"}
top_k: 10
metrics: [nDCG@10, Hit@5, RR]
variants: [{name: first}, {name: second, retrieval_top_k: 30}]
concurrency: 3
"""
SEARCH = """\
import hashlib, time

def search(query, k):
    time.sleep(0.05)
    seed = int(hashlib.sha256(query.encode()).hexdigest(), 16)
    return [(f"doc{(seed >> shift) % 60}", 10.0 - shift) for shift in range(8)]
"""


@dataclass(frozen=True)
class Outcome:
    """What one kill and resume left.

    Attributes:
        stored: Responses that were stored when the process died.
        lost: Of these, how many are gone or changed after resuming.
        rows: Responses in the end.
        distinct: Different (run, query, repeat) among them.
        export: Canonical export in the end.
    """

    stored: int
    lost: int
    rows: int
    distinct: int
    export: str


def prepare(folder: Path) -> None:
    """Write questions, system and benchmark file."""
    folder.mkdir(parents=True, exist_ok=True)
    rows = [
        {"query_id": f"q{i}", "query": f"find {i}", "gold_references": [{"document": f"doc{i}", "relevance": 3}]}
        for i in range(QUERIES)
    ]
    (folder / "questions.jsonl").write_text("\n".join(map(json.dumps, rows)))
    (folder / "slow_search.py").write_text(SEARCH)
    (folder / "bench.yaml").write_text(BENCHMARK)


def command(folder: Path, *arguments: str) -> str:
    """Run the command line to its end and return its standard output."""
    done = subprocess.run(
        [sys.executable, "-m", "ragstone", *arguments], cwd=folder, capture_output=True, text=True, check=True
    )
    return done.stdout


def undisturbed(folder: Path) -> str:
    """Return the canonical export of a run that nothing disturbs."""
    command(folder, "run", "bench.yaml", "--store", "whole.db", "-q")
    return command(folder, "report", "--store", "whole.db", "--canonical")


def kill_and_resume(folder: Path, name: str, rng: random.Random) -> Outcome:
    """Start a run, kill it with SIGKILL at a random moment, resume it, and count."""
    arguments = [sys.executable, "-m", "ragstone", "run", "bench.yaml", "--store", f"{name}.db", "-q"]
    with subprocess.Popen(
        arguments, cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=dict(os.environ)
    ) as process:
        wait_until(folder / f"{name}.db", "tasks", 2 * QUERIES)
        time.sleep(rng.uniform(0, 2 * QUERIES * 0.05 / 3))
        process.send_signal(signal.SIGKILL)
    before = _responses(folder / f"{name}.db")
    command(folder, "resume", "--store", f"{name}.db", "-q")
    after = _responses(folder / f"{name}.db")
    export = command(folder, "report", "--store", f"{name}.db", "--canonical")
    kept = dict(after)
    lost = sum(kept.get(key) != content for key, content in before)
    return Outcome(len(before), lost, len(after), len(kept), export)


def wait_until(path: Path, table: str, rows: int) -> None:
    """Wait until a table of a store that another process writes has at least so many rows."""
    for _ in range(1500):
        with suppress(sqlite3.OperationalError):
            if path.exists() and _query(path, f"SELECT count(*) FROM {table}")[0][0] >= rows:  # noqa: S608 - a test's own
                return
        time.sleep(0.02)
    raise AssertionError(f"{table} had fewer than {rows} rows after 30 seconds")


def _responses(path: Path) -> list[tuple[tuple[str, str, int], str]]:
    rows = _query(path, "SELECT run, query, repeat, content FROM responses")
    return [((run, query, repeat), content) for run, query, repeat, content in rows]


def _query(path: Path, statement: str) -> list[tuple]:
    connection = sqlite3.connect(f"file:{path}?mode=ro", uri=True, timeout=10)
    try:
        return connection.execute(statement).fetchall()
    finally:
        connection.close()
