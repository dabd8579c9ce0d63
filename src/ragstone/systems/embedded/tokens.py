"""The words of lexical search."""

from __future__ import annotations

import re
from collections.abc import Iterator

TOKENIZER_VERSION = 1  # raised with every change of what `tokenize` returns

STOP_WORDS = frozenset(
    "a an and are as at be by can do does for from has have how i if in into is it its of on or that the then "
    "there these they this to was what when where which will with you your".split()
)

_NAME = re.compile(r"\w+(?:\.\w+)*")
_BORDER = re.compile(r"_+|(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")


def tokenize(text: str) -> list[str]:
    """Split text into lower-case tokens, in order, for documents and queries alike.

    A dotted name gives itself, each of its components, and the parts of each component at underscores and at
    changes of case: ``json.JSONEncoder`` gives ``json.jsonencoder``, ``json``, ``jsonencoder``, ``json`` and
    ``encoder``. Stop words (`STOP_WORDS`, a few dozen English function words) are left out. There is no stemming.
    A text without a letter or digit gives an empty list.
    """
    return [token for match in _NAME.finditer(text) for token in _tokens(match[0]) if token not in STOP_WORDS]


def _tokens(name: str) -> Iterator[str]:
    components = name.split(".")
    if len(components) > 1:
        yield name.lower()
    for component in components:
        yield component.lower()
        parts = [part for part in _BORDER.split(component) if part]
        if parts != [component]:
            yield from (part.lower() for part in parts)
