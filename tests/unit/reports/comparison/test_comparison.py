from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import PurePath
from xml.etree import ElementTree as ET

import pytest
from tests.compared import METRIC, arm
from tests.unit.reports.conftest import NASTY

from ragstone.errors import UnknownNameError, UsageError
from ragstone.experiments.comparison.compare import compare
from ragstone.reports.comparison.advice import metric_sentences, recommendation, winner_text
from ragstone.reports.comparison.notes import notes
from ragstone.reports.comparison.render import COMPARISON_FORMATS, comparison_format_of, render_comparison
from ragstone.reports.comparison.tables import correction_note
from ragstone.reports.comparison.terminal import render_comparison_terminal
from ragstone.reports.comparison.undecided import questions_missing, rounded
from ragstone.reports.comparison.verdict import interactions_text, verdict_sentence
from ragstone.testing import FakeSystem
from ragstone.types import Failure, Response, Score

P95 = "latency(p=95)"


def compared(first, second, **options):
    return compare([arm(first, "A"), arm(second, "B")], holes=False, **options)


def said(found):
    return verdict_sentence(found.candidates[0].primary, "B", "A")


def latencies(scores, low):
    """Scores with latencies from `low` milliseconds on."""
    return {METRIC: scores, P95: [low + i / 10 for i in range(len(scores))]}


def test_better_in_words():
    """Who, by how much, how sure, how often it won, and how often luck does as much."""
    found = compared([0.0] * 20 + [0.5] * 80, [1.0] * 14 + [0.0] * 6 + [0.5] * 75 + [0.0] * 5)
    assert said(found) == (
        "B is better than A by 11.5 points of nDCG@5 (95% interval 3.5 to 19.1); it won on 14 questions, "
        "lost on 5, tied on 81; a difference this large would appear by luck 4 times in 1,000."
    )


def test_worse_in_words_has_positive_numbers():
    """A loss of 50 points is told as 50 points, not as -50."""
    text = said(compared([1.0] * 30, [0.5] * 30))
    assert text.startswith("B is worse than A by 50.0 points of nDCG@5 (95% interval ")
    assert "-" not in text.split(";")[0]
    assert "it won on 0 questions, lost on 30, tied on 0" in text


def test_lower_is_better_in_words():
    """Fewer errors are better, and the number has the sign that the tables have."""
    text = said(compared({"error_rate": [1.0] * 30}, {"error_rate": [0.0] * 30}))
    assert text.startswith(
        "B is better than A by Error rate: -100.0 points (lower is better; 95% interval -100.0 to -"
    )


def test_no_difference_says_what_the_set_could_have_seen():
    """The reader learns how large a difference could have hidden."""
    text = said(compared([0.0, 1.0] * 20, [1.0, 0.0, 0.0, 1.0] * 10))
    assert text.startswith(
        "No difference seen between B and A by nDCG@5: 0.0 points (95% interval -22.9 to 22.9); "
        "B won on 10 questions, lost on 10, tied on 20. With these 40 questions only a difference of "
    )
    assert text.endswith(" points or more would probably have shown.")


def test_equal_scores_are_said_to_be_equal():
    """Nothing is made of a difference of nothing."""
    assert said(compared([0.5] * 30, [0.5] * 30)).startswith(
        "B and A score the same by nDCG@5 on all 30 questions."
    )


def test_too_few_differing_questions_are_counted():
    """Below six no result can reach 0.05: the sentence says so instead of a p-value."""
    assert said(compared([0.5] * 30, [1.0] * 4 + [0.5] * 26)) == (
        "Not enough questions to tell B from A by nDCG@5: only 4 questions differ; at least 6 must before any "
        "result can reach 0.05. So far B won on 4 questions, lost on 0, tied on 26."
    )
    assert "only 1 question differs; at least 5" in said(compared([0.5] * 30, [1.0] + [0.5] * 29, level=0.9))


def test_one_question_and_none():
    """Where nothing can be said, that is said, with the reasons."""
    assert said(compared([0.5], [1.0])) == (
        "Only 1 question has a score by nDCG@5 in both B and A: nothing can be said."
    )
    assert said(compared([None, None], [None, 1.0])) == (
        "B and A cannot be compared by nDCG@5: no question has a score in both (2 with a failed search)."
    )


