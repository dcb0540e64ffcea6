"""A PostgreSQL server for the tests: the one that WORKBENCH_TEST_POSTGRES names, else a private one."""

import itertools
import os
import pwd
import shutil
import signal
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import make_url

SERVER = os.environ.get("WORKBENCH_TEST_POSTGRES", "")
NUMBERS = itertools.count()


def ask(url: str, sql: str, *values: object) -> list[tuple[Any, ...]]:
    """Rows by plain SQL, past everything that is tested; `?` stands for a value."""
    from psycopg import connect
    from psycopg.types.string import TextLoader

    plain = make_url(url).set(drivername="postgresql").render_as_string(hide_password=False)
    with connect(plain, autocommit=True) as connection:
        connection.adapters.register_loader("json", TextLoader)  # documents as they are stored
        found = connection.execute(sql.replace("?", "%s") if values else sql, values or None)
        return found.fetchall() if found.description else []


@dataclass(frozen=True)
class Server:
    """A server, by the URL of its own database; `control` does to a private one what pg_ctl can."""

    url: str
    control: Callable[..., None] | None = None

    def kill(self) -> None:
        """End it at once, without a word to those who are connected."""
        assert self.control is not None
        self.control("-m", "immediate", "stop")

    def start(self) -> None:
        """Start it again, and wait until it takes connections."""
        assert self.control is not None
        self.control("-w", "start")

    @contextmanager
    def hanging(self) -> Iterator[None]:
        """It takes connections meanwhile, and answers nothing."""
        lock = Path(str(make_url(self.url).query["host"]), "data", "postmaster.pid")
        first = int(lock.read_text().split()[0])
        os.kill(first, signal.SIGSTOP)  # it forks nobody any more
        rest = subprocess.run(["pgrep", "-P", str(first)], capture_output=True, text=True, check=False).stdout

        def send(what: signal.Signals) -> None:
            for number in map(int, rest.split()):
                with suppress(ProcessLookupError):  # that of a connection which was being closed
                    os.kill(number, what)

        send(signal.SIGSTOP)
        try:
            yield
        finally:
            send(signal.SIGCONT)
            os.kill(first, signal.SIGCONT)

    def named(self, name: str) -> str:
        """The URL of another database."""
        return make_url(self.url).set(database=name).render_as_string(hide_password=False)

    @contextmanager
    def database(self) -> Iterator[str]:
        """The URL of a new, empty database; it goes at the end."""
        name = f"test_{os.getpid()}_{next(NUMBERS)}"
        ask(self.url, f"CREATE DATABASE {name} TEMPLATE template0 LOCALE 'C.UTF-8' ENCODING 'UTF8'")
        try:
            yield self.named(name)
        finally:
            ask(self.url, f"DROP DATABASE {name} WITH (FORCE)")


def no_server(why: str) -> None:
    """Skip, or fail where everything has to run."""
    (pytest.fail if os.environ.get("CI") == "true" else pytest.skip)(why)


@contextmanager
def running(named: str = SERVER, *, fsync: bool = False) -> Iterator[Server]:
    """The server that the environment names, else one on a socket in a folder of its own."""
    try:
        import psycopg  # noqa: F401
    except ImportError:
        no_server("psycopg is not installed")
    if named:
        yield Server(named)
        return
    found = shutil.which("initdb") or next(map(str, Path("/usr/lib/postgresql").glob("*/bin/initdb")), None)
    if found is None:
        no_server("no PostgreSQL server is installed")
    programs = Path(found or "").resolve().parent
    folder = Path(tempfile.mkdtemp(prefix="wb"))
    who: list[str] = []
    if os.getuid() == 0:  # a server does not run as root
        with suppress(KeyError):
            shutil.chown(folder, pwd.getpwnam("postgres").pw_name)
            who = ["runuser", "-u", "postgres", "--"]
        if not who:
            no_server("PostgreSQL does not run as root")

    def run(program: str, *arguments: str) -> None:
        subprocess.run(
            [*who, str(programs / program), *arguments], check=True, capture_output=True, cwd=folder
        )

    data = str(folder / "data")
    try:
        run("initdb", "-N", "-D", data, "-U", "ann", "-A", "trust", "-E", "UTF8", "--locale", "C.UTF-8")
        settings = f"-c listen_addresses= -c fsync={'on' if fsync else 'off'} -k {folder}"
        control = partial(run, "pg_ctl", "-t", "600", "-D", data, "-l", str(folder / "log"), "-o", settings)
        server = Server(f"postgresql+psycopg://ann@/postgres?host={folder}", control)
        server.start()
        try:
            yield server
        finally:
            with suppress(subprocess.CalledProcessError):  # a test that failed may have left it killed
                server.kill()
    finally:
        shutil.rmtree(folder, ignore_errors=True)
