"""Datasets: reading ground truth in its formats into one `Dataset`, with every problem of a file at once."""

from ragstone.datasets.load import Loaded, load

__all__ = ["Loaded", "load"]
