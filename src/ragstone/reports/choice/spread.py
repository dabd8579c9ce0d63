"""How far repeats lie apart, as plain data."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from ragstone.experiments.choice.noise import Spread


def spread_data(found: Spread) -> dict[str, Any]:
    """Return how far repeats or A/A runs lie apart."""
    return {
        **asdict(found),
        "noise_share": found.noise_share,
        "error": found.error,
        "error_without_noise": found.error_if_quiet,
        "floor": found.floor(),
    }
