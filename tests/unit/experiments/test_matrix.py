"""From a benchmark to its runs."""

from __future__ import annotations

import json

import pytest
from tests.runs import CONTENT, specs_of

from ragstone.bootstrap import json_schema, load_benchmark
from ragstone.errors import UsageError
from ragstone.experiments.benchmark import Benchmark
from ragstone.experiments.matrix import config_hash, expand
from ragstone.experiments.thresholds import check, parse_limit
from ragstone.files import YamlFile
from ragstone.systems.callable import CallableOptions
from ragstone.types import Summary

SEED_MATRIX = {
    "primary_k": 10,
    "k_values_for_metrics": [5, 10, 20],
    "top_k_values": [100, 200],
    "search_modes": ["dense", "hybrid"],
    "use_reranker": [False, True],
    "rrf_k_values": [60],
    "score_thresholds": [None, 0.5],
}


def test_the_designs_matrix_makes_sixteen_runs():
    """2 x 2 x 2 x 1 x 2 runs, in the order of the keys, the last varying fastest, positions from 0."""
    _, specs = specs_of(config_matrix=SEED_MATRIX, metrics=None)
    assert [spec.position for spec in specs] == list(range(16))
    first, second, last = specs[0], specs[1], specs[15]
    assert first.factors == {
        "search_mode": "dense", "use_reranker": False, "top_k": 100, "rrf_k": 60, "score_threshold": None,
    }  # fmt: skip
    assert second.factors == {**first.factors, "score_threshold": 0.5}
    assert (last.factors["search_mode"], last.factors["use_reranker"], last.factors["top_k"]) == (
        "hybrid",
        True,
        200,
    )
    assert first.name == "search_mode=dense use_reranker=false top_k=100 score_threshold=null"
    assert len({spec.name for spec in specs}) == len({spec.config_hash for spec in specs}) == 16


def test_the_config_hash_is_the_designs():
    """Dense, no reranker, 10, 60, none: b431515b113d4585."""
    _, specs = specs_of(matrix={"search_modes": ["dense"], "top_k_values": [10]})
    assert specs[0].config_hash == "b431515b113d4585"
    assert config_hash({}) == config_hash({})


def test_combinations_without_effect_can_be_left_out():
    """With dedupe_noop, rrf_k is not varied for dense search."""
    matrix = {"search_modes": ["dense", "hybrid"], "rrf_k_values": [10, 60]}
    assert len(specs_of(matrix=matrix)[1]) == 4
    assert len(specs_of(matrix={**matrix, "dedupe_noop": True})[1]) == 3


def test_default_metrics_follow_the_ks():
    """P, R, nDCG and Hit at the declared ks, RR and AP; the primary k leads."""
    from ragstone.experiments.benchmark import Benchmark

    base = {"name": "x", "dataset": "q", "system": {}, "top_k": 20}
    declared = Benchmark.model_validate({**base, "config_matrix": SEED_MATRIX})
    assert declared.metric_names() == [
        "Hit@5", "Hit@10", "Hit@20", "P@5", "P@10", "P@20", "R@5", "R@10", "R@20",
        "nDCG@5", "nDCG@10", "nDCG@20", "RR", "AP",
    ]  # fmt: skip
    assert declared.primary_metric() == "nDCG@10"
    shallow = Benchmark.model_validate({**base, "top_k": 3})
    assert shallow.metric_names() == ["Hit@3", "P@3", "R@3", "nDCG@3", "RR", "AP"]
    assert shallow.primary_metric() == "Hit@3"


def test_variants_and_matrix_are_multiplied():
    """Two variants and a weight sweep of three make six runs, named by both."""
    _, specs = specs_of(
        variants=[{"name": "plain"}, {"name": "reranked", "reranker_enabled": True}],
        matrix={"factors": {"dense_weight": [0.2, 0.5, 0.8]}},
    )
    assert [spec.name for spec in specs[:4]] == [
        "plain dense_weight=0.2", "plain dense_weight=0.5", "plain dense_weight=0.8", "reranked dense_weight=0.2",
    ]  # fmt: skip
    assert specs[3].config["use_reranker"] is True
    assert specs[3].factors["use_reranker"] is True


def test_options_of_the_system_can_be_varied():
    """In a variant as a section, in the matrix as system.<name>."""
    _, specs = specs_of(
        variants=[{"name": "a", "system": {"arguments": {"x": 1}}}],
        matrix={"factors": {"system.function": ["a:b", "c:d"]}},
    )
    assert [spec.system for spec in specs] == [
        {"type": "callable", "function": "a:b", "arguments": {"x": 1}},
        {"type": "callable", "function": "c:d", "arguments": {"x": 1}},
    ]


