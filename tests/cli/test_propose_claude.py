"""`propose --proposer claude` as a person calls it, against the local service."""

import json
import os
import re
import select
import signal
import sqlite3
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from tests.proposing.claude.faults import Faults
from tests.proposing.claude.server import Service
from tests.rows import town, write_rows
from workbench import cli

Start = Callable[..., Service]
CLAUDE = ("propose", "--proposer", "claude")
PROMPT = "=== entities ===\nFind {{labels}}.\n=== statements ===\nSplit.\n=== verdicts ===\nJudge.\n"


@pytest.fixture
def loaded(run: Any, tmp_path: Path) -> Any:
    """The command line over three samples."""
    write_rows(tmp_path / "rows.jsonl", [town(number) for number in range(3)])
    assert run("import", "rows.jsonl").code == 0
    return run


@pytest.mark.parametrize(("faults", "code"), [({}, 0), ({"share": 1.0, "kinds": ["401"]}, 3)])
def test_the_key_stands_nowhere(loaded: Any, service: Start, faults: Any, code: int) -> None:
    service(faults=Faults(**faults))

    ended = loaded(*CLAUDE, "--yes")

    assert code == ended.code
    assert "secret" not in ended.out + ended.err
    assert b"secret" not in Path("workbench.db").read_bytes()


def test_a_prompt_file_may_begin_with_the_mark_that_the_editor_of_windows_writes(loaded: Any) -> None:
    Path("mine.txt").write_text(PROMPT, "utf-8-sig")

    assert loaded(*CLAUDE, "--dry-run", "--prompt", "mine.txt").code == 0


@pytest.mark.parametrize("option", ["--prompt", "--prices"])
def test_a_file_without_an_end_is_not_read_for_ever(loaded: Any, option: str) -> None:
    Path("long.txt").write_text("#" * 1_000_001)

    ended = loaded(*CLAUDE, "--dry-run", option, "long.txt")

    assert ended.code == 2
    assert ended.err == "workbench: long.txt: more than 1,000,000 bytes: name a smaller file\n"


def begun(folder: Path, rows: Any, so_far: Callable[[], bool], *options: str, **opened: Any) -> Any:
    """A process that proposes for some rows, and has come so far."""
    write_rows(folder / "rows.jsonl", rows)
    program = [sys.executable, "-m", "workbench.cli", "--db", str(folder / "w.db")]
    assert 0 == cli._run([*program[3:], "import", str(folder / "rows.jsonl")])
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, **opened}
    process = subprocess.Popen([*program, *CLAUDE, "--yes", *options], **pipes)
    end = time.monotonic() + 600
    while not so_far():
        assert time.monotonic() < end
        assert process.poll() is None
        time.sleep(0.02)
    return process


def waits(process: subprocess.Popen[bytes]) -> bool:
    """Whether a signal has not reached the process yet, where /proc tells that."""
    status = Path(f"/proc/{process.pid}/status")
    told = re.findall(r"(?:Sig|Shd)Pnd:\t(\w+)", status.read_text()) if status.exists() else []
    return any(int(signals, 16) for signals in told)


@pytest.mark.skipif(os.name == "nt", reason="signals of POSIX")
def test_a_second_ctrl_c_drops_the_calls_and_ends_with_one_line(tmp_path: Path, service: Start) -> None:
    """Exit 3 and no traceback; the database can be used at once."""
    local = service(faults=Faults(share=1.0, kinds=["slow"]), slow_seconds=3600)
    row = {"id": "1", "user_input": "q?", "reference": "Oslo lies in Norway.", "retrieved_contexts": []}
    process = begun(tmp_path, [row], lambda: local.stats.requests > 0)

    process.send_signal(signal.SIGINT)
    time.sleep(0.5)
    while waits(process):  # a second one would be the same
        time.sleep(0.02)
    assert process.poll() is None
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=600)

    assert (3, b"") == (process.returncode, out)
    assert err.startswith(b"workbench: stopped: the calls under way were dropped and may have been paid")
    assert 1 == err.count(b"\n")


