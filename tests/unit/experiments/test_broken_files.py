"""Broken benchmark files: each is refused with its line, the value seen and the way out, and never a traceback."""

from __future__ import annotations

import json

import pytest

from ragstone.bootstrap import load_benchmark
from ragstone.errors import InvalidInputError

GOOD = """\
name: good
dataset: questions.jsonl
system:
  type: callable
  function: tests.fake_search:search
top_k: 10
metrics: [nDCG@10]
"""
QUESTION = {"query_id": "q1", "query": "What?", "gold_references": [{"document": "a", "page": 1, "relevance": 3}]}


def changed(old: str, new: str) -> str:
    assert old in GOOD
    return GOOD.replace(old, new)


# Name, file content, and what the message must hold, beginning with the line.
BROKEN = {
    "empty": ("", ["is empty", "name, dataset and system"]),
    "only a comment": ("# nothing\n", ["is empty"]),
    "a list": ("- name: x\n", [":1:", "a benchmark file is a mapping"]),
    "a word": ("hello\n", ["'hello'"]),
    "a tab": ("name:\n\tx: 1\n", [":2:", "not YAML", "\\t"]),
    "unclosed bracket": (GOOD + "thresholds: [\n", [":9:", "not YAML"]),
    "unclosed quote": (changed("good", '"good'), ["not YAML"]),
    "bad indentation": (changed("  function", "   function"), [":5:", "not YAML"]),
    "two documents": (GOOD + "---\nname: other\n", ["not YAML", "single document"]),
    "python object": (
        changed("good", "!!python/object/apply:os.system [ls]"),
        [":1:", "not YAML", "python/object"],
    ),
    "key twice": (GOOD + "name: again\n", [":8: name:", "'name'", "first on line 1"]),
    "unknown key": (GOOD + "metrik: [AP]\n", [":8: metrik:", "unknown key", "did you mean 'metrics'?"]),
    "missing name": (changed("name: good\n", ""), ["name: is required and missing"]),
    "missing dataset": (changed("dataset: questions.jsonl\n", ""), ["dataset: is required and missing"]),
    "missing system": ("name: x\ndataset: questions.jsonl\n", ["system: is required and missing"]),
    "system without type": (changed("  type: callable\n", ""), [":3: system", "type", "callable", "embedded"]),
    "unknown system": (
        changed("callable", "callabel"),
        ["system", "'callabel'", "known: callable, embedded, http"],
    ),
    "system is a word": (
        changed("system:\n  type: callable\n  function: tests.fake_search:search", "system: embedded"),
        [":3: system", "must be a mapping", "'embedded'"],
    ),
    "unknown system option": (
        changed("  type: callable", "  type: callable\n  functoin: x"),
        [":5: system.functoin", "did you mean 'function'?"],
    ),
    "function pattern": (
        changed("tests.fake_search:search", "tests.fake_search"),
        [":5: system.function", "'tests.fake_search' is not of the form module:function"],
    ),
    "dataset is missing": (
        changed("questions.jsonl", "nowhere.jsonl"),
        [":2: dataset", "no file or folder 'nowhere.jsonl'"],
    ),
    "top_k is a word": (changed("top_k: 10", "top_k: ten"), [":6: top_k", "valid integer", "'ten'"]),
    "top_k is zero": (changed("top_k: 10", "top_k: 0"), [":6: top_k", "greater than or equal to 1", "got 0"]),
    "top_k too small": (
        changed("top_k: 10", "top_k: 5"),
        [":6: top_k", "depth 5 is below the k of nDCG@10", "at least 10"],
    ),
    "unknown metric": (
        changed("nDCG@10", "nDGC@10"),
        [":7: metrics[0]", "unknown metric 'nDGC'", "did you mean 'nDCG'?"],
    ),
    "metric without cutoff": (changed("nDCG@10", "P"), [":7: metrics[0]", "needs a cutoff, such as P@10"]),
    "metric of cutoff zero": (changed("nDCG@10", "P@0"), [":7: metrics[0]", "P@0", "1 or more"]),
    "metric with wrong parameter": (
        changed("[nDCG@10]", "[\"nDCG(gain='cubic')@10\"]"),
        [":7: metrics[0]", "'linear' or 'exp'", "cubic"],
    ),
    "no metrics": (changed("[nDCG@10]", "[]"), [":7: metrics", "at least one entry"]),
    "bad threshold": (GOOD + 'thresholds: {Hit@5: "high"}\n', [":8: thresholds.Hit@5", "'high'", "'> 0.80'"]),
    "threshold of another metric": (
        GOOD + 'thresholds: {Hit@5: "> 0.8"}\n',
        [":8: thresholds", "Hit@5", "add it there"],
    ),
    "nan": (GOOD + "score_threshold: .nan\n", [":8: score_threshold", "finite", "nan"]),
    "bad mode": (
        GOOD + "search_mode: semantic\n",
        [":8: search_mode", "'dense', 'sparse' or 'hybrid'", "'semantic'"],
    ),
    "bad weight": (GOOD + "dense_weight: 1.5\n", [":8: dense_weight", "less than or equal to 1", "1.5"]),
    "matrix key": (
        GOOD + "matrix:\n  topk_values: [10]\n",
        [":9: matrix.topk_values", "did you mean 'top_k_values'?"],
    ),
    "matrix depth": (
        GOOD + "config_matrix:\n  top_k_values: [20, 5]\n",
        [":9: matrix.top_k_values[1]", "depth 5 is below the k of nDCG@10"],
    ),
    "factor": (GOOD + "matrix:\n  factors:\n    weight: [1]\n", [":10: matrix.factors.weight", "unknown setting"]),
    "factor value": (
        GOOD + "matrix:\n  factors:\n    dense_weight: [0.5, 7]\n",
        [":10: matrix.factors.dense_weight[1]", "less than or equal to 1", "7"],
    ),
    "variant without name": (GOOD + "variants:\n  - top_k: 20\n", [":9: variants[0]", "a name of its own"]),
    "variants of one name": (
        GOOD + "variants:\n  - name: a\n  - name: a\n",
        [":10: variants[1]", "a name of its own", "'a'"],
    ),
    "variant setting": (
        GOOD + "variants:\n  - {name: a, serach_mode: dense}\n",
        [":9: variants[0].serach_mode", "did you mean 'search_mode'?"],
    ),
    "variant value": (
        GOOD + "variants:\n  - name: a\n    rrf_k: -1\n",
        [":10: variants[0].rrf_k", "greater than or equal to 1"],
    ),
    "extends nothing": (GOOD + "extends: base.yaml\n", [":8: extends", "no file 'base.yaml'"]),
    "extends itself": (
        GOOD + "extends: bench.yaml\n",
        [":8: extends", "extend each other", "bench.yaml -> bench.yaml"],
    ),
    "extends a number": (GOOD + "extends: 7\n", [":8: extends", "must name one file", "7"]),
    "threshold unit": (
        GOOD + 'thresholds: {nDCG@10: "> 5 s"}\n',
        [":8: thresholds", "unit 's'", "write a number or %"],
    ),
    "threshold of a latency": (
        GOOD + 'thresholds: {latency_p95: "< 5%"}\n',
        [":8: thresholds", "unit '%'", "write ms or s"],
    ),
    "threshold out of range": (
        GOOD + 'thresholds: {nDCG@10: "> 80"}\n',
        [":8: thresholds", "'> 80' lies outside", "0 to 1"],
    ),
    "missing function": (
        changed("fake_search:search", "fake_search:serach"),
        ["bench.yaml", "run 'good'", "no 'serach'"],
    ),
    "missing corpus": (
        changed("type: callable\n  function: tests.fake_search:search", "type: embedded\n  corpus: docs"),
        ["bench.yaml", "docs", "there is no such folder"],
    ),
    "threshold twice": (
        GOOD + 'thresholds: {nDCG@10: "> 0.1", ndcg_cut_10: "> 0.9"}\n',
        [":8: thresholds", "'nDCG@10' and 'ndcg_cut_10' are the same metric"],
    ),
    "latency without unit": (
        GOOD + 'thresholds: {latency_p95: "< 5"}\n',
        [":8: thresholds", "has no unit", "write ms or s"],
    ),
    "value twice": (GOOD + "matrix: {top_k_values: [10, 10]}\n", [":8: matrix.top_k_values", "10 stands twice"]),
    "varied twice": (
        GOOD + "matrix: {rrf_k_values: [1, 2]}\nvariants: [{name: a, rrf_k: 3}]\n",
        [":9: variants[0].rrf_k", "varied in the matrix too"],
    ),
    "infinite patience": (GOOD + "timeout_seconds: .inf\n", [":8: timeout_seconds", "finite"]),
    "ks beside metrics": (
        GOOD + "matrix: {k_values_for_metrics: [5]}\n",
        [":8: matrix.k_values_for_metrics", "use one of the two"],
    ),
    "primary k": (GOOD + "matrix: {primary_k: 7}\n", [":8: matrix.primary_k", "nDCG@7 is not among the metrics"]),
    "variant system": (GOOD + "variants: [{name: a, system: 5}]\n", [":8: variants[0].system", "unknown setting"]),
    "unit": (GOOD + "matching: {unit: document}\n", [":8: matching.unit", "points at a page", "leave unit out"]),
    "primary elsewhere": (GOOD + "primary: AP\n", [":8: primary", "AP is not among the metrics"]),
    "on_error": (GOOD + "on_error: ignore\n", [":8: on_error", "'miss', 'exclude' or 'fail_run'", "'ignore'"]),
    "negative retry": (GOOD + "retry: {attempts: 0}\n", [":8: retry.attempts", "greater than or equal to 1"]),
}


