from __future__ import annotations

import re
import time
from html.parser import HTMLParser
from itertools import pairwise

from ragstone.errors import UnreachableError
from ragstone.reports import render
from ragstone.testing import FakeSystem

VOID = {"meta", "link", "br", "line", "circle", "rect", "path"}


class Page(HTMLParser):
    """Collects elements with their attributes, text by element, and checks the nesting."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.children: list[tuple[str, str]] = []
        self.feed(text)
        assert self.open == []

    def handle_starttag(self, tag, attrs):
        self.elements.append((tag, dict(attrs)))
        self.children.append((self.open[-1] if self.open else "", tag))
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.elements.append((tag, dict(attrs)))

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def all(self, name):
        return [attributes for tag, attributes in self.elements if tag == name]


def test_the_page_is_well_formed_and_structured(any_report):
    """Elements nest, there is one h1, no heading level is skipped, and every table has a caption."""
    page = Page(render(any_report, "html"))
    assert len(page.all("h1")) == 1
    levels = [int(tag[1]) for tag, _ in page.elements if re.fullmatch(r"h\d", tag)]
    assert all(later - earlier <= 1 for earlier, later in pairwise(levels))
    assert page.children.count(("table", "caption")) == len(page.all("table"))
    ids = [attributes["id"] for _, attributes in page.elements if "id" in attributes]
    assert len(ids) == len(set(ids))
    assert {link["href"] for link in page.all("a")} <= {f"#{one}" for one in ids}


def test_the_page_asks_for_nothing(any_report):
    """No script, no reference to outside, and a policy that would forbid both."""
    text = render(any_report, "html")
    page = Page(text)
    assert not {tag for tag, _ in page.elements} & {"script", "img", "iframe", "object", "embed", "form", "base"}
    links = [
        value for _, attributes in page.elements for name, value in attributes.items() if name in {"src", "href"}
    ]
    assert all(value == "data:," or value.startswith("#") for value in links)
    assert not re.search(r"url\(|@import", text)
    assert not [name for _, attributes in page.elements for name in attributes if name.startswith("on")]
    policies = [meta["content"] for meta in page.all("meta") if meta.get("http-equiv")]
    assert len(policies) == 1
    assert policies[0].startswith("default-src 'none'; style-src 'unsafe-inline'; img-src data:")


def test_text_from_outside_stays_text(nasty):
    """Names, questions, passages and messages are escaped wherever they stand."""
    text = render(nasty, "html")
    for raw in ("<script>", "<u>", "<b>set", "<i>", "<h1>run", "<h1>title"):
        assert raw not in text
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in text
    assert "&lt;script&gt;boom&lt;/script&gt;" in text


def test_the_five_questions_in_their_order(any_report):
    """The sections stand in the order in which a reader asks."""
    titles = re.findall(r'<span class="num">(\d)</span>([^<]+)', render(any_report, "html"))
    assert titles == [
        ("1", "Did it finish, and may I trust it?"),
        ("2", "How good, and how sure?"),
        ("3", "Where?"),
        ("4", "Why?"),
        ("5", "What next?"),
    ]


def test_failures_and_lost_golds_are_explained(troubled):
    """The failed search with its message, and the stage at which the gold was lost, stand in the page."""
    text = render(troubled, "html")
    assert "refused &lt;b&gt;" in text
    assert "lost at rerank; rank by stage: lexical 11" in text
    assert "not retrieved" in text
    assert "highly relevant (3)" in text
    assert "degraded: no reranker: fusion order" in text


def test_grades_are_told_in_words(troubled):
    """A mark has its meaning as text, not by colour alone."""
    marks = re.findall(r'class="mark[^"]*">([^<]*)<', render(troubled, "html"))
    assert {"unjudged", "highly relevant (3)", "same as above"} <= set(marks)


def test_charts_have_titles(troubled):
    """Every drawing is an image with a title of its own and a description."""
    text = render(troubled, "html")
    drawings = re.findall(r"<svg .*?</svg>", text, re.DOTALL)
    assert len(drawings) > 8
    assert all('role="img"' in one and "<title>" in one and "<desc>" in one for one in drawings)


def test_small_slices_are_marked(troubled):
    """A slice of fewer than ten questions says so."""
    assert '<span class="few">few</span>' in render(troubled, "html")


def test_many_notices_are_folded(make, ask):
    """Ten stand open; the rest are counted and one click away."""
    systems = {f"run {i}": UnreachableError(f"no way to {i}") for i in range(12)}
    text = render(make(ask(1), systems), "html")
    assert re.search(r"<summary>\d+ more notices</summary>", text)


def test_large_reports_stay_small(make, ask):
    """16 runs of 200 long questions: what is listed is cut, and the page says so."""
    dataset = ask(200)
    systems = {
        f"search_mode=dense embedding_model=model-number-{i} use_reranker=False": FakeSystem(
            {q.text: [[f"x{n}-{'long ' * 20}" for n in range(10)]] for q in dataset.queries}
        )
        for i in range(16)
    }
    report = make(dataset, systems)
    start = time.perf_counter()
    text = render(report, "html")
    assert time.perf_counter() - start < 10
    assert len(text.encode()) < 3_000_000
    assert "The 20 worst of 200 below the best score" in text
    assert "The small charts name the runs by their numbers." in text
