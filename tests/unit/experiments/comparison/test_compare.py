from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats
from statsmodels.stats.multitest import multipletests
from tests.compared import METRIC, arm
from tests.judged import dataset_of

from ragstone.errors import ExitCode, UsageError
from ragstone.experiments.comparison.compare import compare
from ragstone.reports.comparison.notes import notes
from ragstone.types import Response

SCORES = st.lists(st.sampled_from([0.0, 0.25, 0.5, 1.0]), min_size=6, max_size=14)
MIRROR = {"better": "worse", "worse": "better"}


def both(first, second, **options):
    """Compare two lists of scores and return the one candidate."""
    return compare([arm(first, "a"), arm(second, "b")], holes=False, **options).candidates[0]


def test_the_worked_scores_of_an_ab_report():
    """Five questions: t 2.44949, p 0.0704840, mean difference 0.3, sd 0.2739, as scipy has them."""
    found = both([0.5, 0.5, 0.5, 0, 1], [1, 0.5, 1, 0.5, 1]).primary
    assert found.t.t == pytest.approx(2.44949, abs=5e-6)
    assert found.t.p == pytest.approx(0.0704840, abs=5e-8)
    assert found.t.mean_difference == pytest.approx(0.3)
    assert found.t.sd == pytest.approx(0.2739, abs=5e-5)
    assert found.paired.p == found.adjusted_p == 0.25
    assert found.verdict == "not enough questions"
    assert (found.paired.wins, found.paired.ties, found.paired.losses) == (3, 2, 0)


def test_every_test_agrees_with_its_peer():
    """Paired t and Wilcoxon as scipy has them; the sign-flip p as scipy's exact permutation test."""
    rng = np.random.default_rng(3)
    first, second = rng.random(12).round(3), rng.random(12).round(3)
    found = both(first.tolist(), second.tolist()).primary
    t = stats.ttest_rel(second, first)
    assert (found.t.t, found.t.p) == pytest.approx((t.statistic, t.pvalue))
    assert found.wilcoxon.p == pytest.approx(stats.wilcoxon(second, first, method="exact").pvalue)
    flips = stats.permutation_test(
        (second - first,), np.mean, permutation_type="samples", n_resamples=np.inf, alternative="two-sided"
    )
    assert found.paired.p == pytest.approx(flips.pvalue, rel=1e-9)


def test_holm_covers_the_primary_metric_and_the_secondary_ones_apart():
    """Adjusted p-values are statsmodels': the primary's over the candidates, the others' over all of theirs."""
    rng = np.random.default_rng(5)
    arms = [
        arm({name: (rng.random(20) * (0.7 + 0.3 * i)).tolist() for name in (METRIC, "RR", "P@1")}, run)
        for i, run in enumerate("abcd")
    ]
    found = compare(arms, metrics=["nDCG@5", "RR", "P@1"], holes=False)
    primary = [one.primary for one in found.candidates]
    others = [metric for one in found.candidates for metric in one.secondary]
    for family in (primary, others):
        wanted = multipletests([one.paired.p for one in family], method="holm")[1]
        assert [one.adjusted_p for one in family] == pytest.approx(wanted.tolist())
    assert found.family == 3 == primary[0].family
    assert found.secondary_family == 6 == others[0].family


def test_a_difference_that_many_comparisons_explain_is_borderline():
    """Alone it is better; as one of six candidates it is not, and the doubt says why."""
    low, high = [0.0] * 7 + [0.5] * 43, [1.0] * 7 + [0.5] * 43
    assert both(low, high).primary.verdict == "better"
    many = compare([arm(low, "a"), arm(high, "b"), *(arm(low, name) for name in "cdefg")], holes=False)
    found = many.candidates[0].primary
    assert found.adjusted_p == pytest.approx(6 * found.paired.p)
    assert found.paired.verdict == "better"
    assert (found.verdict, found.doubt) == ("borderline", "many comparisons")
    assert many.winner is None


def test_secondary_metrics_never_undo_the_primary_one():
    """However many others are looked at, the one declared beforehand is adjusted by itself."""
    low, high = [0.0] * 7 + [0.5] * 43, [1.0] * 7 + [0.5] * 43
    others = {f"P@{k}": [0.5] * 50 for k in range(1, 6)} | {"RR": low}
    arms = [arm({METRIC: low, **others}, "a"), arm({METRIC: high, **others, "RR": high}, "b")]
    found = compare(arms, metrics=[METRIC, *others], holes=False)
    first, *rest = found.candidates[0].metrics.values()
    assert (first.verdict, first.family, found.winner) == ("better", 1, 1)
    assert (rest[-1].verdict, rest[-1].doubt, rest[-1].family) == ("borderline", "many comparisons", 6)


