"""Reading a benchmark file: `extends`, the schema, and every check that can be made before anything runs."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import reduce
from operator import or_
from pathlib import Path
from typing import Annotated, Any, TypeVar

from pydantic import BaseModel, Field, ValidationError, create_model

from ragstone.datasets import Loaded
from ragstone.datasets import load as load_dataset
from ragstone.errors import InvalidInputError, Problem
from ragstone.experiments.benchmark import Benchmark, Matching, Matrix, Retry
from ragstone.experiments.matrix import expand
from ragstone.experiments.thresholds import misfit
from ragstone.files import Pointer, YamlFile, load_yaml, problems_of, shown
from ragstone.metrics import parse
from ragstone.types import Dataset, RunSpec

MAX_EXTENDS = 10
DATASET_KEYS = ("dataset", "datasets", "ground_truth_path")
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Plan:
    """A benchmark that passed every check: what will run, on which questions.

    Attributes:
        source: The benchmark file.
        content: Its content after `extends`, as data.
        warnings: What is doubtful in the dataset.
    """

    source: Path
    benchmark: Benchmark
    content: Mapping[str, Any]
    dataset: Dataset
    specs: Sequence[RunSpec]
    warnings: Sequence[Problem] = ()


def benchmark_model(systems: Mapping[str, type[BaseModel]]) -> type[Benchmark]:
    """Return the schema of benchmark files with the options of the known systems, chosen by ``system.type``."""
    options = reduce(or_, systems.values())
    chosen = Annotated[options, Field(discriminator="type")] if len(systems) > 1 else options
    system: Any = (chosen, Field(description="The system under test: its type and that type's options."))
    return create_model("Benchmark", __base__=Benchmark, system=system)


def load_plan(path: Path, systems: Mapping[str, type[BaseModel]]) -> Plan:
    """Read a benchmark file and plan its runs.

    Args:
        path: The YAML file.
        systems: Options model by system type.

    Raises:
        InvalidInputError: Anything is wrong with the file, a file it extends, or its dataset; all is listed.
    """
    document = read_extended(path)
    problems: list[Problem] = []
    benchmark = _gather(problems, lambda: validate(document, systems))
    loaded = _gather(problems, lambda: _load_dataset(document, path))
    specs: Sequence[RunSpec] = ()
    if benchmark is not None:
        specs, more = expand(benchmark, document)
        problems.extend([*more, *check_metrics(benchmark, document)])
    if benchmark is not None and loaded is not None:
        problems.extend(_unit_problems(benchmark, loaded.dataset, document))
    if problems or benchmark is None or loaded is None:
        raise InvalidInputError(problems)
    dataset = replace(loaded.dataset, name=benchmark.name, description=benchmark.description)
    return Plan(path, benchmark, document.value, dataset, specs, loaded.warnings)


def _gather(problems: list[Problem], work: Callable[[], T]) -> T | None:
    """Do the work; where its input is invalid, add the problems and return None."""
    try:
        return work()
    except InvalidInputError as error:
        problems.extend(error.problems)
        return None


def validate(document: YamlFile, systems: Mapping[str, type[BaseModel]]) -> Benchmark:
    """Hold a document against the schema; an empty one is refused like any other that lacks what is required."""
    if document.value is None:
        raise InvalidInputError([document.problem("is empty; it needs at least name, dataset and system")])
    if not isinstance(document.value, dict):
        message = f"a benchmark file is a mapping of keys to values, got {shown(document.value)}"
        raise InvalidInputError([document.problem(message)])
    model = benchmark_model(systems)
    try:
        return model.model_validate(document.value)
    except ValidationError as error:
        raise InvalidInputError(problems_of(error, document, _known_keys(document, systems))) from None


def read_extended(path: Path, _chain: tuple[Path, ...] = ()) -> YamlFile:
    """Load a YAML file and merge it over the file that its `extends` names.

    Mappings are merged key by key; everything else is replaced. `extends` is relative to the file it stands in.
    """
    document = load_yaml(path)
    parent_name = document.value.get("extends") if isinstance(document.value, dict) else None
    if parent_name is None:
        return document
    if not isinstance(parent_name, str):
        message = f"must name one file, got {shown(parent_name)}"
        raise InvalidInputError([document.problem(message, ("extends",))])
    chain = (*_chain, path.resolve())
    parent_path = path.parent / parent_name
    if parent_path.resolve() in chain or len(chain) > MAX_EXTENDS:
        loop = " -> ".join(file.name for file in (*chain, parent_path))
        raise InvalidInputError([document.problem(f"files extend each other: {loop}", ("extends",))])
    if not parent_path.is_file():
        message = f"there is no file {parent_name!r} in {path.parent.resolve()}"
        raise InvalidInputError([document.problem(message, ("extends",))])
    return _merged(read_extended(parent_path, chain), document)


def _merged(parent: YamlFile, child: YamlFile) -> YamlFile:
    if not isinstance(parent.value, dict):
        return parent
    own = {key: value for key, value in child.value.items() if key != "extends"}
    places = dict(parent.places)
    value = _overlay(_moved(parent, Path(child.source).parent), own, (), places)
    places.update(child.places)
    return YamlFile(child.source, value, places)


def _moved(parent: YamlFile, folder: Path) -> dict[str, Any]:
    """Return the parent's content with the relative paths of its datasets as seen from another folder."""
    home = Path(parent.source).parent
    content: dict[str, Any] = dict(parent.value)
    for key in DATASET_KEYS if home.resolve() != folder.resolve() else ():
        if isinstance(content.get(key), str):
            content[key] = [content[key]]
        if isinstance(content.get(key), list):
            content[key] = [os.path.relpath(home / str(name), folder) for name in content[key]]
    return content