def test_borderline_says_why_and_is_undecided():
    """When the correction undoes a difference, the nicer verdict is not taken."""
    first, second = [0.0] * 7 + [0.5] * 43, [1.0] * 7 + [0.5] * 43
    found = compare([arm(first, "A"), arm(second, "B"), *(arm(first, name) for name in "CDEFG")], holes=False)
    assert said(found).startswith("B looks better than A by 14.0 points of nDCG@5 (95% interval ")
    assert said(found).endswith(
        "Borderline: allowing for the 6 comparisons made here, luck alone would do this 9 times in 100, which is "
        "more than the 5 in 100 that we accept. Take it as undecided."
    )
    assert recommendation(found).startswith(
        "Undecided by nDCG@5: do not switch on this evidence. So far B looks better by 14.0 points, but luck may "
        "explain it; if that is its true size, about "
    )


def test_secondary_metrics_say_that_they_are():
    """What is adjusted along with the others that do not decide is told so, with the right number."""
    first, second = {"RR": [0.0] * 30, "P@1": [0.0] * 30}, {"RR": [0.5] * 30, "P@1": [0.5] * 30}
    scores = [0.0] * 30, [1.0] * 30
    found = compared({METRIC: scores[0], **first}, {METRIC: scores[1], **second}, metrics=[METRIC, *first])
    one, *rest = metric_sentences(found, found.candidates[0])
    assert "a difference this large would appear by luck" in one
    assert all("allowing for the 2 secondary comparisons made here" in each for each in rest)
    note = (
        "nDCG@5 decides; its p needs no correction. The other metrics are secondary; their p allows for 2 "
        "comparisons among themselves (Holm)."
    )
    assert correction_note(found) == note
    assert all(note in render_comparison(found, name) for name in ("html", "markdown"))
    data = json.loads(render_comparison(found, "json"))
    assert (data["family"], data["secondary_family"]) == (1, 2)
    assert [each["primary"] for each in data["candidates"][0]["metrics"]] == [True, False, False]


def test_thin_evidence_is_not_advised_as_if_there_were_no_difference():
    """Ten questions, five lost, none won: it looks worse, and what is missing is sized by what was seen.

    At this rate it takes 12 questions to have six that differ; to show the difference seen takes some more.
    """
    found = compared([1.0] * 10, [0.4, 0.4, 0.3, 0.4, 0.4] + [1.0] * 5)
    more = found.candidates[0].primary.questions_for(0.31) - 10
    assert 2 < more < 25
    assert recommendation(found) == (
        "Undecided by nDCG@5: do not switch on this evidence. So far B looks worse by 31.0 points, but too few "
        f"questions differ to be sure; if it goes on like this, about {more} more questions like these would "
        "probably settle it."
    )
    even = recommendation(compared([0.5] * 10, [1.0, 0.0] + [0.5] * 8))
    assert "So far B looks no different, but too few questions differ to be sure" in even


def test_the_advice_on_a_borderline_result_goes_by_the_difference_seen():
    """What lies at the border has half a chance to show again: it takes about as many questions once more."""
    found = compared([0.5] * 30, [0.8] * 6 + [0.5] * 24)
    seen = found.candidates[0].primary
    more = seen.questions_for(0.06) - 30
    assert questions_missing(seen) == more > 0
    assert recommendation(found) == (
        "Undecided by nDCG@5: do not switch on this evidence. So far B looks better by 6.0 points, but luck may "
        f"explain it; if that is its true size, about {rounded(more)} more questions like these would probably "
        "show it."
    )


def test_interval_and_test_that_disagree_are_borderline():
    """Six small gains and no loss: luck does that 3 times in 100, but the guarded interval still holds 0."""
    text = said(compared([0.5] * 30, [0.8] * 6 + [0.5] * 24))
    assert re.match(
        r"B looks better than A by 6\.0 points of nDCG@5 \(95% interval -\d+\.\d to \d+\.\d\); it won on 6", text
    )
    assert text.endswith(
        "Borderline: the interval and the test disagree on whether luck explains it (3 times in 100). "
        "Take it as undecided."
    )