def test_winners():
    """The candidate that gains most of those that are better; the baseline where all are worse; else nobody."""
    bad, fair, good = [0.0] * 30, [0.5] * 30, [1.0] * 30
    names = {"bad": bad, "fair": fair, "good": good}

    def winner(*given):
        found = compare([arm(names[one], f"{place} {one}") for place, one in enumerate(given)], holes=False)
        return None if found.winner is None else given[found.winner]

    assert winner("bad", "fair", "good") == "good"
    assert winner("good", "fair", "bad") == "good"
    assert winner("fair", "bad", "good") == "good"
    assert winner("fair", "fair") is None
    assert winner("fair", "bad", "fair") is None


@settings(max_examples=40, deadline=None)
@given(st.data())
def test_swapping_the_runs_mirrors_everything(data):
    """Differences and limits change their sign, wins become losses, p stays, better becomes worse."""
    first = data.draw(SCORES)
    second = data.draw(st.lists(st.sampled_from([0.0, 0.25, 0.5, 1.0]), min_size=len(first), max_size=len(first)))
    categories = [("x", "y")[i % 2] for i in range(len(first))]
    one, two = arm(first, "a", tags={"category": categories}), arm(second, "b", tags={"category": categories})
    there = compare([one, two], holes=False).candidates[0]
    back = compare([two, one], holes=False).candidates[0]
    a, b = there.primary, back.primary
    assert a.paired.difference == -b.paired.difference
    assert (a.paired.p, a.adjusted_p, a.wilcoxon.p) == pytest.approx((b.paired.p, b.adjusted_p, b.wilcoxon.p))
    assert (a.paired.wins, a.paired.losses) == (b.paired.losses, b.paired.wins)
    assert (a.paired.interval.low, a.paired.interval.high) == pytest.approx(
        (-b.paired.interval.high, -b.paired.interval.low)
    )
    assert MIRROR.get(a.verdict, a.verdict) == b.verdict
    assert [flip.before.query.id for flip in there.flips.lost] == [flip.before.query.id for flip in back.flips.won]
    slices = {one.value: one.found.difference for one in there.slices}
    assert slices == pytest.approx({one.value: -one.found.difference for one in back.slices})
    assert [one.p for one in there.interactions] == [one.p for one in back.interactions]


@settings(max_examples=30, deadline=None)
@given(SCORES, st.randoms(use_true_random=False))
def test_the_order_of_questions_changes_nothing(scores, random):
    """A comparison is about questions, not about their order in a file."""
    first, second = arm(scores, "a"), arm(scores[::-1], "b")
    order = list(range(len(scores)))
    random.shuffle(order)
    shuffled = [replace(one, queries=tuple(one.queries[i] for i in order)) for one in (first, second)]
    a = compare([first, second], holes=False).candidates[0].primary
    b = compare(shuffled, holes=False).candidates[0].primary
    assert (a.verdict, a.paired.wins, a.paired.losses) == (b.verdict, b.paired.wins, b.paired.losses)
    assert (a.paired.p, a.paired.difference) == pytest.approx((b.paired.p, b.paired.difference))
    assert (a.paired.interval.low, a.t.p) == pytest.approx((b.paired.interval.low, b.t.p))


def test_where_lower_is_better_a_lower_score_wins():
    """Direction decides the verdict and the lists of what was lost and won."""
    first, second = {"error_rate": [1.0] * 12 + [0.0] * 8}, {"error_rate": [0.0] * 20}
    found = compare([arm(first, "a"), arm(second, "b")], holes=False)
    one = found.candidates[0]
    assert one.primary.paired.difference == -0.6
    assert (one.primary.verdict, len(one.flips.won), len(one.flips.lost)) == ("better", 12, 0)
    assert found.winner == 1


