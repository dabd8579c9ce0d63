"""From a benchmark to its runs: variants, the matrix multiplied out, names and hashes."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import product
from typing import Any, TypeVar, get_origin

from pydantic import BaseModel, ValidationError

from ragstone.errors import Problem, did_you_mean, known_names
from ragstone.experiments.benchmark import Benchmark
from ragstone.experiments.configuration import Configuration
from ragstone.files import Pointer, YamlFile, problems_of, shown
from ragstone.metrics import parse
from ragstone.types import RunSpec

_AXES = {
    "search_mode": "search_modes",
    "use_reranker": "use_reranker",
    "top_k": "top_k_values",
    "rrf_k": "rrf_k_values",
    "score_threshold": "score_thresholds",
}
Settings = Mapping[str, Any]
M = TypeVar("M", bound=BaseModel)

_SYSTEM = "system."
# Joins the names of settings that vary together, as in dense_weight+sparse_weight.
TOGETHER = "+"


def config_hash(settings: Settings) -> str:
    """Return the first 16 hex digits of SHA-256 over the settings as sorted-key JSON.

    Example:
        >>> settings = {"search_mode": "dense", "use_reranker": False, "top_k": 10}
        >>> config_hash({**settings, "rrf_k": 60, "score_threshold": None})
        'b431515b113d4585'
    """
    return hashlib.sha256(json.dumps(settings, sort_keys=True).encode()).hexdigest()[:16]


def expand(benchmark: Benchmark, document: YamlFile) -> tuple[list[RunSpec], list[Problem]]:
    """Return the benchmark's runs in order, and what is wrong with any of them.

    Runs are the variants (in file order) times the combinations of the matrix. Without either there is one run.
    """
    expansion = _Expansion(benchmark, document)
    specs = list(expansion.specs())
    return specs, list(dict.fromkeys(expansion.problems))


class _Expansion:
    def __init__(self, benchmark: Benchmark, document: YamlFile) -> None:
        self.benchmark = benchmark
        self.document = document
        self.problems: list[Problem] = []
        self.axes = self._axes()
        self.deepest = max(map(parse, benchmark.metric_names()), key=lambda metric: metric.cutoff or 0)

    def specs(self) -> Iterator[RunSpec]:
        """Yield the runs, without those that `dedupe_noop` makes superfluous."""
        dedupe = self.benchmark.matrix is not None and self.benchmark.matrix.dedupe_noop
        position, seen = 0, set()
        for index, (name, variant) in enumerate(self._variants()):
            for key in [key for key, value in variant.items() if self._varied(key, value)]:
                self._problem("is varied in the matrix too; vary it in one place", ("variants", index, key))
            for values in product(*self.axes.values()):
                pairs = zip(self.axes, values, strict=True)
                varied = {key: part for axis, value in pairs for key, part in _parts(axis, value).items()}
                factors = {**varied, **variant}
                spec = self._spec(position, name, factors, _Origin(index, variant))
                if spec is None:
                    continue
                effect = config_hash(effective(spec))
                if not dedupe or effect not in seen:
                    yield spec
                    position += 1
                seen.add(effect)

    def _axes(self) -> dict[str, list[Any]]:
        matrix = self.benchmark.matrix
        if matrix is None:
            return {}
        base = self.benchmark.base()
        axes = {key: getattr(matrix, name) or [getattr(base, key)] for key, name in _AXES.items()}
        for key, values in matrix.factors.items():
            pointer, taken = self._matrix("factors", key), {part for axis in axes for part in axis.split(TOGETHER)}
            names = key.split(TOGETHER)
            if own := [name for name in names if name in taken]:
                self._problem(f"{own[0]} has a list of its own: {_AXES.get(own[0], 'factors')}", pointer)
            elif not values:
                self._problem("needs at least one value", pointer)
            elif self._are_settings(names, pointer) and self._fit(values, names, pointer):
                axes[key] = values
        return axes

    def _are_settings(self, names: list[str], pointer: Pointer) -> bool:
        known = [self._is_setting(name, pointer) for name in names]
        return all(known)

    def _fit(self, values: list[Any], names: list[str], pointer: Pointer) -> bool:
        """Say whether every value of settings that vary together has a part for each; if not, note the problem."""
        lacking = [
            index
            for index, value in enumerate(values)
            if len(names) > 1 and not (isinstance(value, list) and len(value) == len(names))
        ]
        for index in lacking:
            wanted = f"needs a list of {len(names)} values, one for each of {', '.join(names)}"
            self._problem(f"{wanted}; got {shown(values[index])}", (*pointer, index))
        return not lacking

    def _values(self, key: str) -> list[Any]:
        """Return the values that the matrix gives to a setting."""
        return next((values for axis, values in self.axes.items() if key in axis.split(TOGETHER)), [])

    def _varied(self, key: str, value: object) -> bool:
        """Say whether the matrix varies a setting, or an entry that its value has."""
        entries = [f"{key}.{name}" for name in value] if isinstance(value, Mapping) else []
        return any(len(self._values(one)) > 1 for one in (key, *entries))

    def _variants(self) -> Iterator[tuple[str, dict[str, Any]]]:
        names: set[str] = set()
        for index, variant in enumerate(self.benchmark.variants or [{}]):
            settings = _flat(variant)
            name = settings.pop("name", "")
            if self.benchmark.variants and (not isinstance(name, str) or not name or name in names):
                self._problem(f"each variant needs a name of its own, got {shown(name)}", ("variants", index))
            names.add(str(name))
            kept = {key: settings[key] for key in settings if self._is_setting(key, ("variants", index, key))}
            yield str(name), kept

    def _is_setting(self, key: str, pointer: Pointer) -> bool:
        """Say whether a run can be varied in this key; if not, note the problem."""
        known = [*Configuration.model_fields, *(f"system.{name}" for name in self._system_fields())]
        if key in known or self._is_entry(key):
            return True
        self._problem(f"unknown setting{did_you_mean(key, known) or known_names(known)}", pointer)
        return False

    def _is_entry(self, key: str) -> bool:
        """Say whether a key is an entry of an option that is a mapping, as system.arguments.limit is."""
        option, _, entry = key.removeprefix(_SYSTEM).partition(".")
        field = type(self.benchmark.system).model_fields.get(option)
        return (
            bool(entry) and key.startswith(_SYSTEM) and field is not None and get_origin(field.annotation) is dict
        )

    def _system_fields(self) -> list[str]:
        return [name for name in type(self.benchmark.system).model_fields if name != "type"]

    def _spec(self, position: int, variant: str, factors: dict[str, Any], origin: _Origin) -> RunSpec | None:
        own = {key: value for key, value in factors.items() if not key.startswith(_SYSTEM)}
        options = self._options({key.removeprefix(_SYSTEM): factors[key] for key in factors if key not in own})
        configuration = self._valid(self.benchmark.base(), own, "", origin)
        system = self._valid(self.benchmark.system, options, _SYSTEM, origin)
        if configuration is None or system is None:
            return None
        self._check_depth(configuration.top_k, origin)
        varied = [f"{axis}={_words(axis, factors)}" for axis, values in self.axes.items() if len(values) > 1]
        config = configuration.model_dump()
        return RunSpec(
            name=" ".join(filter(None, [variant, *varied])) or self.benchmark.name,
            position=position,
            config=config,
            system=system.model_dump(mode="json"),
            factors=factors,
            config_hash=config_hash(factors or config),
            repeats=self.benchmark.repeats,
        )

    def _options(self, given: Settings) -> dict[str, Any]:
        """Return options of the system, with entries put into the mappings that they belong to."""
        options = {name: value for name, value in given.items() if "." not in name}
        for name, value in given.items():
            option, _, entry = name.partition(".")
            whole = options.get(option, getattr(self.benchmark.system, option, None))
            if entry and isinstance(whole, Mapping):
                options[option] = {**whole, entry: value}
        return options

    def _valid(self, base: M, changes: Settings, prefix: str, origin: _Origin) -> M | None:
        """Return the model with changes made, or None after noting what is wrong with them."""
        settings = {**base.model_dump(), **changes}
        try:
            return type(base).model_validate(settings)
        except ValidationError as error:
            for problem in problems_of(error, YamlFile(self.document.source, settings), {}):
                place = self._place(prefix + problem.pointer, settings.get(problem.pointer), origin)
                self._problem(problem.message, place)
            return None

    def _check_depth(self, top_k: int, origin: _Origin) -> None:
        if top_k < (self.deepest.cutoff or 0):
            needed = f"below the k of {self.deepest}; ask for at least {self.deepest.cutoff} hits"
            self._problem(f"the search depth {top_k} is {needed}", self._place("top_k", top_k, origin))

    def _place(self, key: str, value: object, origin: _Origin) -> Pointer:
        """Return where in the file a run got the value of this setting from."""
        if key in origin.variant:
            return ("variants", origin.index, *key.split("."))
        axis = next((axis for axis in self.axes if key in axis.split(TOGETHER)), None)
        if axis is not None and self.benchmark.matrix is not None:
            name = _AXES.get(key)
            if name is None:
                parts = [_parts(axis, one)[key] for one in self.axes[axis]]
                return self._matrix("factors", axis, parts.index(value))
            if getattr(self.benchmark.matrix, name) is not None:
                return self._matrix(name, self.axes[key].index(value))
        return tuple(key.split("."))

    def _matrix(self, *pointer: str | int) -> Pointer:
        return ("config_matrix" if ("config_matrix",) in self.document.places else "matrix", *pointer)

    def _problem(self, message: str, pointer: Pointer) -> None:
        self.problems.append(self.document.problem(message, pointer))


@dataclass(frozen=True, slots=True)
class _Origin:
    """The variant that a run comes from."""

    index: int
    variant: Settings


def _flat(variant: Settings) -> dict[str, Any]:
    """Return a variant's settings under the names of `Configuration`, system options as ``system.<name>``."""
    flat: dict[str, Any] = {}
    for key, value in variant.items():
        if key == "system" and isinstance(value, Mapping):
            flat.update({_SYSTEM + option: setting for option, setting in value.items()})
        else:
            flat["use_reranker" if key == "reranker_enabled" else key] = value
    return flat


