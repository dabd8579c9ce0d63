from __future__ import annotations

import asyncio
import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from ragstone.errors import BadResponseError
from ragstone.experiments.configuration import Configuration
from ragstone.experiments.report import Report, build
from ragstone.experiments.runner import Runner
from ragstone.reports import render
from ragstone.testing import FakeSystem, FrozenClock, InMemoryStore
from ragstone.types import Dataset, Gold, Query, RunSpec

CHROMIUM = Path("/usr/bin/chromium")
ARGUMENTS = (
    "--no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking "
    "--disable-component-update --disable-sync"
).split()

pytestmark = pytest.mark.browser


class Quiet:
    def run_started(self, run): ...

    def task_done(self, run, task, response): ...

    def run_finished(self, run): ...


def make_report() -> Report:
    """Three runs with long names and long words, failures and misses."""
    queries = tuple(
        Query(id=f"q{i}", text=f"What about {'a_very_long_word' * (i % 5)} {i}?", category=f"category_{i % 3}" * 3)
        for i in range(30)
    )
    golds = {
        query.id: (Gold(kind="document", document=f"{'folder/' * 20}d{i}.md"),) for i, query in enumerate(queries)
    }
    dataset = Dataset(name="pages", queries=queries, golds=golds, digest="c" * 64)
    content = {
        "name": "A benchmark with a_name_that_is_far_too_long_" * 3,
        "dataset": ["x.jsonl"],
        "system": {"type": "fake"},
        "top_k": 10,
        "thresholds": {"Hit@5": "> 0.8"},
    }
    names = [f"search_mode=dense rrf_k={i} use_reranker=True embedding_model=some-long-name-{i}" for i in range(3)]
    specs = [
        RunSpec(
            name=name,
            position=position,
            config=Configuration(top_k=10).model_dump(),
            system={"type": "fake"},
            factors={"rrf_k": position},
            config_hash=f"{position:016}",
        )
        for position, name in enumerate(names)
    ]
    script: dict[str, object] = {
        query.text: [[f"other{n}" for n in range(i % 7)] + [golds[query.id][0].document]]
        for i, query in enumerate(queries)
    }
    script[queries[0].text] = BadResponseError("<html>" + "x" * 500)
    store = InMemoryStore()
    runs = store.plan(content, dataset, specs, created_at="2000-01-01T00:00:00Z")

    async def opened(run):
        return FakeSystem(script)

    asyncio.run(Runner(store, opened, FrozenClock(), Quiet(), "me").run(run.id for run in runs))
    return build(store, [store.run(run.id) for run in runs])


@pytest.fixture(scope="module")
def browser(address) -> Iterator[object]:
    """A headless Chromium; without one the tests are skipped, in CI they fail.

    The page is made before it starts, because its event loop would be in the way.
    """
    if not CHROMIUM.exists():
        message = f"there is no {CHROMIUM}: apt-get install chromium"
        if os.environ.get("CI"):
            pytest.fail(message)
        pytest.skip(message)
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=str(CHROMIUM), args=ARGUMENTS)
        yield chromium
        chromium.close()


@pytest.fixture(scope="module")
def address(tmp_path_factory) -> str:
    """Where the page lies."""
    path = tmp_path_factory.mktemp("page") / "report.html"
    path.write_text(render(make_report(), "html"), encoding="utf-8")
    return path.as_uri()


@pytest.fixture
def opened(browser, address, request):
    """The page in a window of the wanted width, with what it asked for and what it complained about."""
    width, scheme = request.param
    page = browser.new_page(viewport={"width": width, "height": 900}, color_scheme=scheme)
    requests: list[str] = []
    complaints: list[str] = []
    page.on("request", lambda one: requests.append(one.url))
    page.on("console", lambda one: complaints.append(one.text))
    page.on("pageerror", lambda one: complaints.append(str(one)))
    page.goto(address)
    yield page, requests, complaints
    page.close()


WINDOWS = pytest.mark.parametrize(
    "opened", [(375, "light"), (375, "dark"), (1280, "light"), (1280, "dark")], indirect=True, ids=str
)


@WINDOWS
def test_the_page_loads_alone_and_without_complaint(opened, address):
    """Nothing but the file itself is asked for, and the console stays empty."""
    page, requests, complaints = opened
    assert page.locator("h1").is_visible()
    assert requests == [address]
    assert complaints == []


@WINDOWS
def test_the_page_is_never_wider_than_its_window(opened):
    """With every part open, wide tables scroll in their own box and the page does not."""
    page, _, _ = opened
    page.evaluate("document.querySelectorAll('details').forEach(one => { one.open = true })")
    assert page.evaluate("document.documentElement.scrollWidth") <= page.evaluate("window.innerWidth")


@WINDOWS
def test_a_question_opens(opened):
    """A click on one of the worst questions shows both lists."""
    page, _, _ = opened
    question = page.locator("#why details.q").first
    lists = question.locator(".lists")
    assert not lists.is_visible()
    question.locator("summary").click()
    assert lists.is_visible()


@pytest.mark.parametrize("opened", [(1280, "light"), (1280, "dark")], indirect=True, ids=str)
def test_text_stands_out_from_its_ground(opened):
    """Body text, quiet text, links, notices and marks have a contrast of at least 4.5 to 1."""
    page, _, _ = opened
    page.evaluate("document.querySelectorAll('details').forEach(one => { one.open = true })")
    low = page.evaluate(
        """() => {
          const rgb = text => text.match(/[\\d.]+/g).map(Number);
          const light = text => rgb(text).slice(0, 3).map(v => v / 255)
            .map(v => v <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4)
            .reduce((sum, v, i) => sum + v * [0.2126, 0.7152, 0.0722][i], 0);
          const ground = one => {
            for (; one; one = one.parentElement) {
              const colour = getComputedStyle(one).backgroundColor;
              if (rgb(colour).length < 4 || rgb(colour)[3] > 0) return colour;
            }
            return 'rgb(255, 255, 255)';
          };
          const texts = 'p, th, td, a, li, dd, dt, summary, .quiet, .mark, .miss, .found, .few, .verdict, caption';
          return [...document.querySelectorAll(texts)].map(one => {
            const [a, b] = [light(getComputedStyle(one).color), light(ground(one))].sort((x, y) => y - x);
            return [(a + 0.05) / (b + 0.05), one.className + ' ' + one.tagName];
          }).filter(([ratio]) => ratio < 4.5);
        }"""
    )
    assert low == []
