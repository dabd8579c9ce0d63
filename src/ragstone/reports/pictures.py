"""Drawings that leave the page: SVG files that stand alone, and PNG for places that take no SVG."""

from __future__ import annotations

import re

from ragstone.errors import MissingExtraError

PIXELS = 1400
PAPER = "#fff"
_VARIABLE = re.compile(r"var\(--[\w-]+,(#\w+)\)")
_FONT = re.compile('font-family="[^"]*"')
# The usual fonts of three systems, by name: outside a browser the generic names mean nothing.
_FONTS = "Helvetica, Arial, DejaVu Sans, Liberation Sans, Noto Sans, sans-serif"
_OPENING = re.compile(r"<svg [^>]*>")


def standalone(svg: str) -> str:
    """Return a drawing that needs no page around it: colours filled in, on white paper.

    Example:
        >>> standalone('<svg width="5"><path style="fill:var(--ink,#1c2430)"/></svg>')
        '<svg width="5"><rect width="100%" height="100%" fill="#fff"/><path style="fill:#1c2430"/></svg>'
    """
    svg = _FONT.sub(f'font-family="{_FONTS}"', svg, count=1)
    paper = f'<rect width="100%" height="100%" fill="{PAPER}"/>'
    return _VARIABLE.sub(r"\1", _OPENING.sub(lambda found: found[0] + paper, svg, count=1))


def png(svg: str) -> bytes:
    """Return a drawing as PNG, 1400 pixels wide.

    Raises:
        MissingExtraError: The package resvg-py is not installed.
    """
    try:
        from resvg_py import svg_to_bytes  # noqa: PLC0415 - only those who want a PNG need it
    except ImportError:
        raise MissingExtraError("a PNG picture", "png", "resvg-py") from None
    return svg_to_bytes(svg_string=standalone(svg), width=PIXELS)