def effective(spec: RunSpec) -> dict[str, Any]:
    """Return the settings that have an effect: no fusion constant without fusion, no reranker that is off."""
    settings = dict(spec.config)
    if settings["search_mode"] != "hybrid":
        for key in ("fusion", "rrf_k", "dense_weight", "sparse_weight"):
            del settings[key]
    elif settings["fusion"] != "rrf":
        del settings["rrf_k"]
    if not settings["use_reranker"]:
        settings = {key: value for key, value in settings.items() if not key.startswith("reranker_")}
    if settings["search_mode"] == "sparse":
        del settings["embedding_model"]
    return {**settings, "system": spec.system}


def _parts(axis: str, value: Any) -> dict[str, Any]:  # noqa: ANN401 - any setting's value
    """Return what a value of an axis sets: for settings that vary together, one part of it each."""
    names = axis.split(TOGETHER)
    return {axis: value} if len(names) == 1 else dict(zip(names, value, strict=True))


def _words(axis: str, factors: Settings) -> str:
    return "/".join(setting_text(factors[key]) for key in axis.split(TOGETHER))


def setting_text(value: object) -> str:
    """Return a setting's value as names and tables show it.

    Example:
        >>> setting_text("dense"), setting_text(None), setting_text(0.5)
        ('dense', 'null', '0.5')
    """
    return value if isinstance(value, str) else json.dumps(value)
