"""A Python function as the system under test."""

from __future__ import annotations

import importlib
import inspect
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from operator import attrgetter
from pathlib import Path
from types import ModuleType
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, JsonValue

from ragstone.errors import UsageError
from ragstone.experiments.configuration import Configuration
from ragstone.ports import System
from ragstone.systems import SYSTEMS, Surroundings, SystemKind
from ragstone.systems.replies import to_response
from ragstone.systems.threads import in_daemon_thread
from ragstone.types import JSON, Response

_NAME = r"[A-Za-z_]\w*(\.[A-Za-z_]\w*)*"


def _of_the_form(name: str) -> str:
    if not re.fullmatch(f"{_NAME}:{_NAME}", name):
        raise ValueError(f"{name!r} is not of the form module:function")
    return name


class CallableOptions(BaseModel):
    """A Python function that searches: it is called with the query, k and the arguments given here.

    It is not told of the configuration's other settings (search mode, reranker and the like): give what differs
    between runs as `arguments`.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    type: Literal["callable"] = Field(description="This kind of system.")
    function: Annotated[str, AfterValidator(_of_the_form)] = Field(
        description="Where the function is: module:function, or package.module:object.method. The folder of the "
        "benchmark file and the current folder are searched first.",
    )
    arguments: dict[str, JsonValue] = Field(
        default_factory=dict, description="Keyword arguments that every call passes."
    )


class CallableSystem:
    """A `System` that calls ``function(query, k, **arguments)`` and reads its reply with `to_response`.

    Args:
        function: What is called.
        name: How it is called in reports.
        arguments: Keyword arguments of every call.

    An async function is awaited; any other runs in a worker thread, so that a time-out can give it up. Exceptions
    are the caller's to handle.
    """

    def __init__(
        self, function: Callable[..., Any], name: str, arguments: Mapping[str, JSON] | None = None
    ) -> None:
        self._name = name
        self._arguments = dict(arguments or {})
        self._call = partial(function, **self._arguments)
        self._is_async = inspect.iscoroutinefunction(function) or inspect.iscoroutinefunction(
            getattr(function, "__call__", None)  # noqa: B004 - an object whose __call__ is async
        )

    async def search(self, query: str, k: int) -> Response:
        """Call the function; raises `BadResponseError` where the reply has no shape that `to_response` knows."""
        reply = self._call(query, k) if self._is_async else await in_daemon_thread(self._in_thread, query, k)
        if inspect.isawaitable(reply):
            reply = await reply
        return to_response(reply, k)

    def describe(self) -> Mapping[str, JSON]:
        """Say which function is called and with what."""
        return {"type": "callable", "function": self._name, "arguments": self._arguments}

    def passages(self) -> None:
        """Do not say: what a function could return is not known."""

    async def close(self) -> None:
        """Do nothing."""

    def _in_thread(self, query: str, k: int) -> object:
        reply = self._call(query, k)
        # A generator does its work as it is read, so it is read here.
        return list(reply) if isinstance(reply, Iterator) else reply


def open_callable(options: CallableOptions, configuration: Configuration, surroundings: Surroundings) -> System:  # noqa: ARG001 - documented: nothing of it is passed
    """Load the function; the configuration is not passed to it.

    Raises:
        UsageError: The module or the function cannot be found or imported, or is not callable.
    """
    return CallableSystem(load_function(options.function, surroundings.base), options.function, options.arguments)


def check_callable(options: CallableOptions, configuration: Configuration, base: Path) -> None:  # noqa: ARG001
    """Load the function once, so that one which is missing is told before anything runs."""
    load_function(options.function, base)


def load_function(name: str, base: Path) -> Callable[..., Any]:
    """Return what ``module:attribute`` names; `base` and the current folder are importable while it is loaded.

    What the function imports when it is called must be importable by other means. As with every import, a module
    is loaded once per process: neither an edit nor another module of the same name is seen later.
    """
    module_name, _, attribute = name.partition(":")
    folders = list(dict.fromkeys((str(base.resolve()), str(Path.cwd()))))
    with _importable(folders):
        module = _module(module_name, name, folders)
    try:
        function = attrgetter(attribute)(module)
    except AttributeError as error:
        raise UsageError(
            f"function {name!r}: the module {module_name!r} has no {attribute!r} ({error})"
        ) from error
    if not callable(function):
        raise UsageError(
            f"function {name!r}: {attribute!r} is {repr(function)[:200]} of type {type(function).__name__}, "
            "which cannot be called"
        )
    found: Callable[..., Any] = function
    return found


def _module(module: str, name: str, folders: Iterable[str]) -> ModuleType:
    importlib.invalidate_caches()
    try:
        return importlib.import_module(module)
    except (Exception, SystemExit) as error:
        raise UsageError(
            f"function {name!r}: the module {module!r} cannot be imported ({_said(error)}); looked for in "
            f"{', '.join(folders)} and among the installed packages"
        ) from error


def _said(error: BaseException) -> str:
    return str(error) if isinstance(error, ImportError) else f"{type(error).__name__}: {error}"


@contextmanager
def _importable(folders: Iterable[str]) -> Iterator[None]:
    added = [folder for folder in folders if folder not in sys.path]
    sys.path[:0] = added
    try:
        yield
    finally:
        for folder in added:
            if folder in sys.path:  # the module may have tidied up itself
                sys.path.remove(folder)


SYSTEMS.add("callable")(SystemKind(CallableOptions, open_callable, check_callable))
