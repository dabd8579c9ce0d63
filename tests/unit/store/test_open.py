"""Opening a store on SQLite: one writer, many readers, and clear words for what is not a store."""

from __future__ import annotations

import sqlite3
from contextlib import closing

import pytest
from sqlalchemy import create_engine, update
from tests.runs import planned

from ragstone.errors import StoreBusyError, StoreError
from ragstone.store import tables
from ragstone.store.open import open_store
from ragstone.types import Response


def test_a_second_writer_is_told_that_the_store_is_busy(tmp_path):
    """Two runs cannot write to one file."""
    path = tmp_path / "a.db"
    with (
        open_store(path, write=True),
        pytest.raises(StoreBusyError, match="another process is writing"),
        open_store(path, write=True),
    ):
        pass


def test_a_reader_sees_what_a_writer_has_stored(tmp_path):
    """Reading needs no lock, even in the middle of a run."""
    path = tmp_path / "a.db"
    with open_store(path, write=True) as writer:
        run = planned(writer)[0]
        lease = writer.claim(run.id, "me")
        writer.record(lease, writer.missing(lease)[0], Response())
        with open_store(path) as reader:
            assert reader.run(run.id).done == 1


def test_a_run_whose_process_is_gone_is_interrupted(tmp_path):
    """The next writer marks it, so that nothing is running that no process runs."""
    path = tmp_path / "a.db"
    with open_store(path, write=True) as store:
        run = planned(store)[0]
        store.move(run.id, ("pending",), "running", at="t")
    with open_store(path, write=True) as store:
        assert store.run(run.id).state == "interrupted"


def test_reading_where_there_is_no_store(tmp_path):
    """The message names the path and how a store comes to be; no file is made."""
    path = tmp_path / "none.db"
    with pytest.raises(StoreError, match="there is no store at"), open_store(path):
        pass
    assert not path.exists()


def test_a_file_that_is_no_database(tmp_path):
    """It is refused and left as it is."""
    path = tmp_path / "notes.txt"
    path.write_text("hello, this is not a database, it is longer than a header would be" * 5)
    before = path.read_bytes()
    for write in (False, True):
        with pytest.raises(StoreError, match="is not a Ragstone store"), open_store(path, write=write):
            pass
    assert path.read_bytes() == before


def test_another_programs_database(tmp_path):
    """A database without our tables is not read as an empty store."""
    path = tmp_path / "other.db"
    with closing(sqlite3.connect(path)) as other:
        other.execute("CREATE TABLE things (id INTEGER)")
    with pytest.raises(StoreError, match="is not a Ragstone store"), open_store(path):
        pass


def test_a_store_of_another_version(tmp_path):
    """It is refused by its number, not misread."""
    path = tmp_path / "a.db"
    with open_store(path, write=True):
        pass
    engine = create_engine(f"sqlite:///{path}")
    with engine.begin() as connection:
        connection.execute(update(tables.meta).values(value="99"))
    engine.dispose()
    with pytest.raises(StoreError, match="version 99"), open_store(path):
        pass


def test_a_folder_that_cannot_be_made(tmp_path):
    """A store below a file is refused with the system's own reason."""
    (tmp_path / "file").write_text("x")
    with pytest.raises(StoreError, match="cannot be opened"), open_store(tmp_path / "file" / "a.db", write=True):
        pass


def test_an_error_inside_stays_what_it_is(tmp_path):
    """An OSError of the caller's own work is not blamed on the store."""
    with pytest.raises(FileNotFoundError), open_store(tmp_path / "a.db", write=True):
        (tmp_path / "nothing").read_text()


def test_a_damaged_row_is_told(tmp_path):
    """A response that is no longer JSON of our shape is a store error that says where."""
    path = tmp_path / "a.db"
    with open_store(path, write=True) as store:
        run = planned(store)[0]
        lease = store.claim(run.id, "me")
        store.record(lease, store.missing(lease)[0], Response())
    engine = create_engine(f"sqlite:///{path}")
    with engine.begin() as connection:
        connection.execute(update(tables.responses).values(content='{"hits": [{"id": 5}]}'))
    engine.dispose()
    with (
        open_store(path) as store,
        pytest.raises(StoreError, match=r"a stored response cannot be read: hits.0.id"),
    ):
        list(store.responses(run.id))
