"""Where things are kept: read from the environment, overridden by flags."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

import platformdirs

from ragstone.errors import UsageError

if TYPE_CHECKING:
    from ragstone.datasets import Limits

STORE_VARIABLE = "RAGSTONE_STORE"
CACHE_VARIABLE = "RAGSTONE_CACHE"
UPLOAD_VARIABLES = {
    "RAGSTONE_UPLOAD_MAX_BYTES": "max_bytes",
    "RAGSTONE_UPLOAD_MAX_QUERIES": "max_queries",
    "RAGSTONE_UPLOAD_MAX_JUDGMENTS": "max_judgments",
}


@dataclass(frozen=True, slots=True)
class Settings:
    """Settings of this process.

    Attributes:
        store: The SQLite file of the store.
        cache: Folder for indexes and vectors, which can be rebuilt.
    """

    store: Path
    cache: Path

    @property
    def is_default_store(self) -> bool:
        """Whether commands find this store without being told."""
        return self.store == Settings.read().store

    @classmethod
    def read(
        cls, *, store: Path | None = None, cache: Path | None = None, environ: Mapping[str, str] | None = None
    ) -> Settings:
        """Return the settings: a flag wins over the environment, the environment over the default."""
        env = os.environ if environ is None else environ
        default_cache = platformdirs.user_cache_path("ragstone")
        return cls(
            store=store or Path(env.get(STORE_VARIABLE) or "ragstone.db"),
            cache=cache or Path(env.get(CACHE_VARIABLE) or default_cache),
        )


def upload_limits(environ: Mapping[str, str] | None = None) -> Limits:
    """Return the limits of uploads, with what the environment says otherwise.

    Raises:
        UsageError: A variable is no whole number above 0; all such are named.
    """
    from ragstone.datasets import Limits  # noqa: PLC0415 - readers are loaded where they are wanted

    env = os.environ if environ is None else environ
    given = {name: env[name] for name in UPLOAD_VARIABLES if env.get(name)}
    if wrong := [
        f"{name}={text!r}" for name, text in given.items() if not re.fullmatch(r"0*[1-9]\d{0,17}", text, re.ASCII)
    ]:
        raise UsageError(f"{', '.join(wrong)}: a limit is a whole number above 0; mend it or unset it")
    return replace(Limits.upload(), **{UPLOAD_VARIABLES[name]: int(text) for name, text in given.items()})
