"""Every link of the documentation leads somewhere."""

from __future__ import annotations

import pytest
from tests.docs.blocks import PAGES, ROOT, anchors_of, links_of, name_of

INDEX = ROOT / "docs/index.md"


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_relative_links_resolve(page):
    """A relative link names a file that exists, and an anchor that its page has."""
    for link in links_of(page):
        if "://" in link:
            continue
        target, _, anchor = link.partition("#")
        path = (page.parent / target).resolve() if target else page
        assert path.exists(), f"{name_of(page)} links to {link}, which does not exist"
        assert path.is_relative_to(ROOT), f"{name_of(page)} links to {link}, outside the repository"
        if anchor:
            assert anchor in anchors_of(path), f"{name_of(page)} links to {link}: there is no such heading"


def test_index_links_every_page():
    """Every page of the documentation is linked from its index."""
    linked = {(INDEX.parent / link.partition("#")[0]).resolve() for link in links_of(INDEX)}
    missing = [name_of(page) for page in PAGES if page != INDEX and page.resolve() not in linked]
    assert missing == ["README.md"]


@pytest.mark.parametrize("image", sorted((ROOT / "docs/images").glob("*")), ids=lambda path: path.name)
def test_images_are_small(image):
    """A picture is a PNG file below 250 kB, so that cloning stays quick."""
    assert image.read_bytes().startswith(b"\x89PNG")
    assert image.stat().st_size < 250_000
