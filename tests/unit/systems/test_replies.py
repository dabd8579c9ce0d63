from __future__ import annotations

import numpy as np
import pytest

from ragstone.errors import BadResponseError
from ragstone.systems.replies import to_response
from ragstone.types import Hit, Response

HIT = Hit(id="c1", document="d1", score=0.5)


@pytest.mark.parametrize(
    ("value", "hit"),
    [
        (HIT, HIT),
        ("d1", Hit(id="d1", document="d1")),
        (("d1", 0.5), Hit(id="d1", document="d1", score=0.5)),
        (["d1", np.float32(0.5)], Hit(id="d1", document="d1", score=0.5)),
        (("d1", None), Hit(id="d1", document="d1")),
        ({"id": "c1", "document": "d1", "score": 2}, Hit(id="c1", document="d1", score=2.0)),
        ({"chunk_id": "c1", "unknown": 1}, Hit(id="c1", document="c1")),
        ({"document": "d1"}, Hit(id="d1", document="d1")),
        (
            {"id": "c1", "text": "t", "page": 3, "heading": ["A", "B"]},
            Hit(id="c1", document="c1", text="t", page=3, heading=("A", "B")),
        ),
        (
            {"id": "c1", "page_number": np.int64(3), "heading_path": "A > B"},
            Hit(id="c1", document="c1", page=3, heading=("A", "B")),
        ),
        ({"id": "c1", "page": None, "heading": None, "score": None}, Hit(id="c1", document="c1")),
    ],
)
def test_every_form_of_a_hit_is_read(value, hit):
    """Each documented form gives the hit it stands for, from a list and from a generator."""
    assert to_response([value], 5).hits == (hit,)
    assert to_response((one for one in [value]), 5).hits == (hit,)


def test_a_response_is_kept_as_it_is():
    """An answer, citations and timings pass through."""
    response = Response(hits=(HIT,), answer="42", citations=(HIT,), abstained=False)
    assert to_response(response, 5) == response


@pytest.mark.parametrize("reply", [Response(hits=(HIT,) * 3, degraded=("slow",)), ["a", "b", "c"]])
def test_hits_beyond_k_are_cut_and_told(reply):
    """A system that returns too much gains nothing by it, and the report can say so."""
    response = to_response(reply, 2)
    assert len(response.hits) == 2
    assert response.degraded[-1] == "returned 3 hits where 2 were asked"


@pytest.mark.parametrize(
    ("reply", "message"),
    [
        (None, "the reply is None of type NoneType: return a ragstone Response or a list"),
        ("d1", "the reply is 'd1' of type str"),
        ({"hits": []}, "the reply is {'hits': .*} of type dict"),
        (7, "the reply is 7 of type int"),
        (["ok", 7], "hit 1 is 7 of type int: a hit is"),
        ([("a", "b", "c")], r"hit 0 is \('a', 'b', 'c'\)"),
        ([{"score": 1}], "hit 0 is .*neither id, chunk_id nor document"),
        ([("a", float("nan"))], "hit 0, score is nan .*a score is finite"),
        ([("a", float("inf"))], "hit 0, score is inf"),
        ([("a", True)], "hit 0, score is True of type bool"),
        ([("a", "0.5")], "hit 0, score is '0.5' of type str: a score is a number"),
        ([Hit(id="a", score=float("-inf"))], "hit 0, score is -inf"),
        (Response(hits=("a",)), r"hits\[0\] is 'a' of type str"),
        (Response(hits=(HIT, Hit(id="a", score=float("nan")))), r"hits\[1\], score is nan"),
        ([{"id": 5}], "hit 0, id is 5 of type int: this must be a string"),
        ([{"id": "a", "document": 5}], "hit 0, document is 5"),
        ([{"id": "a", "text": b"x"}], "hit 0, text is b'x'"),
        ([{"id": "a", "page": 0}], "hit 0, page is 0 of type int: a page is a whole number, counted from 1"),
        ([{"id": "a", "page": "3"}], "hit 0, page is '3'"),
        ([{"id": "a", "heading": [1]}], r"hit 0, heading is \[1\]"),
    ],
)
def test_any_other_shape_is_refused_with_value_and_position(reply, message):
    """The message shows what was seen, where, and what would be right."""
    with pytest.raises(BadResponseError, match=message):
        to_response(reply, 5)


def test_a_long_value_is_cut_in_the_message():
    """Two hundred characters of the value are enough to recognise it."""
    with pytest.raises(BadResponseError) as caught:
        to_response([b"x" * 1000], 5)
    assert f"{repr(b'x' * 1000)[:200]}..." in str(caught.value)
    assert "x" * 250 not in str(caught.value)


@pytest.mark.parametrize(
    ("reply", "part"),
    [
        (["\ud800"], "no text"),
        ([{"id": "a", "text": "\udfff"}], "hit 0, text"),
        ([Hit(id="a", document="\ud800")], "no text"),
        (Response(hits=(Hit(id="a", text="\ud800"),)), "hits[0], text"),
        (Response(answer=5), "the response's answer"),
        (Response(latency_ms="fast"), "the response's latency_ms"),
        (Response(stages=("lexical",)), "the response's stages.0"),
        (Response(usage={"tokens": object()}), "cannot be stored"),
    ],
)
def test_what_cannot_be_stored_is_refused_here(reply, part):
    """A reply that would break the store later is a bad response now."""
    with pytest.raises(BadResponseError) as refused:
        to_response(reply, 5)
    assert part in str(refused.value)