def test_single_arguments_can_be_varied():
    """An entry of an option that is a mapping is a factor by its name; the other entries stay."""
    system = {"type": "callable", "function": "a:b", "arguments": {"x": 1, "y": 2}}
    factors = {"system.arguments.x": [1, 5], "system.arguments.z+system.arguments.y": [[0, 3]]}
    _, specs = specs_of(system=system, matrix={"factors": factors})
    assert [spec.system["arguments"] for spec in specs] == [{"x": 1, "y": 3, "z": 0}, {"x": 5, "y": 3, "z": 0}]
    assert [spec.name for spec in specs] == ["system.arguments.x=1", "system.arguments.x=5"]
    assert specs[1].factors["system.arguments.x"] == 5


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"matrix": {"factors": {"system.function.x": ["a:b"]}}}, "unknown setting"),
        ({"matrix": {"factors": {"system.argument.x": [1]}}}, "unknown setting"),
        (
            {
                "variants": [{"name": "a", "system": {"arguments": {"x": 9}}}],
                "matrix": {"factors": {"system.arguments.x": [1, 5]}},
            },
            "is varied in the matrix too",
        ),
    ],
)
def test_mistakes_in_single_arguments_are_told(changes, message):
    """An option without entries, a typing error, and an argument that a variant sets as well."""
    content = {**CONTENT, **changes}
    options = CallableOptions.model_validate(content["system"])
    _, problems = expand(Benchmark.model_validate({**content, "system": options}), YamlFile("test", content))
    assert any(message in problem.message for problem in problems), problems


def test_lexical_is_sparse():
    """Both words mean one mode, so that hashes agree."""
    assert specs_of(search_mode="lexical")[1][0].config["search_mode"] == "sparse"


def write(folder, name, text):
    (folder / name).write_text(text)
    return folder / name


def test_extends_merges_mappings_and_replaces_lists(tmp_path):
    """A child says only what differs; a flat experiment of the second design works as it is."""
    row = {"query_id": "q", "query": "?", "gold_references": [{"document": "a.pdf", "page": 4}]}
    write(tmp_path, "ground_truth.jsonl", json.dumps(row))
    write(
        tmp_path,
        "baseline.yaml",
        "name: baseline\ndescription: Current\nsystem: {type: callable, function: 'tests.fake_search:search'}\n"
        "top_k: 5\nretrieval_top_k: 15\nreranker_enabled: true\ndense_weight: 0.7\nsparse_weight: 0.3\n"
        "ground_truth_path: ground_truth.jsonl\nmetrics: ['hit_rate@5', 'mrr@5', 'ndcg@5', 'latency_p95']\n"
        "matching: {page_tolerance: 15, snippet_mode: all}\n",
    )
    child = write(
        tmp_path,
        "embedding_only.yaml",
        "extends: baseline.yaml\nname: embedding_only\nreranker_enabled: false\nmetrics: [mrr@5]\n"
        "matching: {page_tolerance: 1}\n",
    )
    plan = load_benchmark(child)
    assert plan.benchmark.name == "embedding_only"
    assert plan.specs[0].config["use_reranker"] is False
    assert plan.specs[0].config["dense_weight"] == 0.7
    assert plan.benchmark.metric_names() == ["RR@5"]
    assert (plan.benchmark.matching.page_tolerance, plan.benchmark.matching.snippet_mode) == (1, "all")
    assert load_benchmark(tmp_path / "baseline.yaml").benchmark.metric_names() == [
        "Hit@5", "RR@5", "nDCG@5", "latency(p=95)",
    ]  # fmt: skip


def test_paths_of_an_extended_file_are_its_own(tmp_path):
    """A base in another folder names its dataset from there."""
    (tmp_path / "shared").mkdir()
    (tmp_path / "mine").mkdir()
    row = {"query_id": "q", "query": "?", "gold_references": [{"document": "a"}]}
    write(tmp_path / "shared", "questions.jsonl", json.dumps(row))
    system = "system: {type: callable, function: 'tests.fake_search:search'}\n"
    write(tmp_path / "shared", "base.yaml", f"name: base\ndataset: questions.jsonl\n{system}")
    child = write(tmp_path / "mine", "child.yaml", "extends: ../shared/base.yaml\nname: child\n")
    assert [query.id for query in load_benchmark(child).dataset.queries] == ["q"]


