"""Optional packages, imported where they are used."""

from __future__ import annotations

import importlib
from importlib.util import find_spec
from types import ModuleType

from ragstone.errors import MissingExtraError


def need(module: str, feature: str, *, extra: str = "embedded", package: str | None = None) -> ModuleType:
    """Import and return `module`, or say which extra brings it.

    Args:
        module: Dotted name of the module.
        feature: What needs it, for the message: ``"embedder 'minilm'"``.
        extra: Extra of this package that installs it.
        package: Name of the distribution, where it is not the module's.

    Raises:
        MissingExtraError: The module, or a package it lies in, is not installed.
    """
    try:
        return importlib.import_module(module)
    except ModuleNotFoundError as error:
        if error.name is None or not f"{module}.".startswith(f"{error.name}."):
            raise
        raise MissingExtraError(feature, extra, package or module) from error


def need_installed(module: str, feature: str, *, extra: str, package: str | None = None) -> None:
    """Raise `MissingExtraError` unless the top-level `module` is installed; nothing is imported."""
    if find_spec(module) is None:
        raise MissingExtraError(feature, extra, package or module)
