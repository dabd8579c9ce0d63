"""Files are read within bounds, strictly, and every value keeps its place."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragstone import files
from ragstone.errors import InvalidInputError
from ragstone.files import format_pointer, load_yaml, parse_json, read_text, shown


def test_a_byte_order_mark_is_dropped(tmp_path):
    """Text saved by other editors reads the same."""
    (tmp_path / "a").write_bytes(b"\xef\xbb\xbfhello")
    assert read_text(tmp_path / "a") == "hello"


def test_a_file_over_its_limit_is_refused_unread(tmp_path):
    """The message has both sizes; one at the limit is read."""
    (tmp_path / "a").write_text("x" * 1000)
    assert len(read_text(tmp_path / "a", limit=1000)) == 1000
    with pytest.raises(InvalidInputError, match="1,000 bytes; at most 999"):
        read_text(tmp_path / "a", limit=999)


def test_a_folder_is_no_file(tmp_path):
    """The system's own reason is passed on."""
    with pytest.raises(InvalidInputError, match="cannot be read: Is a directory"):
        read_text(tmp_path)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('{"a": 1,}', "line|column"),
        ('{"a": 1, "a": 2}', "key 'a' stands twice"),
        ("[NaN]", "NaN is not a JSON number"),
        ("[-Infinity]", "-Infinity is not a JSON number"),
        ("[" * 200_000, "nested too deeply"),
        ("", "not JSON"),
        ('["\\ud800"]', "half of a character pair"),
        ('{"\\ud800": 1}', "half of a character pair"),
        ("9" * 5000, "digits"),
    ],
)
def test_json_is_strict(text, message):
    """What other readers let pass is refused."""
    with pytest.raises(InvalidInputError, match=message):
        parse_json(text, "x.json")


@pytest.mark.parametrize(
    "fault",
    [
        '"b": NaN',
        '"a": 2',
        '"b": 1e999',
        '"b": "\\ud800"',
        '"\\ud800": 1',
        f'"b": {"9" * 5000}',
        f'"b": {"[" * 60}{"]" * 60}',
    ],
)
def test_the_line_of_what_may_not_be_kept_is_told(fault):
    """Also in a document of many lines, where the parser itself does not say."""
    text = f'{{\n"a": 1, "x": {{"a": "NaN, \\"a\\": 1"}},\n"y": [1.5e3, true, null],\n{fault},\n"z": 1}}'
    with pytest.raises(InvalidInputError) as refused:
        parse_json(text, "x.json")
    assert [problem.line for problem in refused.value.problems] == [4]


def test_yaml_keeps_the_line_of_every_key_and_item(tmp_path):
    """Nested mappings and lists, flow and block."""
    (tmp_path / "a.yaml").write_text("a:\n  b: [1,\n    2]\nc: {d: x}\n")
    document = load_yaml(tmp_path / "a.yaml")
    assert document.value == {"a": {"b": [1, 2]}, "c": {"d": "x"}}
    lines = {format_pointer(pointer): line for pointer, (_, line) in document.places.items()}
    assert lines == {"": 1, "a": 1, "a.b": 2, "a.b[0]": 2, "a.b[1]": 3, "c": 4, "c.d": 4}
    assert document.problem("x", ("a", "nope")).line == 1


def test_a_key_that_is_a_list_is_refused(tmp_path):
    """YAML allows it, a benchmark file has no use for it."""
    (tmp_path / "a.yaml").write_text("? [a, b]\n: c\n")
    with pytest.raises(InvalidInputError, match="a key must be a word"):
        load_yaml(tmp_path / "a.yaml")


@pytest.mark.parametrize(
    "text",
    [
        "a: \x00",
        "a: 2024-13-45",
        "a: !!int x",
        "a: &x [*x]",
        'a: "\\uD800"',
        "a: " + "9" * 5000,
        "%YAML 9\n---\n",
        "\ud800",
    ],
)
def test_odd_yaml_is_refused_by_our_own_error(tmp_path, text):
    """Control characters, impossible dates, wrong tags, self-reference: no traceback."""
    (tmp_path / "a.yaml").write_text(text, errors="surrogatepass")
    with pytest.raises(InvalidInputError):
        load_yaml(tmp_path / "a.yaml")


@given(st.text(max_size=60))
def test_no_text_makes_yaml_crash(tmp_path_factory, text):
    """Any text is a value or our own error."""
    path = tmp_path_factory.getbasetemp() / "any.yaml"
    path.write_text(text, errors="replace")
    try:
        assert load_yaml(path).source == str(path)
    except InvalidInputError as error:
        assert str(path) in str(error)  # noqa: PT017 - either outcome is right


def test_values_are_shown_cut():
    """A message stays readable whatever stands in the file."""
    assert shown("x" * 500).endswith("…")
    assert len(shown(list(range(500)))) == files.SHOWN
