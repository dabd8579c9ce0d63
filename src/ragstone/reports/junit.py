"""JUnit XML: verdicts as test cases, for the test view of a continuous-integration service."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal
from xml.etree import ElementTree as ET

from ragstone.reports.plain import plain

Outcome = Literal["passed", "failed", "skipped", "error"]
_ELEMENTS = {"failed": "failure", "skipped": "skipped", "error": "error"}
# What XML 1.0 cannot hold, escaped or not.
_FORBIDDEN = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")


@dataclass(frozen=True, slots=True, kw_only=True)
class JunitCase:
    """One test case.

    Attributes:
        name: What was tested, such as a metric or a question.
        classname: What it belongs to; services group by it.
        outcome: How it came out; `skipped` is for what could not be decided.
        message: Why; its first line is shown in lists. For a passed case it becomes the case's output.
        seconds: How long it took.
    """

    name: str
    classname: str
    outcome: Outcome = "passed"
    message: str = ""
    seconds: float = 0.0


def junit_xml(suite_name: str, cases: Sequence[JunitCase]) -> str:
    """Return a JUnit document with one suite.

    The format has no standard; this is the common core that CI services read: ``testsuites``, in it one
    ``testsuite`` with counts, in it a ``testcase`` each with ``failure``, ``error`` or ``skipped``. Characters
    that XML cannot hold, and those that would hide or reorder text, are left out.

    Example:
        >>> case = JunitCase(name="nDCG@10", classname="run", outcome="failed", message="worse")
        >>> print(junit_xml("gate", [case]))
        <?xml version="1.0" encoding="UTF-8"?>
        <testsuites name="gate" tests="1" failures="1" errors="0" skipped="0" time="0.000">
          <testsuite name="gate" tests="1" failures="1" errors="0" skipped="0" time="0.000">
            <testcase name="nDCG@10" classname="run" time="0.000">
              <failure message="worse">worse</failure>
            </testcase>
          </testsuite>
        </testsuites>
        <BLANKLINE>
    """
    outcomes = Counter(case.outcome for case in cases)
    counts = {
        "name": _clean(suite_name),
        "tests": str(len(cases)),
        "failures": str(outcomes["failed"]),
        "errors": str(outcomes["error"]),
        "skipped": str(outcomes["skipped"]),
        "time": f"{sum(case.seconds for case in cases):.3f}",
    }
    root = ET.Element("testsuites", counts)
    suite = ET.SubElement(root, "testsuite", counts)
    for case in cases:
        _add(suite, case)
    ET.indent(root)
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{ET.tostring(root, encoding="unicode")}\n'


def _add(suite: ET.Element, case: JunitCase) -> None:
    attributes = {"name": _clean(case.name), "classname": _clean(case.classname), "time": f"{case.seconds:.3f}"}
    element = ET.SubElement(suite, "testcase", attributes)
    lines = "\n".join(_clean(line) for line in case.message.splitlines())
    if case.outcome in _ELEMENTS:
        first = lines.split("\n", 1)[0]
        ET.SubElement(element, _ELEMENTS[case.outcome], message=first).text = lines or None
    elif lines:
        ET.SubElement(element, "system-out").text = lines


def _clean(text: str) -> str:
    return _FORBIDDEN.sub("", plain(text))
