"""Text from outside made harmless for Markdown."""

from __future__ import annotations

import re

from ragstone.reports.plain import plain

_MARKUP = re.compile(r"[\\`*_\[\]|~$]")
_BLOCK = re.compile(r"\s*(?:[-+#=]|\d+[.)])")
_MENTION = re.compile(r"(?<!\w)[@#](?=\w)")
_COMMAND = re.compile(r"`(ragstone [\w .:/-]+)`")
# A zero-width space keeps a sign at the start from making a list or a heading, and a name from being called.
_NOTHING = "&#8203;"


def escaped(text: str) -> str:
    r"""Return text so that Markdown shows it as it is: no markup, no HTML, no links, no mentions.

    Example:
        >>> escaped("<b>|*x*")
        '&lt;b&gt;\\|\\*x\\*'
    """
    shown = plain(text).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    called = _MENTION.sub(rf"\g<0>{_NOTHING}", _MARKUP.sub(r"\\\g<0>", shown))
    unlinked = called.replace("://", "&#58;//").replace("www.", "www&#46;")
    return _NOTHING + unlinked if _BLOCK.match(unlinked) else unlinked


def with_commands(text: str) -> str:
    """Return escaped text in which Ragstone's own commands, between backticks, are code."""
    parts = _COMMAND.split(text)
    return "".join(f"`{part}`" if index % 2 else escaped(part) for index, part in enumerate(parts))
