"""Formats that are a list of records: one JSON array, or one record a line."""

from __future__ import annotations

from collections.abc import Iterator

from ragstone.datasets.intake import Intake, Row
from ragstone.datasets.lines import json_lines
from ragstone.datasets.sample import Sample


def records(sample: Sample, intake: Intake, key: str | None = None) -> Iterator[Row]:
    """Yield the records of an array, of the list under `key` of a document, or of the lines of a file."""
    if sample.layout == "lines":
        for line, value in json_lines(sample.path, intake.problems):
            yield Row(value, str(sample.path), line)
    elif isinstance(sample.value, list):
        yield from sample.row.items()
    elif key is not None and isinstance(sample.value.get(key), list):
        yield from sample.row.items(key)
