"""Lines of a file as bytes, with the number and the offset of each, in bounded memory."""

from __future__ import annotations

from collections.abc import Callable, Generator
from functools import partial
from pathlib import Path

from workbench.errors import InputError, NotFoundError, RowError
from workbench.formats.rows import LINE_LIMIT

BOM = b"\xef\xbb\xbf"
HEAD = 64 * 1024
_REPORT_EVERY = 1 << 20  # bytes between two calls of a progress callback

_CONTROLS = bytes(set(range(32)) - set(b"\t\n\r\f\x1b"))

Progress = Callable[[int], None]

_MAGIC = (
    (b"\xff\xfe\x00\x00", "UTF-32: save it as UTF-8"),
    (b"\x00\x00\xfe\xff", "UTF-32: save it as UTF-8"),
    (b"\xff\xfe", "UTF-16: save it as UTF-8"),
    (b"\xfe\xff", "UTF-16: save it as UTF-8"),
    (b"\x1f\x8b", "a gzip archive: unpack it first"),
    (b"BZh", "a bzip2 archive: unpack it first"),
    (b"\x28\xb5\x2f\xfd", "a zstd archive: unpack it first"),
    (b"PK\x03\x04", "a zip archive or an Excel workbook: unpack it, or save the sheet as CSV"),
    (b"SQLite format 3", "a SQLite database, not a dataset file"),
)


def lines(path: Path, progress: Progress | None = None) -> Generator[tuple[int, int, bytes]]:
    """(line number from 1, byte offset from 0, bytes) of every line; a leading BOM is left out.

    A line over `LINE_LIMIT` comes cut to one byte more than the limit; the rest of it is skipped in
    pieces. `progress` is called with the bytes read so far, about once a megabyte and at the end.
    """
    try:
        with path.open("rb", buffering=1 << 18) as file:
            offset = reported = 0
            for number, found in enumerate(iter(partial(file.readline, LINE_LIMIT + 1), b""), start=1):
                data = found
                if number == 1 and data.startswith(BOM):
                    data, offset = data[len(BOM) :], len(BOM)
                yield number, offset, data
                offset += len(data)
                if len(found) > LINE_LIMIT:
                    rest = found
                    while rest and not rest.endswith(b"\n"):
                        rest = file.readline(1 << 20)
                        offset += len(rest)
                if progress is not None and offset - reported >= _REPORT_EVERY:
                    progress(offset)
                    reported = offset
            if progress is not None:
                progress(offset)
    except OSError as error:
        raise InputError(f"{path}: cannot be read: {error.strerror or error}") from error


def decoded(data: bytes, offset: int) -> str:
    """The line as text. Raises RowError for a line over the limit or one that is not UTF-8."""
    if len(data) > LINE_LIMIT:
        raise RowError("row", f"a line of more than {LINE_LIMIT:,} bytes", "one sample a line, in less")
    try:
        return data.decode()
    except UnicodeDecodeError as error:
        raise not_utf8(data[error.start], offset + error.start) from None


def not_utf8(byte: int, offset: int) -> RowError:
    """The error for a byte that is not UTF-8; the offset is the byte's, in the file."""
    return RowError("row", f"byte 0x{byte:02x} at offset {offset:,} of the file", "UTF-8")


def as_given(data: bytes) -> str:
    """A line that is no text as one: foreign bytes as \\x escapes; of a line over the limit the start."""
    given = data if len(data) <= LINE_LIMIT else data[:10_000]
    return given.decode("utf-8", "backslashreplace").rstrip("\r\n")


def head(path: Path) -> list[bytes]:
    """The first lines of a file that looks like text, without the BOM, blank ones left out.

    Raises NotFoundError for no such file, InputError for anything no reader could take.
    """
    if not path.exists():
        raise NotFoundError(f"no such file: {path}")
    if path.is_dir():
        raise InputError(f"{path}: a folder: name a file")
    if not path.is_file():
        raise InputError(f"{path}: not a plain file: save the rows to a file first")
    try:
        with path.open("rb") as file:
            data = file.read(HEAD)
            whole = not file.read(1)
    except OSError as error:
        raise InputError(f"{path}: cannot be read: {error.strerror or error}") from error

    for magic, what in _MAGIC:
        if data.startswith(magic):
            raise InputError(f"{path}: {what}")
    shift = len(BOM) if data.startswith(BOM) else 0
    data = data[shift:]
    controls = len(data) - len(data.translate(None, _CONTROLS))
    if controls * 20 > len(data):  # random bytes have 11 %, UTF-16 half
        wide = "UTF-32" if data.count(0) * 2 > len(data) else "UTF-16"
        raise InputError(f"{path}: not a text file (or {wide}: save it as UTF-8)")
    found = [line for line in data.split(b"\n") if line.strip()]
    if len(found) > 1 and not whole:
        found.pop()  # cut in the middle
    if not found and whole:
        raise InputError(f"{path}: no rows: the file is empty")
    _refuse_other_encoding(path, found, shift + data.find(found[0]) if found else 0)
    return found


def _refuse_other_encoding(path: Path, found: list[bytes], start: int) -> None:
    """A file that starts with a foreign byte, or has no readable line in its head, is not UTF-8."""
    first: UnicodeDecodeError | None = None
    for line in found:
        try:
            line.decode()
        except UnicodeDecodeError as error:
            if error.reason == "unexpected end of data" and len(line) > HEAD - 10:
                return  # the head ends inside a character
            first = first or error
        else:
            return
    if first is not None and (len(found) > 1 or start + first.start == 0):
        raise InputError(
            f"{path}: not UTF-8: byte 0x{first.object[first.start]:02x} at offset {start + first.start:,}, "
            "and no line that can be read: save the file as UTF-8"
        )
