"""The policy file of a gate: what a change may cost and what it must reach, written down before the run."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError

from ragstone.errors import InvalidInputError, Problem, UsageError
from ragstone.experiments.benchmark import MetricName
from ragstone.experiments.gate.facts import Fact
from ragstone.experiments.thresholds import misfit, parse_limit
from ragstone.files import YamlFile, load_yaml, problems_of, shown
from ragstone.metrics import Metric, parse
from ragstone.stats.gate import GATE_LEVEL

_TIME = re.compile(r"\s*(?P<number>\d+(?:\.\d+)?|\.\d+)\s*(?P<unit>ms|s|%)\s*")
_UNITS = {"ms": 1.0, "s": 1000.0, "%": 0.01}
RULES = ("margins", "drops", "thresholds", "must_pass", "max_error_rate", "min_queries")


def _number_or_text(value: object) -> object:
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        raise ValueError(f"must be a number, or a time or % for a latency, got {shown(value)}")  # noqa: TRY004 - pydantic's word
    return value


Loss = Annotated[float | str, BeforeValidator(_number_or_text)]


@dataclass(frozen=True, slots=True)
class Allowance:
    """The loss that is accepted: in the metric's units (ms for latencies), or as a share of the baseline."""

    amount: float
    relative: bool = False

    def of(self, baseline: float) -> float:
        """Return the accepted loss in the metric's units, given the baseline's value."""
        return self.amount * abs(baseline) if self.relative else self.amount


