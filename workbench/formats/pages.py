"""What the pages of a column of a Parquet file say of themselves: the index of a file may lie."""

from __future__ import annotations

import mmap
from pathlib import Path
from typing import Any

_NUMBERED = (2, 8)  # encodings by a dictionary
_DATA_PAGES = {0: (5, 2), 3: (8, 4)}  # by the kind of page, the fields of its own header and of its encoding
_MOST_PAGES = 100_000


def dictionary_values(path: Path, part: Any) -> int | None:
    """How many values of a column chunk are numbers of a dictionary; None where its pages do not tell.

    `part` is the chunk's entry in the index. Reads the headers of the pages only: structs of Thrift's compact
    protocol, with the fields that parquet.thrift of the format names.
    """
    at = part.data_page_offset
    if part.has_dictionary_page and 0 < part.dictionary_page_offset < at:
        at = part.dictionary_page_offset
    end, seen, numbered = at + part.total_compressed_size, 0, 0
    try:
        with path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
            pages = 0
            while at < end and (pages := pages + 1) < _MOST_PAGES:
                header, at = _struct(data, at)
                values, size = 0, header[3]
                if header[1] in _DATA_PAGES:
                    own, encoding = _DATA_PAGES[header[1]]
                    values = header[own][1]
                    numbered += values if header[own][encoding] in _NUMBERED else 0
                if not (0 <= size < 1 << 31 and 0 <= values < 1 << 31):
                    return None
                seen, at = seen + values, at + size
    except (IndexError, KeyError, TypeError, ValueError, RecursionError):
        return None
    return numbered if at == end and seen >= part.num_values else None  # else a reader may go on behind it


def _struct(data: mmap.mmap, at: int) -> tuple[dict[int, Any], int]:
    """The whole numbers and structs of a struct by field, and where it ends."""
    fields: dict[int, Any] = {}
    number = 0
    while head := data[at]:
        kind, at = head & 15, at + 1
        number += head >> 4
        if number in fields or not head >> 4 or kind not in (1, 2, 4, 5, 6, 8, 12):
            raise ValueError("no header of a page")
        fields[number] = None
        if kind == 12:
            fields[number], at = _struct(data, at)
        elif kind > 2:  # a truth is in its kind
            value, at = _varint(data, at)
            fields[number] = value >> 1 ^ -(value & 1)
            at += value if kind == 8 else 0  # the size of some bytes
    return fields, at + 1


def _varint(data: mmap.mmap, at: int) -> tuple[int, int]:
    number = 0
    for index in range(10):
        number |= (data[at + index] & 127) << 7 * index
        if data[at + index] < 128:
            return number, at + index + 1
    raise ValueError("a number without end")