def write(tmp_path, text: str, questions: object = QUESTION):
    (tmp_path / "questions.jsonl").write_text(json.dumps(questions) + "\n")
    file = tmp_path / "bench.yaml"
    file.write_text(text)
    return file


@pytest.mark.parametrize("name", BROKEN)
def test_a_broken_file_is_refused_with_place_value_and_way_out(tmp_path, name):
    """The message names the file, the line, the key, the value and what to write instead."""
    text, parts = BROKEN[name]
    with pytest.raises(InvalidInputError) as refused:
        load_benchmark(write(tmp_path, text))
    message = str(refused.value)
    assert "bench.yaml" in message
    for part in parts:
        assert part in message, message


def test_the_file_from_which_the_broken_ones_are_made_is_good(tmp_path):
    """Without the defects, the file plans its run."""
    assert len(load_benchmark(write(tmp_path, GOOD)).specs) == 1


def test_all_problems_are_told_at_once(tmp_path):
    """Five mistakes in one file are five lines, each with its own line number."""
    text = "nmae: x\ndataset: questions.jsonl\nsystem: {type: callable, function: 'a:b'}\n"
    text += "top_k: x\nmetrics: [ndgc@5]\n"
    with pytest.raises(InvalidInputError) as refused:
        load_benchmark(write(tmp_path, text))
    assert [(problem.line, problem.pointer) for problem in refused.value.problems] == [
        (1, "name"),
        (1, "nmae"),
        (4, "top_k"),
        (5, "metrics[0]"),
    ]


