"""Importing and asking for help load nothing heavy."""

from __future__ import annotations

import subprocess
import sys

import pytest

import ragstone

HEAVY = ("numpy", "pydantic", "sqlalchemy", "yaml", "rich.progress", "jinja2", "scipy", "onnxruntime",
         "tokenizers", "bm25s", "pypdf", "bs4", "tenacity", "platformdirs", "filelock")  # fmt: skip


def loaded(code: str) -> set[str]:
    """Return the modules that a fresh process has loaded after running some code."""
    script = f"import sys\n{code}\nprint('\\n'.join(sys.modules), file=sys.stderr)"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    return set(done.stderr.split())


def test_import_loads_nothing_but_itself():
    """`import ragstone` brings no other module of the package and no library."""
    modules = loaded("import ragstone")
    assert not modules.intersection(HEAVY)
    assert {name for name in modules if name.startswith("ragstone")} == {"ragstone"}
    assert not modules.intersection({"typer", "asyncio", "logging"})


def test_help_loads_no_library_but_the_command_line():
    """`ragstone --help` stays light because commands import what they need when they run."""
    code = "from ragstone.cli.main import app\ntry:\n    app(['--help'])\nexcept SystemExit:\n    pass"
    assert not loaded(code).intersection(HEAVY)


def test_scoring_files_loads_little(tmp_path):
    """Half of the time for a small file is start-up, so what only messages and summaries need stays away."""
    (tmp_path / "qrels").write_text("q 0 a 1\n", encoding="utf-8")
    (tmp_path / "run").write_text("q Q0 a 1 1.0 t\n", encoding="utf-8")
    code = f"import ragstone\nragstone.score({str(tmp_path / 'qrels')!r}, {str(tmp_path / 'run')!r}, ['nDCG@5'])"
    # What a bare process has loaded already, such as a tool that measures coverage, is not ours.
    modules = loaded(code) - loaded("")
    assert "numpy" in modules
    assert not modules.intersection({"logging", "difflib", "statistics", "pathlib", "concurrent.futures"})
    assert not modules.intersection({"ragstone.types", "ragstone.files", "ragstone.stats.intervals"})


@pytest.mark.parametrize("name", ragstone.__all__)
def test_every_public_name_resolves(name):
    """The curated names exist, and each has a docstring."""
    assert getattr(ragstone, name).__doc__


def test_the_public_face():
    """Names are sorted, listed by dir, and anything else is an AttributeError."""
    assert list(ragstone.__all__) == sorted(ragstone.__all__)
    assert set(ragstone.__all__) <= set(dir(ragstone))
    assert ragstone.__version__ == "0.1.0"
    with pytest.raises(AttributeError, match="no attribute 'nope'"):
        _ = ragstone.nope
