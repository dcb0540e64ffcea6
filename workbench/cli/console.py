"""What every command needs around its stage: options before it, the store, an editor, the last words."""

import io
import os
import sys
import traceback
from collections.abc import Callable, Collection, Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer
from typer import Option
from typer.core import TyperOption

from workbench import __version__, reports
from workbench.errors import NoDatabaseError, StoreError, UsageError, WorkbenchError, disk_errors
from workbench.model import RESOLVED, Progress
from workbench.settings import TEXT_LIMIT, decoded, read_settings, written_text
from workbench.text.lists import pairs, sections
from workbench.text.safe import clean

if TYPE_CHECKING:
    from workbench.stages.opening import Database
    from workbench.store.datasets import DatasetInfo
    from workbench.store.engine import Store

DEFAULT_DB = "workbench.db"

INTERRUPTED = 130
"""The exit code of a command after Ctrl-C."""

STOPPED = "Stopped. What was saved stays; run the same command again to go on."

Json = Annotated[bool, Option("--json")]


@dataclass
class Call:
    """The options that every command takes. `db_given`: by --db, not by the environment."""

    db: str
    db_given: bool
    dataset: str | None
    named: str | None

    def given(self) -> dict[str, str]:
        """What a command that a message tells to run next takes: the same database and dataset."""
        db = {"--db": shown(self.db)} if self.db_given else {}
        return db | ({"--dataset": self.dataset} if self.dataset else {})

    @property
    def annotator(self) -> str:
        """Whose name stands on what is written. Raises UsageError for a config file that is off."""
        return annotator_name(self.named)


_HELP = sections(__name__)
"""What the help says of options and arguments: of several commands, then of each one."""


def explain(command: Any, name: str) -> None:
    """Give the options and arguments of a command what its help says of them."""
    words = pairs(_HELP["several"]) | pairs(_HELP.get(name, ""))
    for parameter in command.params:
        parameter.help = words.get(parameter.name)


class Context(typer.Context):
    """What a command is called with."""

    obj: Call


def exit_code(run: Callable[[], object]) -> int:
    """Run it; what goes wrong is said on standard error. 2: bad usage or input, 70: a crash."""
    try:
        run()
    except SystemExit as ended:
        if ended.code == INTERRUPTED:
            tell(STOPPED)
        return ended.code if isinstance(ended.code, int) else int(ended.code is not None)
    except Exception as error:
        if _was_stopped(error):
            tell(STOPPED)
            return INTERRUPTED
        if isinstance(error, typer.Abort):
            error = UsageError("the question got no answer: nothing was done")
        if said := getattr(error, "format_message", None):  # the library's word on options and arguments
            where = getattr(error, "ctx", None)
            hint = f"\nTry '{where.command_path} -h' for help." if where else ""
            error = UsageError(f"{said()}{hint}")
        if isinstance(error, OSError) and error.filename:  # a closed folder, a name that is too long
            error = WorkbenchError(f"{error.filename}: {error.strerror}")
        if isinstance(error, WorkbenchError):
            tell(f"workbench: {clean(str(error))}")
            return 2
        _report_crash(error)
        return 70
    finally:
        reports.given = dict
    return 0


def _was_stopped(error: BaseException | None) -> bool:
    """Whether Ctrl-C is behind it: what is stopped half way may fail while it cleans up."""
    return error is not None and (isinstance(error, KeyboardInterrupt) or _was_stopped(error.__context__))


def _report_crash(error: Exception) -> None:
    """Where it happened, without the message and the values: they may hold the dataset's text."""
    tell(f"workbench {__version__} crashed: {type(error).__name__}")
    for frame in traceback.extract_tb(error.__traceback__):
        tell(f"  {frame.filename}:{frame.lineno} {frame.name}")


def tell(text: str) -> None:
    """Write it to standard error, wrapped where that is a terminal."""
    sys.stderr.write(reports.folded(text, reports.columns_of(sys.stderr)) + "\n")
    sys.stderr.flush()


class Output(io.TextIOWrapper):
    """Standard output: one that takes nothing more raises WorkbenchError, a reader that has gone nothing."""

    def write(self, text: str) -> int:
        with self._taken():
            super().write(text)
        return len(text)

    def flush(self) -> None:
        with self._taken():
            super().flush()

    @contextmanager
    def _taken(self) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            os.dup2(os.open(os.devnull, os.O_WRONLY), self.fileno())  # or Python tries again at its end
            if not isinstance(error, BrokenPipeError):
                raise WorkbenchError(f"standard output: {error.strerror or error}") from error


def say_whatever_comes() -> None:
    """A Δ in a code page without one must not end a report.

    On Unix terminals take UTF-8 whatever the locale says; it is written unless PYTHONIOENCODING asks for
    something else.
    """
    if sys.stderr is None:
        sys.stderr = io.StringIO()
    if sys.stdout is None:  # the next file that is opened would get its number
        tell("workbench: standard output is closed: send it to /dev/null if nobody reads it")
        sys.exit(2)
    if isinstance(sys.stdout, io.TextIOWrapper):
        buffer, lines = sys.stdout.buffer, sys.stdout.line_buffering
        if isinstance(buffer, io.RawIOBase):
            # of PYTHONUNBUFFERED: what a full disk does not take would be left out without an error
            buffer, lines = io.BufferedWriter(buffer), True
        sys.stdout = Output(buffer, sys.stdout.encoding, line_buffering=lines)
    own = os.name == "posix" and not os.environ.get("PYTHONIOENCODING")
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(encoding="utf-8" if own else None, errors="replace")


