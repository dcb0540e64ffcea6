"""Every error a person can meet, and what to do about it.

WorkbenchError                  catch this to catch them all
├── UsageError                  the command or its arguments are off: call again, corrected
│   ├── NotFoundError           no such dataset, run, sample or file
│   └── AmbiguousError          several fit: name one
├── InputError                  a file or row cannot be read as it is: fix the file
│   ├── RowError                one row of a file; carries line, field, what stood there and what was expected
│   │   └── PurgedError         the text of that sample was removed for good: it does not come in again
│   └── SpanError               a span does not quote its text
├── StoreError                  the database did not take it: nothing of this change was kept; try again
│   ├── NewerSchemaError        made by a newer Workbench: upgrade the program
│   ├── OtherFileError          its file was deleted or replaced while it was open: put it back
│   ├── AwayError               its server cannot be reached: try again when it is back
│   │   └── LockedError         another program has locked what this needs on it: try again when it is done
│   └── ConflictError           someone else decided first: reload, then offer the edit again
├── ProposalError               a proposer could not answer for a sample: stored as a failure
│   ├── AccessError             no key, refused, not paid, no money left, no such model: fix it first
│   ├── BusyError               the service was busy, down or out of reach: ask again later
│   ├── DeclinedError           the service does not take this text: review it by hand, or ask otherwise
│   └── AnswerError             an answer came and was cut off or is not what was asked for: ask again
└── ExportError                 the export was not written; what stood there is untouched

The command line prints the message on stderr and ends with exit code 2; 1 is kept for a failed gate.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path


class WorkbenchError(Exception):
    """Base of all errors that are for a person to read."""


class UsageError(WorkbenchError):
    """The call is off; the message says how to call."""


class NoDatabaseError(UsageError):
    """There is no database yet, or an empty one: the message says what makes it."""


class NotFoundError(UsageError):
    """Nothing of that name; the message lists what there is."""


class AmbiguousError(UsageError):
    """Several things fit; the message lists them."""

    def __init__(self, message: str, choices: Iterable[str]) -> None:
        super().__init__(message)
        self.choices = tuple(choices)


class InputError(WorkbenchError):
    """A file or a row cannot be read; nothing of it was stored."""


class RowError(InputError):
    """One row of a file is not usable; the others go in.

    Prints as `FILE:LINE: field: got …, expected …`, or `FILE: item N: …` where rows share a line.
    """

    path = ""
    line = item = 0

    def __init__(self, field: str, got: str, expected: str) -> None:
        super().__init__(field, got, expected)
        self.field = field
        self.got = got
        self.expected = expected

    def __str__(self) -> str:
        where = f"{self.path}:{self.line}: " if self.line else ""
        if self.item:
            where = f"{self.path}: item {self.item}: "
        return f"{where}{self.field}: got {self.got}, expected {self.expected}"


class PurgedError(RowError):
    """A row of a sample that was purged on some day: of it nothing is put aside but its id."""

    def __init__(self, name: str, day: str) -> None:
        super().__init__(
            "id", f"{name!r}, purged on {day}", "another sample: this one's text was removed for good"
        )
        self.name = name


class SpanError(InputError):
    """A span does not quote the text it points into."""


class StoreError(WorkbenchError):
    """The database refused; nothing of this change was kept."""


class NewerSchemaError(StoreError):
    """The database was made by a newer Workbench: upgrade the program."""


class OtherFileError(StoreError):
    """The path does not lead to the open file any more; `there`: whether it leads to another one."""

    def __init__(self, message: str, *, there: bool) -> None:
        then = "open the new file, or put the old one back" if there else "put it back and try again"
        super().__init__(f"{message}: nothing more is saved into it; {then}")
        self.there = there


class AwayError(StoreError):
    """The server of the database cannot be reached, or a lock there was not let go: try again later.

    Whether the last change was kept is not known where the server is lost. `writing`: it was lost while
    something was being written. `what` the screens say while they try again.
    """

    writing = False
    what = "server away"


class DiskError(AwayError):
    """The disk had no room for a database to be opened, or failed."""

    what = "the disk is full or failed"


class LockedError(AwayError):
    """Another program did not let go of what this needs on the server."""

    what = "locked by another program"


class ConflictError(StoreError):
    """Another terminal decided first: reload, look, and offer the edit again."""


class ProposalError(WorkbenchError):
    """A proposer could not answer; kept as a failure, never as an empty set."""


class AccessError(ProposalError):
    """The service lets nobody ask: the message says which key, payment or model to fix."""


class BusyError(ProposalError):
    """The service could not answer now; asking again later may do."""


class DeclinedError(ProposalError):
    """The service will not take this text; review the sample by hand, or change what is asked."""


class AnswerError(ProposalError):
    """An answer came that cannot be used; it was paid for, and asking again may do."""


class ExportError(WorkbenchError):
    """The export was not written; what stood at its place is untouched."""


@contextmanager
def disk_errors(kind: type[WorkbenchError], what: str) -> Iterator[None]:
    """Raise an error of ours for one of the system: `what` failed, and why."""
    try:
        yield
    except OSError as error:
        # a socket names its address once more
        raise kind(f"{what}: {(error.strerror or str(error)).partition(' (while ')[0]}") from error


def to_install(extra: str) -> str:
    """The command that installs the packages of an extra: into the checkout that runs, else by name."""
    checkout = Path(__file__).parents[1]
    package = f"-e '{checkout}" if (checkout / "pyproject.toml").is_file() else "'gold-workbench"
    return f"pip install {package}[{extra}]'"
