from __future__ import annotations

import csv
import io
import json
import xml.etree.ElementTree as ET
from pathlib import PurePath

import pytest
from tests.judged import dataset_of
from tests.runs import execute, planned

from ragstone.errors import UsageError
from ragstone.experiments.history import history
from ragstone.reports.history.chart import axis_of, track_chart
from ragstone.reports.history.render import history_data, render_history
from ragstone.testing import FakeSystem, InMemoryStore

N = 40
GOLDS = {f"q{i}": {"g": 2} for i in range(N)}


def told(*founds, metric=None, **settings):
    """Return the history of runs that found the gold of so many questions; None is a run that never ran."""
    store = InMemoryStore()
    for number, found in enumerate(founds):
        shared = {
            "name": "=<b>nasty|</b>",
            "metrics": ["Hit@1"],
            "primary": "Hit@1",
            "retrieval_top_k": 50 + number,
        }
        runs = planned(store, dataset_of(GOLDS), **{**shared, **settings})
        if found is not None:
            execute(store, runs, FakeSystem({f"q{i}": ["g"] if i < found else ["x"] for i in range(N)}))
    return history(store, metric=metric)


@pytest.mark.parametrize("suffix", [".html", ".svg", ".md", ".csv", ".json"])
def test_every_format_tells_the_fall_and_what_came_with_it(suffix):
    """The mark and the changed setting are in each file, and no text from outside is markup."""
    text = render_history(told(30, 31, 10), PurePath(f"trend{suffix}"))
    assert "fell" in text if suffix in (".csv", ".json") else "worse by 52.5 points" in text
    assert "retrieval" in text
    assert "<b>" not in text or suffix in (".csv", ".json")
    assert text.endswith("\n")


def test_the_text_sums_up_in_one_sentence():
    """What got worse last, and with what."""
    text = render_history(told(30, 30, 10))
    first = text.splitlines()[0]
    assert "over 3 runs: 1 change for the worse" in first
    assert first.endswith("to 25.0%, together with retrieval_top_k 51 → 52.")
    assert "nothing got worse by more than noise" in render_history(told(30, 30))


def test_first_runs_alone_claim_nothing():
    """Where no run has a predecessor to be compared with, that is said, and no "nothing got worse"."""
    assert render_history(told(30)).splitlines()[0].endswith("over 1 run: nothing to compare yet.")
    assert render_history(told(30, None)).splitlines()[0].endswith("over 2 runs: nothing to compare yet.")


def test_the_csv_is_safe_and_complete():
    """A row for each run; a name that a spreadsheet would compute is kept from it."""
    rows = list(csv.DictReader(io.StringIO(render_history(told(30, None, 10), PurePath("a.csv")))))
    assert [row["mark"] for row in rows] == ["first", "no_value", "fell"]
    assert [row["value"] for row in rows] == ["0.75", "", "0.25"]
    assert rows[0]["run_name"].startswith("'=")
    assert rows[2]["difference"] == "-0.5"


def test_the_json_is_strict():
    """No NaN, null where there is nothing, and the same sentence."""
    data = json.loads(json.dumps(history_data(told(30, None)), allow_nan=False))
    first, second = data["tracks"][0]["moments"]
    assert (first["mark"], first["comparison"], first["reason"]) == ("first", None, None)
    assert (second["mark"], second["value"], second["interval"]) == ("no_value", None, None)


def test_latency_is_compared_by_its_quantile():
    """p95 is no mean; without measurable change nothing is marked."""
    found = told(30, 30, metric="latency(p=95)")
    moment = found.tracks[0].moments[1]
    assert moment.comparison.p == 0.95
    assert moment.mark == "unclear"
    assert "too few questions" in render_history(found)


def test_the_chart_shows_every_value_within_its_frame():
    """One dot a run; a run without a value is left out, a lone run stands in the middle."""
    found = told(30, None, 10)
    drawing = ET.fromstring(track_chart(found.tracks[0], found.metric))  # noqa: S314 - our own drawing
    dots = [one for one in drawing.iter() if one.tag.endswith("circle")]
    assert len(dots) == 2
    assert all(0 <= float(one.get("cy")) <= float(drawing.get("height")) for one in dots)
    assert "▼" in "".join(drawing.itertext())
    lone = told(30)
    assert track_chart(lone.tracks[0], lone.metric).count("<circle") == 1
    none = told(None)
    assert "No run has a value." in track_chart(none.tracks[0], none.metric)


def test_the_axis_is_round_and_holds_all_intervals():
    """Changes are to be seen, so it need not begin at zero; it never leaves the bounds."""
    found = told(30, 31)
    low, high = axis_of(found.tracks, (0.0, 1.0))
    limits = [moment.value.interval for moment in found.tracks[0].moments]
    assert 0 < low <= min(one.low for one in limits)
    assert max(one.high for one in limits) <= high <= 1.0
    assert axis_of(told(None).tracks, (0.0, 1.0)) == (0.0, 1.0)


def test_an_unknown_suffix_names_the_known_ones():
    """A picture in a format that there is not is refused."""
    with pytest.raises(UsageError, match=r"'a.pdf' names no format; known: .csv"):
        render_history(told(1), PurePath("a.pdf"))