@pytest.mark.parametrize(
    ("text", "value", "met"),
    [
        ("> 0.80", 0.8, False),
        ("> 0.80", 0.81, True),
        (">= 80%", 0.8, True),
        ("< 5 s", 5000.0, False),
        ("< 5 s", 4999.0, True),
        ("<= 250ms", 250.0, True),
        ("> .5", None, False),
    ],
)
def test_thresholds_are_strict_and_know_units(text, value, met):
    """> and < exclude the bound; a value that could not be computed does not meet it."""
    summary = Summary(metric="m", value=value, n=1)
    assert check({"m": text}, {"m": summary})[0].met is met


@pytest.mark.parametrize("text", ["", "0.8", "= 1", "> high", "> 1 h", "> -1"])
def test_other_thresholds_are_refused(text):
    """The message shows the form."""
    with pytest.raises(UsageError, match="not of the form"):
        parse_limit(text)


def test_the_schema_describes_the_file_for_editors():
    """Every key has a place in the JSON Schema, and system options hang on the type."""
    schema = json_schema()
    assert {"extends", "name", "dataset", "system", "matrix", "variants", "top_k"} <= schema["properties"].keys()
    assert set(schema["properties"]["system"]["discriminator"]["mapping"]) == {"callable", "embedded", "http"}
    aliases = {"datasets", "ground_truth_path", "config_matrix", "metrics_to_compute", "reranker_enabled"}
    assert aliases <= schema["properties"].keys()
    assert "granularity" in schema["$defs"]["Matching"]["properties"]
    assert "lexical" in schema["properties"]["search_mode"]["enum"]
    assert {"type": "string"} in schema["properties"]["dataset"]["anyOf"]


def test_every_key_of_the_schema_is_described():
    """An editor shows what each key is for."""
    schema = json_schema()
    named = {"Benchmark": schema, **schema["$defs"]}
    bare = {
        f"{name}.{key}"
        for name, model in named.items()
        for key, field in model.get("properties", {}).items()
        if not field.get("description")
    }
    assert bare == set()


def test_settings_joined_by_a_plus_vary_together():
    """A weight sweep is one line: each value has a part for every setting, and makes one run."""
    _, specs = specs_of(matrix={"factors": {"dense_weight+sparse_weight": [[0.8, 0.2], [0.5, 0.5]]}})
    assert [(spec.config["dense_weight"], spec.config["sparse_weight"]) for spec in specs] == [
        (0.8, 0.2),
        (0.5, 0.5),
    ]
    assert specs[0].name == "dense_weight+sparse_weight=0.8/0.2"
    assert specs[0].factors["sparse_weight"] == 0.2
    assert "dense_weight+sparse_weight" not in specs[0].factors


@pytest.mark.parametrize(
    ("factors", "message"),
    [
        ({"dense_weight+sparse_weight": [[0.8, 0.2], [0.7]]}, "needs a list of 2 values"),
        ({"dense_weight+sparse_weight": [0.8]}, "needs a list of 2 values"),
        ({"dense_weight+sprase_weight": [[0.8, 0.2]]}, "did you mean 'sparse_weight'"),
        ({"dense_weight": [0.8], "dense_weight+sparse_weight": [[0.8, 0.2]]}, "has a list of its own"),
        ({"top_k+dense_weight": [[10, 0.2]]}, "top_k_values"),
        ({"dense_weight+sparse_weight": [[0.8, 2.0]]}, "less than or equal to 1"),
    ],
)
def test_mistakes_in_joined_settings_are_told(factors, message):
    """Too few parts, a typing error, a setting varied twice and a wrong value each have their message."""
    content = {**CONTENT, "matrix": {"factors": factors}}
    options = CallableOptions.model_validate(content["system"])
    _, problems = expand(Benchmark.model_validate({**content, "system": options}), YamlFile("test", content))
    assert any(message in problem.message for problem in problems), problems


def test_a_variant_cannot_set_what_a_joined_factor_varies():
    """A setting is varied in one place."""
    content = {
        **CONTENT,
        "variants": [{"name": "a", "dense_weight": 0.1}],
        "matrix": {"factors": {"dense_weight+sparse_weight": [[0.8, 0.2], [0.5, 0.5]]}},
    }
    options = CallableOptions.model_validate(content["system"])
    _, problems = expand(Benchmark.model_validate({**content, "system": options}), YamlFile("test", content))
    assert any("varied in the matrix too" in problem.message for problem in problems)
