"""Ready benchmark files: every one validates, and plans the runs that it says."""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path

import pytest
import yaml
from typer.testing import CliRunner

from ragstone.bootstrap import load_benchmark
from ragstone.cli.main import app

FOLDER = Path(str(files("ragstone") / "presets"))
NAMES = sorted(path.stem for path in FOLDER.glob("*.yaml"))
RUNS = {
    "retrieval-matrix": 16,
    "embedding-models": 5,
    "llm-rerankers": 5,
    "cross-encoders": 4,
    "priority-1-baseline": 2,
    "priority-2-embeddings": 2,
    "priority-3-rerankers": 3,
    "priority-4-weights": 4,
    "search-variants": 4,
    "weights-embedded": 8,
}


def invoke(*arguments):
    return CliRunner().invoke(app, ["benchmark", *arguments])


@pytest.mark.parametrize("name", NAMES)
def test_every_preset_validates_where_it_is_written(name, tmp_path):
    """The written file plans its runs, with the questions that are written beside it."""
    file = tmp_path / "sub" / "bench.yaml"
    assert invoke("preset", name, "--out", str(file)).exit_code == 0
    plan = load_benchmark(file)
    assert len(plan.specs) == RUNS.get(name, len(plan.specs))
    assert plan.benchmark.description
    assert len(plan.dataset.queries) == 3


def test_the_matrix_of_the_design_has_its_sixteen_runs_in_order():
    """Orders 0 to 15, the score threshold varying fastest."""
    specs = load_benchmark(FOLDER / "retrieval-matrix.yaml").specs
    assert [spec.position for spec in specs] == list(range(16))
    assert [spec.config["score_threshold"] for spec in specs[:2]] == [None, 0.5]


def test_a_weight_sweep_is_one_line():
    """Both weights change together, in one line of the file and one factor of the runs."""
    text = (FOLDER / "priority-4-weights.yaml").read_text()
    assert text.count("dense_weight+sparse_weight:") == 1
    specs = load_benchmark(FOLDER / "priority-4-weights.yaml").specs
    weights = [(spec.config["dense_weight"], spec.config["sparse_weight"]) for spec in specs]
    assert weights == [(0.8, 0.2), (0.7, 0.3), (0.6, 0.4), (0.5, 0.5)]
    assert specs[0].name == "dense_weight+sparse_weight=0.8/0.2"


@pytest.mark.parametrize("name", [name for name in NAMES if name != "weights-embedded"])
def test_what_varies_reaches_the_service(name):
    """Every setting that a preset varies stands in its request, or the runs would measure the same thing."""
    plan = load_benchmark(FOLDER / f"{name}.yaml")
    request = yaml.safe_load((FOLDER / f"{name}.yaml").read_text())["system"]["request"]
    sent = set(request.values()) | {"{top_k}"}
    for key in {key for spec in plan.specs for key in spec.factors}:
        values = {repr(spec.config[key]) for spec in plan.specs}
        assert len(values) == 1 or f"{{{key}}}" in sent, key


def test_presets_are_listed_and_printed():
    """The list has a description each; without --out the text goes to standard output."""
    assert [line.split()[0] for line in invoke("presets").stdout.splitlines()] == NAMES
    assert invoke("preset", "embedding-models").stdout.rstrip() == (
        (FOLDER / "embedding-models.yaml").read_text().rstrip()
    )


def test_nothing_is_overwritten_unasked(tmp_path):
    """A file that is there stays, as do one's own questions."""
    file, questions = tmp_path / "bench.yaml", tmp_path / "questions.jsonl"
    file.write_text("mine")
    questions.write_text("my questions")
    failed = invoke("preset", "embedding-models", "--out", str(file))
    assert failed.exit_code != 0
    assert "is there already" in str(failed.exception)
    assert file.read_text() == "mine"
    assert invoke("preset", "embedding-models", "--out", str(file), "--force").exit_code == 0
    assert questions.read_text() == "my questions"


def test_an_unknown_preset_lists_the_known_ones():
    """A typing error gets a suggestion."""
    assert "retrieval-matrix" in str(invoke("preset", "retreival-matrix").exception)
