"""Every registered metric in every form: each choice of its words, with and without a cutoff."""

from __future__ import annotations

from ragstone.metrics import FAMILIES, Family, Metric, parse

K = 5


def _params(one: Family) -> list[str]:
    chosen = [f"({key}={choice!r})" for key, param in one.params.items() for choice in param.choices]
    numbers = [key for key, param in one.params.items() if param.default is None and not param.choices]
    if numbers:
        return [f"({numbers[0]}={value})" for value in (0, 0.5, 1)]
    wanted = any(param.default is None for param in one.params.values())
    return [*([] if wanted else [""]), *chosen, *(["(rel=2)"] if "rel" in one.params else [])]


def _cuts(one: Family) -> list[str]:
    return {"required": [f"@{K}"], "optional": ["", f"@{K}"], "none": [""]}[one.cutoff]


METRICS: tuple[Metric, ...] = tuple(
    dict.fromkeys(
        parse(f"{name}{params}{cut}")
        for name, one in FAMILIES.items()
        for params in _params(one)
        for cut in _cuts(one)
    )
)
