"""File formats: the bytes of one file as sections, each under its heading path.

Markdown, HTML, PDF and plain text. Bytes that are not UTF-8 are read with U+FFFD in their place. A heading is part
of the path of the sections below it and not of their text; a heading directly followed by another has no section
of its own.
"""

from __future__ import annotations

import io
import re
import warnings
from collections.abc import Callable
from itertools import pairwise
from typing import TYPE_CHECKING

from ragstone.systems.embedded.documents import Section
from ragstone.systems.embedded.extras import need

if TYPE_CHECKING:
    from markdown_it.token import Token

_FRONT_MATTER = re.compile(r"\A---\n.*?^(?:---|\.\.\.)\n", re.DOTALL | re.MULTILINE)
_BLANK_LINES = re.compile(r"[ \t]*\n(?:[ \t]*\n)+")
_SPACE = re.compile(r"\s+")
_HEADINGS = ("h1", "h2", "h3", "h4", "h5", "h6")
_DROPPED = ("head", "script", "style", "nav", "noscript", "template")
_BLOCKS = (
    "address article aside blockquote br caption dd details div dl dt fieldset figcaption figure footer form "
    "header hr li main ol option p pre section summary table tbody td tfoot th thead tr ul"
).split()
# What pypdf lets through from a damaged file besides its own errors.
_DAMAGE = (
    ArithmeticError,
    AttributeError,
    LookupError,
    NotImplementedError,
    RecursionError,
    TypeError,
    ValueError,
)


class UnreadableError(Exception):
    """A file cannot be read as what its suffix says; the message says why, and the way out."""


class Outline:
    """Collects text under nested headings.

    A heading closes every open heading of its own or a deeper level. Text before the first heading stands under
    the empty path; sections of white space alone are left out.
    """

    def __init__(self) -> None:
        self._path: list[tuple[int, str]] = []
        self._parts: list[str] = []
        self._sections: list[Section] = []

    def open(self, level: int, title: str) -> None:
        """Begin the section of a heading of this level, 1 the highest."""
        self._close()
        while self._path and self._path[-1][0] >= level:
            self._path.pop()
        self._path.append((level, _SPACE.sub(" ", title).strip()))

    def write(self, text: str) -> None:
        """Add text to the section that is open."""
        self._parts.append(text)

    def sections(self) -> tuple[Section, ...]:
        """Close the last section and return all."""
        self._close()
        return tuple(self._sections)

    def _close(self) -> None:
        text = _BLANK_LINES.sub("\n\n", "".join(self._parts)).strip()
        self._parts.clear()
        if text:
            self._sections.append(Section(tuple(title for _, title in self._path if title), text))


def decode(data: bytes) -> str:
    """Decode UTF-8, with or without a byte order mark; line ends become LF, and NUL becomes U+FFFD."""
    text = data.decode("utf-8-sig", errors="replace")
    return text.replace("\r\n", "\n").replace("\r", "\n").replace("\0", "\ufffd")


def read_text(data: bytes) -> tuple[Section, ...]:
    """Read plain text: one section without a heading, or none where there is only white space."""
    text = decode(data)
    return (Section((), text),) if text.strip() else ()


def read_markdown(data: bytes) -> tuple[Section, ...]:
    """Read CommonMark: the source lines between two headings are one section.

    Only headings of the document itself count, not those inside a list or a quotation; what looks like a heading
    in a code block is none. YAML front matter is left out.
    """
    markdown = need("markdown_it", "reading Markdown files", package="markdown-it-py").MarkdownIt("commonmark")
    text = _FRONT_MATTER.sub("", decode(data))
    lines = text.split("\n")
    outline, start = Outline(), 0
    tokens = markdown.parse(text)
    for token, inline in pairwise(tokens):
        if token.type == "heading_open" and token.level == 0:
            first, after = token.map
            outline.write("\n".join(lines[start:first]))
            outline.open(int(token.tag[1]), _plain(inline))
            start = after
    outline.write("\n".join(lines[start:]))
    return outline.sections()


def _plain(inline: Token) -> str:
    """Return the text of an inline token without its mark-up."""
    return "".join(" " if child.type.endswith("break") else child.content for child in inline.children or ())


def read_html(data: bytes) -> tuple[Section, ...]:
    """Read HTML: the text between two headings (h1 to h6) is one section.

    Scripts, styles, navigation and the head are left out. White space is squeezed except in ``pre``; the border of
    a block element is a line end.
    """
    bs4 = need("bs4", "reading HTML files", package="beautifulsoup4")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # bs4 warns of text that looks like XML, a file name or an address
        soup = bs4.BeautifulSoup(decode(data), "html.parser")
    for tag in soup(_DROPPED):
        tag.decompose()
    for tag in soup(_BLOCKS):
        tag.insert(0, "\n")
        tag.append("\n")
    outline = Outline()
    for node in soup.descendants:
        if node.name in _HEADINGS:
            outline.open(int(node.name[1]), node.get_text())
        elif type(node) is bs4.NavigableString and not node.find_parent(_HEADINGS):
            kept = node == "\n" or node.find_parent("pre")
            outline.write(str(node) if kept else _SPACE.sub(" ", node))
    return outline.sections()


def read_pdf(data: bytes) -> tuple[Section, ...]:
    """Read a PDF: one section a page, numbered from 1, without headings.

    Raises:
        UnreadableError: The file is damaged, or encrypted with a password that is not empty.
    """
    pypdf = need("pypdf", "reading PDF files")
    errors = need("pypdf.errors", "reading PDF files", package="pypdf")
    try:
        reader = pypdf.PdfReader(io.BytesIO(data))
        if reader.is_encrypted and not reader.decrypt(""):
            raise UnreadableError("the PDF is encrypted: save it without a password, or take it out of the folder")
        texts = [page.extract_text() for page in reader.pages]
    except (errors.PyPdfError, errors.DependencyError, *_DAMAGE) as error:
        raise UnreadableError(
            f"the PDF cannot be read ({type(error).__name__}: {error}): repair it, or take it out of the folder"
        ) from error
    # Broken fonts give lone surrogates, which no UTF-8 file can hold.
    clean = (text.replace("\0", "\ufffd").encode("utf-8", "replace").decode() for text in texts)
    return tuple(Section((), text, page) for page, text in enumerate(clean, start=1))


FORMATS: dict[str, Callable[[bytes], tuple[Section, ...]]] = {
    ".htm": read_html,
    ".html": read_html,
    ".markdown": read_markdown,
    ".md": read_markdown,
    ".pdf": read_pdf,
    ".text": read_text,
    ".txt": read_text,
}
