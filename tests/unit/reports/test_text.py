from __future__ import annotations

import re

import pytest

from ragstone.errors import UnreachableError
from ragstone.reports import explanation_data, render, render_explanation, render_terminal, terminal_width
from ragstone.reports.hints import hints, queries_for_quantile
from ragstone.reports.overview import answer, main_metrics, runs_text, short_names, verdict_sentence
from ragstone.reports.worst import below_best, hardest, lost_counts
from ragstone.testing import FakeSystem


def cells(text):
    """The number of cells of each table line; escaped pipes do not count."""
    lines = [line for line in text.splitlines() if line.startswith("| ")]
    return [len(re.findall(r"(?<!\\)\|", line)) - 1 for line in lines]


def test_markdown_tables_hold_whatever_text(nasty):
    """No text breaks a table, opens markup or makes an element."""
    text = render(nasty, "markdown")
    tables = re.findall(r"(?:^\|.*\n)+", text, re.MULTILINE)
    assert len(tables) >= 6
    assert all(len(set(cells(table))) == 1 for table in tables)
    assert "<" not in text
    assert "**bold**" not in text
    assert not re.search(r"(?<!\\)\]\(", text)


def test_markdown_shows_both_lists_of_the_worst_questions(troubled):
    """What came back stands beside what should have."""
    text = render(troubled, "markdown")
    assert "| 1 x0 · unjudged | d4 · highly relevant (3): lost at rerank; rank by stage: lexical 11 |" in text
    assert "| unreachable | refused &lt;b&gt; | q1 | 1 |" in text


def test_markdown_fits_into_a_comment(make, ask):
    """A report of 16 runs stays below 60 KB and says where it was cut."""
    dataset = ask(100)
    systems = {f"run number {i} with a rather long name": FakeSystem({}) for i in range(40)}
    systems |= {f"dead {i}": UnreachableError(f"no way to {i}") for i in range(25)}
    report = make(dataset, systems)
    text = render(report, "markdown")
    assert len(text.encode()) <= 60_000
    assert re.search(r"^- and \d+ more$", text, re.MULTILINE)
    assert text.endswith("the HTML and JSON reports hold the rest._\n")


def test_markdown_draws_the_ranks(troubled):
    """The histogram is drawn as bars of text."""
    assert re.search(r"^ +none +█+ +\d+$", render(troubled, "markdown"), re.MULTILINE)


@pytest.mark.parametrize("width", [40, 80, 120])
def test_the_terminal_report_keeps_to_its_width(troubled, width):
    """No line is wider than the terminal, and there is no escape sequence."""
    text = render_terminal(troubled, width=width)
    commands = ("why:", "page:")
    assert max(len(line) for line in text.splitlines() if not line.startswith(commands)) <= width
    assert "\x1b" not in text


def test_the_terminal_report_of_four_runs_is_short(make, ask, script):
    """Four runs take some fifty lines."""
    systems = {name: FakeSystem(script()) for name in "abcd"}
    report = make(ask(), systems, thresholds={"Hit@5": "> 0.9", "latency_p95": "< 5 s"})
    assert len(render_terminal(report, width=100).splitlines()) <= 50


def test_many_runs_take_a_line_each(make, ask):
    """Runs that differ in one setting are named by it alone, one line each; beyond 20 they are counted."""
    systems = {f"top_k=10 rrf_k={i}": FakeSystem({}) for i in range(24)}
    text = render_terminal(make(ask(2), systems), width=100)
    assert re.search(r"^rrf_k=0 +4/4", text, re.MULTILINE)
    assert "… and 4 more runs" in text


def test_colour_only_when_asked(troubled):
    """The same text, with and without escape sequences."""
    coloured = render_terminal(troubled, width=100, colour=True)
    assert "\x1b[" in coloured
    assert re.sub(r"\x1b\[[0-9;]*m", "", coloured).split() == render_terminal(troubled, width=100).split()


def test_terminal_text_is_not_markup(make, ask):
    """Brackets, emoji names and file names in text stay as they are."""
    text = render_terminal(make(ask(1), {"[red]x[/red] :smile:": FakeSystem({})}), width=120)
    assert "[red]x[/red] :smile:" in text


def test_commands_can_be_copied(nasty):
    """A question's id is quoted for the shell."""
    assert re.search(r"ragstone explain run-\w+ '=\d<i>'", render(nasty, "terminal"))


def test_terminal_width_without_a_terminal(monkeypatch):
    """The environment decides."""
    monkeypatch.setenv("COLUMNS", "77")
    assert terminal_width() == 77


def test_an_explanation_names_the_stage(troubled):
    """Hits with marks, the gold's ranks by stage, scores or reasons, for one question."""
    result = troubled.runs[0]
    text = render_explanation(result, result.queries[4])
    assert text.startswith("q4  question 4\n")
    assert "expected  answer 4" in text
    assert re.search(r"P@20 +not computed: cut off deeper than the search went", text)
    assert re.search(r"d4 +highly relevant \(3\): lost at rerank; rank by stage: lexical 11", text)
    data = explanation_data(result, result.queries[4])
    assert data["traces"][0] == {
        "gold": "d4",
        "grade": 3,
        "rank": None,
        "stages": {"lexical": 11, "rerank": None},
        "lost_at": "rerank",
    }
    assert data["hits"][0]["text"] == "some text"


