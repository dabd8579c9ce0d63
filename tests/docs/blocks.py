"""Reads Markdown pages: their fenced blocks with the directives before them, their headings and links."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).parents[2]
PAGES = sorted(
    [*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md")],
    key=lambda path: path.relative_to(ROOT).as_posix(),
)
_DIRECTIVE = re.compile(r"<!--\s*(?P<name>file|exit|skip|output)(?::\s*(?P<value>.*?))?\s*-->")
_FENCE = re.compile(r"(?P<fence>```+)(?P<language>\w*)\s*")


@dataclass
class Block:
    """A fenced block.

    Attributes:
        line: 1-based line of its fence.
        directives: From the comments right before it: file, exit, skip, output.
    """

    language: str
    line: int
    directives: dict[str, str] = field(default_factory=dict)
    lines: list[str] = field(default_factory=list)

    @property
    def text(self) -> str:
        return "".join(f"{line}\n" for line in self.lines)

    @property
    def commands(self) -> list[str]:
        """The calls of ragstone in a shell block that begins with one."""
        if self.language not in ("bash", "console") or not self.lines:
            return []
        if not self.lines[0].removeprefix("$ ").startswith("ragstone"):
            return []
        prompted = [line for line in self.lines if line.startswith("$ ")] or self.lines
        return [line.removeprefix("$ ") for line in prompted if line.strip()]


def name_of(page: Path) -> str:
    return page.relative_to(ROOT).as_posix()


def blocks_of(page: Path) -> list[Block]:
    """Return the fenced blocks of a page in order."""
    found: list[Block] = []
    pending: dict[str, str] = {}
    fence = ""
    for number, line in enumerate(page.read_text(encoding="utf-8").splitlines(), 1):
        if fence:
            if line.strip() == fence:
                fence = ""
            else:
                found[-1].lines.append(line)
        elif opened := _FENCE.fullmatch(line):
            fence = opened["fence"]
            found.append(Block(opened["language"], number, pending))
            pending = {}
        elif directive := _DIRECTIVE.fullmatch(line.strip()):
            pending = {**pending, directive["name"]: directive["value"] or ""}
        elif line.strip():
            assert not pending, f"{name_of(page)}:{number}: a directive must stand right before a block"
    assert not fence, f"{name_of(page)}: a block is not closed"
    return found


def write_file(block: Block, folder: Path) -> None:
    """Write a block that says which file it is into the folder."""
    if name := block.directives.get("file"):
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(block.text, encoding="utf-8")


def prose_of(page: Path) -> str:
    """Return the page without its fenced blocks and without code between backticks."""
    text = re.sub(r"^(```+).*?^\1\s*$", "", page.read_text(encoding="utf-8"), flags=re.DOTALL | re.MULTILINE)
    return re.sub(r"`[^`\n]*`", "", text)


def links_of(page: Path) -> Iterator[str]:
    """Yield the targets of the page's links and images."""
    yield from re.findall(r"\]\(([^)\s]+)\)", prose_of(page))


def anchors_of(page: Path) -> set[str]:
    """Return the anchors of the page's headings, as GitHub makes them."""
    text = re.sub(r"^(```+).*?^\1\s*$", "", page.read_text(encoding="utf-8"), flags=re.DOTALL | re.MULTILINE)
    titles = re.findall(r"^#+\s+(.*?)\s*$", text, flags=re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in titles}
