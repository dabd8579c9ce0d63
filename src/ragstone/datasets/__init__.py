"""Datasets: reading ground truth in its formats into one `Dataset`, with every problem of a file at once."""

from ragstone.datasets.limits import Limits
from ragstone.datasets.load import Loaded, load

__all__ = ["Limits", "Loaded", "load"]
