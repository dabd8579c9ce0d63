"""Golds held against a corpus."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from ragstone.matching import match_response
from ragstone.matching.validity import check_golds
from ragstone.types import Dataset, Gold, Hit, Query

CORPUS = [
    Hit(id="1", document="a/guide.md", heading=("Guide", "Install")),
    Hit(id="2", document="b/guide.md", heading=("Guide",)),
    Hit(id="3", document="book.pdf", page=7),
]


def dataset_of(*golds: Gold) -> Dataset:
    return Dataset(name="d", queries=(Query(id="q", text="?"),), golds={"q": golds})


def test_golds_are_found_gone_or_ambiguous():
    """What matches a passage is there; what several documents answer to by name alone is ambiguous."""
    found = check_golds(
        dataset_of(
            Gold(kind="page", document="Book", page=8),
            Gold(kind="page", document="Book", page=9),
            Gold(kind="anchor", document="a/guide.md", heading=("Guide",)),
            Gold(kind="anchor", document="a/guide.md", heading=("Guide", "Uninstall")),
            Gold(kind="document", document="guide.md", ref="file_name"),
            Gold(kind="chunk", chunk="2"),
            Gold(kind="document", document="nowhere", grade=-1),
        ),
        CORPUS,
    )
    assert (found.total, found.resolved) == (6, 3)
    assert found.gone == {"q": (1, 3)}
    assert found.ambiguous == {"q": (4,)}


def test_a_prefix_may_mean_several_documents():
    """A prefix is meant to fit more than one, so that it is not ambiguous."""
    found = check_golds(
        dataset_of(Gold(kind="document", document="b", ref="prefix")), [*CORPUS, Hit(id="4", document="bee.md")]
    )
    assert not found.ambiguous
    assert found.resolved == 1


@given(
    st.lists(st.sampled_from(["a.md", "b", "c"]), max_size=4),
    st.lists(st.sampled_from(["a", "b", "d"]), max_size=4),
)
def test_what_is_gone_can_never_be_matched(documents, golds):
    """A gold is gone exactly if no passage of the corpus matches it."""
    corpus = [Hit(id=str(number), document=name) for number, name in enumerate(documents)]
    references = [Gold(kind="document", document=name) for name in dict.fromkeys(golds)]
    gone = check_golds(dataset_of(*references), corpus).gone.get("q", ())
    matched = {index for match in match_response(corpus, references) for index in match.alternatives}
    assert set(gone) == set(range(len(references))) - matched
