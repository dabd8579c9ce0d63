"""Where things are kept: read from the environment, overridden by flags."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import platformdirs

STORE_VARIABLE = "RAGSTONE_STORE"
CACHE_VARIABLE = "RAGSTONE_CACHE"


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