def _overlay(base: Any, over: Any, pointer: Pointer, places: dict[Pointer, Any]) -> Any:  # noqa: ANN401 - any YAML
    if isinstance(base, dict) and isinstance(over, dict):
        merged = dict(base)
        for key, value in over.items():
            merged[key] = _overlay(base[key], value, (*pointer, key), places) if key in base else value
        return merged
    # What is replaced takes its places with it, or a shorter list would leave lines of the longer one.
    for place in [place for place in places if place[: len(pointer)] == pointer]:
        del places[place]
    return over


def _known_keys(document: YamlFile, systems: Mapping[str, type[BaseModel]]) -> dict[str, Sequence[str]]:
    section = document.value.get("system")
    kind = section.get("type") if isinstance(section, dict) else None
    options = systems.get(kind) if isinstance(kind, str) else None
    return {
        "": [*Benchmark.model_fields, "extends"],
        "matrix": list(Matrix.model_fields),
        "config_matrix": list(Matrix.model_fields),
        "matching": list(Matching.model_fields),
        "retry": list(Retry.model_fields),
        "system": list(options.model_fields) if options else [],
        "system.type": sorted(systems),
    }


def _load_dataset(document: YamlFile, path: Path) -> Loaded | None:
    """Load the dataset that the file names, if it names one in a form that can be read."""
    content = document.value if isinstance(document.value, dict) else {}
    key = next((key for key in DATASET_KEYS if key in content), "dataset")
    names = [content[key]] if isinstance(content.get(key), str) else content.get(key)
    if not isinstance(names, list) or not names or not all(isinstance(name, str) for name in names):
        return None
    return load_dataset(_files(names, key, document, path), "dataset")


def _files(names: Sequence[str], key: str, document: YamlFile, path: Path) -> list[Path]:
    """Return the dataset's files and folders, looked for beside the benchmark file, then in the current folder."""
    found, problems = [], []
    for index, name in enumerate(names):
        beside, here = path.parent / name, Path(name)
        chosen = beside if beside.exists() or not here.exists() else here
        if chosen.exists():
            found.append(chosen)
        else:
            message = f"there is no file or folder {name!r} in {path.parent.resolve()}"
            problems.append(document.problem(message, (key, index)))
    if problems:
        raise InvalidInputError(problems)
    return found


def check_metrics(benchmark: Benchmark, document: YamlFile) -> list[Problem]:
    """Return what is wrong with the primary metric and the thresholds, given the metrics."""
    names = set(benchmark.metric_names())
    problems = []
    matrix = benchmark.matrix
    if benchmark.metrics is not None and matrix is not None and matrix.k_values_for_metrics is not None:
        message = "metrics are listed too; use one of the two"
        problems.append(document.problem(message, ("matrix", "k_values_for_metrics")))
    if matrix is not None and matrix.primary_k and f"nDCG@{matrix.primary_k}" not in names:
        message = f"nDCG@{matrix.primary_k} is not among the metrics; add it, or name the primary metric instead"
        problems.append(document.problem(message, ("matrix", "primary_k")))
    if benchmark.primary and benchmark.primary not in names:
        message = f"{benchmark.primary} is not among the metrics: {', '.join(sorted(names))}"
        problems.append(document.problem(message, ("primary",)))
    for name, limit in benchmark.thresholds.items():
        if "@" in name and name not in names:
            problems.append(document.problem(f"{name} is not among the metrics; add it there", ("thresholds",)))
        elif fault := misfit(parse(name), limit):
            problems.append(document.problem(f"{name}: {fault}", ("thresholds",)))
    return problems


def _unit_problems(benchmark: Benchmark, dataset: Dataset, document: YamlFile) -> list[Problem]:
    """Refuse a unit coarser than what golds point at: one hit a document cannot be every heading of it."""
    unit = benchmark.matching.unit
    finer = {"document": ("page", "anchor", "chunk"), "page": ("anchor", "chunk"), "chunk": (), None: ()}[unit]
    for query, golds in dataset.golds.items():
        for gold in golds:
            if gold.kind in finer:
                message = f"hits are collapsed to the {unit}, but a gold of {query!r} points at a {gold.kind}"
                return [
                    document.problem(
                        f"{message}; leave unit out, or point golds at the {unit}", ("matching", "unit")
                    )
                ]
    return []
