"""Where datasets, runs, responses and scores are kept."""

from ragstone.store.open import open_store

__all__ = ["open_store"]
