"""Files opened for reading in large pieces, unpacked where they are compressed."""

from __future__ import annotations

import zlib
from collections.abc import Iterator
from contextlib import closing, contextmanager
from importlib import import_module
from io import BufferedIOBase, BufferedReader, FileIO, RawIOBase
from typing import Any

from ragstone.errors import InvalidInputError, MissingExtraError, Problem

_GZIP, _ZSTD = b"\x1f\x8b", b"\x28\xb5\x2f\xfd"
_SKIPPABLE = b"\x2a\x4d\x18"  # behind a byte that may vary; parallel zstd tools write such a frame first
_PACKED = 4096  # bytes unpacked at a time, so that no file swells without bounds


Stream = RawIOBase | BufferedIOBase  # both have `readinto`, which fills a buffer


@contextmanager
def readable(path: str) -> Iterator[Stream]:
    """Open a file, plain or compressed with gzip or zstd, which its first bytes tell.

    Raises:
        InvalidInputError: It cannot be read or unpacked.
        MissingExtraError: It is compressed with zstd, and the package that reads it is not installed.
    """
    try:
        with closing(_opened(path)) as stream:
            yield stream
    except (OSError, EOFError, zlib.error) as error:
        message = f"cannot be read: {getattr(error, 'strerror', None) or error}"
        raise InvalidInputError([Problem(message, path)]) from None


def _opened(path: str) -> Stream:
    # Large pieces are read straight into place; a buffer between would only copy them.
    try:
        plain = FileIO(path)
    except ValueError as error:
        raise OSError(f"this is no path: {error}") from None
    magic = plain.read(4)
    plain.seek(0)
    if magic.startswith(_GZIP):
        plain.close()
        unpacked: BufferedIOBase = import_module("gzip").GzipFile(path)
        return unpacked
    return _Zstd(plain, path) if magic == _ZSTD or magic[1:] == _SKIPPABLE else plain


@contextmanager
def lines(path: str) -> Iterator[Iterator[bytes]]:
    """Open a file as `readable` does and hand out its lines."""
    with readable(path) as stream:
        if isinstance(stream, BufferedIOBase):
            yield iter(stream)
        else:
            with BufferedReader(stream) as buffered:
                yield iter(buffered)


class _Zstd(RawIOBase):
    """A file unpacked from zstd, whose errors are those of reading."""

    def __init__(self, plain: FileIO, path: str) -> None:
        try:
            self._zstandard: Any = import_module("zstandard")
        except ModuleNotFoundError:
            plain.close()
            raise MissingExtraError(f"reading {path}", "zstd", "zstandard") from None
        self._plain = plain
        self._unpacker = self._zstandard.ZstdDecompressor()
        self._frame: Any = None
        self._waiting = memoryview(b"")

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any, /) -> int:  # noqa: ANN401 - any buffer
        while not self._waiting:
            packed = self._plain.read(_PACKED)
            if not packed:
                if self._frame is not None:
                    raise EOFError("the zstd data are cut off")
                return 0
            self._waiting = memoryview(self._unpack(packed))
        count = min(len(buffer), len(self._waiting))
        buffer[:count], self._waiting = self._waiting[:count], self._waiting[count:]
        return count

    def _unpack(self, packed: bytes) -> bytes:
        """Return what comes out of a piece, which may end one frame and begin the next."""
        found = []
        while packed:
            self._frame = self._frame or self._unpacker.decompressobj()
            try:
                found.append(self._frame.decompress(packed))
            except self._zstandard.ZstdError as error:
                raise OSError(str(error)) from None
            packed = self._frame.unused_data if self._frame.eof else b""
            if self._frame.eof:
                self._frame = None
        return b"".join(found)

    def close(self) -> None:
        self._plain.close()
        super().close()
