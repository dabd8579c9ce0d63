"""The page on undefined values says what the code does, cell by cell."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from tests.conformance.undefined_cases import CASES, outcome

from ragstone.metrics import FAMILIES, Policy, parse

PAGE = Path(__file__).parents[2] / "docs/explanation/undefined.md"


def tables():
    """Return the rows of the page's tables by the first word of their head."""
    found: dict[str, list[list[str]]] = {}
    rows: list[list[str]] = []
    for line in PAGE.read_text(encoding="utf-8").splitlines():
        if not line.startswith("|"):
            rows = []
        elif not rows:
            rows = found.setdefault(line.split("|")[1].strip(), [])
            rows.append([cell.strip() for cell in line.strip("|").split("|")])
        elif not line.startswith("| ---"):
            rows.append([cell.strip() for cell in line.strip("|").split("|")])
    return found


HEAD, *ROWS = tables()["metric"]
CELLS = [(row[0].strip("`"), case, cell) for row in ROWS for case, cell in zip(HEAD[1:], row[1:], strict=True)]


def test_the_page_covers_every_metric_and_every_case():
    """No registered metric and no case is left out, and every case is described."""
    assert {parse(row[0].strip("`")).family for row in ROWS} == set(FAMILIES)
    assert HEAD[1:] == list(CASES) == [row[0] for row in tables()["case"][1:]]


@pytest.mark.parametrize(("metric", "case", "cell"), CELLS)
def test_each_cell_is_what_comes_out(metric, case, cell):
    """The value to four digits, or the reason code."""
    assert outcome(metric, case) == cell


def test_the_policies_are_those_of_the_code():
    """Each policy is on the page with its default first."""
    shown = {row[0].strip("`"): row[1].split(",")[0].strip(" `") for row in tables()["policy"][1:]}
    assert shown == Policy()._asdict()


STATED = re.compile(r"Range: (?P<range>.+?)\. Ties: (?P<ties>.+?)\. Nothing returned: (?P<empty>.+?)\.(?:\s|$)")


@pytest.mark.parametrize("name", FAMILIES)
def test_each_definition_states_the_same(name):
    """A docstring gives range, ties, the empty answer, source and example; range and empty answer are true."""
    family = FAMILIES[name]
    text = " ".join(family.doc.split())
    stated = STATED.search(text)
    assert stated is not None
    assert "Source: " in text
    assert "Example: " in text
    low, high = (f"{bound:g}" for bound in family.bounds)
    ranges = {"-inf": "any number"}.get(low, f"{low} or more" if high == "inf" else f"{low} to {high}")
    assert stated["range"] == ranges
    if stated["empty"] in ("0", "1", "not computed"):
        outcomes = {row[HEAD.index("empty")] for row in ROWS if parse(row[0].strip("`")).family == name}
        assert {cell if cell in ("0", "1") else "not computed" for cell in outcomes} == {stated["empty"]}
