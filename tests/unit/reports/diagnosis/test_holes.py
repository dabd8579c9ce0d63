from __future__ import annotations

import pytest
from tests.judged import dataset_of
from tests.traces import results_of

from ragstone.errors import ExitCode
from ragstone.experiments.diagnosis.holes import DifferenceBounds, difference_bounds
from ragstone.experiments.report import Report
from ragstone.metrics import parse
from ragstone.reports import render
from ragstone.reports.diagnosis.holes import hole_warnings, holes_line, holes_sentence, judged_data, judged_table
from ragstone.reports.words import NONE

GOLDS = {f"q{i}": {"g": 2, "n": 0} for i in range(4)}


def report_of(*arms):
    """Return a report of several runs on the same questions."""
    results = results_of([dict.fromkeys(GOLDS, names) for names in arms], GOLDS)
    return Report(
        title="t",
        description="",
        batch="b",
        dataset=dataset_of(GOLDS),
        runs=tuple(results),
        notices=(),
        verdict=ExitCode.OK,
    )


def bounds(**changes):
    """Return the bounds of a worked comparison."""
    values = {"metric": parse("Hit@10"), "value": 0.02, "low": -0.08, "high": 0.11, "n": 50}
    return DifferenceBounds(**{**values, "judged": (0.91, 0.38), "holes": 74, **changes})


def test_the_sentence_says_what_the_holes_could_do():
    """The report line: how much is unjudged, both extremes, and what to judge."""
    assert holes_sentence(bounds(), "A", "B") == (
        "62% of what B returned in the first 10 has never been judged (A: 9%). If the judgements fell out worst "
        "for B, it would lose by 8 points, if best, win by 11 points: judge these 74 passages before deciding."
    )


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"low": 0.01}, "win by 1 point, if best, win by 11 points: the verdict holds whatever they are."),
        ({"holes": 0, "judged": (1.0, 1.0)}, "Everything that A and B returned in the first 10 has been judged."),
        ({"holes": 0}, "(A: 9%). The difference is the same whatever the judgements are."),
        ({"holes": 1}, "judge this passage before deciding"),
        ({"metric": parse("nDCG@10")}, "lose by 0.080 nDCG@10"),
        ({"low": 0.0}, "be level, if best"),
        ({"judged": (None, 0.5)}, "(A: nothing)"),
        (
            {"metric": parse("empty_rate"), "low": -0.08, "high": 0.11},
            "lose by 11 points, if best, win by 8 points",
        ),
    ],
)
def test_the_borders_of_the_sentence(changes, said):
    """A safe sign, nothing to judge, one passage, a mean, a level end, an empty arm, less is better."""
    assert said in holes_sentence(bounds(**changes), "A", "B")


def test_few_judgements_and_unequal_ones_are_warned_of():
    """Below 80%, and where the arms differ by more than chance labels would."""
    few, unequal = hole_warnings(report_of(["g", "x"], ["g", "n"]).runs)
    assert "only 50%" in few
    assert "judged unequally: 100%" in unequal
    assert hole_warnings(report_of(["g", "n"], ["n", "g"]).runs) == []
    assert hole_warnings(report_of([], []).runs) == []


def test_every_format_says_how_much_was_judged():
    """Table or line beside the retrieval numbers, and the warning with it."""
    report = report_of(["g", "x"], ["g", "n"])
    for form in ("markdown", "html"):
        text = render(report, form)
        assert "Judged@2" in text
        assert "have been judged" in text
    assert f"Judged@2: 50{NONE}100% of the hits have been judged" in render(report, "terminal")
    assert judged_data(report.runs[0])["2"]["value"] == 0.5


def test_nothing_returned_is_no_share():
    """Without hits there is no table and no line."""
    report = report_of([])
    assert judged_table(report) is None
    assert holes_line(report) == ""
    assert "Judged@" not in render(report, "markdown").split("## All metrics")[0]


def test_bounds_of_a_real_pair_read_well():
    """From runs to words in one go."""
    first, second = results_of([{"q": ["g"]}, {"q": ["x"]}], {"q": {"g": 1}})
    said = holes_sentence(difference_bounds(first, second, parse("Hit@2")), "A", "B")
    assert said.startswith("100% of what B returned in the first 2 has never been judged (A: 0%).")
