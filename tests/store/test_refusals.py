"""A database that refuses: full, read-only, locked. A person is told what to do; nothing earlier is lost."""

import asyncio
import os
import shutil
import socket
import sqlite3
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import make_url, text

from tests.postgres import Server, ask
from tests.rows import sample, write_rows
from workbench.errors import AwayError, LockedError, StoreError
from workbench.model import Policy
from workbench.reviewing.edits import Comment
from workbench.stages import editing, review
from workbench.store import engine
from workbench.store.database import backup, explained
from workbench.store.datasets import create_dataset, list_datasets
from workbench.store.engine import Store, open_store

ROWS = [sample(f"s{n}", "Rome.", "Rome.") for n in range(3)]


@pytest.fixture
def bench(bench: Any, on: str) -> Any:
    """A database with the samples."""
    bench.load(ROWS)
    return bench


FULL = """
import os, resource, sys
from workbench.errors import StoreError
from workbench.reviewing.edits import Comment
from workbench.stages import review
from workbench.store.engine import open_store

store = open_store(sys.argv[1])
review.act(store, review.open_sample(store, 1, "ann"), Comment("before"))
size = os.path.getsize(sys.argv[1] + "-wal")
_, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
resource.setrlimit(resource.RLIMIT_FSIZE, (size + 20_000, hard))  # the disk ends here
opened = review.open_sample(store, 2, "ann")
try:
    review.act(store, opened, Comment("x" * 100_000))
except StoreError as error:
    print("refused:", error)
else:
    sys.exit("the limit did not hold")
resource.setrlimit(resource.RLIMIT_FSIZE, (hard, hard))  # room was made
review.act(store, opened, Comment("after"))
store.close()
"""


@pytest.mark.skipif(os.name == "nt", reason="limits of POSIX")
def test_a_full_disk_loses_nothing_and_the_act_can_be_tried_again(bench: Any) -> None:
    """What was saved before stays, the refused act is not half there, and it goes in once there is room."""
    bench.store.close()

    command = [sys.executable, "-c", FULL, bench.db]
    ended = subprocess.run(command, capture_output=True, text=True, check=False)

    assert ended.returncode == 0, ended.stderr
    assert ended.stdout.startswith("refused: ")
    assert "what was shown as saved is saved" in ended.stdout
    assert "xxx" not in ended.stdout
    bench.reopen()
    assert bench.query("PRAGMA integrity_check") == [("ok",)]
    first, second, third = map(bench.review, ("s0", "s1", "s2"))
    assert (("before",), ("after",), None) == (first.state.comments, second.state.comments, third)


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A disk of 2 MB; only root may mount one."""
    disk = tmp_path / "disk"
    disk.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=2m", "tmpfs", str(disk)]
    if shutil.which("mount") is None or subprocess.run(mount, capture_output=True, check=False).returncode:
        pytest.skip("no disk may be mounted here")
    yield disk
    subprocess.run(["umount", str(disk)], check=True)


def test_a_full_disk_leaves_nothing_of_a_backup(demo_database: Any, tmp_path: Path, small_disk: Path) -> None:
    """Nor the journal beside it, which SQLite would take for that of another database of its name."""
    shutil.copy(demo_database, tmp_path / "w.db")
    with closing(sqlite3.connect(tmp_path / "w.db")) as larger, larger:  # than SQLite keeps in memory
        larger.execute("CREATE TABLE filler AS SELECT zeroblob(6000000)")

    with pytest.raises(StoreError, match="disk is full"):
        backup(str(tmp_path / "w.db"), "", small_disk / "copy.db")
    assert [] == list(small_disk.iterdir())


def test_a_full_disk_keeps_what_an_import_says_is_in_and_no_empty_dataset(run: Any, small_disk: Path) -> None:
    rows = [sample(f"s{n}", f"Rome {n}. " * 9, "Rome. " * 9) for n in range(12_000)]
    file = write_rows("rows.jsonl", rows)
    full = "--db", str(small_disk / "w.db")

    first = run(*full, "import", file)
    second = run(*full, "--dataset", "other", "import", file)
    held = run(*full, "status", "--json").json["datasets"]

    [size] = [one["progress"]["total"] for one in held]
    assert 0 < size < len(rows)
    went_in = f"; {size:,} rows went in before: import the file again, and the others come"
    first.refuses("disk is full", went_in)
    second.refuses("disk is full")
    assert "went in" not in second.err


@pytest.fixture
def shared_folder() -> Iterator[Path]:
    """A folder that another user may enter; those of pytest are closed to others."""
    folder = Path(tempfile.mkdtemp())
    folder.chmod(0o755)
    yield folder
    folder.chmod(0o755)
    shutil.rmtree(folder)


COMMANDS = """
import sys
from workbench import cli
for words in sys.argv[2:]:
    print(f"{words}: {cli._run(['--as', 'ann', '--db', sys.argv[1], *words.split()])}", file=sys.stderr)