EARLY = """
import os, signal, sys
from workbench import cli
from workbench.stages import claude

real = claude.connect

def connect(*given):
    os.kill(os.getpid(), signal.SIGINT)
    return real(*given)

claude.connect = connect
sys.exit(cli._run(sys.argv[1:]))
"""


@pytest.mark.skipif(os.name == "nt", reason="signals of POSIX")
def test_a_ctrl_c_while_the_client_is_built_ends_it_softly(loaded: Any, service: Start) -> None:
    local = service()
    program = [sys.executable, "-c", EARLY, *CLAUDE, "--yes", "--json"]

    ended = subprocess.run(program, capture_output=True, text=True, timeout=600, check=False)

    assert (3, "") == (ended.returncode, ended.stderr)
    assert "asked to stop" == json.loads(ended.stdout)["stopped"]
    assert 0 == len(local.stats.bodies)


@pytest.mark.skipif(os.name == "nt", reason="signals of POSIX")
def test_a_signal_ends_it_softly_with_a_report(tmp_path: Path, service: Start) -> None:
    """Exit 3: what came is stored and said, what is left is said too; the next start asks only for that.

    SIGTERM is of `timeout` or of a service that is stopped. The first Ctrl-C does the same: see above.
    """
    local = service(latency=0.7)
    rows = [
        {"id": str(n), "user_input": "q?", "reference": f"Town{n} lies in Land{n}. " + "It is old. " * 500,
         "retrieved_contexts": []}
        for n in range(80)
    ]  # fmt: skip
    process = begun(tmp_path, rows, lambda: local.stats.statuses[200] >= 2, "--json")

    process.send_signal(signal.SIGTERM)
    assert process.stdout is not None
    select.select([process.stdout], [], [], 600)
    process.send_signal(signal.SIGINT)  # the report is there: it is too late to drop anything
    out, err = process.communicate(timeout=600)

    document = json.loads(out)
    assert (process.returncode, err) == (3, b"")
    assert document["proposed"] >= 2
    assert document["proposed"] + document["left"] == 80
    assert document["left"] > 0
    assert document["stopped"]
    assert document["proposed"] == local.stats.statuses[200] == len(local.stats.bodies)


@pytest.mark.skipif(os.name == "nt", reason="signals of POSIX")
def test_a_closed_terminal_ends_a_run_softly(tmp_path: Path, service: Start) -> None:
    """What is under way is waited for and stored, though SIGHUP comes twice and nothing can be shown."""
    hold = threading.Event()
    local = service(hold=hold)
    row = {"id": "1", "user_input": "q?", "reference": "Oslo lies in Norway.", "retrieved_contexts": []}
    master, terminal = os.openpty()
    process = begun(
        tmp_path, [row], lambda: local.stats.requests > 0,
        stderr=terminal, preexec_fn=lambda: os.login_tty(os.dup(terminal)),
    )  # fmt: skip
    os.close(terminal)
    os.close(master)  # the first SIGHUP
    time.sleep(0.3)
    assert process.poll() is None
    process.send_signal(signal.SIGHUP)
    time.sleep(0.3)
    hold.set()
    process.communicate(timeout=600)

    with closing(sqlite3.connect(tmp_path / "w.db")) as raw:
        assert raw.execute("SELECT count(*) FROM proposal").fetchall() == [(1,)]
    assert local.stats.statuses[200] == 1


@pytest.mark.parametrize(
    ("typed", "said"), [("n\n", "nothing was sent"), ("", "the question got no answer: nothing was done")]
)
def test_a_person_is_asked(loaded: Any, service: Start, monkeypatch: Any, typed: str, said: str) -> None:
    """No is an answer: nothing is sent. Nor is it at the end of what is typed."""
    import io

    local = service()
    monkeypatch.setattr(sys.modules["workbench.cli.propose"], "on_terminal", lambda: True)
    monkeypatch.setattr(sys, "stdin", io.StringIO(typed))

    ended = loaded(*CLAUDE)

    assert (ended.code, ended.out.strip()) == (2, "")
    assert "3 samples to propose" in ended.err
    assert "Send it?" in ended.err
    assert ended.err.endswith(f"workbench: {said}\n")
    assert local.stats.requests == 0
