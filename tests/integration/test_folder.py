"""A folder of Markdown, text, HTML and PDF, from files to numbers: pages and headings are kept."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

pytest.importorskip("bm25s")


def pdf(pages: list[str]) -> bytes:
    """Return a small PDF with one line of text a page."""
    kids = " ".join(f"{4 + 2 * i} 0 R" for i in range(len(pages)))
    tree = f"<< /Type /Pages /Kids [{kids}] /Count {len(pages)} >>".encode()
    objects = [b"<< /Type /Catalog /Pages 2 0 R >>", tree,
               b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>"]  # fmt: skip
    for number, text in enumerate(pages):
        content = f"BT /F1 12 Tf 72 720 Td ({text}) Tj ET".encode()
        page = f"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents {5 + 2 * number} 0 R "
        objects.append((page + "/Resources << /Font << /F1 3 0 R >> >> >>").encode())
        objects.append(b"<< /Length %d >>\nstream\n%s\nendstream" % (len(content), content))
    body, offsets = b"%PDF-1.4\n", []
    for number, item in enumerate(objects, 1):
        offsets.append(len(body))
        body += b"%d 0 obj\n%s\nendobj\n" % (number, item)
    table = b"".join(b"%010d 00000 n \n" % offset for offset in offsets)
    trailer = b"trailer << /Size %d /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF" % (len(objects) + 1, len(body))
    return body + b"xref\n0 %d\n0000000000 65535 f \n" % (len(objects) + 1) + table + trailer


@pytest.fixture
def folder(tmp_path):
    docs = tmp_path / "docs"
    docs.mkdir()
    (docs / "proxy.md").write_text("# Setup\n\nInstall it.\n\n## Proxy\n\nSet HTTPS_PROXY before you start.\n")
    (docs / "faq.html").write_text("<h1>Questions</h1><h2>Refunds</h2><p>Money back within thirty days.</p>")
    (docs / "notes.txt").write_text("The office parrot is called Herbert.")
    (docs / "Manual.pdf").write_bytes(
        pdf(["Unpack the machine.", "Descale the boiler with citric acid.", "Warranty."])
    )
    golds = {
        "How do I use a proxy?": {"document": "proxy.md", "heading_path": "Setup > Proxy"},
        "When do I get my money back?": {"document": "faq.html", "heading_path": "Questions > Refunds"},
        "What is the parrot called?": {"document": "notes.txt"},
        "How to descale the boiler?": {"document": "manual", "page": 2},
    }
    rows = [
        {"query_id": f"q{i}", "query": text, "gold_references": [{**gold, "relevance": 3}]}
        for i, (text, gold) in enumerate(golds.items())
    ]
    (tmp_path / "questions.jsonl").write_text("\n".join(map(json.dumps, rows)))
    (tmp_path / "bench.yaml").write_text(
        "name: folder\ndataset: questions.jsonl\nsystem: {type: embedded, corpus: docs}\n"
        "search_mode: lexical\nmetrics: [Hit@1, nDCG@5]\nmatching: {page_tolerance: 0}\n"
        "variants: [{name: large}, {name: small, system: {chunk_size: 20, chunk_overlap: 5}}]\n"
    )
    return tmp_path


def test_each_kind_of_file_and_gold_is_found(folder):
    """Heading golds in Markdown and HTML, a document gold in text, a page gold in PDF: all hit at rank 1."""
    command = [sys.executable, "-m", "ragstone", "run", "bench.yaml", "--cache", "cache", "--json", "-q"]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    for run in json.loads(done.stdout)["runs"]:
        values = {one["metric"]: one["value"] for one in run["summaries"]}
        assert values["Hit@1"] == 1.0
    assert [run["name"] for run in json.loads(done.stdout)["runs"]] == ["large", "small"]
