"""A built index on disk, all or nothing: it appears complete, and a damaged one counts as absent."""

from __future__ import annotations

import hashlib
import json
import shutil
import tempfile
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path

from ragstone.logs import logger_of
from ragstone.systems.embedded.documents import Chunk
from ragstone.systems.embedded.lexical import LexicalIndex

_MANIFEST = "manifest.json"
logger = logger_of(__name__)


@dataclass(frozen=True, slots=True)
class Built:
    """What is built from a corpus.

    Attributes:
        corpus_digest: `corpus_digest` of the documents.
        documents: How many there are.
        chunks: Their chunks, in order.
        lexical: BM25 over the chunks, row by row.
    """

    corpus_digest: str
    documents: int
    chunks: tuple[Chunk, ...]
    lexical: LexicalIndex


def save(folder: Path, built: Built) -> None:
    """Write `built` as `folder`; where another process was faster, its folder stays.

    The folder is written under another name and renamed when complete.
    """
    folder.parent.mkdir(parents=True, exist_ok=True)
    draft = Path(tempfile.mkdtemp(prefix=".draft-", dir=folder.parent))
    try:
        _write(draft, built)
        try:
            draft.rename(folder)
        except OSError:
            if not folder.is_dir():
                raise
    finally:
        shutil.rmtree(draft, ignore_errors=True)


def load(folder: Path) -> Built | None:
    """Read what `save` wrote; None where there is nothing, or where it is damaged: then it is removed."""
    if not folder.is_dir():
        return None
    try:
        return _read(folder)
    except (OSError, ValueError, KeyError, TypeError) as error:
        logger.warning("the index %s is damaged (%s) and is built anew", folder.name, error)
        shutil.rmtree(folder, ignore_errors=True)
        return None


def _write(folder: Path, built: Built) -> None:
    lines = (json.dumps(asdict(chunk), ensure_ascii=False) for chunk in built.chunks)
    (folder / "chunks.jsonl").write_text("".join(f"{line}\n" for line in lines), encoding="utf-8", newline="\n")
    built.lexical.save(folder / "bm25")
    manifest = {
        "corpus_digest": built.corpus_digest,
        "documents": built.documents,
        "files": _checksums(folder),
    }
    (folder / _MANIFEST).write_text(json.dumps(manifest, indent=1, sort_keys=True), encoding="utf-8")


def _read(folder: Path) -> Built:
    manifest = json.loads((folder / _MANIFEST).read_text(encoding="utf-8"))
    if manifest["files"] != _checksums(folder):
        raise ValueError("its files are not those that were written")
    with (folder / "chunks.jsonl").open(encoding="utf-8", newline="\n") as lines:
        chunks = tuple(_chunk(json.loads(line)) for line in lines)
    lexical = LexicalIndex.load(folder / "bm25")
    return Built(str(manifest["corpus_digest"]), int(manifest["documents"]), chunks, lexical)


def _chunk(data: Mapping[str, object]) -> Chunk:
    return Chunk(**{**data, "heading": tuple(data["heading"])})  # type: ignore[arg-type]


def _checksums(folder: Path) -> dict[str, str]:
    files = sorted(path for path in folder.rglob("*") if path.is_file() and path.name != _MANIFEST)
    return {path.relative_to(folder).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest() for path in files}
