from __future__ import annotations

import re
from xml.etree import ElementTree as ET

import pytest

from ragstone.reports.charts import Point, bars, interval_chart, step_chart, strip
from ragstone.reports.svg import Scale, nice_top, ticks

SVG = "{http://www.w3.org/2000/svg}"


def percent(value):
    return f"{100 * value:.0f}%"


MANY = [Point(f"run {i}", i / 40, max(0.0, i / 40 - 0.1), min(1.0, i / 40 + 0.1)) for i in range(40)]
DRAWINGS = {
    "intervals: none": interval_chart([], "t", percent),
    "intervals: nothing computed": interval_chart([Point("a", None)], "t", percent),
    "intervals: one": interval_chart([Point("a", 0.5, 0.4, 0.6)], "t", percent),
    "intervals: no limits": interval_chart([Point("a", 30.0), Point("b", None)], "t", str, bounds=(0.0, None)),
    "intervals: many": interval_chart(MANY, "t", percent, width=340),
    "intervals: nasty": interval_chart([Point("<b>&\x1b", 0.5, note="<i>")], "<t>", percent),
    "strip": strip(Point("a", 0.5, None, 0.6, faint=True), "t", percent),
    "strip: none": strip(Point("a", None), "t", percent),
    "bars: none": bars([], "t"),
    "bars: nothing counted": bars([("1", 0)], "t"),
    "bars: one": bars([("1", 3)], "t", warn="1"),
    "bars: many": bars([(str(i), i) for i in range(50)], "t"),
    "steps: none": step_chart([], "t", str),
    "steps: one": step_chart([5.0], "t", str, marks=[("p50", 5.0)]),
    "steps: all zero": step_chart([0.0, 0.0], "t", str),
    "steps: many": step_chart([float(i) for i in range(5000)], "t", str, marks=[("p50", 2.5), ("p95", 4750.0)]),
}


@pytest.mark.parametrize("name", DRAWINGS)
def test_drawings_are_well_formed_and_can_be_read_aloud(name):
    """Each is XML, an image with a title and a description, and has no number that is none."""
    root = ET.fromstring(DRAWINGS[name])  # noqa: S314 - made here
    assert root.tag == f"{SVG}svg"
    assert root.get("role") == "img"
    assert [child.tag for child in root][:2] == [f"{SVG}title", f"{SVG}desc"]
    assert root[0].text in ("t", "<t>")
    assert root[1].text
    assert not re.search(r"nan|inf", DRAWINGS[name].replace("intervals", ""))


def test_the_same_numbers_give_the_same_bytes():
    """Drawings hold nothing but what they are given."""
    assert interval_chart(MANY, "t", percent, width=340) == DRAWINGS["intervals: many"]


def test_a_missing_limit_is_drawn_open():
    """Without an upper limit the whisker runs dashed to the edge; with both there is no dash."""
    open_ = interval_chart([Point("a", 0.5, 0.4, None)], "t", percent)
    closed = interval_chart([Point("a", 0.5, 0.4, 0.6)], "t", percent)
    assert open_.count("stroke-dasharray") == 1
    assert "no limit" in open_
    assert "stroke-dasharray" not in closed


def test_what_is_not_computed_has_no_dot():
    """A point without a value is named and said to be not computed; it is not drawn as 0."""
    drawing = interval_chart([Point("a", 0.5), Point("b", None)], "t", percent)
    assert drawing.count("<circle") == 1
    assert "not computed" in drawing


def test_many_values_make_a_bounded_path():
    """Of 5,000 values only as many steps are drawn as can be seen."""
    path = re.search(r'<path d="([^"]+)"', DRAWINGS["steps: many"])
    assert path
    assert path[1].count("V") <= 121
    assert path[1].split("V")[-1].startswith("34")  # the last step is at 100%


def test_scales_stay_inside():
    """Values outside are drawn at the ends; axes end at round numbers."""
    scale = Scale(0.0, 10.0, 100.0, 200.0)
    assert [scale(value) for value in (-5, 0, 5, 10, 99)] == [100, 100, 150, 200, 200]
    assert [nice_top(value) for value in (0.3, 1.0, 12.0, 21.0, 99.0, -1.0, float("inf"))] == [
        0.5,
        1.0,
        20.0,
        25.0,
        100.0,
        1.0,
        1.0,
    ]
    assert ticks(-1.0, 1.0, 3) == [-1.0, 0.0, 1.0]
