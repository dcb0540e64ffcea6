"""The database of a command. The command line imports this module with the tables, not for --help."""

from __future__ import annotations

from collections.abc import Callable
from types import TracebackType

from workbench.errors import InputError, UsageError, WorkbenchError
from workbench.formats.exports.folder import check_outside
from workbench.stages.people import find, people, why_not
from workbench.stages.queue import under
from workbench.store import database
from workbench.store.datasets import DatasetInfo, count_samples, find_dataset, list_datasets
from workbench.store.engine import Store, open_store
from workbench.store.runs import find_run


class Database:
    """A database as long as a command needs it.

    One that is made here and stays empty because the import fails is removed again; one that has got a part
    of the file is named.
    """

    shown = staticmethod(database.shown_url)

    def __init__(self, url: str, *, create: bool = False, migrate: bool = True) -> None:
        path = database.sqlite_path(database.full_url(url))
        self._new = None if path is None or path.exists() else path
        if create:
            check_outside(self._new)
        self.store: Store = open_store(url, create=create, migrate=migrate)

    def __enter__(self) -> Database:
        return self

    def __exit__(self, _: object, error: BaseException | None, trace: TracebackType | None) -> None:
        samples = 1
        try:
            if self._new is not None and isinstance(error, Exception):
                samples = sum(count_samples(self.store, info.id) for info in list_datasets(self.store))
            if isinstance(error, Exception) and not isinstance(error, WorkbenchError):
                self.store.check_whole(error)  # rows that a damaged index leaves out are missed anywhere
        finally:
            self.store.close()
            if self._new is not None and not samples:
                for end in ("", "-wal", "-shm"):
                    self._new.with_name(f"{self._new.name}{end}").unlink(missing_ok=True)
        if self._new is not None and samples and isinstance(error, InputError):
            raise InputError(
                f"{error}; {samples:,} samples were stored in {self._new} before that"
            ) from error

    def admit(self, reader: Callable[[], str]) -> None:
        """Raise UsageError for who is disabled or, where people are named, is none of them."""
        if not (everybody := people(self.store)):
            return
        name = reader()
        if why := why_not(everybody, name, "review"):
            raise UsageError(why if find(everybody, name) else f"{why}; --as NAME says who you are")

    def dataset(self, name: str | None, run: str | None) -> tuple[DatasetInfo, int]:
        """The dataset of a name, or the only one, under the run of a name, for None its own; its samples.

        Raises NotFoundError, AmbiguousError.
        """
        info = find_dataset(self.store, name)
        chosen = None if run is None else find_run(self.store, info.id, run)
        return under(info, chosen), count_samples(self.store, info.id)
