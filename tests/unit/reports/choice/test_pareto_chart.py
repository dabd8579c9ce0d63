"""The Pareto plot and the heat map as pictures: well-formed, complete, nothing over anything."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.matrix_runs import matrix_report

from ragstone.errors import MissingExtraError
from ragstone.experiments.choice.grids import Grid, metric_grid
from ragstone.experiments.choice.pareto import pareto
from ragstone.metrics import parse
from ragstone.reports.choice.heat_map import heat_map
from ragstone.reports.choice.pareto_chart import _numbers, pareto_chart
from ragstone.reports.choice.pareto_words import pareto_sentences
from ragstone.reports.pictures import png, standalone

RR = parse("RR")
SVG = "{http://www.w3.org/2000/svg}"


def parsed(svg):
    return ET.fromstring(svg)  # noqa: S314 - our own drawing


def plotted(n=16, questions=100, **options):
    """A plot of n runs close together, one of them far off."""
    rng = np.random.default_rng(6)
    ranks = {f"run {i}": rng.integers(1, 6, questions).tolist() for i in range(n)}
    ms = {f"run {i}": (10 + rng.random(questions) + (900 if i == 3 else i % 3)).tolist() for i in range(n)}
    return pareto(matrix_report(ranks, ms=ms).runs, RR, "latency_p95", **options)


def labels(svg):
    """Return the numbers beside dots with their boxes."""
    for one in parsed(svg).iter(f"{SVG}text"):
        if one.get("text-anchor") == "middle" and re.fullmatch(r"\d+", one.text) and "600" in one.get("style"):
            x, y, width = float(one.get("x")), float(one.get("y")), 7.2 * len(one.text)
            yield int(one.text), (x - width / 2, y - 9, x + width / 2, y)


def overlap(one, other):
    return one[0] < other[2] and other[0] < one[2] and one[1] < other[3] and other[1] < one[3]


@pytest.mark.parametrize("width", [700.0, 340.0])
def test_numbers_of_sixteen_runs_never_cover_each_other_or_a_dot(width):
    """All 16 numbers are there, inside the picture, and no two overlap; no dot is covered."""
    svg = pareto_chart(plotted(), width=width)
    found = dict(labels(svg))
    assert set(found) == set(range(1, 17))
    boxes = list(found.values())
    assert all(box[0] >= 0 and box[2] <= width for box in boxes)
    assert not [1 for i, box in enumerate(boxes) for other in boxes[:i] if overlap(box, other)]
    dots = [
        (float(one.get("cx")), float(one.get("cy")))
        for one in parsed(svg).iter(f"{SVG}circle")
        if float(one.get("cx")) > 40
    ]
    assert not [1 for x, y in dots[:16] for box in boxes if overlap((x - 4, y - 4, x + 4, y + 4), box)]


@given(st.lists(st.tuples(st.floats(60, 640), st.floats(40, 300)), min_size=1, max_size=25))
def test_numbers_find_room_anywhere(places):
    """However the dots lie, also on one spot, every number is drawn."""
    drawn = "".join(_numbers(places, (50, 20, 690, 340)))
    assert len(re.findall("<text", drawn)) == len(places)


def test_the_legend_names_every_run_with_its_values():
    """Below the plot stand number, name, quality and cost; the description says the same."""
    found = plotted(4)
    svg = pareto_chart(found)
    description = parsed(svg).find(f"{SVG}desc").text
    for one in found.points:
        assert one.run.run.spec.name in svg
        assert one.run.run.spec.name in description
    assert "logarithmic" in svg


def test_a_ceiling_is_drawn_and_said():
    """The ceiling is a line with its value, and a sentence names the best run within it."""
    found = plotted(4, ceiling=14.0)
    assert "at most 14 ms" in pareto_chart(found)
    assert any(one.startswith("Within 14 ms (3 runs) the best is run ") for one in pareto_sentences(found))
    nobody = pareto_sentences(plotted(4, ceiling=1.0))
    assert any(one.startswith("No run is within 1.0 ms: the cheapest, run") for one in nobody)


def test_numbers_keep_off_the_frontier_and_the_whiskers():
    """With few runs there is room: no number is struck through by a line of the plot."""
    svg = pareto_chart(plotted(4))
    crossed = [
        (name, box)
        for name, box in labels(svg)
        for x1, y1, x2, y2 in strokes(svg)
        if overlap((min(x1, x2) - 0.5, min(y1, y2) - 0.5, max(x1, x2) + 0.5, max(y1, y2) + 0.5), box)
    ]
    assert not crossed


def strokes(svg):
    """Return the whiskers and the steps of the frontier: the lines in groups with an opacity, and the path's."""
    for group in parsed(svg).iter(f"{SVG}g"):
        if group.get("opacity"):
            yield from (
                tuple(float(one.get(key)) for key in ("x1", "y1", "x2", "y2")) for one in group.iter(f"{SVG}line")
            )
    path = next(parsed(svg).iter(f"{SVG}path")).get("d")
    points = [tuple(map(float, one.split())) for one in re.split("[ML]", path) if one]
    yield from ((*first, *second) for first, second in pairwise(points))


