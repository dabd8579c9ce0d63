"""In what the runs of a benchmark differ: factors with their levels, and differences that make none."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ragstone.experiments.matrix import TOGETHER, effective, setting_text
from ragstone.experiments.results import RunResult
from ragstone.types import RunSpec


@dataclass(frozen=True, slots=True)
class Factor:
    """A setting in which runs differ, or several that always change together.

    Attributes:
        name: The setting's name; of several that change together, all of them joined by ``+``.
        levels: Its values in words, in the order of the runs.
        level: For each run, its place in `levels`.
    """

    name: str
    levels: tuple[str, ...]
    level: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Alike:
    """Runs between which nothing changed: by their settings, by their results, or both.

    Attributes:
        runs: Their places in the list of runs.
        settings: Names of the settings in which they differ all the same, and which have no effect; empty for
            runs of one configuration (A/A runs).
        same_settings: Whether all settings with an effect are equal.
        same_results: Whether every question got the same hits in the same order.
    """

    runs: tuple[int, ...]
    settings: tuple[str, ...]
    same_settings: bool
    same_results: bool


def factors_of(runs: Sequence[RunResult]) -> list[Factor]:
    """Return in what runs differ; settings that split the runs in the same way make one factor.

    Of a setting that is a mapping with the same keys in every run, such as the arguments of a function, each entry
    is a setting of its own: ``system.arguments.limit``.
    """
    settings = _by_entry([_settings(run.run.spec) for run in runs])
    names = list(dict.fromkeys(name for one in settings for name in one))
    groups: dict[tuple[int, ...], list[str]] = {}
    for name in names:
        values = [json.dumps(one.get(name), sort_keys=True, default=str) for one in settings]
        numbers = {value: number for number, value in enumerate(dict.fromkeys(values))}
        if len(numbers) > 1:
            groups.setdefault(tuple(numbers[value] for value in values), []).append(name)
    return [_factor(members, level, settings) for level, members in groups.items()]


def _factor(names: Sequence[str], level: tuple[int, ...], settings: Sequence[Mapping[str, Any]]) -> Factor:
    firsts = [level.index(number) for number in range(max(level) + 1)]
    words = ("/".join(_words(settings[run].get(name)) for name in names) for run in firsts)
    return Factor(TOGETHER.join(names), tuple(words), level)


def _words(value: object) -> str:
    """Return a setting's value; a mapping without the signs that only a file needs."""
    if isinstance(value, Mapping):
        return " ".join(f"{key}={setting_text(entry)}" for key, entry in value.items()) or "{}"
    return setting_text(value)


def _settings(spec: RunSpec) -> dict[str, Any]:
    """Return all settings of a run, those that its benchmark varies first."""
    system = {f"system.{key}": value for key, value in spec.system.items()}
    return {**spec.factors, **system, **spec.config}


def _by_entry(settings: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Return the settings with the entries of mappings in place of those; mappings of other keys stay whole."""
    names = dict.fromkeys(name for one in settings for name in one)
    mappings = [name for name in names if all(isinstance(one.get(name), Mapping) for one in settings)]
    split = [name for name in mappings if len({frozenset(one[name]) for one in settings}) == 1]
    whole = tuple(f"{name}." for name in mappings if name not in split)
    return [dict(_entries(one, split, whole)) for one in settings]


def _entries(
    settings: Mapping[str, Any], split: Sequence[str], whole: tuple[str, ...]
) -> Iterator[tuple[str, Any]]:
    for name, value in settings.items():
        if name in split:
            yield from ((f"{name}.{key}", entry) for key, entry in value.items())
        elif not name.startswith(whole):
            yield name, value


def alike(runs: Sequence[RunResult]) -> list[Alike]:
    """Return the groups of runs with equal effective settings, and those with equal results all the same."""
    by_settings = _groups([json.dumps(effective(run.run.spec), sort_keys=True, default=str) for run in runs])
    results = [_hits(run) for run in runs]
    found = [_alike(runs, members, results, same_settings=True) for members in by_settings]
    explained = {one.runs for one in found}
    unexplained = [members for members in _groups(results) if members not in explained]
    return [*found, *(_alike(runs, members, results, same_settings=False) for members in unexplained)]


def _alike(
    runs: Sequence[RunResult], members: tuple[int, ...], results: Sequence[object], *, same_settings: bool
) -> Alike:
    differing = factors_of([runs[index] for index in members])
    settings = tuple(name for factor in differing for name in factor.name.split(TOGETHER))
    same_results = len({results[index] for index in members}) == 1
    return Alike(members, settings, same_settings, same_results)


def _groups(keys: Sequence[object]) -> list[tuple[int, ...]]:
    """Return the places of equal keys, where there are two or more."""
    places: dict[object, list[int]] = {}
    for place, key in enumerate(keys):
        places.setdefault(key, []).append(place)
    return [tuple(members) for members in places.values() if len(members) > 1]


def _hits(run: RunResult) -> tuple[tuple[str, ...] | None, ...]:
    """Return what each question got back; None where it got no answer."""
    return tuple(
        tuple(hit.id for hit in found.response.hits) if found.response and not found.response.failure else None
        for found in run.queries
    )
