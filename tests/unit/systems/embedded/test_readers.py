from __future__ import annotations

import io
import logging
from pathlib import Path

import pypdf
import pytest

from ragstone.errors import InvalidInputError
from ragstone.systems.embedded import readers
from ragstone.systems.embedded.documents import Section
from ragstone.systems.embedded.readers import folder_signature, read_folder


def make_pdf(*pages: str) -> bytes:
    """Write a minimal PDF with one line of text a page."""
    font = b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>"
    kids = " ".join(f"{4 + 2 * n} 0 R" for n in range(len(pages)))
    objects = [
        b"<< /Type /Catalog /Pages 2 0 R >>",
        f"<< /Type /Pages /Kids [{kids}] /Count {len(pages)} >>".encode(),
        font,
    ]
    for n, text in enumerate(pages):
        stream = f"BT /F1 12 Tf 72 720 Td ({text}) Tj ET".encode()
        objects += [
            f"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents {5 + 2 * n} 0 R "
            "/Resources << /Font << /F1 3 0 R >> >> >>".encode(),
            b"<< /Length %d >>\nstream\n%s\nendstream" % (len(stream), stream),
        ]
    out = bytearray(b"%PDF-1.4\n")
    offsets = []
    for number, body in enumerate(objects, start=1):
        offsets.append(len(out))
        out += b"%d 0 obj\n%s\nendobj\n" % (number, body)
    xref = len(out)
    out += b"xref\n0 %d\n0000000000 65535 f \n" % (len(objects) + 1)
    out += b"".join(b"%010d 00000 n \n" % offset for offset in offsets)
    out += b"trailer\n<< /Size %d /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF\n" % (len(objects) + 1, xref)
    return bytes(out)


def encrypted(data: bytes, password: str) -> bytes:
    """Encrypt a PDF with RC4, which needs no further package."""
    writer = pypdf.PdfWriter(clone_from=io.BytesIO(data))
    writer.encrypt(password, password, algorithm="RC4-128")
    out = io.BytesIO()
    writer.write(out)
    return out.getvalue()


def test_a_folder_is_read_in_the_order_of_names(folder: Path):
    """Names are relative with forward slashes and sorted; other suffixes and hidden files are left out."""
    (folder / "image.png").write_bytes(b"x")
    (folder / ".hidden.md").write_text("secret")
    (folder / ".git").mkdir()
    (folder / ".git" / "readme.md").write_text("secret")
    assert [document.name for document in read_folder(folder)] == [
        "fruit.md",
        "notes.txt",
        "site.html",
        "tools/saw.md",
    ]


def test_a_pdf_has_a_section_a_page(tmp_path: Path):
    """Pages are numbered from 1 and have no headings; suffixes are read in any case."""
    (tmp_path / "book.PDF").write_bytes(make_pdf("first page", "second page"))
    [document] = read_folder(tmp_path)
    assert document.sections == (Section((), "first page", 1), Section((), "second page", 2))


def test_a_pdf_encrypted_with_an_empty_password_is_read(tmp_path: Path):
    """Many published PDFs forbid printing and so are encrypted, but anybody may read them."""
    (tmp_path / "a.pdf").write_bytes(encrypted(make_pdf("open to all"), ""))
    assert read_folder(tmp_path)[0].sections[0].text == "open to all"


def test_all_unreadable_files_are_listed_together(folder: Path, monkeypatch: pytest.MonkeyPatch):
    """One error names every file that is encrypted, damaged or too large, and the way out of each."""
    (folder / "a.pdf").write_bytes(encrypted(make_pdf("x"), "secret"))
    (folder / "b.pdf").write_bytes(b"no pdf at all")
    (folder / "c.txt").write_text("x" * 5000)
    monkeypatch.setattr(readers, "MAX_BYTES", 4000)
    with pytest.raises(InvalidInputError) as caught:
        read_folder(folder)
    assert [problem.source for problem in caught.value.problems] == ["a.pdf", "b.pdf", "c.txt"]
    encrypted_one, damaged, large = map(str, caught.value.problems)
    assert "encrypted" in encrypted_one
    assert "without a password" in encrypted_one
    assert "cannot be read" in damaged
    assert "5000 bytes" in large


def test_a_file_that_may_not_be_read_is_a_problem(folder: Path, monkeypatch: pytest.MonkeyPatch):
    """The operating system's refusal is told for the file it concerns."""
    read_bytes = Path.read_bytes

    def refuse(path: Path) -> bytes:
        if path.name == "notes.txt":
            raise PermissionError(13, "Permission denied")
        return read_bytes(path)

    monkeypatch.setattr(Path, "read_bytes", refuse)
    with pytest.raises(InvalidInputError, match=r"notes\.txt: cannot be read \(Permission denied\)"):
        read_folder(folder)


def test_a_folder_that_may_not_be_listed_is_a_problem(folder: Path, monkeypatch: pytest.MonkeyPatch):
    """Documents that could not even be counted are never left out in silence."""

    def refuse(top: Path, onerror):
        onerror(PermissionError(13, "Permission denied", "docs/tools"))
        return iter(())

    monkeypatch.setattr(readers.os, "walk", refuse)
    with pytest.raises(InvalidInputError, match=r"docs/tools: cannot be read \(Permission denied\)"):
        read_folder(folder)


def test_links_that_leave_the_folder_are_not_followed(folder: Path, tmp_path: Path):
    """A link to a file outside, to a folder, or to nothing adds no document; one to a file inside does."""
    (tmp_path / "outside.md").write_text("outside")
    (folder / "leaves.md").symlink_to(tmp_path / "outside.md")
    (folder / "loop").symlink_to(folder, target_is_directory=True)
    (folder / "broken.md").symlink_to(folder / "nothing.md")
    (folder / "again.txt").symlink_to(folder / "notes.txt")
    names = [document.name for document in read_folder(folder)]
    assert names == ["again.txt", "fruit.md", "notes.txt", "site.html", "tools/saw.md"]


def test_a_folder_without_documents_is_an_error(tmp_path: Path):
    """An empty folder and a missing one are refused with their name."""
    with pytest.raises(InvalidInputError, match=r"holds no file that can be read \(\.htm, "):
        read_folder(tmp_path)
    with pytest.raises(InvalidInputError, match="nowhere: there is no such folder"):
        read_folder(tmp_path / "nowhere")


def test_a_document_without_text_is_told(tmp_path: Path, caplog: pytest.LogCaptureFixture):
    """A scanned PDF has pages but no text: it is read, with a warning."""
    (tmp_path / "scan.pdf").write_bytes(make_pdf(""))
    with caplog.at_level(logging.WARNING):
        assert len(read_folder(tmp_path)) == 1
    assert "scan.pdf: no text found" in caplog.text


def test_the_signature_follows_the_content(folder: Path):
    """It stays when nothing changes and differs after an edit, a new name or a new file."""
    seen = [folder_signature(folder), folder_signature(folder)]
    assert seen[0] == seen[1]
    (folder / "notes.txt").write_text("Changed.")
    seen.append(folder_signature(folder))
    (folder / "notes.txt").rename(folder / "notes2.txt")
    seen.append(folder_signature(folder))
    (folder / "new.md").write_text("New.")
    seen.append(folder_signature(folder))
    assert len(set(seen)) == 4
