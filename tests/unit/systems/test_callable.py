from __future__ import annotations

import asyncio
import sys
import threading
import time

import pytest
from pydantic import ValidationError

from ragstone.errors import BadResponseError, UsageError
from ragstone.experiments.configuration import Configuration
from ragstone.systems import SYSTEMS, Surroundings

MODULE = """
import threading

threads = []

def search(query, k, suffix=""):
    threads.append(threading.get_ident())
    return [f"{query}{suffix}"] * min(k, 2)

async def asearch(query, k):
    return [(query, 1.0)]

def lazily(query, k):
    return asearch(query, k)

def generate(query, k):
    threads.append(threading.get_ident())
    yield query

def slow(query, k):
    import time
    time.sleep(0.5)

def fail(query, k):
    raise ConnectionError("nobody there")

class Engine:
    async def __call__(self, query, k):
        return [query]
    def find(self, query, k):
        return [{"id": query, "document": "d"}]

engine = Engine()
number = 7
"""


@pytest.fixture
def module(tmp_path, monkeypatch):
    """A module beside the benchmark file, importable only from there."""
    (tmp_path / "my_search.py").write_text(MODULE)
    yield "my_search"
    sys.modules.pop("my_search", None)


@pytest.fixture
def open_it(tmp_path):
    """Open a callable system."""
    kind = SYSTEMS["callable"]
    surroundings = Surroundings(base=tmp_path, cache=tmp_path)
    return lambda function, **arguments: kind.open(
        kind.options(type="callable", function=function, arguments=arguments), Configuration(), surroundings
    )


def ids(system, query="q", k=3):
    return [hit.id for hit in asyncio.run(system.search(query, k)).hits]


def test_a_function_is_called_with_query_k_and_arguments(module, open_it):
    """The arguments of the benchmark file are passed as keywords, in another thread."""
    assert ids(open_it("my_search:search", suffix="!")) == ["q!", "q!"]
    assert sys.modules[module].threads != [threading.get_ident()]


@pytest.mark.parametrize("function", ["asearch", "lazily", "generate", "engine", "engine.find"])
def test_every_kind_of_callable_works(module, open_it, function):
    """Async functions, awaitables from plain ones, generators, objects and their methods."""
    assert ids(open_it(f"my_search:{function}")) == ["q"]


def test_a_generator_does_its_work_in_the_thread_too(module, open_it):
    """A generator function runs as it is read, so it must not be read in the event loop."""
    ids(open_it("my_search:generate"))
    assert threading.get_ident() not in sys.modules[module].threads


def test_a_slow_function_can_be_timed_out(module, open_it):
    """The event loop stays free while a plain function runs."""
    system = open_it("my_search:slow")

    async def give_up() -> float:
        start = time.perf_counter()
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(system.search("q", 1), timeout=0.02)
        return time.perf_counter() - start

    assert asyncio.run(give_up()) < 0.4


def test_exceptions_are_left_to_the_caller(module, open_it):
    """The runner decides what a ConnectionError means."""
    with pytest.raises(ConnectionError, match="nobody there"):
        asyncio.run(open_it("my_search:fail").search("q", 1))


def test_a_bad_reply_is_told(module, open_it):
    """A function that returns nothing is a bad response."""
    with pytest.raises(BadResponseError, match="the reply is None"):
        asyncio.run(open_it("my_search:slow").search("q", 1))


@pytest.mark.parametrize(
    ("function", "message"),
    [
        (
            "no_such_module:search",
            "module 'no_such_module' cannot be imported .*looked for in .*installed packages",
        ),
        ("my_search:nothing", "module 'my_search' has no 'nothing'"),
        ("my_search:engine.nothing", "has no 'engine.nothing'"),
        ("my_search:number", "'number' is 7 of type int, which cannot be called"),
        ("broken:search", "module 'broken' cannot be imported"),
    ],
)
def test_what_cannot_be_loaded_is_told(module, open_it, tmp_path, function, message):
    """The message names what was looked for and where."""
    (tmp_path / "broken.py").write_text("def search(:")
    with pytest.raises(UsageError, match=message):
        open_it(function)


def test_the_import_path_is_left_as_it_was(module, open_it):
    """The folder of the benchmark file is importable only while the function is loaded."""
    before = list(sys.path)
    open_it("my_search:search")
    with pytest.raises(UsageError):
        open_it("no_such_module:search")
    assert sys.path == before


def test_the_current_folder_is_importable(tmp_path, monkeypatch):
    """A function beside the user's prompt is found as well."""
    (tmp_path / "here").mkdir()
    (tmp_path / "here" / "cwd_search.py").write_text("def search(query, k): return [query]")
    monkeypatch.chdir(tmp_path / "here")
    kind = SYSTEMS["callable"]
    options = kind.options(type="callable", function="cwd_search:search")
    assert ids(kind.open(options, Configuration(), Surroundings(base=tmp_path, cache=tmp_path))) == ["q"]
    sys.modules.pop("cwd_search", None)


@pytest.mark.parametrize(
    "function", ["search", "my_search:", ":search", "my search:x", "a:b:c", "a..b:c", "a:b()"]
)
def test_the_name_of_a_function_has_one_form(function):
    """Anything but module:function is refused in the benchmark file."""
    with pytest.raises(ValidationError, match="not of the form module:function"):
        SYSTEMS["callable"].options(type="callable", function=function)


def test_describe_tells_the_function_and_its_arguments(module, open_it):
    """What is under test is its name and what it is called with."""
    told = open_it("my_search:search", suffix="!").describe()
    assert told == {"type": "callable", "function": "my_search:search", "arguments": {"suffix": "!"}}
