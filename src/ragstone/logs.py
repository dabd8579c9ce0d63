"""Loggers: a library says nothing unless its user sets logging up."""

from __future__ import annotations

import logging

logging.getLogger("ragstone").addHandler(logging.NullHandler())


def logger_of(module: str) -> logging.Logger:
    """Return the logger of a module, by its name.

    Example:
        >>> logger_of("ragstone.registry").name
        'ragstone.registry'
    """
    return logging.getLogger(module)