def annotator_name(name: str | None, source: str = "--as") -> str:
    """The name given by option or environment, else that of the config file, else the system's user."""
    if name is None:
        settings = read_settings()
        name, source = settings.annotator or _user(), f"{settings.path}: as"
    name = name.strip()
    if name == RESOLVED:
        raise UsageError(f"{source}: this name is kept for settled samples: give another one")
    if not name or len(name) > 100 or not name.isprintable():
        raise UsageError(f"{source}: give a printable name of 1 to 100 characters")
    return name


def _user() -> str:
    import getpass  # with termios: not for --help

    try:
        return getpass.getuser()
    except (KeyError, OSError):
        raise UsageError("your system has no user name here: give one with --as NAME") from None


def named_path(text: str) -> Path:
    """A path from the command line. Raises UsageError for an empty one, which Python takes for this folder,
    and for an address."""
    if not text:
        raise UsageError("an empty path names nothing: name a file or a folder")
    if "://" in text:
        raise UsageError(f"{shown(text)}: an address; name a file or a folder")
    return Path(text)


def databases() -> "type[Database]":
    from workbench.stages.opening import Database  # not for --help, nor before the first screen is painted

    return Database


def shown(place: str) -> str:
    """A database or a file as a message may show it: without a password."""
    return databases().shown(place)


def on_terminal() -> bool:
    return sys.stdin.isatty() and sys.stdout.isatty()


def by_option(context: Context, name: str) -> bool:
    """Whether an option was given to the command itself, not by the environment."""
    source = context.get_parameter_source(name)
    return source is not None and source.name == "COMMANDLINE"


def given(context: Context, panel: str | None = None, *, besides: Collection[str] = ()) -> str:
    """The options of its own that a command was given, of one panel of its help or of all."""
    return ", ".join(
        parameter.opts[0]
        for parameter in context.command.params
        if isinstance(parameter, TyperOption)
        and not parameter.hidden  # those of every command
        and panel in (None, parameter.rich_help_panel)
        and parameter.name not in besides
        and by_option(context, parameter.name or "")
    )


@contextmanager
def _opened(call: Call, *, create: bool = False, migrate: bool = True) -> "Iterator[Database]":
    """The database of a call, for who may work in it: every command but `serve` opens it here."""
    with databases()(call.db, create=create, migrate=migrate) as opened:
        opened.admit(lambda: call.annotator)
        yield opened


@contextmanager
def open_for(call: Call, *, create: bool = False, migrate: bool = True) -> "Iterator[Store]":
    with _opened(call, create=create, migrate=migrate) as opened:
        yield opened.store


@contextmanager
def open_if_there(call: Call, *, migrate: bool = False) -> "Iterator[Store | None]":
    """The database; None where there is none yet, or an empty one, in which nothing is made."""
    with ExitStack() as stack:
        store = None
        with suppress(NoDatabaseError):
            store = stack.enter_context(open_for(call, migrate=migrate))
        yield store


@contextmanager
def counted(
    call: Call, title: str, run: str | None = None
) -> "Iterator[tuple[Store, DatasetInfo, Progress]]":
    """The dataset of a call, under the run of a name or its own, with a bar over its samples."""
    with _opened(call) as opened:
        info, samples = opened.dataset(call.dataset, run)
        with reports.progress(title, samples) as progress:
            yield opened.store, info, progress


@contextmanager
def dataset_of(call: Call, run: str | None = None) -> "Iterator[tuple[Store, DatasetInfo]]":
    with _opened(call) as opened:
        yield opened.store, opened.dataset(call.dataset, run)[0]


def connect(url: str) -> "Store":
    """A database that is there and takes what is written."""
    store = databases()(url).store
    try:
        store.check_writable(url)
    except StoreError:
        store.close()
        raise
    return store


Start = Literal["next"] | tuple[int, ...] | None
"""What the screens open with: the queue, the next sample in random order, or some samples to be audited."""


def open_app(url: str, dataset: str | None, annotator: str, start: Start = None) -> None:
    """Open the screens; ends by SystemExit when they did not end well."""
    if os.environ.get("TERM") == "dumb":
        raise UsageError("this terminal (TERM=dumb) cannot show screens; for scripts: score, compare, export")

    path = None if "://" in url else Path(url).expanduser()
    if path is not None and not path.exists():  # said here before a screen is painted
        raise UsageError(f"{shown(url)}: no such database; import a file first: workbench import FILE")
    from workbench.tui.app import run

    before = reports.given  # another dataset may be opened on the screens
    code = run(partial(connect, url), dataset, annotator, read_settings(), start)
    reports.given = before
    if code:
        raise SystemExit(code)


def check_format(format: str, *, json: bool) -> None:  # noqa: A002
    """Raise UsageError for another format than text and markdown, and for one next to --json."""
    if format not in ("text", "markdown"):
        raise UsageError(f"unknown format {format!r}; there is: text, markdown")
    if json and format != "text":
        raise UsageError("--json and --format exclude each other")


def policy_from(file: str | None) -> str:
    """The text of a changed policy: of a file, or of standard input."""
    if file is None:
        raise UsageError(
            "policy edit reads a file: workbench policy show > policy.toml, change it there, then "
            "workbench policy edit --file policy.toml"
        )
    if file == "-":
        return decoded(sys.stdin.buffer.read(TEXT_LIMIT), "standard input")
    return text_of(file)


def text_of(file: str | Path) -> str:
    """What a file says. Raises UsageError where it cannot be read."""
    with disk_errors(UsageError, str(file)):
        return written_text(Path(file))