def test_clusters_are_explained():
    """Both intervals are shown, and as how many questions the clustered ones count."""
    origin = {"provenance": [{"document": str(i // 5)} for i in range(100)]}
    second = [1.0 if (i // 5) % 3 else 0.0 for i in range(100)]
    found = compare([arm([0.5] * 100, "A", tags=origin), arm(second, "B", tags=origin)], holes=False)
    (note,) = notes(found)
    assert note.message.startswith(
        "B: 100 questions come from 20 origins (a document, a conversation, a paraphrase), so they count as about "
        "20 independent ones. 95% interval with that in mind: "
    )


def test_the_best_of_several_is_told_to_flatter_itself():
    """Picking the best picks luck, too; and who else is better than the baseline is named."""
    arms = [arm([score] * 30, name) for score, name in ((0.0, "A"), (0.5, "B"), (1.0, "C"))]
    text = recommendation(compare(arms, holes=False))
    assert text.startswith(
        "Switch to C: better by 100.0 points of nDCG@5. As the best of 2 it looks better than it is"
    )
    assert "Better than A too: B; compare with them before choosing." in text


def test_unjudged_hits_that_could_turn_the_sign_are_warned_of(make, ask):
    """How much was never judged in each run, and how far it could move the difference.

    With x and y as good as the best gold, a question of B is worth (3 + 3 / 1.585) / 6.823 = .717, and one of A,
    which did not find them, (3 + 1 / 1.585) / 6.823 = .532: (.717 - .532) / 2 = .092.
    """
    dataset = ask(12)
    judged = {f"question {i}": [[f"d{i}", f"e{i}"]] for i in range(12)}
    half = {f"question {i}": [[f"d{i}", f"e{i}"] if i % 2 else ["x", "y"]] for i in range(12)}
    report = make(dataset, {"A": FakeSystem(judged), "B": FakeSystem(half)}, metrics=["nDCG@10"])
    message = next(note.message for note in notes(compare(report)) if note.level == "warning")
    assert message == (
        "50% of B's first hits were never judged (A: 0%) and count as wrong; judging them could turn the sign for "
        "B. By how they are judged, the difference in nDCG@10 could be -50.0 to +9.2 points: 12 passages to judge"
    )


@pytest.mark.parametrize(
    ("metric", "fate"),
    [("P@3", "the sign holds all the same"), ("R@3", "no way of judging them that was tried turns the sign")],
)
def test_that_a_sign_holds_is_said_only_where_nothing_can_turn_it(make, ask, metric, fate):
    """P rests on the first hits alone; R is divided by all golds, those further down among them."""
    few = {f"question {i}": [["x"]] for i in range(12)}
    both = {f"question {i}": [[f"d{i}", f"e{i}"]] for i in range(12)}
    report = make(ask(12), {"A": FakeSystem(few), "B": FakeSystem(both)}, metrics=[metric])
    (message,) = [note.message for note in notes(compare(report)) if "never judged" in note.message]
    assert fate in message


def test_equal_lists_are_not_warned_of(make, ask):
    """Two runs with the very same hits differ by nothing, whatever the unjudged ones are."""
    same = {f"question {i}": [["x", f"d{i}", "y"]] for i in range(12)}
    found = compare(make(ask(12), {"A": FakeSystem(same), "B": FakeSystem(same)}, metrics=["nDCG@10"]))
    holes = found.candidates[0].holes
    assert (holes.low, holes.high, holes.holes) == (0.0, 0.0, 0)
    assert not [note.message for note in notes(found) if "judge" in note.message]


def test_a_switch_that_harms_another_metric_says_so():
    """Better by the primary, worse by another: both stand in the advice."""
    found = compared({METRIC: [0.0] * 30, "RR": [1.0] * 30}, {METRIC: [1.0] * 30, "RR": [0.5] * 30},
                     metrics=[METRIC, "RR"])  # fmt: skip
    assert recommendation(found).endswith("But it is worse by MRR.")


def test_slices_are_read_after_the_interaction_test_alone():
    """Without a sign of interaction no sentence says that the change helps here and hurts there."""
    tags = {"category": ["up" if i < 20 else "same" for i in range(40)], "difficulty": ["easy", "hard"] * 20}
    second = [1.0 if i < 20 else 0.5 for i in range(40)]
    found = compare([arm([0.5] * 40, "A", tags=tags), arm(second, "B", tags=tags)], holes=False)
    first, rest = interactions_text(found.candidates[0].interactions)
    assert first == (
        "The change differs by category: shuffled labels spread it as much less than once in 1,000 times."
    )
    assert rest.startswith("No sign that the change differs by difficulty (p 1.00)")


def test_what_could_not_be_paired_is_listed_with_its_reason():
    """Failed, undefined and unpaired questions are named, and none is dropped in silence."""
    found = compared([0.5, 0.5, None, None, 0.5], [0.5, None, 0.5, None, 0.5])
    messages = [note.message for note in notes(found)]
    assert "B: 1 question left out of nDCG@5, with a failed search in B: q1" in messages
    assert "B: 1 question left out of nDCG@5, with a failed search in A: q2" in messages
    assert "1 question could not be scored by nDCG@5 in either run: 1 with a failed search" in messages


def test_of_several_runs_it_is_said_where_a_question_has_no_score():
    """In any run where that holds for all; else in which two."""
    arms = [arm([None, 0.5, 0.5], "A"), arm([None, 0.5, 0.5], "B"), arm([None, 0.4, 0.5], "C")]
    messages = [note.message for note in notes(compare(arms, holes=False))]
    assert messages == ["1 question could not be scored by nDCG@5 in any run: 1 with a failed search"]
    arms[2] = arm([0.5, 0.5, 0.5], "C")
    messages = [note.message for note in notes(compare(arms, holes=False))]
    assert "1 question could not be scored by nDCG@5 in A and in B: 1 with a failed search" in messages


def test_failed_searches_and_open_runs_are_warned_of():
    """A failure that counts as a miss is in the mean, and named."""
    second = arm([0.5, 0.0], "B")
    failed = replace(second.queries[1], failures=(Failure(kind="timeout", message="too slow"),))
    second = replace(second, queries=(second.queries[0], failed), run=replace(second.run, state="interrupted"))
    messages = [(note.level, note.message) for note in notes(compare([arm([0.5, 0.5], "A"), second], holes=False))]
    assert ("warning", "B: the search failed on 1 question, which count as misses: q1") in messages
    assert any(message.startswith("B is interrupted: ") for _, message in messages)


def test_ignored_differences_stay_in_sight_as_errors():
    """Who compares all the same is told what differs, first."""
    other = arm([1.0] * 3, "B")
    other = replace(other, run=replace(other.run, dataset="elsewhere"))
    first, *_ = notes(compare([arm([0.5] * 3, "A"), other], ignore_identity=True, holes=False))
    assert (first.level, first.message.split(":")[1]) == ("error", " dataset differs (test against elsewhere)")


@pytest.fixture(scope="module")
def demo():
    """A comparison of three runs with slices, latencies, changes both ways and a failed search."""
    n = 30
    tags = {"category": [("even", "odd")[i % 2] for i in range(n)]}
    columns = [
        [0.5] * n,
        [1.0 if i % 3 else 0.2 for i in range(n)],
        [0.4 if i % 4 else 0.9 for i in range(n)],
    ]
    times = {P95: [20.0 + i for i in range(n)]}
    arms = [
        arm({METRIC: column, "Hit@5": [float(one > 0.3) for one in column], **times}, name, tags=tags)
        for name, column in zip("ABC", columns, strict=True)
    ]
    broken = replace(
        arms[1].queries[0], response=Response(failure=Failure(kind="error", message="<b>|no|</b>")), matches=()
    )
    arms[1] = replace(arms[1], queries=(broken, *arms[1].queries[1:]))
    return compare(arms)


def test_every_format_says_the_same_verdict(demo):
    """One object: sentences, winner and p-values are the same in all formats."""
    data = json.loads(render_comparison(demo, "json"))
    sentences = [one["sentence"] for candidate in data["candidates"] for one in candidate["metrics"]]
    assert len(sentences) == 4
    for name in ("html", "markdown", "junit"):
        text = render_comparison(demo, name)
        plain = text.replace("&#8203;", "")
        assert all(sentence in plain for sentence in sentences), name
    folded = " ".join(render_comparison(demo, "terminal").split())
    assert sentences[0] in folded
    assert sentences[2] in folded
    assert data["verdict"]["exit_code"] == int(demo.exit_code)
    assert data["verdict"]["winner"] == winner_text(demo)
    assert data["verdict"]["recommendation"] == recommendation(demo)


def test_how_much_was_judged_stands_beside_the_numbers(demo):
    """Judged@k of every run, whether or not it is alarming."""
    said = "Judged@5, the share of the first hits that anybody judged: A 100%, B 100%, C 100%."
    assert said in render_comparison(demo, "markdown")
    assert said in render_comparison(demo, "html")
    assert "Judged@5" not in render_comparison(compared([0.5], [0.5]), "html")


def test_json_holds_everything_and_no_nan(demo):
    """Scores, changed questions with both lists, slices, classic tests: nothing is only in a picture."""
    data = json.loads(render_comparison(demo, "json"), parse_constant=pytest.fail)
    one = data["candidates"][0]
    assert data["schema"] == "ragstone.comparison/1"
    assert len(one["metrics"][0]["scores"]) == 30
    assert {"before", "after", "change", "text"} <= one["changed"]["lost"][0].keys()
    assert one["changed"]["won"][0]["after"]["hits"][0]["grade"] == 3
    assert {one["dimension"] for one in one["slices"]} == {"category"}
    assert one["metrics"][0]["paired_t"]["stars"] in ("", "*", "**")
    assert one["holes"]["judged"] == [1.0, 1.0]
    assert (data["family"], data["secondary_family"]) == (2, 2)


def test_junit_fails_what_is_worse_and_skips_what_is_open():
    """Better and no difference pass; borderline and not enough questions are skipped."""

    def case(first, second):
        suite = ET.fromstring(render_comparison(compared(first, second), "junit"))[0]  # noqa: S314
        return [child.tag for child in suite[0]]

    assert case([0.0] * 30, [1.0] * 30) == ["system-out"]
    assert case([0.0, 1.0] * 20, [1.0, 0.0, 0.0, 1.0] * 10) == ["system-out"]
    assert case([1.0] * 30, [0.0] * 30) == ["failure"]
    assert case([0.5] * 30, [1.0] * 4 + [0.5] * 26) == ["skipped"]
    assert case([0.5], [1.0]) == ["skipped"]


def test_markdown_begins_with_the_verdict_and_the_changed_questions(demo):
    """Summary, then what was lost and won with both lists, then the tables."""
    text = render_comparison(demo, "markdown")
    heads = re.findall(r"^## (.*)$", text, re.MULTILINE)
    assert heads[:3] == ["Summary", "Changed questions by nDCG@5", "Metrics"]
    assert heads.index("Recommendation") < heads.index("Classic tests")
    assert text.index("### Lost by B: 10 questions") < text.index("### Won by B: 20 questions")
    assert "the search failed: &lt;b&gt;\\|no\\|&lt;/b&gt;" in text
    assert "| Hit@5 | 100.0% | 66.7% | -33.3 |" in text


def test_markdown_tables_hold_whatever_text_and_size(demo):
    """Every row of a table has as many cells as its head, and the whole fits into a comment."""
    text = render_comparison(demo, "markdown")
    for table in re.findall(r"(?:^\|.*\n)+", text, re.MULTILINE):
        assert len({len(re.findall(r"(?<!\\)\|", line)) for line in table.splitlines()}) == 1
    assert len(text.encode()) <= 60_000


@pytest.mark.parametrize("width", [60, 100])
def test_the_terminal_text_keeps_to_its_width(demo, width):
    """Lines fit, and there is no escape sequence unless colour is asked for."""
    text = render_comparison_terminal(demo, width=width)
    assert max(len(line) for line in text.splitlines() if not line.startswith(("why:", "page:"))) <= width
    assert "\x1b" not in text
    assert "\x1b" in render_comparison_terminal(demo, width=width, colour=True)


def test_the_page_stands_alone(demo):
    """No script, no request, every section; gold marks are letters as well as colours."""
    text = render_comparison(demo, "html")
    assert "<script" not in text
    assert not re.search(r'(?:src|href)="(?!#|data:)', text)
    assert re.findall(r'<section id="(\w+)"', text) == [
        "changed",
        "better",
        "where",
        "price",
        "how",
    ]
    assert "★ highly relevant (3)" in text
    assert "&lt;b&gt;|no|&lt;/b&gt;" in text


@pytest.mark.parametrize("name", ["markdown", "html", "terminal", "junit", "json"])
def test_hostile_text_does_no_harm(make, name):
    """Markup and control characters in names, questions and hits stay text."""
    from tests.unit.reports.conftest import questions

    dataset = questions(8)
    queries = tuple(
        replace(one, text=f"{NASTY[i % 4]} {i}", category=NASTY[0]) for i, one in enumerate(dataset.queries[:8])
    )
    dataset = replace(dataset, queries=queries)
    good = {one.text: [[f"d{i}", "<script>x</script>"]] for i, one in enumerate(queries)}
    report = make(dataset, {"<h1>a|</h1>": FakeSystem(good), "\x1b[31m*b*": FakeSystem({})}, metrics=["nDCG@10"])
    text = render_comparison(compare(report), name)
    assert "\x1b" not in text
    if name != "json":
        assert "<script>" not in text or name == "terminal"
        assert "<h1>a" not in text or name == "terminal"
    if name == "junit":
        ET.fromstring(text.encode())  # noqa: S314


@pytest.mark.parametrize("name", sorted(COMPARISON_FORMATS))
def test_every_format_writes_whatever_there_is(name):
    """No score, one question, nothing differing, no slices: every format has something to say."""
    for first, second in (([None], [None]), ([0.5], [0.5]), ([0.5] * 3, [0.5] * 3), ([None, 0.2], [0.1, 0.9])):
        assert render_comparison(compared(first, second), name)


def test_the_format_follows_the_options():
    """--format, --json, the suffix, else the terminal; contradictions are refused."""
    assert comparison_format_of(None, None) == "terminal"
    assert comparison_format_of(None, PurePath("a/b.XML")) == "junit"
    assert comparison_format_of("html", PurePath("b.md")) == "html"
    assert comparison_format_of(None, None, as_json=True) == "json"
    with pytest.raises(UsageError, match="different formats"):
        comparison_format_of("html", None, as_json=True)
    with pytest.raises(UsageError, match=r"no format; known: \.html"):
        comparison_format_of(None, PurePath("b.foo"))
    with pytest.raises(UnknownNameError, match="known: html, json, junit"):
        render_comparison(compared([0.5], [0.5]), "csv")


def test_metrics_without_a_better_side_are_higher_or_lower():
    """Nobody wins by a metric that has no direction."""
    found = compared({"NumRet": [1.0] * 50}, {"NumRet": [3.0] * 50})
    assert said(found).startswith("B is higher than A by 2.000 in NumRet (95% interval ")
    assert "it was higher on 50 questions, lower on 0" in said(found)
    assert winner_text(found) == "no winner"
    assert recommendation(found) == "NumRet tells no better from worse: decide by another metric."
    assert "| NumRet |" in render_comparison(found, "markdown")


def test_metrics_without_bounds_are_not_decided_by_few_questions():
    """Below 50 questions nothing guards their interval, and the sentence says so instead of a winner."""
    found = compared({"first_rank": [3.0] * 49}, {"first_rank": [1.0] * 49})
    assert found.candidates[0].primary.doubt == "no bounds"
    assert found.winner is None
    assert "has no largest value" in said(found)
    assert "below 50 questions we promise nothing. Take it as undecided." in said(found)


def test_same_input_same_bytes():
    """Nothing in a rendering depends on the clock, on hashes or on luck."""
    scores = [i / 40 for i in range(40)], [((7 * i) % 40) / 40 for i in range(40)]
    for name in ("json", "html", "markdown"):
        assert render_comparison(compared(*scores), name) == render_comparison(compared(*scores), name)


def test_reasons_of_a_run_without_responses():
    """A run that was never asked has no scores, and the sentence says why."""
    first = arm([0.5] * 3, "A")
    second = arm([None] * 3, "B", reason="not_asked")
    assert "no question has a score in both (3 not asked)" in said(compare([first, second], holes=False))
    assert Score(None, "not_asked") == second.queries[0].scores[METRIC]


def test_a_picture_of_many_questions_stays_small():
    """Beyond 350 questions evenly spaced ones are drawn; the counts beside them are of all."""
    n = 3000
    text = render_comparison(compared([0.5] * n, [i / n for i in range(n)]), "html")
    charts = text.split('id="changed"')[1].split("<h3>")[0]
    assert charts.count("<rect") <= 700
    assert "lost 1500" in charts
    assert len(text) < 600_000
