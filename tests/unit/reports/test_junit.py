from __future__ import annotations

from xml.etree import ElementTree as ET

from hypothesis import given
from hypothesis import strategies as st

from ragstone.reports.junit import JunitCase, junit_xml

OUTCOMES = ("passed", "failed", "skipped", "error")


def test_counts_and_elements_say_the_outcomes():
    """The suite's counts are those of its cases, and each case holds the element of its outcome."""
    cases = [
        JunitCase(name=one, classname="run", outcome=one, message=f"{one}\nwhy", seconds=0.25) for one in OUTCOMES
    ]
    suite = ET.fromstring(junit_xml("a & b", cases))[0]  # noqa: S314
    assert (suite.get("name"), suite.get("tests"), suite.get("time")) == ("a & b", "4", "1.000")
    assert [suite.get(count) for count in ("failures", "errors", "skipped")] == ["1", "1", "1"]
    assert [case[0].tag for case in suite] == ["system-out", "failure", "skipped", "error"]
    assert (suite[1][0].get("message"), suite[1][0].text) == ("failed", "failed\nwhy")


@given(st.text(), st.text(), st.sampled_from(OUTCOMES))
def test_any_text_makes_a_document_that_parses(name, message, outcome):
    """Whatever a run or a message holds, the result is well-formed XML without control characters."""
    text = junit_xml(name, [JunitCase(name=name, classname=name, outcome=outcome, message=message)])
    root = ET.fromstring(text.encode())  # noqa: S314
    assert len(root.findall("./testsuite/testcase")) == 1
    assert "\x1b" not in text