def test_explanations_of_what_has_no_result(troubled, nasty):
    """A failed search, a question not asked, one without gold, and nasty text are explained too."""
    hobbling, dead = troubled.runs
    assert "The search failed (unreachable): refused <b>" in render_explanation(hobbling, hobbling.queries[1])
    assert explanation_data(hobbling, hobbling.queries[1])["failure"]["kind"] == "unreachable"
    assert "has not been asked yet" in render_explanation(dead, dead.queries[0])
    assert explanation_data(dead, dead.queries[0])["asked"] is False
    assert "No relevant gold: unanswerable" in render_explanation(hobbling, hobbling.queries[12])
    assert "degraded  no reranker" in render_explanation(hobbling, hobbling.queries[3])
    assert not set(render_explanation(nasty.runs[0], nasty.runs[0].queries[3])) & set("\x1b\u202e")


def test_hints_follow_from_the_numbers(troubled, good):
    """Each is there where its cause is, and only there."""
    text = " ".join(hints(troubled))
    assert f"Finish first: `ragstone resume {troubled.batch} --failed`." in text
    assert "Label 1 answerable question without relevant gold (bare)" in text
    assert "Set top_k to 20 or more, or drop P@20" in text
    assert "Latency p95 needs 72 questions" in text
    assert "Do not choose a run by these means alone" in text
    assert "find their first relevant hit only below rank 5" in text
    assert "top_k" not in " ".join(hints(good))


def test_failed_searches_are_worth_another_try(make, ask, script):
    """Where all was asked and some failed, the hint is to ask those again, and how they count meanwhile."""
    for policy, words in (("miss", "count as misses"), ("exclude", "are left out of the means")):
        report = make(ask(), {"a": FakeSystem(script())}, on_error=policy)
        assert f"--failed`. Until then they {words}" in hints(report)[0]


def test_the_weakest_slice_is_named(make, ask):
    """The lowest slice with enough questions, in most runs."""
    dataset = ask(24)
    answers = {q.text: [[f"d{i}"]] if i % 2 else [["x"]] for i, q in enumerate(dataset.queries)}
    text = " ".join(hints(make(dataset, {"a": FakeSystem(answers), "b": FakeSystem(answers)})))
    assert "Look at category \u201ceven\u201d: the lowest slice in 2 of 2 runs (nDCG@10 0.000, n = 12)" in text


def test_values_needed_for_a_quantile():
    """With 95% confidence p50 needs 6 values, p95 72, p99 368."""
    assert [queries_for_quantile(p) for p in (0.5, 0.95, 0.99)] == [6, 72, 368]


def test_the_answer_names_no_winner(troubled, make, ask, empty):
    """Several runs are told by their range and precision; runs that were not computed are counted."""
    assert answer(troubled).startswith("nDCG@10 over 1 of 2 runs (not computed for the rest): ")
    systems = {"a": FakeSystem({}), "b": FakeSystem({"question 0": [["d0"]]})}
    text = answer(make(ask(2), systems))
    assert re.fullmatch(
        r"nDCG@10 over 2 runs: from 0\.000 \(a\) to 0\.\d+ \(b\); each known to about ±0\.\d+\.", text
    )
    several = make(ask(0), {"a": FakeSystem({}), "b": FakeSystem({})})
    assert answer(several).startswith("nDCG@10 could not be computed for any of 2 runs: 1 without relevant gold")
    assert answer(empty).startswith("nDCG@10 could not be computed")


def test_the_verdict_in_a_sentence(troubled, good):
    """Missed thresholds, unfinished runs, questions not asked and failed searches are counted."""
    assert verdict_sentence(troubled) == (
        "4 of 4 threshold checks missed; 1 of 2 runs not completed; 14 of 28 questions not asked; "
        "2 of 14 searches failed."
    )
    assert verdict_sentence(good) == "Every question was asked and answered."


def test_main_metrics_lead_with_the_primary(troubled):
    """The primary comes first, then thresholds, then one of each family, latency last; each once."""
    assert main_metrics(troubled) == ("nDCG@10", "Hit@5", "RR@10", "latency(p=95)")


def test_worst_questions(troubled, good):
    """Worst first, without failed searches where single runs are meant; none where all is perfect."""
    found = below_best(troubled.runs[0])
    assert [one.query.id for one in found][:2] == ["q4", "q10"]
    assert not {"q1", "q2", "none", "bare"} & {one.query.id for one in found}
    assert next(one for one in hardest(troubled) if one.found.query.id == "q1").failed == 1
    assert below_best(good.runs[0]) == hardest(good) == []


def test_lower_is_better_turns_the_order(make, ask, script):
    """With a primary metric that should be low, the highest values are the worst."""
    report = make(ask(), {"a": FakeSystem(script())}, metrics=["first_rank"], primary="first_rank")
    values = [one.value for one in hardest(report)]
    assert values == sorted(values, reverse=True)
    assert values[-1] > 1
    assert "first rank" in render(report, "html").lower()


def test_small_words(troubled):
    """Runs of a notice, lost golds, and names without what all share."""
    assert runs_text(["a"], 1) == "a"
    assert runs_text(["a", "b"], 2) == "all runs"
    assert runs_text(list("abcde"), 9) == "5 of 9 runs"
    assert lost_counts(["rerank", None, "lexical + dense", "rerank", "returned"]) == (
        "2 lost at rerank, 1 not found by lexical + dense, 1 ranked below the returned hits"
    )
    assert short_names(troubled) == ["hobbling", "dead"]