"""


def run_reading(path: Path, *commands: str) -> subprocess.CompletedProcess[str]:
    """Commands for which read-only is read-only, with their exit codes on standard error.

    Root keeps its name and not its privilege.
    """
    without: list[object] = []
    if os.getuid() == 0:
        if shutil.which("setpriv") is None:
            pytest.skip("nothing is read-only to root")
        without = ["setpriv", "--bounding-set", "-dac_override,-dac_read_search"]
    command = [*without, sys.executable, "-c", COMMANDS, path, *commands]
    return subprocess.run([*map(str, command)], capture_output=True, text=True, check=True)


READS = {"status": "demo: 50 samples", "score": "taj-high", "compare": "Dataset demo · 50 samples"}
READS["policy show"] = "kinds = ["


READ_ONLY = {"file": (0o444, 0o777, list(READS)), "folder": (0o644, 0o555, ["status"])}


@pytest.mark.skipif(os.name == "nt", reason="permissions of POSIX")
@pytest.mark.parametrize("what", READ_ONLY)
def test_a_read_only_database_is_read(demo: Any, shared_folder: Path, tmp_path: Path, what: str) -> None:
    """Commands that read answer as ever, it is copied and exported; those that write say why they cannot."""
    demo.store.close()
    file_mode, folder_mode, reads = READ_ONLY[what]
    path = Path(shutil.copy(demo.db, shared_folder / "w # %.db"))
    path.chmod(file_mode)
    shared_folder.chmod(folder_mode)
    before = path.read_bytes()

    export = f"export {tmp_path / 'export'}"
    reading = *reads, f"backup {tmp_path / 'copy.db'}", export, f"{export} --format csv --force"
    writing = "score --match-threshold 80 --save"
    ended = run_reading(path, *reading, writing)
    answered = "".join(f"{words}: 0\n" for words in reading)
    assert [] == [words for words in reads if READS[words] not in ended.stdout]
    assert 2 == ended.stdout.count("the database may only be read, so a purge will not name this export")
    assert ended.stderr.startswith(answered)
    assert "read-only: copy the database to where you may write" in ended.stderr.removeprefix(answered)
    assert ended.stderr.endswith(f"{writing}: 2\n")
    assert before == path.read_bytes()
    assert len(before) == (tmp_path / "copy.db").stat().st_size
    assert [path] == list(shared_folder.iterdir())


@pytest.mark.skipif(os.name == "nt", reason="permissions of POSIX")
def test_a_read_only_folder_gets_no_database(shared_folder: Path) -> None:
    rows = shared_folder / "rows.jsonl"
    rows.write_text('{"user_input": "q", "reference": "Rome."}')
    shared_folder.chmod(0o555)

    ended = run_reading(shared_folder / "w.db", f"import {rows}")

    assert "the database cannot be made: the folder is read-only; name another place" in ended.stderr
    assert [rows] == list(shared_folder.iterdir())


def test_of_a_file_that_cannot_be_made_no_server_is_spoken_of() -> None:
    assert "No such file or directory" == explained(FileNotFoundError(2, "No such file or directory", "x.db"))


@pytest.mark.skipif(os.name == "nt", reason="permissions of POSIX")
def test_a_read_only_database_is_not_read_without_the_rows_in_its_log(demo: Any, shared_folder: Path) -> None:
    review.act(demo.store, demo.open("france"), Comment("only in the log"))
    for one in demo.folder.glob("workbench.db*"):
        shutil.copy(one, shared_folder)
    (shared_folder / "workbench.db-shm").unlink()
    for one in shared_folder.iterdir():
        one.chmod(0o444)
    shared_folder.chmod(0o555)

    ended = run_reading(shared_folder / "workbench.db", "status")

    assert ("", True) == (ended.stdout, ended.stderr.endswith("status: 2\n"))
    assert "read-only, and its newest rows are in workbench.db-wal: copy" in ended.stderr


@pytest.mark.skipif(os.name == "nt", reason="permissions of POSIX")
def test_a_database_its_log_and_its_copies_are_private(tmp_path: Path) -> None:
    """Whatever files are by default."""
    old = os.umask(0)
    try:
        with closing(open_store(str(tmp_path / "w.db"))) as store:
            create_dataset(store, "d", seed=1, policy=Policy(), annotator="ann")
            backup(str(tmp_path / "w.db"), "copy")
            modes = {one.name: one.stat().st_mode & 0o777 for one in tmp_path.iterdir()}
    finally:
        os.umask(old)

    assert {"w.db": 0o600, "w.db-wal": 0o600, "w.db-shm": 0o600, "w.copy.db": 0o600} == modes


def test_a_lock_is_told_and_the_act_goes_in(
    bench: Any, impatient: None, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """Reading goes on meanwhile; the act is not half there. A writer that waits says so, others do not."""
    bench.reopen()
    opened = bench.open("s0")
    with closing(sqlite3.connect(bench.db, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        monkeypatch.setattr("workbench.store.database.SAY_WAITING", 0)

        with pytest.raises(StoreError, match=r"locked .*another program is writing to it; try again"):
            review.act(bench.store, opened, editing.accept(opened, "entity"))

        assert bench.open("s0").state == opened.state
        assert [f"waiting for another program that is writing to {bench.db} …"] == caplog.messages
        other.execute("ROLLBACK")
    after = review.act(bench.store, opened, editing.accept(opened, "entity"))
    assert after.state.entity.disposition == "verified"


async def test_what_waits_behind_one_lock_says_so_once_and_fails_at_once(
    bench: Any, impatient: None, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """One after another each would wait its own five seconds. What comes later waits anew."""
    bench.reopen()
    monkeypatch.setattr("workbench.store.database.SAY_WAITING", 0)
    tried = []

    def save(store: Store, number: int) -> None:
        with store.writing() as session:
            session.execute(text("SELECT 1"))
            tried.append(number)

    with closing(sqlite3.connect(bench.db, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        begin = threading.Event()
        bench.store.writer.submit(begin.wait)
        saves = [asyncio.create_task(bench.store.write(save, number)) for number in range(3)]
        await asyncio.sleep(0)
        begin.set()
        failed = await asyncio.gather(*saves, return_exceptions=True)

        assert [True] * 3 == [isinstance(error, StoreError) and "locked" in str(error) for error in failed]
        assert 1 == len(caplog.records)
        with pytest.raises(StoreError, match="locked"):
            await bench.store.write(save, 3)
        assert 2 == len(caplog.records)
        other.execute("ROLLBACK")
    await bench.store.write(save, 4)
    assert [4] == tried


@pytest.mark.skipif(os.name == "nt", reason="modes of POSIX")
def test_who_may_write_the_database_can_be_kept_from_a_claim(bench: Any) -> None:
    """Two who may only read the file that a killed start of a third person left shared its lock."""
    bench.db.chmod(0o666)
    with bench.store.claimed(1) as free:
        mode = bench.db.with_name(f"{bench.db.name}-run-1").stat().st_mode

    assert (True, 0o666) == (free, mode & 0o777)


@pytest.mark.skipif(os.name == "nt", reason="Windows removes no open file")
def test_a_claim_of_a_file_that_its_last_owner_removes_meanwhile_is_none(bench: Any) -> None:
    connect: Any = sqlite3.connect

    def late(*given: Any, **more: Any) -> Any:
        own = connect(*given, **more)
        bench.db.with_name(f"{bench.db.name}-run-1").unlink()
        return own

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sqlite3, "connect", late)
        with bench.store.claimed(1) as free:
            assert not free


def test_a_writer_waits_its_turn(bench: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Another writer that is done soon is not noticed."""
    monkeypatch.setattr("workbench.store.database.BUSY_SECONDS", 60.0)
    bench.reopen()
    opened = bench.open("s0")
    with closing(sqlite3.connect(bench.db, isolation_level=None, check_same_thread=False)) as other:
        other.execute("BEGIN IMMEDIATE")
        timer = threading.Timer(0.3, other.execute, ["ROLLBACK"])
        timer.start()

        review.act(bench.store, opened, Comment("patient"))

        assert not other.in_transaction, "the other one is done"
        timer.join()
    assert bench.review("s0").state.comments == ("patient",)


