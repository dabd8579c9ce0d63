"""Reading a benchmark file: `extends`, the schema, and every check that can be made before anything runs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from operator import or_
from pathlib import Path
from typing import Annotated, Any

from pydantic import BaseModel, Field, ValidationError, create_model

from ragstone.datasets import load as load_dataset
from ragstone.errors import InvalidInputError, Problem
from ragstone.experiments.benchmark import Benchmark, Matching, Matrix, Retry
from ragstone.experiments.matrix import expand
from ragstone.files import Pointer, YamlFile, load_yaml, problems_of, shown
from ragstone.types import Dataset, RunSpec

MAX_EXTENDS = 10


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
    benchmark = validate(document, systems)
    specs, problems = expand(benchmark, document)
    dataset: Dataset | None = None
    warnings: Sequence[Problem] = ()
    try:
        loaded = load_dataset(_files(benchmark, document, path), benchmark.name, benchmark.description)
        dataset, warnings = loaded.dataset, loaded.warnings
    except InvalidInputError as error:
        problems.extend(error.problems)
    problems.extend(_threshold_problems(benchmark, document))
    if problems or dataset is None:
        raise InvalidInputError(problems)
    return Plan(path, benchmark, document.value, dataset, specs, warnings)


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
    value = _overlay(parent.value, own, (), places)
    places.update(child.places)
    return YamlFile(child.source, value, places)


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


def _files(benchmark: Benchmark, document: YamlFile, path: Path) -> list[Path]:
    """Return the dataset files, looked for beside the benchmark file, then in the current folder."""
    found, problems = [], []
    key = next((key for key in ("datasets", "ground_truth_path") if (key,) in document.places), "dataset")
    for index, name in enumerate(benchmark.dataset):
        beside, here = path.parent / name, Path(name)
        chosen = beside if beside.is_file() or not here.is_file() else here
        if chosen.is_file():
            found.append(chosen)
        else:
            message = f"there is no file {name!r} in {path.parent.resolve()}"
            problems.append(document.problem(message, (key, index)))
    if problems:
        raise InvalidInputError(problems)
    return found


def _threshold_problems(benchmark: Benchmark, document: YamlFile) -> list[Problem]:
    names = set(benchmark.metric_names())
    wanted = [name for name in benchmark.thresholds if "@" in name and name not in names]
    if benchmark.primary and benchmark.primary not in names:
        message = f"{benchmark.primary} is not among the metrics: {', '.join(sorted(names))}"
        return [document.problem(message, ("primary",))]
    return [document.problem(f"{name} is not among the metrics; add it there", ("thresholds",)) for name in wanted]
