"""From a benchmark file to a plan: the schema, and every check that can be made before anything runs."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial, reduce
from operator import or_
from pathlib import Path
from typing import Annotated, Any, TypeVar

from pydantic import BaseModel, Field, ValidationError, create_model

from ragstone.datasets import Loaded
from ragstone.datasets import load as load_dataset
from ragstone.datasets.apply import apply, still_open
from ragstone.datasets.catalogue import Catalogue
from ragstone.datasets.resolve import resolve
from ragstone.errors import InvalidInputError, Problem
from ragstone.experiments.benchmark import Benchmark, Matching, Matrix, Retry
from ragstone.experiments.extends import FLAT_KEYS, read_extended
from ragstone.experiments.matrix import expand
from ragstone.experiments.thresholds import misfit
from ragstone.files import Pointer, YamlFile, problems_of, shown
from ragstone.metrics import parse
from ragstone.types import Dataset, RunSpec, Validity

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Plan:
    """A benchmark that passed every check: what will run, on which questions.

    Attributes:
        source: The benchmark file.
        content: Its content after `extends`, as data.
        validity: Which golds are in the catalogue; None where there is none.
        warnings: What is doubtful in the dataset.
    """

    source: Path
    benchmark: Benchmark
    content: Mapping[str, Any]
    dataset: Dataset
    specs: Sequence[RunSpec]
    validity: Validity | None = None
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
    document = _with_type(read_extended(path))
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
    found, validity = _resolved(loaded.dataset, benchmark, document, path)
    dataset = replace(found, name=benchmark.name, description=benchmark.description)
    return Plan(path, benchmark, document.value, dataset, specs, validity, loaded.warnings)


def _resolved(
    dataset: Dataset, benchmark: Benchmark, document: YamlFile, path: Path
) -> tuple[Dataset, Validity | None]:
    """Look the golds up in the catalogue, if the benchmark names one; a catalogue with none of them is refused."""
    if benchmark.catalogue is None:
        return dataset, None
    place = _existing(benchmark.catalogue, ("catalogue",), document, path)
    found = resolve(dataset, Catalogue.read(place), fallthrough=benchmark.fallthrough)
    if found.status == "pending":
        first = found.samples[0]
        wanted = ", ".join(f"{key} {value!r}" for key, value in first.doc_ref.items())
        message = (
            f"none of the {found.total} gold references is in the catalogue (the first: {first.query_id} wants "
            f"{wanted}); name the catalogue of the corpus that the questions are about"
        )
        raise InvalidInputError([document.problem(message, ("catalogue",))])
    return apply(dataset, found, "count"), still_open(dataset, found)


def _with_type(document: YamlFile) -> YamlFile:
    """Take a system that has an endpoint and no type for a service over HTTP."""
    content = document.value
    section = content.get("system") if isinstance(content, dict) else None
    if not isinstance(section, dict) or "type" in section or "endpoint" not in section:
        return document
    return replace(document, value={**content, "system": {"type": "http", **section}})


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


def _known_keys(document: YamlFile, systems: Mapping[str, type[BaseModel]]) -> dict[str, Sequence[str]]:
    section = document.value.get("system")
    kind = section.get("type") if isinstance(section, dict) else None
    options = systems.get(kind) if isinstance(kind, str) else None
    return {
        "": [*Benchmark.model_fields, "extends", *FLAT_KEYS],
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
    names = [content["dataset"]] if isinstance(content.get("dataset"), str) else content.get("dataset")
    if not isinstance(names, list) or not names or not all(isinstance(name, str) for name in names):
        return None
    return load_dataset(_files(names, document, path), "dataset")


def _files(names: Sequence[str], document: YamlFile, path: Path) -> list[Path]:
    """Return the dataset's files and folders, looked for beside the benchmark file, then in the current folder."""
    problems: list[Problem] = []
    found = [
        _gather(problems, partial(_existing, name, ("dataset", index), document, path))
        for index, name in enumerate(names)
    ]
    if problems:
        raise InvalidInputError(problems)
    return [one for one in found if one is not None]


def _existing(name: str, pointer: Pointer, document: YamlFile, path: Path) -> Path:
    beside, here = path.parent / name, Path(name)
    chosen = beside if beside.exists() or not here.exists() else here
    if not chosen.exists():
        message = f"there is no file or folder {name!r} in {path.parent.resolve()}"
        raise InvalidInputError([document.problem(message, pointer)])
    return chosen


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
                kind = f"{'an' if gold.kind == 'anchor' else 'a'} {gold.kind}"
                message = f"hits are collapsed to the {unit}, but a gold of {query!r} points at {kind}"
                return [
                    document.problem(
                        f"{message}; leave unit out, or point golds at the {unit}", ("matching", "unit")
                    )
                ]
    return []
