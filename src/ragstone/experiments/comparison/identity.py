"""May two runs be compared at all? What of their dataset, rules, judge and corpus differs, and what that means."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Literal

from ragstone.experiments.comparison.questions import questions_apart
from ragstone.experiments.results import RunResult
from ragstone.types import Run

Level = Literal["refuse", "warn"]
_SAME_TEMPERATURE = 0.001


@dataclass(frozen=True, slots=True, kw_only=True)
class Mismatch:
    """One thing in which a candidate differs from the baseline, beside the configuration.

    Attributes:
        what: What differs, such as ``dataset``.
        level: ``refuse`` where it makes a comparison meaningless, ``warn`` where a reader must know it.
        run: Name of the candidate.
        baseline: Its value in the baseline, shortened.
        candidate: Its value in the candidate.
        consequence: What follows from it, as the end of a sentence; may be empty.
    """

    what: str
    level: Level
    run: str
    baseline: str
    candidate: str
    consequence: str

    def __str__(self) -> str:
        end = f": {self.consequence}" if self.consequence else ""
        return f"{self.what} differs ({self.baseline} against {self.candidate}){end}"


@dataclass(frozen=True, slots=True)
class _Fact:
    """Something that two runs should share: how it is read, and what follows where they do not.

    Attributes:
        consequence: What follows, where `detail` has nothing better to say.
        detail: Says of two runs what differs.
    """

    what: str
    level: Level
    read: Callable[[RunResult], Any]
    consequence: str = ""
    detail: Callable[[RunResult, RunResult], str] | None = None


def mismatches(baseline: RunResult, candidate: RunResult, name: str = "") -> tuple[Mismatch, ...]:
    """Return what differs between two runs, the refusals first; what either does not know is left out.

    Definitions of metrics cannot differ: a metric's name holds its variant, and both runs are scored anew from
    their stored responses by the same code.

    Args:
        baseline: The run to compare with.
        candidate: The other run.
        name: What to call the candidate; by default the name of its configuration.
    """
    called = name or candidate.run.spec.name
    found = [one for fact in _FACTS if (one := _mismatch(fact, baseline, candidate, called))]
    return tuple(sorted(found, key=lambda one: one.level != "refuse"))


def _mismatch(fact: _Fact, baseline: RunResult, candidate: RunResult, run: str) -> Mismatch | None:
    first, second = fact.read(baseline), fact.read(candidate)
    if first is None or second is None or _same(first, second):
        return None
    one, two = _only_differing(first, second)
    return Mismatch(
        what=fact.what,
        level=fact.level,
        run=run,
        baseline=_text(one),
        candidate=_text(two),
        consequence=(fact.detail and fact.detail(baseline, candidate)) or fact.consequence,
    )


def _same(first: object, second: object) -> bool:
    """Compare values; numbers, such as a judge's temperature, may differ by a rounding."""
    if isinstance(first, Mapping) and isinstance(second, Mapping):
        return first.keys() == second.keys() and all(_same(first[key], second[key]) for key in first)
    if isinstance(first, float) or isinstance(second, float):
        numbers = isinstance(first, int | float) and isinstance(second, int | float)
        return numbers and abs(first - second) <= _SAME_TEMPERATURE  # type: ignore[operator]
    return first == second


def _only_differing(first: object, second: object) -> tuple[object, object]:
    """Of two mappings return the entries that differ."""
    if not (isinstance(first, Mapping) and isinstance(second, Mapping)):
        return first, second
    keys = [key for key in {**first, **second} if not _same(first.get(key), second.get(key))]
    return {key: first.get(key) for key in keys}, {key: second.get(key) for key in keys}


def _text(value: object) -> str:
    if isinstance(value, Mapping):
        return ", ".join(f"{key} {_text(one)}" for key, one in value.items())
    text = value if isinstance(value, str) else json.dumps(value, default=str)
    return text if len(text) <= 40 else f"{text[:12]}…"


def _policy(result: RunResult) -> dict[str, str]:
    policy = result.benchmark.policy
    return {"no_gold": policy.no_gold, "on_error": policy.on_error, "unresolved": policy.unresolved}


def _dropped(result: RunResult) -> list[Any] | None:
    """Return the golds that scoring left out because the corpus does not hold them."""
    validity = result.run.validity
    if validity is None or result.benchmark.policy.unresolved != "drop":
        return None
    return [
        sorted((query, *places) for query, places in one.items()) for one in (validity.gone, validity.ambiguous)
    ]


def _judge(run: Run) -> dict[str, Any] | None:
    """Return all that the benchmark or the system says of a judge and of its prompt."""
    found = dict(_keys(run.benchmark, ("judge", "prompt"))) | dict(_keys(run.system, ("judge",)))
    return found or None


def _keys(facts: Mapping[str, Any], beginnings: Sequence[str]) -> Iterator[tuple[str, Any]]:
    return (
        (key, value) for key, value in facts.items() if key.startswith(tuple(beginnings)) and value is not None
    )


def _told(key: str) -> Callable[[RunResult], Any]:
    """Return a reader of what the system said of itself."""
    return lambda result: result.run.system.get(key)


_FACTS = (
    _Fact(
        "dataset",
        "refuse",
        lambda one: one.run.dataset,
        "the runs answered other questions, or other golds",
        questions_apart,
    ),
    _Fact("matching", "refuse", lambda one: asdict(one.benchmark.matching), "hits were matched by other rules"),
    _Fact("scoring policy", "refuse", _policy, "what is left open was scored by other rules"),
    _Fact("golds left out", "refuse", _dropped, "the scores rest on other golds"),
    _Fact("judge", "refuse", lambda one: _judge(one.run), "the scores were given by another instrument"),
    _Fact("corpus", "warn", _told("corpus_digest"), "a difference may come from the documents"),
    _Fact("index", "warn", _told("index_version"), "a difference may come from the index"),
    _Fact("prompt", "warn", lambda one: dict(_keys(one.run.system, ("prompt",))) or None),
    _Fact(
        "top_k",
        "warn",
        lambda one: one.benchmark.configuration.top_k,
        "metrics without a cutoff favour the longer list",
    ),
    _Fact("number of repeats", "warn", lambda one: one.run.spec.repeats, "the means of one rest on more searches"),
    _Fact("time limit in seconds", "warn", lambda one: one.benchmark.timeout_seconds, "searches failed sooner"),
    _Fact(
        "number of questions asked at once",
        "warn",
        lambda one: one.benchmark.concurrency,
        "latencies are not like for like",
    ),
    _Fact("primary metric", "warn", lambda one: str(one.benchmark.primary), "the baseline's is used"),
)
