"""What a metric is: a named family of vectorised functions, and a value such as ``nDCG@10`` that selects one."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ragstone.errors import UsageError
from ragstone.judged import JudgedRun
from ragstone.registry import Registry

if TYPE_CHECKING:
    from ragstone.stats.summary import Kind

Values = NDArray[np.float64]
Mask = NDArray[np.bool_]
ParamValue = int | float | str
_NO_PARAMS: Mapping[str, Any] = MappingProxyType({})


class Param(NamedTuple):
    """A parameter of a family: its default (None: must be given), what it may be, and what it does.

    Attributes:
        choices: The words it may be; empty for a number.
        whole: Whether the number must be a whole one.
        low: Smallest number it may be.
        high: Largest number it may be.
    """

    default: ParamValue | None
    doc: str
    choices: tuple[str, ...] = ()
    whole: bool = False
    low: float = -math.inf
    high: float = math.inf


REL: Mapping[str, Param] = {"rel": Param(1, "Lowest grade that counts as relevant.", whole=True, low=1)}


class Requirement(NamedTuple):
    """What a query must have for a metric to apply to it.

    Attributes:
        reason: Reason code of a query that lacks it, such as ``no_gold``.
        holds: Takes the run and the metric's parameters; returns one boolean per query.
        waivable: Whether the policy ``no_gold=zero`` scores a query that lacks it all the same, as trec_eval
            does: where there is no gold, with 0.
    """

    reason: str
    holds: Callable[[JudgedRun, Mapping[str, ParamValue]], Mask]
    waivable: bool = False


class Family(NamedTuple):
    """A metric without its cutoff and parameters.

    Attributes:
        name: The field's name for it, as printed.
        function: ``(run, cutoff=..., **params) -> float64[n_queries]``, without `cutoff` where there is none.
            NaN means: not defined, for another reason than a requirement; `undefined` names it.
        kind: Selects the interval: rate, mean (bounded), quantile or open (unbounded).
        bounds: Range of a value.
        cutoff: Whether ``@k`` must, may or must not be given.
        higher_is_better: Direction; None where neither is.
        monotone: Whether moving a more relevant hit up never makes the value worse, and no ranking beats that of
            all relevant golds by grade, best first, and nothing else.
        undefined: Reason code of a NaN from the function.
        cut_off: ``run -> bool[n_queries]``: the queries whose value is known only to be at least so much, because
            the search was stopped at its time limit; None where values are always known.
        aliases: Other spellings, lower-case.
        presets: Spellings that stand for certain parameters, lower-case.
    """

    name: str
    function: Callable[..., Values]
    doc: str
    kind: Kind = "mean"
    bounds: tuple[float, float] = (0.0, 1.0)
    cutoff: Literal["required", "optional", "none"] = "none"
    higher_is_better: bool | None = True
    params: Mapping[str, Param] = _NO_PARAMS
    requires: tuple[Requirement, ...] = ()
    monotone: bool = False
    undefined: str = "undefined"
    cut_off: Callable[[JudgedRun], Mask] | None = None
    aliases: tuple[str, ...] = ()
    presets: Mapping[str, Mapping[str, ParamValue]] = _NO_PARAMS


FAMILIES: Registry[Family] = Registry(
    "metric",
    group="metrics",
    modules=(
        "ragstone.metrics.ranking",
        "ragstone.metrics.gain",
        "ragstone.metrics.sets",
        "ragstone.metrics.incomplete",
        "ragstone.metrics.users",
        "ragstone.metrics.scores",
        "ragstone.metrics.behaviour",
    ),
)


def family(name: str, **traits: Any) -> Callable[[Callable[..., Values]], Callable[..., Values]]:  # noqa: ANN401 - the fields of Family
    """Register the decorated function as the metric family `name`; its docstring is the metric's documentation."""

    def register(function: Callable[..., Values]) -> Callable[..., Values]:
        FAMILIES.add(name)(Family(name=name, function=function, doc=function.__doc__ or "", **traits))
        return function

    return register


@dataclass(frozen=True, slots=True)
class Metric:
    """A metric as a value: it parses from and prints as one string, compares and hashes.

    Attributes:
        family: Name of its family.
        cutoff: k of ``@k``; None for the whole list.
        params: The parameters that differ from their defaults or have none, sorted by name.
    """

    family: str
    cutoff: int | None = None
    params: tuple[tuple[str, ParamValue], ...] = ()

    def __post_init__(self) -> None:
        traits = FAMILIES[self.family]
        if self.cutoff is not None and self.cutoff < 1:
            raise UsageError(f"metric {self.family}@{self.cutoff}: the cutoff must be 1 or more")
        if self.cutoff is None and traits.cutoff == "required":
            raise UsageError(f"metric {self.family!r} needs a cutoff, such as {self.family}@10")
        if self.cutoff is not None and traits.cutoff == "none":
            raise UsageError(f"metric {self.family!r} takes no cutoff, got @{self.cutoff}")

    def __str__(self) -> str:
        params = ", ".join(f"{key}={value!r}" for key, value in self.params)
        cut = "" if self.cutoff is None else f"@{self.cutoff}"
        return f"{self.family}({params}){cut}" if params else f"{self.family}{cut}"

    @property
    def traits(self) -> Family:
        """The family with its kind, range, direction and documentation."""
        return FAMILIES[self.family]

    def values(self, run: JudgedRun) -> Values:
        """Return the metric of every query as an array; NaN where it is undefined."""
        cut = {} if self.traits.cutoff == "none" else {"cutoff": self.cutoff}
        return self.traits.function(run, **cut, **self.arguments())

    def arguments(self) -> dict[str, ParamValue]:
        """Return all parameters, defaults filled in."""
        defaults = {key: p.default for key, p in self.traits.params.items() if p.default is not None}
        return {**defaults, **dict(self.params)}
