"""TREC: qrels (``query 0 document grade``), with or without topics that hold the words of the queries.

Topics stand in ``<top>`` blocks with ``<num>`` and ``<title>``, or one a line as ``id<TAB>text``. Without topics
a query's text is its id. Topics that no qrels judge are left out, as trec_eval does; so are judged queries that
the topics lack: both are warned of. Negative grades are kept: they mean unjudged.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from ragstone.datasets.formats import Format, formats
from ragstone.datasets.intake import Case, Intake, Row
from ragstone.datasets.lines import read_lines
from ragstone.datasets.qrels import Qrels, columns
from ragstone.datasets.sample import Sample
from ragstone.errors import InvalidInputError, Problem
from ragstone.files import read_text, shown
from ragstone.types import Query

_BLOCK = re.compile(r"<top>(.*?)(?:</top>|(?=<top>)|\Z)", re.DOTALL | re.IGNORECASE)
_NUM = re.compile(r"<num>\s*(?:Number:)?\s*([^\s<]+)", re.IGNORECASE)
_TITLE = re.compile(
    r"<title>\s*(?:Topic:)?(.*?)(?=</?(?:title|desc|narr|num|top)\b|\Z)", re.IGNORECASE | re.DOTALL
)


def _is_judgment(line: str) -> bool:
    cells = columns(line)
    return len(cells) == 4 and (cells[1].upper() in ("0", "Q0") or cells[3].lstrip("+-").isdigit())


def _is_topic(line: str) -> bool:
    return len(line.split("\t")) == 2


def _is_tagged(sample: Sample) -> bool:
    return any(line.lower().startswith("<top>") for line in sample.lines)


def _is_topics(sample: Sample) -> bool:
    votes = sum(map(_is_topic, sample.lines)), sum(map(_is_judgment, sample.lines))
    return _is_tagged(sample) or votes[0] > votes[1]


def _recognises(sample: Sample) -> bool:
    if sample.layout != "text":
        return False
    return _is_topics(sample) or any(map(_is_judgment, sample.lines))


def _read(samples: Sequence[Sample], intake: Intake) -> None:
    texts: dict[str, str] = {}
    qrels = Qrels(intake)
    for sample in samples:
        if _is_topics(sample):
            _read_topics(sample, texts, intake)
        else:
            _read_qrels(sample, qrels, intake)
    with_topics = any(map(_is_topics, samples))
    if all(map(_is_topics, samples)):
        message = "these are topics without judgments; name their qrels file beside them"
        intake.problems.append(samples[0].row.problem(message))
    elif with_topics:
        _join(texts, qrels, intake, samples[0].row)
    else:
        _join({name: name for name in qrels.golds}, qrels, intake, samples[0].row)


def _read_qrels(sample: Sample, qrels: Qrels, intake: Intake) -> None:
    for number, line in read_lines(sample.path, intake.problems):
        row, cells = Row(line, str(sample.path), number), columns(line)
        if len(cells) == 4:
            qrels.add(cells[0], cells[2], cells[3], row)
        else:
            run = " (six are those of a run, not of judgments)" if len(cells) == 6 else ""
            message = f"{len(cells)} columns, got {shown(line)}; qrels have 4: query, 0, document, grade{run}"
            intake.problems.append(row.problem(message))


def _read_topics(sample: Sample, texts: dict[str, str], intake: Intake) -> None:
    found = _tagged(sample, intake) if _is_tagged(sample) else _tabbed(sample, intake)
    for name, text, row in found:
        if not name or not text:
            message = f"a topic needs an id and a text, got {shown(name)} and {shown(text)}"
            intake.problems.append(row.problem(message))
        elif name in texts:
            intake.problems.append(row.problem(f"the topic {shown(name)} stands twice; ids must be unique"))
        else:
            texts[name] = text


def _tabbed(sample: Sample, intake: Intake) -> Iterator[tuple[str, str, Row]]:
    for number, line in read_lines(sample.path, intake.problems):
        row, cells = Row(line, str(sample.path), number), line.split("\t")
        if len(cells) == 2:
            yield cells[0].strip(), cells[1].strip(), row
        else:
            message = f"{len(cells)} columns between tabs, got {shown(line)}; topics have 2: id and text"
            intake.problems.append(row.problem(message))


def _tagged(sample: Sample, intake: Intake) -> Iterator[tuple[str, str, Row]]:
    try:
        intake.limits.check_size(sample.path, whole=True)
        text = read_text(sample.path)
    except InvalidInputError as error:
        intake.problems.extend(error.problems)
        return
    line, seen = 1, 0
    for block in _BLOCK.finditer(text):
        line, seen = line + text.count("\n", seen, block.start()), block.start()
        name, title = _NUM.search(block[1]), _TITLE.search(block[1])
        words = " ".join(title[1].split()) if title else ""
        yield name[1] if name else "", words, Row(None, str(sample.path), line)


def _join(texts: dict[str, str], qrels: Qrels, intake: Intake, top: Row) -> None:
    """Make cases of the queries that have both words and judgments."""
    judged = [name for name in texts if name in qrels.golds]
    missing = [name for name in qrels.golds if name not in texts]
    if texts and qrels.golds and not judged:
        one, other = next(iter(texts)), next(iter(qrels.golds))
        message = f"topics and qrels have no id in common: topics have {shown(one)}, qrels have {shown(other)}"
        intake.problems.append(Problem(f"{message}; write the ids alike", top.source))
        return
    for name in judged:
        intake.add(Case(Query(id=name, text=texts[name]), qrels.of(name)), qrels.first[name])
    _warn_left_out(len(texts) - len(judged), "topics without judgments", intake, top)
    _warn_left_out(
        len(missing),
        f"judged queries without a topic (the first is {shown(next(iter(missing), None))})",
        intake,
        top,
    )


def _warn_left_out(count: int, what: str, intake: Intake, top: Row) -> None:
    if count:
        intake.warnings.append(Problem(f"{count:,} {what} are left out", top.source))


formats.add("trec")(
    Format(
        "TREC qrels (query 0 document grade), alone or beside topics (<top> blocks, or id<TAB>text)",
        _recognises,
        _read,
        together=True,
    )
)
