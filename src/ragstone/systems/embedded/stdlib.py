"""The documentation of the running Python's standard library, read from the modules themselves.

A document is a module; a section is a module, function, class or method that has a docstring, under the heading
path of its qualified name: ``("json", "JSONEncoder", "default")``.
"""

from __future__ import annotations

import importlib
import inspect
import re
import warnings
from collections.abc import Iterator
from types import ModuleType

from ragstone.systems.embedded.documents import Document, Section

MODULES = (
    "abc argparse array asyncio base64 bisect calendar collections collections.abc "
    "concurrent.futures configparser contextlib contextvars copy csv dataclasses datetime decimal difflib "
    "email.message enum fileinput fnmatch fractions functools glob gzip hashlib heapq hmac html http.client "
    "http.cookies inspect io "
    "ipaddress itertools json locale logging lzma math mimetypes operator os os.path pathlib "
    "pickle pprint queue random re secrets selectors shelve shlex shutil signal socket sqlite3 statistics "
    "string struct subprocess tempfile textwrap threading time timeit traceback types unicodedata urllib.parse "
    "urllib.request uuid weakref zipfile zlib zoneinfo"
).split()

_ADDRESS = re.compile(r" at 0x[0-9a-fA-F]+")


def read_stdlib(modules: tuple[str, ...] | None = None) -> list[Document]:
    """Read the documentation of `modules` (default: `MODULES`), leaving out those this Python lacks.

    Memory addresses in signatures (``<object at 0x7f..>``) are removed, so that two processes read the same text.
    """
    documents = []
    for name in modules or MODULES:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)
            try:
                module = importlib.import_module(name)
            except ImportError:
                continue
            documents.append(Document(name, tuple(_sections(name, module))))
    return documents


def _sections(name: str, module: ModuleType) -> Iterator[Section]:
    if doc := _doc(module):
        yield Section((name,), _clean(f"{name}\n\n{doc}"))
    for member, value in _public(name, module):
        if inspect.isclass(value):
            yield from _class_sections(name, member, value)
        elif callable(value) and (doc := _doc(value)):
            yield Section((name, member), _entry(f"{name}.{member}", value, doc))


def _public(name: str, module: ModuleType) -> Iterator[tuple[str, object]]:
    exported = getattr(module, "__all__", None)
    for member in sorted(exported or vars(module)):
        value = getattr(module, member, None)
        home = getattr(value, "__module__", None)
        borrowed = exported is None and home not in (name, f"_{name}", "builtins", None)
        if not member.startswith("_") and not inspect.ismodule(value) and not borrowed:
            yield member, value


def _class_sections(name: str, member: str, cls: type) -> Iterator[Section]:
    if doc := _doc(cls):
        yield Section((name, member), _entry(f"{name}.{member}", cls, doc))
    for method, raw in sorted(vars(cls).items()):
        value = getattr(raw, "__func__", raw)
        documented = callable(value) or inspect.isdatadescriptor(value)
        if not method.startswith("_") and documented and not inspect.isclass(value) and (doc := _doc(value)):
            yield Section((name, member, method), _entry(f"{name}.{member}.{method}", value, doc))


def _doc(value: object) -> str:
    """Return the object's own docstring: one inherited from a base class would repeat the base's section."""
    doc = getattr(value, "__doc__", None)
    return inspect.cleandoc(doc) if isinstance(doc, str) else ""


def _entry(title: str, value: object, doc: str) -> str:
    try:
        signature = str(inspect.signature(value)) if callable(value) else ""
    except (TypeError, ValueError):
        signature = ""
    return _clean(f"{title}{signature}\n\n{doc}")


def _clean(text: str) -> str:
    return _ADDRESS.sub("", text).strip()
