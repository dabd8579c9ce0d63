"""trec_eval's names mean what they mean there."""

from __future__ import annotations

import random

import pytest
import pytrec_eval

from ragstone.bulk import score
from ragstone.bulk.trec_lines import metrics_for
from ragstone.bulk.trec_names import expanded, label
from ragstone.errors import UsageError


def test_measures_without_cutoffs_have_the_default_ones_of_trec_eval():
    """As the tool itself names what it gives for each measure."""
    for measure in ("P", "recall", "ndcg_cut", "map_cut", "success", "iprec_at_recall"):
        wanted = pytrec_eval.RelevanceEvaluator({"q": {"a": 1}}, {measure}).evaluate({"q": {"a": 1.0}})["q"]
        assert set(expanded([measure])[0]) == set(wanted)


@pytest.mark.parametrize("name", ["official", "set", "all_trec"])
def test_a_set_gives_what_is_computed_and_names_the_rest(name):
    """Together they are the measures that the tool has in the set."""
    lines, absent = expanded([name])
    printed = {line if line in pytrec_eval.supported_measures else line.rpartition("_")[0] for line in lines}
    assert printed | set(absent) == pytrec_eval.supported_nicknames[name]
    assert not printed & set(absent)
    assert bool(absent) == (name != "official")


def test_lines_come_in_the_order_of_trec_eval():
    """Whatever the order in which they were asked for, each once, cutoffs from low to high, ours at the end."""
    asked = ["RBP@10", "P_100", "set_F", "P_5", "map", "Judged@5", "success", "AP", "num_q", "F1"]
    assert expanded(asked)[0] == [
        *("num_q", "map", "P_5", "P_100", "success_1", "success_5", "success_10", "set_F", "RBP@10", "Judged@5")
    ]


@pytest.mark.parametrize(
    "name", ["set_P", "set_recall", "set_F", "gm_bpref", "gm_map", "infAP", "ndcg", "recall_5"]
)
def test_the_name_asked_for_is_printed(name):
    """Not ours of the same metric."""
    assert label(name) == name


def test_values_are_those_of_the_tool():
    """Of every line of the largest set, on collections with ties, holes and negative grades."""
    names = [name for name in expanded(["all_trec"])[0] if name not in ("runid", "num_q", "gm_map", "gm_bpref")]
    for seed in range(40):
        rng = random.Random(seed)
        ids = [f"d{number}" for number in range(30)]
        qrels = {q: {d: rng.choice([-1, 0, 0, 1, 2]) for d in rng.sample(ids, 9)} for q in ("a", "b")}
        run = {q: {d: rng.choice([1.0, 2.0, 3.0]) for d in rng.sample(ids, rng.randint(1, 25))} for q in qrels}
        expected = pytrec_eval.RelevanceEvaluator(qrels, set(pytrec_eval.supported_measures)).evaluate(run)
        found = score(qrels, run, metrics_for(names), ties="trec9", no_gold="zero").by_query()
        for query, values in found.items():
            for name in names:
                assert values[metrics_for([name])[0]] == expected[query][name], (seed, query, name)


@pytest.mark.parametrize(
    "name", ["relstring", "G", "11pt_avg", "set_F_1", "map_5", "rbp", "nonsense", "Rprec_mult_0.2"]
)
def test_other_names_are_refused_with_those_that_there_are(name):
    """Also where a cutoff would mean something else here than there."""
    with pytest.raises(
        UsageError, match=r"cannot be printed for .*; there are runid, .*set_F, the sets official, set"
    ):
        expanded([name])


def test_any_recall_level():
    """Written as trec_eval takes it, printed as it prints it."""
    assert expanded(["iprec_at_recall_.15", "iprec_at_recall_0"])[0] == [
        "iprec_at_recall_0.00",
        "iprec_at_recall_0.15",
    ]