@pytest.mark.databases
def test_a_read_under_way_ends_before_the_database_is_closed(bench: Any) -> None:
    """A connection that came back later stayed open, and a server counted it."""
    began, done = threading.Event(), []

    def read() -> None:
        with bench.store.snapshot() as session:
            session.execute(text("SELECT 1"))
            began.set()
            time.sleep(0.2)
            done.append("read")

    with ThreadPoolExecutor(1) as pool:
        pool.submit(read)
        began.wait(600)
        bench.store.close()

        assert ["read"] == done


@pytest.mark.databases
def test_a_connection_that_comes_back_or_begins_later_is_closed(bench: Any, monkeypatch: Any) -> None:
    """That of a read that takes long, and of who looks meanwhile for whom a transaction waits."""
    monkeypatch.setattr("workbench.store.database.BUSY_SECONDS", 0)
    with bench.store.snapshot() as session:
        late = [session.connection().connection.driver_connection]
        bench.store.close()
        with closing(bench.store.engine.raw_connection()) as later:
            late.append(later.driver_connection)
    for one in late:
        with pytest.raises(Exception, match="closed"):
            one.cursor()


def test_what_the_database_says_never_carries_data(bench: Any) -> None:
    """A message for a person names the cause, not the statement and its values."""
    with pytest.raises(StoreError) as caught, bench.store.writing() as session:
        session.connection().exec_driver_sql("INSERT INTO dataset (name) VALUES ('secret text')")

    assert "NOT NULL" in str(caught.value)
    assert "secret" not in str(caught.value)


