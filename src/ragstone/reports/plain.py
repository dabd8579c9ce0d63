"""Text from outside made safe to show: no control characters, nothing that reorders what is read."""

from __future__ import annotations

import re

_SPACES = re.compile(r"[\t\n\v\f\r\x85\u2028\u2029]+")
# Controls, bidirectional marks and overrides, byte order marks, and the invisible tag characters.
_HIDDEN = re.compile(
    "[\x00-\x08\x0e-\x1f\x7f-\x84\x86-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff\U000e0000-\U000e007f]"
)
_SURROGATES = re.compile("[\ud800-\udfff]")


def plain(text: str) -> str:
    r"""Return the text on one line, without control and bidi characters; what cannot be written becomes U+FFFD.

    Example:
        >>> plain("a\x1b[31mb\u202ec\nd")
        'a[31mbc d'
    """
    return _SURROGATES.sub("\ufffd", _HIDDEN.sub("", _SPACES.sub(" ", text)))


def shortened(text: str, length: int) -> str:
    """Return plain text cut to a length, an ellipsis marking the cut.

    Example:
        >>> shortened("retrieval", 6)
        'retri…'
    """
    clean = plain(text).strip()
    return clean if len(clean) <= length else clean[: length - 1].rstrip() + "…"
