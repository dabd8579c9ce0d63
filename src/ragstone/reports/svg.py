"""The few parts that hand-drawn SVG needs: elements, text, numbers, scales."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

from ragstone.reports.plain import plain, shortened

# Colours come from the page where it sets these; the fall-backs hold for a drawing that stands alone.
ACCENT = "var(--accent,#0b6e7f)"
MUTED = "var(--muted,#6b7280)"
GRID = "var(--line,#d9dde3)"
INK = "var(--ink,#1c2430)"
WARM = "var(--bad,#b3261e)"

FONT = 12
# A little more than most fonts need, so that nothing is clipped.
_CHARACTER = 7.2


def element(name: str, *children: str, **attributes: str | float) -> str:
    """Return an element; `_` in attribute names stands for `-`.

    Example:
        >>> element("circle", cx=1.5, r=4.0)
        '<circle cx="1.5" r="4"/>'
    """
    given = "".join(f' {key.replace("_", "-")}="{_attribute(value)}"' for key, value in attributes.items())
    return f"<{name}{given}>{''.join(children)}</{name}>" if children else f"<{name}{given}/>"


def _attribute(value: str | float) -> str:
    return escape(value) if isinstance(value, str) else number(value)


def number(value: float) -> str:
    """Return a coordinate with at most one decimal."""
    return f"{value:.1f}".removesuffix(".0")


def text(content: str, x: float, y: float, *, anchor: str = "start", colour: str = INK, bold: bool = False) -> str:
    """Return a line of text, plain and escaped."""
    weight = ";font-weight:600" if bold else ""
    return element("text", escape(plain(content)), x=x, y=y, text_anchor=anchor, style=f"fill:{colour}{weight}")


def tooltip(content: str) -> str:
    """Return what a pointer is told that rests on the element around it."""
    return element("title", escape(plain(content)))


def line(x1: float, y1: float, x2: float, y2: float, colour: str, width: float = 1.0, dash: str = "") -> str:
    """Return a line."""
    dashed = f";stroke-dasharray:{dash}" if dash else ""
    style = f"stroke:{colour};stroke-width:{number(width)}{dashed}"
    return element("line", x1=x1, y1=y1, x2=x2, y2=y2, style=style)


def fitting(content: str, width: float) -> str:
    """Return the text cut to about this many pixels."""
    return shortened(content, max(3, int(width / _CHARACTER)))


def text_width(content: str) -> float:
    """Return about how many pixels a text takes."""
    return len(plain(content)) * _CHARACTER


def drawing(title: str, description: str, width: float, height: float, children: Sequence[str]) -> str:
    """Return a whole SVG with its title and description for those who cannot see it."""
    return element(
        "svg",
        tooltip(title),
        element("desc", escape(plain(description))),
        *children,
        xmlns="http://www.w3.org/2000/svg",
        role="img",
        width=width,
        height=height,
        viewBox=f"0 0 {number(width)} {number(height)}",
        font_family="system-ui, sans-serif",
        font_size=FONT,
        style="max-width:100%;font-variant-numeric:tabular-nums",
    )


@dataclass(frozen=True, slots=True)
class Scale:
    """A linear scale from values to pixels; values outside are drawn at its ends."""

    low: float
    high: float
    left: float
    right: float

    def __call__(self, value: float) -> float:
        """Return where a value is drawn."""
        share = (value - self.low) / (self.high - self.low)
        return self.left + min(1.0, max(0.0, share)) * (self.right - self.left)


def nice_top(value: float) -> float:
    """Return a round number at or above a value: 1, 2, 2.5 or 5 times a power of ten.

    Example:
        >>> nice_top(37.0), nice_top(0.0)
        (50.0, 1.0)
    """
    if value <= 0 or not math.isfinite(value):
        return 1.0
    power = 10.0 ** math.floor(math.log10(value))
    return next(factor * power for factor in (1, 2, 2.5, 5, 10) if factor * power >= value * (1 - 1e-9))


def ticks(low: float, high: float, most: int = 5) -> list[float]:
    """Return round values for an axis, ends included where they are round.

    Example:
        >>> ticks(0, 1)
        [0.0, 0.25, 0.5, 0.75, 1.0]
    """
    step = nice_top((high - low) / (most - 1))
    first, last = math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9)
    return [index * step for index in range(first, last + 1)]
