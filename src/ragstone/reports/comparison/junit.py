"""A comparison as JUnit: a case for every metric of every candidate."""

from __future__ import annotations

from collections.abc import Iterator

from ragstone.experiments.comparison.compare import Candidate, Comparison
from ragstone.experiments.comparison.metric import MetricComparison
from ragstone.reports.comparison.advice import metric_sentences
from ragstone.reports.comparison.render import COMPARISON_FORMATS, ComparisonFormat
from ragstone.reports.junit import JunitCase, Outcome, junit_xml
from ragstone.reports.words import label


def render_junit(comparison: Comparison) -> str:
    """Return the comparison as JUnit XML.

    A candidate that is worse fails the case, and what could not be decided (borderline, not enough questions,
    nothing to compare) is skipped; better, and no difference seen, pass. A test view is to be read, not to decide
    by: the command's exit code is 0 all the same.
    """
    title = f"{comparison.title}: compared with {comparison.names[0]}"
    return junit_xml(title, [case for one in comparison.candidates for case in _cases(comparison, one)])


def _cases(comparison: Comparison, one: Candidate) -> Iterator[JunitCase]:
    said = metric_sentences(comparison, one)
    for (name, found), message in zip(one.metrics.items(), said, strict=True):
        yield JunitCase(
            name=label(name),
            classname=one.name,
            outcome=outcome(found),
            message=message,
        )


def outcome(found: MetricComparison) -> Outcome:
    """Return how a metric's case came out; a metric of which neither side is better always passes."""
    if found.paired.n < 2 or found.verdict in ("borderline", "not enough questions"):
        return "skipped"
    directed = found.metric.traits.higher_is_better is not None
    return "failed" if directed and found.verdict == "worse" else "passed"


COMPARISON_FORMATS.add("junit")(ComparisonFormat("junit", ".xml", render_junit))
