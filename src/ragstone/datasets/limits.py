"""How large a data set may be: little for an upload, much for a local file."""

from __future__ import annotations

from dataclasses import dataclass, fields
from pathlib import Path

from ragstone.errors import InvalidInputError, Problem, UsageError

UPLOAD_BYTES = 10 * 1024 * 1024
UPLOAD_VALUES = 1_000_000
DOCUMENT_BYTES = 100_000_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """What a data set may hold at most; None is no limit.

    Attributes:
        max_bytes: Size of one file.
        max_queries: Questions of the whole data set.
        max_judgments: Golds of one question.
        max_values: Commas and brackets of a JSON document, which tell how much memory it takes.
        max_document_bytes: Size of a file that must be held in memory as a whole; `max_bytes` holds too.
    """

    max_bytes: int | None = None
    max_queries: int | None = None
    max_judgments: int | None = None
    max_values: int | None = None
    max_document_bytes: int | None = DOCUMENT_BYTES

    def __post_init__(self) -> None:
        for field in fields(self):
            value = getattr(self, field.name)
            if value is not None and value < 1:
                raise UsageError(f"{field.name} must be 1 or more, or None for no limit; got {value!r}")

    @classmethod
    def upload(cls) -> Limits:
        """Return the limits of uploads: 10 MiB, 1,000 questions, 100 judgments each."""
        return cls(max_bytes=UPLOAD_BYTES, max_queries=1000, max_judgments=100, max_values=UPLOAD_VALUES)

    @classmethod
    def local(cls) -> Limits:
        """Return the limits of local files: none where they are read line by line, 100 MB for whole documents."""
        return cls()

    def check_values(self, text: str, path: Path) -> None:
        """Refuse a JSON document by its number of values, before it is parsed.

        Raises:
            InvalidInputError: It has too many.
        """
        count = sum(map(text.count, ",[{")) if self.max_values is not None else 0
        if self.max_values is not None and count > self.max_values:
            message = (
                f"about {count:,} values; at most {self.max_values:,} are read (split it, or raise the limit)"
            )
            raise InvalidInputError([Problem(message, str(path))])

    def check_size(self, path: Path, *, whole: bool = False) -> None:
        """Refuse a file by its size, before it is read.

        Args:
            path: The file.
            whole: Whether the file must be held in memory as a whole.

        Raises:
            InvalidInputError: It is too large, or cannot be read.
        """
        try:
            size = path.stat().st_size
        except OSError as error:
            raise InvalidInputError([Problem(f"cannot be read: {error.strerror or error}", str(path))]) from None
        limit, advice = self.max_bytes, "split it, or raise the limit"
        if whole and self.max_document_bytes is not None and (limit is None or self.max_document_bytes < limit):
            limit, advice = self.max_document_bytes, "write it as JSON Lines, which are read line by line"
        if limit is not None and size > limit:
            message = f"the file has {size:,} bytes; at most {limit:,} are read ({advice})"
            raise InvalidInputError([Problem(message, str(path))])