def test_settings_and_dataset_problems_are_told_together(tmp_path):
    """A wrong depth in the YAML and a wrong grade in the questions come in one message."""
    bad = {**QUESTION, "gold_references": [{"document": "a", "relevance": 4}]}
    with pytest.raises(InvalidInputError) as refused:
        load_benchmark(write(tmp_path, changed("top_k: 10", "top_k: 5"), bad))
    message = str(refused.value)
    assert "top_k" in message
    assert (
        "questions.jsonl:1: gold_references[0].relevance: input should be less than or equal to 3, got 4"
        in message
    )


def test_a_file_that_is_not_there_or_not_text(tmp_path):
    """A missing file and bytes that are not UTF-8 are told as such."""
    with pytest.raises(InvalidInputError, match="cannot be read: No such file"):
        load_benchmark(tmp_path / "none.yaml")
    file = tmp_path / "latin.yaml"
    file.write_bytes(b"name: caf\xe9\n")
    with pytest.raises(InvalidInputError, match=r"latin.yaml:1: byte b'\\xe9' is not UTF-8"):
        load_benchmark(file)


def test_an_alias_bomb_is_refused(tmp_path):
    """Aliases that multiply are counted each time, so that a small file cannot fill the memory."""
    lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x, x]"]
    lines += [f"a{i}: &a{i} [{', '.join([f'*a{i - 1}'] * 10)}]" for i in range(1, 8)]
    with pytest.raises(InvalidInputError, match="too large"):
        load_benchmark(write(tmp_path, "\n".join(lines)))


def test_deep_nesting_is_refused(tmp_path):
    """A thousand brackets are no crash."""
    with pytest.raises(InvalidInputError, match=r"too large|too deeply"):
        load_benchmark(write(tmp_path, "a: " + "[" * 1000 + "]" * 1000))


def test_an_error_in_an_extended_file_names_that_file(tmp_path):
    """A mistake in the base is told with the base's name and line."""
    (tmp_path / "base.yaml").write_text(changed("top_k: 10", "top_k: ten"))
    with pytest.raises(InvalidInputError, match=r"base\.yaml:6: top_k"):
        load_benchmark(write(tmp_path, "extends: base.yaml\nname: child\n"))