async def test_writes_keep_their_order_and_outlive_whoever_waits(bench: Any) -> None:
    """Ten writes at once are stored in the order they were asked for; a cancelled wait takes nothing back."""
    order: list[int] = []

    def slow(store: engine.Store, number: int) -> int:
        time.sleep(0.01 * (10 - number) / 5)
        opened = review.open_sample(store, bench.id("s0"), "ann")
        review.act(store, opened, Comment(str(number)))
        order.append(number)
        return number

    tasks = [asyncio.ensure_future(bench.store.write(slow, number)) for number in range(10)]
    await asyncio.sleep(0)
    tasks[9].cancel()

    assert await asyncio.gather(*tasks[:9]) == list(range(9))
    await bench.store.read(lambda store: None)
    bench.store.close()
    assert order == list(range(10))
    bench.store = open_store(str(bench.db))
    assert bench.review("s0").state.comments == tuple(map(str, range(10)))


def test_a_server_that_goes_away_is_told_from_a_wrong_call(mortal: Server) -> None:
    """By the first line of what it says: whoever waits can be told; later lines may hold rows."""
    with mortal.database() as url:
        store = open_store(url)
        with store.reading() as session:
            session.connection()
            mortal.kill()
            with pytest.raises(AwayError, match="stopped or restarted: try again when it is back") as lost:
                list_datasets(store)
        with pytest.raises(AwayError, match=r"the server is away: .*is the server running") as gone:
            list_datasets(store)
        with pytest.raises(AwayError, match="the server is away"), store.claimed(1):
            pass
        mortal.start()
        assert [1, 1] == [len(str(one.value).splitlines()) for one in (lost, gone)]
        assert [] == list_datasets(store)
        store.close()
        with pytest.raises(StoreError, match="no_such_name") as wrong:
            open_store(mortal.named("no_such_name"))
        assert type(wrong.value) is StoreError


