"""Opening a store on a SQLite file."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from filelock import BaseFileLock, FileLock, Timeout
from sqlalchemy import URL, Engine, create_engine, event, insert, select
from sqlalchemy.exc import DatabaseError, SQLAlchemyError

from ragstone.errors import StoreBusyError, StoreError
from ragstone.store import tables
from ragstone.store.sql import SqlStore


@contextmanager
def open_store(path: Path, *, write: bool = False, create: bool = True) -> Iterator[SqlStore]:
    """Open the store in a SQLite file, making it where there is none, if `write` and `create` say so.

    A writer holds the lock file beside the store until it closes it or its process ends. So a writer that gets
    the lock knows that every earlier owner is gone, and marks their unfinished runs as interrupted. Readers need
    no lock.

    Raises:
        StoreBusyError: Another process is writing.
        StoreError: There is no store to read, or the file is not a store of this version.
    """
    if not path.is_file() and not (write and create):
        raise StoreError(f"there is no store at {path}; `ragstone run FILE --store {path}` makes one")
    if not write:
        yield from _opened(path, write=False)
        return
    lock = _lock(path)
    try:
        yield from _opened(path, write=True)
    finally:
        lock.release()


def _lock(path: Path) -> BaseFileLock:
    lock = FileLock(f"{path}.lock", timeout=0)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        lock.acquire()
    except Timeout:
        message = f"another process is writing to {path}; wait for it, or choose another store with --store"
        raise StoreBusyError(message) from None
    except OSError as error:
        raise StoreError(f"the store {path} cannot be opened: {error.strerror or error}") from error
    return lock


def _opened(path: Path, *, write: bool) -> Iterator[SqlStore]:
    engine = create_engine(URL.create("sqlite", database=str(path)))
    event.listen(engine, "connect", _set_pragmas if write else _set_reading)
    store = SqlStore(engine)
    try:
        _prepare(engine, path, write=write)
        yield store
    finally:
        store.close()


def _set_pragmas(connection: Any, _record: object) -> None:  # noqa: ANN401 - a DB-API connection
    # WAL lets readers in while a run writes; NORMAL is safe against a killed process, and against a power cut
    # loses at most the last rows, which are asked again.
    for pragma in ("journal_mode=WAL", "synchronous=NORMAL", "foreign_keys=ON", "busy_timeout=10000"):
        connection.execute(f"PRAGMA {pragma}")


def _set_reading(connection: Any, _record: object) -> None:  # noqa: ANN401 - a DB-API connection
    for pragma in ("query_only=ON", "busy_timeout=10000"):
        connection.execute(f"PRAGMA {pragma}")


def _prepare(engine: Engine, path: Path, *, write: bool) -> None:
    try:
        if write:
            tables.metadata.create_all(engine)
        with engine.begin() as connection:
            version = connection.scalar(select(tables.meta.c.value).where(tables.meta.c.key == "schema_version"))
            if version is None and write:
                row = {"key": "schema_version", "value": str(tables.SCHEMA_VERSION)}
                connection.execute(insert(tables.meta), row)
            elif version != str(tables.SCHEMA_VERSION):
                message = (
                    f"{path} is a store of version {version}, this Ragstone reads version "
                    f"{tables.SCHEMA_VERSION}: choose another file with --store, or move this one away"
                )
                raise StoreError(message)
            if write:
                lost = tables.runs.update().where(tables.runs.c.state == "running").values(state="interrupted")
                connection.execute(lost)
    except DatabaseError as error:
        raise StoreError(f"{path} is not a Ragstone store: {error.orig}") from error
    except SQLAlchemyError as error:
        raise StoreError(f"the store {path} cannot be opened: {error}") from error