def test_clusters_cost_and_both_errors_are_kept():
    """Questions on one document that go up together count as less than their number."""
    origin = {"provenance": [{"document": str(i // 5)} for i in range(100)]}
    second = [1.0 if (i // 5) % 3 else 0.0 for i in range(100)]
    arms = [arm([0.5] * 100, "a", tags=origin), arm(second, "b", tags=origin)]
    found = compare(arms, holes=False).candidates[0].primary
    width = found.paired.interval.high - found.paired.interval.low
    assert found.paired.clusters.clusters == 20
    assert found.paired.effective_n == pytest.approx(20)
    assert found.unclustered.interval.high - found.unclustered.interval.low < width / 1.5
    off = compare(arms, holes=False, clusters=False).candidates[0].primary
    assert off.unclustered is None
    assert off.paired == found.unclustered


def test_slices_are_ordered_by_evidence_over_all_dimensions():
    """P-values are adjusted over all slices; where a question has several tags there is no interaction test."""
    n = 40
    tags = {
        "category": ["up" if i < 20 else "same" for i in range(n)],
        "tags": [("all", "odd") if i % 2 else ("all",) for i in range(n)],
    }
    second = [1.0 if i < 20 else 0.5 for i in range(n)]
    found = compare([arm([0.5] * n, "a", tags=tags), arm(second, "b", tags=tags)], holes=False).candidates[0]
    names = [(one.dimension, one.value) for one in found.slices]
    assert names == [("tag", "all"), ("category", "up"), ("tag", "odd"), ("category", "same")]
    raw = [one.found.p for one in found.slices]
    assert [one.found.adjusted_p for one in found.slices] == pytest.approx(
        multipletests(raw, method="fdr_bh")[1].tolist()
    )
    assert [one.dimension for one in found.interactions] == ["category"]
    assert found.interactions[0].p < 0.01
    assert (found.slices[1].baseline, found.slices[1].candidate, found.slices[1].wins) == (0.5, 1.0, 20)


def test_latency_is_compared_by_quantiles():
    """p95 is a difference of quantiles with an interval, not of means, and needs 72 questions for one."""
    slow = {METRIC: [0.5] * 100, "latency(p=50)": [200.0 + i for i in range(100)]}
    fast = {METRIC: [0.5] * 100, "latency(p=50)": [100.0 + i for i in range(100)]}
    for arms in (slow, fast):
        arms["latency(p=95)"] = arms["latency(p=50)"]
    found = compare([arm(fast, "a"), arm(slow, "b")], holes=False).candidates[0]
    assert [str(one.metric) for one in found.quantiles] == ["latency(p=50)", "latency(p=95)"]
    assert (found.p95.found.difference, found.p95.found.interval.low) == (100.0, 100.0)
    few = {name: values[:30] for name, values in slow.items()}
    assert not compare([arm(few, "a"), arm(few, "b")], holes=False).candidates[0].p95.found.enough


def using(result, amounts):
    """Return a result whose responses report these tokens; None reports nothing."""
    queries = [
        replace(one, response=Response(usage={} if amount is None else {"tokens": amount}))
        for one, amount in zip(result.queries, amounts, strict=True)
    ]
    return replace(result, queries=tuple(queries))


def test_usage_is_summed_over_the_questions_that_both_report():
    """What one run does not report is not taken for nothing."""
    arms = [using(arm([0.5] * 3, "a"), [10, 20, None]), using(arm([0.5] * 3, "b"), [15, 30, 99])]
    (found,) = compare(arms, holes=False).candidates[0].usage
    assert (found.name, found.n, found.baseline, found.candidate) == ("tokens", 2, 30, 45)
    (found,) = compare(arms[::-1], holes=False).candidates[0].usage
    assert (found.name, found.n, found.baseline, found.candidate) == ("tokens", 2, 45, 30)
    assert compare([arms[0], arm([0.5] * 3, "c")], holes=False).candidates[0].usage == ()


def test_flips_are_ordered_by_size():
    """The largest loss first, with both results at hand."""
    found = both([1.0, 0.5, 1.0, 0.2], [0.5, 0.5, 0.0, 0.9])
    assert [flip.before.query.id for flip in found.flips.lost] == ["q2", "q0"]
    assert [(flip.before.query.id, flip.change) for flip in found.flips.won] == [("q3", pytest.approx(0.7))]


def test_nothing_differs():
    """Equal runs: p is 1, nobody wins, and there is still something that the set could have seen."""
    found = both([0.5] * 30, [0.5] * 30).primary
    assert (found.verdict, found.paired.p, found.t.p, found.wilcoxon.p) == ("no difference seen", 1.0, 1.0, 1.0)
    assert found.t.degenerate
    assert found.paired.detectable > 0


@pytest.mark.parametrize("scores", [[0.5], [None, None], [None, 0.4]])
def test_too_little_to_compare_is_no_difference_claimed(scores):
    """One question, or none with a score: no verdict of better or worse, no winner."""
    found = compare([arm(scores, "a"), arm([1.0] * len(scores), "b")], holes=False)
    assert found.candidates[0].primary.verdict in ("no difference seen", "not enough questions")
    assert found.winner is None


def test_questions_needed_grow_as_the_difference_shrinks():
    """The smallest difference that these questions show takes as many; half of it four times as many, about."""
    found = both([0.0, 1.0] * 20, [1.0, 0.0, 0.0, 1.0] * 10).primary
    seen = found.detectable
    assert found.questions_for(seen) == pytest.approx(40, abs=1)
    assert found.questions_for(seen / 2) == pytest.approx(160, rel=0.15)


def test_other_datasets_are_refused_and_compared_on_request():
    """The refusal names what differs and the way out; on request the shared questions are compared."""
    first, other = arm([0.5] * 4, "a"), arm([1.0] * 6, "b")
    other = replace(other, run=replace(other.run, dataset="elsewhere"))
    with pytest.raises(UsageError, match=r"with b, dataset differs \(test against elsewhere\).*--ignore-identity"):
        compare([first, other])
    found = compare([first, other], ignore_identity=True, holes=False).candidates[0]
    assert found.primary.paired.n == 4
    assert [one.query for one in found.primary.pairs.unpaired] == ["q4", "q5"]
    assert [one.level for one in found.mismatches] == ["refuse"]


def test_runs_without_a_common_question_cannot_be_compared():
    """Not even when the difference of datasets is ignored."""
    other = arm([0.5], "b", tags={"text": ["another question"]})
    with pytest.raises(UsageError, match="share no question"):
        compare([arm([0.5], "a"), other], ignore_identity=True)


def test_the_number_of_runs_is_limited_and_each_is_another():
    """One run, nine runs and the same run twice are refused."""
    one = arm([0.5], "a")
    with pytest.raises(UsageError, match="1 runs given"):
        compare([one])
    with pytest.raises(UsageError, match="9 runs given"):
        compare([arm([0.5], str(i)) for i in range(9)])
    with pytest.raises(UsageError, match="given twice"):
        compare([one, one])


def test_a_metric_must_be_known_to_all_runs():
    """The message says who lacks it, what is near and what all have."""
    with pytest.raises(UsageError, match=r"b: not scored by RR; declare it .*known: nDCG@5"):
        compare([arm({METRIC: [0.5], "RR": [1.0]}, "a"), arm([0.5], "b")], metrics=["mrr"])
    latencies = {METRIC: [0.5], "latency(p=95)": [1.0]}
    with pytest.raises(UsageError, match="beside the quantiles"):
        compare([arm(latencies, "a"), arm(latencies, "b")], metrics=["latency_p95"])
    with pytest.raises(UsageError, match="between 0 and 1"):
        compare([arm([0.5], "a"), arm([0.5], "b")], level=1.5)


def test_names_tell_runs_apart():
    """Shared settings are left out; equal names get the run's id."""
    arms = [arm([0.5], "k=1 mode=x"), arm([0.5], "k=2 mode=x")]
    assert compare(arms, holes=False).names == ("k=1", "k=2")
    first, second = (replace(arm([0.5], "same"), run=replace(arm([0.5], "same").run, id=name)) for name in "xy")
    assert compare([first, second], holes=False).names == ("same (x)", "same (y)")


def test_long_names_are_the_values_of_what_differs():
    """As in a matrix: short enough for a title, with a note on what the parts are."""
    runs = [
        replace(one, run=replace(one.run, spec=replace(one.run.spec, config={"search_mode": mode, "top_k": k})))
        for mode in ("dense", "hybrid")
        for k in (10, 20)
        for one in [arm([0.5], f"search_mode={mode} top_k={k} and a description as long as a line")]
    ]
    found = compare(runs, holes=False)
    assert found.names == ("dense · 10", "dense · 20", "hybrid · 10", "hybrid · 20")
    assert found.naming == "Runs are named by search_mode, top_k."
    assert found.naming in [note.message for note in notes(found)]


def test_holes_say_what_unjudged_hits_could_change():
    """With every hit judged nothing could; the answer is there for the primary metric alone, and on request."""
    arms = [arm([0.5] * 4, "a"), arm([1.0] * 4, "b")]
    found = compare(arms).candidates[0].holes
    assert found.judged == (1.0, 1.0)
    assert found.holes == 0
    assert compare(arms, holes=False).candidates[0].holes is None


def test_a_comparison_that_could_be_made_ends_with_0():
    """Whoever wins: deciding is the gate's business."""
    assert compare([arm([1.0] * 30, "a"), arm([0.0] * 30, "b")], holes=False).exit_code is ExitCode.OK


def test_the_same_seed_gives_the_same_comparison():
    """Resampling is seeded; another seed moves the bootstrap."""
    rng = np.random.default_rng(1)
    first, second = rng.random(40).tolist(), rng.random(40).tolist()
    one, same, other = (both(first, second, seed=seed).primary for seed in (1, 1, 2))
    assert one.bootstrap == same.bootstrap != other.bootstrap


def test_functions_are_compared_from_python():
    """Reports of `evaluate` stand for their runs, and a report of several runs is a comparison by itself."""
    import ragstone as rs

    dataset = dataset_of({f"q{i}": {f"d{i}": 3} for i in range(12)})
    old = rs.evaluate(lambda query, k: ["x", f"d{query[1:]}"], dataset, ["RR"], k=2, name="old")
    new = rs.evaluate(lambda query, k: [f"d{query[1:]}"], dataset, ["RR"], k=2, name="new")
    found = rs.compare([old, new])
    assert found.names == ("old", "new")
    assert (found.candidates[0].primary.paired.difference, found.winner) == (0.5, 1)
    both = replace(old, runs=(*old.runs, *new.runs))
    assert rs.compare(both).candidates[0].primary.paired == found.candidates[0].primary.paired
