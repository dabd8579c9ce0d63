"""What the pytest plug-in keeps for a session: benchmarks that ran, and the store that holds them.

Apart from the plug-in, which every pytest run on a machine loads.
"""

from __future__ import annotations

from hashlib import sha256
from pathlib import Path
from shutil import rmtree
from tempfile import gettempdir, mkdtemp

import pytest
from filelock import FileLock

from ragstone.bootstrap import execute, load_benchmark, open_configured_store, store_plan
from ragstone.experiments.report import Report, build
from ragstone.experiments.runner import Unobserved
from ragstone.settings import Settings


class Session:
    """The benchmarks that ran in this session, each once, and the store that holds them."""

    def __init__(self, config: pytest.Config) -> None:
        self._folder = _Folder(config)
        given = config.getoption("--rag-store")
        store = Path(given) if given else self._folder.path / "store.db"
        self.settings = Settings.read(store=store.absolute())
        self._reports: dict[Path, Report] = {}

    def report(self, benchmark: Path) -> Report:
        """Return the report of a benchmark, which is run at the first call."""
        if benchmark not in self._reports:
            self._reports[benchmark] = self._run(benchmark)
        return self._reports[benchmark]

    def _run(self, benchmark: Path) -> Report:
        """Run a benchmark, unless another worker of pytest-xdist has done so: they take turns."""
        self.settings.store.parent.mkdir(parents=True, exist_ok=True)
        with (
            FileLock(f"{self.settings.store}.pytest.lock"),
            open_configured_store(self.settings, write=True) as store,
        ):
            ids = self._folder.ids(benchmark)
            if not ids:
                ids = [run.id for run in store_plan(store, load_benchmark(benchmark))]
                execute(store, ids, self.settings, Unobserved())
                self._folder.note(benchmark, ids)
            return build(store, [store.run(one) for one in ids])

    def close(self) -> None:
        """Remove what was kept for the session."""
        self._folder.close()


class _Folder:
    """A temporary folder of the session, shared by the workers of pytest-xdist; the last one removes it.

    It knows which runs of the session belong to a benchmark.
    """

    def __init__(self, config: pytest.Config) -> None:
        worker = getattr(config, "workerinput", None)
        if worker is None:
            self.path = Path(mkdtemp(prefix="ragstone-"))
        else:
            self.path = Path(gettempdir()) / f"ragstone-{worker['testrunuid']}"
            self.path.mkdir(mode=0o700, exist_ok=True)
        self._mark = self.path / f"{worker['workerid'] if worker else 'main'}.worker"
        self._mark.touch()

    def ids(self, benchmark: Path) -> list[str]:
        """Return the runs of a benchmark in this session; none where it has not run."""
        place = self._ids(benchmark)
        return place.read_text(encoding="utf-8").split() if place.exists() else []

    def note(self, benchmark: Path, ids: list[str]) -> None:
        """Remember the runs of a benchmark."""
        self._ids(benchmark).write_text("\n".join(ids), encoding="utf-8")

    def _ids(self, benchmark: Path) -> Path:
        return self.path / f"{sha256(str(benchmark).encode()).hexdigest()}.ids"

    def close(self) -> None:
        """Remove the folder, unless another worker is at it."""
        self._mark.unlink(missing_ok=True)
        if not any(self.path.glob("*.worker")):
            rmtree(self.path, ignore_errors=True)