def test_standings_differ_by_shape():
    """Filled on the frontier, a ring within noise, a ring crossed out where dominated."""
    ms = {"good": [10.0] * 80, "near": [10.5] * 80, "poor": [50.0] * 80}
    ranks = {"good": [1, 2] * 40, "near": [2, 1] * 39 + [2, 2], "poor": [5] * 80}
    svg = parsed(pareto_chart(pareto(matrix_report(ranks, ms=ms).runs, RR, "latency_p95")))
    dots = [one for one in svg.iter(f"{SVG}g") if one.find(f"{SVG}circle") is not None]
    drawn = {
        one.find(f"{SVG}title").text: (
            "paper" in one.find(f"{SVG}circle").get("style"),
            len(one.findall(f"{SVG}line")),
        )
        for one in dots
    }
    assert drawn == {"on the frontier": (False, 0), "within noise": (True, 0), "dominated": (True, 2)}


def test_dominated_runs_are_hollow_and_named():
    """A run that is worse in both for sure is drawn as a ring on the page's paper, crossed out."""
    ms = {"good": [10.0] * 80, "poor": [50.0] * 80}
    found = pareto(matrix_report({"good": [1] * 80, "poor": [5] * 80}, ms=ms).runs, RR, "latency_p95")
    assert "fill:var(--paper,#fff)" in pareto_chart(found)
    assert "dominated at 95%" in pareto_chart(found)
    assert any("worse in both by more than noise: poor (by good)" in one for one in pareto_sentences(found))


def test_a_hostile_name_stays_text():
    """Names are escaped in the plot."""
    found = pareto(matrix_report({"<script>x</script>": [1] * 5, "b": [2] * 5}).runs, RR, "latency_p95")
    assert "<script" not in pareto_chart(found)
    parsed(pareto_chart(found))


def test_nothing_to_plot():
    """Without a run the picture says so."""
    report = matrix_report({"a": [1] * 3, "b": [1] * 3}, own_metrics={"a": ["Hit@1"], "b": ["Hit@1"]})
    found = pareto(report.runs, RR, "latency_p95")
    assert "No run to show." in pareto_chart(found)
    assert pareto_sentences(found)[0] == "No run has both a quality and a cost."


def test_a_heat_map_prints_every_number_and_marks_the_best():
    """Each metric has its own direction: the best cell of a latency is the lowest."""
    report = matrix_report({"a": [1] * 5, "b": [2] * 5}, ms={"a": [9.0] * 5, "b": [2.0] * 5})
    svg = heat_map(metric_grid(report.runs, [RR, parse("latency_p95")]))
    parsed(svg)
    bold = re.findall(r'font-weight:600">([^<]+)<', svg)
    assert bold == ["1.000", "2.0 ms"]
    assert all(word in svg for word in ("0.500", "9.0 ms"))


def test_an_empty_cell_is_a_dash():
    """What is not computed is neither coloured nor a number."""
    grid = Grid(
        across="y", down="x", columns=("1", "2"), rows=("r",), metrics=(RR, RR), values=((0.5, None),), n=(3, 0)
    )
    svg = heat_map(grid)
    assert svg.count("<rect") == 1
    assert "1 (3)" in svg


def test_a_picture_that_stands_alone():
    """Colours are filled in, white paper lies below, and the same input gives the same bytes."""
    svg = standalone(pareto_chart(plotted(3)))
    assert "var(" not in svg
    assert 'fill="#fff"' in svg
    assert svg == standalone(pareto_chart(plotted(3)))
    parsed(svg)


def test_png():
    """The PNG has the signature and is 1,400 pixels wide."""
    content = png(pareto_chart(plotted(3)))
    assert content.startswith(b"\x89PNG")
    assert int.from_bytes(content[16:20], "big") == 1400


def test_png_without_its_package_names_the_extra(monkeypatch):
    """What is missing is told with the command that brings it."""
    monkeypatch.setitem(__import__("sys").modules, "resvg_py", None)
    with pytest.raises(MissingExtraError, match=r"ragstone\[png\]"):
        png("<svg></svg>")