class GatePolicy(BaseModel):
    """What decides whether a change may ship. Every rule becomes one check, or one check an entry."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    margins: dict[str, Loss] = Field(
        default_factory=dict,
        description="By metric, how much worse than the baseline the run may truly be: 0.03; for latencies "
        "'500 ms' or '10%'.",
    )
    drops: dict[str, Loss] = Field(
        default_factory=dict,
        description="By metric, how much worse the measured value may be, without statistics.",
    )
    thresholds: dict[str, str] = Field(
        default_factory=dict,
        description="What the run must reach, as in a benchmark: 'Hit@5: \"> 0.80\"'.",
    )
    thresholds_by: Literal["interval", "value"] = Field(
        default="interval",
        description="What must meet a threshold: the whole interval of the value, with not enough evidence where "
        "the bound lies inside it, or the measured value, without statistics.",
    )
    must_pass: list[str] = Field(
        default_factory=list, description="Ids of questions that must come out right, one by one."
    )
    must_pass_metric: MetricName | None = Field(
        default=None, description="What right means; by default Hit at the primary metric's cutoff."
    )
    must_pass_minimum: float = Field(
        default=1.0, allow_inf_nan=False, description="The value that such a question must reach."
    )
    strict: bool = Field(default=False, description="A proven loss fails also within its margin.")
    level: float = Field(
        default=GATE_LEVEL,
        gt=0.5,
        lt=1,
        allow_inf_nan=False,
        description="Two-sided level of the intervals; 0.90 is one-sided 95%.",
    )
    min_queries: int | None = Field(
        default=None, ge=1, description="With fewer questions asked there is not enough evidence."
    )
    max_error_rate: float | None = Field(
        default=None,
        ge=0,
        le=1,
        allow_inf_nan=False,
        description="Largest error_rate of the run, as measured. Without it, failed searches that are left out of "
        "the scores, or that a latency rule has no time of, are not enough evidence.",
    )
    on_not_enough: Literal["block", "warn"] = Field(
        default="block", description="Not enough evidence: exit code 6, or 0 with a warning."
    )
    allow_identity: list[Fact] = Field(
        default_factory=list, description="Facts in which the two runs may differ, because that is known."
    )

    @property
    def needs_baseline(self) -> bool:
        """Whether a rule compares with a baseline."""
        return bool(self.margins or self.drops)

    def limits(self) -> dict[str, str]:
        """Return the thresholds by canonical metric name, that of the error rate among them."""
        given = {str(parse(name)): limit for name, limit in self.thresholds.items()}
        rate = {} if self.max_error_rate is None else {"error_rate": f"<= {_decimal(self.max_error_rate)}"}
        return {**rate, **given}

    def metric_names(self) -> tuple[str, ...]:
        """Return the canonical names of all metrics that a rule needs."""
        extra = [self.must_pass_metric] if self.must_pass and self.must_pass_metric else []
        names = [*self.margins, *self.drops, *self.limits(), *extra]
        return tuple(dict.fromkeys(str(parse(name)) for name in names))


def _decimal(number: float) -> str:
    """Return a number as people write it, never with an exponent."""
    return f"{number:.12f}".rstrip("0").rstrip(".")


def allowance(metric: Metric, value: float | str) -> Allowance:
    """Read an accepted loss: a number in the metric's units; for a latency a time, or % of the baseline.

    Raises:
        UsageError: It does not fit the metric.

    Example:
        >>> allowance(parse("nDCG@10"), 0.03), allowance(parse("latency_p95"), "10%")
        (Allowance(amount=0.03, relative=False), Allowance(amount=0.1, relative=True))
    """
    if metric.traits.higher_is_better is None:
        raise UsageError(f"{metric} has no better and no worse, so nothing can be lost")
    if metric.traits.kind == "quantile":
        return _time_allowance(metric, value)
    if isinstance(value, str):
        raise UsageError(f"{value!r} is a text; write a number in the metric's units: 0.03 for 3 points")
    low, high = metric.traits.bounds
    if not math.isfinite(value) or value < 0:
        raise UsageError(f"{value!r} is no loss that can be accepted; write a number above 0, such as 0.03")
    if value >= high - low:
        raise UsageError(
            f"{value!r} accepts any loss, as {metric} goes from {low:g} to {high:g}; write 3 points as 0.03"
        )
    return Allowance(float(value))


def _time_allowance(metric: Metric, value: float | str) -> Allowance:
    match = _TIME.fullmatch(value) if isinstance(value, str) else None
    if match is None:
        raise UsageError(f"{value!r} has no unit; write a time such as '500 ms', or '10%' of the baseline")
    if not 0 < float(metric.arguments()["p"]) < 100:
        raise UsageError(f"{metric} is an extreme, of which no interval is known; use a percentile between")
    return Allowance(float(match["number"]) * _UNITS[match["unit"]], match["unit"] == "%")


def load_policy(path: Path) -> GatePolicy:
    """Read a policy file.

    Raises:
        InvalidInputError: Listing all that is wrong with it, with lines.
    """
    return read_policy(load_yaml(path))


def read_policy(document: YamlFile) -> GatePolicy:
    """Check a policy and return it.

    Raises:
        InvalidInputError: Listing all that is wrong with it.

    Example:
        >>> read_policy(YamlFile("policy", {"margins": {"ndcg@10": 0.03}})).metric_names()
        ('nDCG@10',)
    """
    content = document.value
    if content is not None and not isinstance(content, dict):
        raise InvalidInputError([document.problem(f"a policy is a mapping of rules, got {shown(content)}")])
    if not content or not any(content.get(rule) not in (None, {}, []) for rule in RULES):
        message = f"checks nothing; it needs at least one of {', '.join(RULES)}"
        unknown = [] if not content else _problems(content, document)
        raise InvalidInputError([*unknown, document.problem(message)])
    if problems := _problems(content, document):
        raise InvalidInputError(problems)
    return GatePolicy.model_validate(content)


def _problems(content: Mapping[str, Any], document: YamlFile) -> list[Problem]:
    problems = [*_loss_problems(content, document), *_threshold_problems(content, document)]
    ids = content.get("must_pass")
    ids = ids if isinstance(ids, list) else []
    for index, name in enumerate(ids):
        if name in ids[:index]:
            problems.append(document.problem(f"{name!r} stands twice; keep one", ("must_pass", index)))
    try:
        GatePolicy.model_validate(content)
    except ValidationError as error:
        problems += problems_of(error, document, {"": list(GatePolicy.model_fields)})
    return sorted(problems, key=lambda problem: problem.line or 0)


def _loss_problems(content: Mapping[str, Any], document: YamlFile) -> Iterator[Problem]:
    for section in ("margins", "drops"):
        for name, metric, value in _entries(content, section, document):
            if isinstance(metric, Problem):
                yield metric
            elif fault := _loss_fault(section, metric, value):
                yield document.problem(fault, (section, name))


def _loss_fault(section: str, metric: Metric, value: object) -> str | None:
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        return None  # the schema says so already
    try:
        found = allowance(metric, value)
    except UsageError as error:
        return str(error)
    none = section == "margins" and not found.amount
    return "a margin is above 0: with none, no number of questions could pass" if none else None


def _threshold_problems(content: Mapping[str, Any], document: YamlFile) -> Iterator[Problem]:
    by_value = content.get("thresholds_by") == "value"
    for name, metric, limit in _entries(content, "thresholds", document):
        if isinstance(metric, Problem):
            yield metric
        elif isinstance(limit, str):
            try:
                parse_limit(limit)
                fault = misfit(metric, limit) or (None if by_value else _unreachable(metric, limit))
            except UsageError as error:
                fault = str(error)
            if fault:
                yield document.problem(fault, ("thresholds", name))


def _unreachable(metric: Metric, text: str) -> str | None:
    """Say why no interval could lie beyond a bound: it is the end of the metric's scale."""
    limit, (low, high) = parse_limit(text), metric.traits.bounds
    ends = (limit.sign.startswith(">") and limit.bound >= high) or (
        limit.sign.startswith("<") and limit.bound <= low
    )
    if not ends:
        return None
    return f"{text!r} is the end of the scale, which no number of questions proves; write thresholds_by: value"


def _entries(
    content: Mapping[str, Any], section: str, document: YamlFile
) -> Iterator[tuple[str, Metric | Problem, object]]:
    """Yield the entries of a section with their metric, or what is wrong with its name."""
    rules = content.get(section)
    seen: dict[Metric, str] = {}
    for key, value in rules.items() if isinstance(rules, dict) else ():
        name = str(key)
        try:
            metric = parse(name)
        except UsageError as error:
            yield name, document.problem(str(error), (section, name)), value
            continue
        if metric in seen:
            twice = f"the same metric as {seen[metric]!r}; keep one"
            yield name, document.problem(twice, (section, name)), value
        else:
            seen[metric] = name
            yield name, metric, value