def told(caplog: pytest.LogCaptureFixture) -> list[str]:
    """What was said to be waited for, but for a connection: on a busy machine one takes its time."""
    return [line for line in caplog.messages if not line.startswith("waiting for the server of")]


def test_a_server_that_does_not_answer_is_given_up_aloud_and_a_slow_one_is_not(
    mortal: Server, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """Until then a statement hung as long as the server did, and a first connection for two minutes."""
    with mortal.database() as url, closing(open_store(url)) as store:
        monkeypatch.setattr("workbench.store.database.SAY_WAITING", 0.1)
        with monkeypatch.context() as patient:
            patient.setattr("workbench.store.database.BUSY_SECONDS", 600)
            assert 7 == store.value(text("SELECT 7 FROM pg_sleep(0.5)"))
        assert [] == told(caplog)
        caplog.clear()
        with mortal.hanging(), monkeypatch.context() as hasty:
            hasty.setattr("workbench.store.database.BUSY_SECONDS", 1.0)
            given_up = r"^the server is away: it does not answer \(try again when"
            for _ in range(2):  # the second one at once
                with pytest.raises(AwayError, match=given_up):
                    list_datasets(store)
        assert [f"waiting for the server of {make_url(url).database} …"] == caplog.messages
        time.sleep(1)
        assert [] == list_datasets(store)
    caplog.clear()
    timed_out = pytest.raises(AwayError, match="the server is away: connection timeout expired")
    with socket.create_server(("127.0.0.1", 0)) as mute, timed_out:
        open_store(f"postgres://ann@127.0.0.1:{mute.getsockname()[1]}/gold?connect_timeout=2")
    assert ["waiting for the server of gold …"] == caplog.messages


def test_what_others_lock_on_a_server_is_waited_for_aloud_and_not_for_ever(
    postgres: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """A command hung without a word until then. Who has a limit of their own on the server keeps it."""
    import psycopg

    works = list_datasets, partial(create_dataset, name="d", seed=1, policy=Policy(), annotator="ann")
    limit, lock = text("SHOW lock_timeout"), "LOCK TABLE dataset IN ACCESS EXCLUSIVE MODE"
    monkeypatch.setattr("workbench.store.database.BUSY_SECONDS", 0.2)
    with postgres.database() as url, closing(open_store(url)) as store:
        own = make_url(url).update_query_dict({"options": "-c lock_timeout=7s"}).render_as_string(False)
        with closing(open_store(own)) as mine:
            assert ["200ms", "7s"] == [one.value(limit) for one in (store, mine)]
        plain = make_url(url).set(drivername="postgresql").render_as_string(False)
        with psycopg.connect(plain) as other:
            other.execute(lock)
            for work in works:
                with pytest.raises(LockedError, match=r"^another program has locked what this"):
                    work(store)
            with pytest.raises(StoreError, match=r"no backup was made.*another program has locked what this"):
                backup(url, "copy", tmp_path / "copy.dump")
        assert [] == list_datasets(store)
        assert [(0,)] == ask(url, "SELECT count(*) FROM policy")
        monkeypatch.setattr("workbench.store.database.BUSY_SECONDS", 600)
        monkeypatch.setattr("workbench.store.database.SAY_WAITING", 0.05)
        with closing(open_store(url)) as patient, ThreadPoolExecutor(1) as pool:
            for work in works:
                caplog.clear()
                with psycopg.connect(plain) as other:
                    other.execute(lock)
                    doing = pool.submit(work, patient)
                    while not (told(caplog) or doing.done()):
                        time.sleep(0.01)
                doing.result()
                waiting = f"waiting for another program that has locked a part of {make_url(url).database} …"
                assert [waiting] == told(caplog)
