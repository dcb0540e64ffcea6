"""A real terminal: tmux with a server of its own, what it shows and every byte that was sent to it."""

import os
import re
import shlex
import shutil
import subprocess
import sys
import time
import uuid
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from tests.benchmarks.pty_app import terminal_environment
from tests.rows import Row, write_rows
from workbench.settings import STATE
from workbench.stages.import_ import ImportOptions, import_file
from workbench.store.engine import open_store

PROGRAM = Path(sys.executable).with_name("workbench")
EXIT = re.compile(rb"<exit code (\d+)>")
"""What the shell writes behind all that the program wrote: a file of its own could be there before that."""


def imported(folder: Path, given: list[Row] | Path, **options: Any) -> Path:
    """A database of rows, or of a file of them, none of which is reviewed blind."""
    path, source = folder / "wb.db", given if isinstance(given, Path) else folder / "rows.jsonl"
    if not isinstance(given, Path):
        write_rows(source, given)
    with closing(open_store(str(path))) as store:
        import_file(store, source, ImportOptions(blind=0.0, **options), annotator="importer")
    return path


class Terminal:
    """One window of a private tmux server, running one command."""

    def __init__(self, folder: Path, command: list[str], size: tuple[int, int]) -> None:
        self.name = f"wb-{uuid.uuid4().hex[:12]}"
        self.raw_file = folder / f"{self.name}.raw"
        started = folder / f"{self.name}.go"
        width, height = size
        # The command waits for the recorder, so that its first byte is in the record too.
        script = (
            f"while [ ! -e {shlex.quote(str(started))} ]; do sleep 0.02; done; "
            f'{shlex.join(command)}; echo "<exit code $?>"; sleep 600'
        )
        self._tmux(
            "-f", "/dev/null", "new-session", "-d", "-x", str(width), "-y", str(height), "sh", "-c", script
        )
        self._tmux("pipe-pane", "-o", f"cat >> {shlex.quote(str(self.raw_file))}")
        started.touch()

    def _tmux(self, *arguments: str) -> str:
        command = ["tmux", "-L", self.name, *arguments]
        environment = {**os.environ, "TERM": "xterm-256color", "COLORTERM": "truecolor", "LC_ALL": "C.UTF-8"}
        return subprocess.run(command, check=True, capture_output=True, text=True, env=environment).stdout

    def press(self, *keys: str) -> None:
        """Send keys by their tmux names (`Enter`, `Escape`, `C-p`, letters)."""
        self._tmux("send-keys", *keys)

    def type(self, text: str) -> None:
        """Send text as it is."""
        self._tmux("send-keys", "-l", text)

    def screen(self) -> str:
        """What is on the screen now."""
        return self._tmux("capture-pane", "-p")

    def buffers(self) -> str:
        """tmux's paste buffers: what programs copied with OSC 52."""
        return self._tmux("list-buffers")

    def raw(self) -> bytes:
        """Every byte that the program wrote."""
        return self.raw_file.read_bytes() if self.raw_file.exists() else b""

    def pid(self) -> int:
        """The program's process id (the shell's child)."""
        shell = self._tmux("display-message", "-p", "#{pane_pid}").strip()
        found = subprocess.run(["ps", "-o", "pid=", "--ppid", shell], capture_output=True, text=True)
        return int(found.stdout.split()[0])

    def wait_for(self, text: str) -> str:
        """The screen, as soon as it shows a text."""
        return self.until(lambda: text in self.screen(), f"{text!r} does not appear")

    def wait_until_gone(self, text: str) -> str:
        """The screen, as soon as it does not show a text any more."""
        return self.until(lambda: text not in self.screen(), f"{text!r} does not go away")

    def exit_code(self) -> int:
        """The program's exit code, once it has ended and all that it wrote is in the record."""
        self.until(lambda: EXIT.search(self.raw()) is not None, "it does not end")
        return int(EXIT.findall(self.raw())[-1])

    def until(self, true: Callable[[], bool], complaint: str) -> str:
        """Look again when something was written, or after a second: each look is a process."""
        end, written = (
            time.monotonic() + 240,
            len(self.raw()),
        )  # before the look: what comes meanwhile is news
        while not true():
            if time.monotonic() > end:
                raise AssertionError(f"{complaint}:\n{self.screen()}")
            again = time.monotonic() + 1
            while len(self.raw()) == written and time.monotonic() < again:
                time.sleep(0.02)
            time.sleep(0.02)
            written = len(self.raw())
        return self.screen()

    def close(self) -> None:
        """End the tmux server."""
        subprocess.run(["tmux", "-L", self.name, "kill-server"], capture_output=True)


@pytest.fixture
def program() -> str:
    """The installed program."""
    if not PROGRAM.exists():
        pytest.skip("needs the installed program")
    return str(PROGRAM)


@pytest.fixture
def environment(tmp_path: Path) -> dict[str, str]:
    """That of somebody who has seen the first steps."""
    return terminal_environment(WORKBENCH_STATE=os.environ[STATE], XDG_CONFIG_HOME=str(tmp_path))


@pytest.fixture
def terminal(tmp_path: Path, program: str) -> Iterator[Callable[..., Terminal]]:
    """Runs the installed program with some arguments in a terminal of some size."""
    if shutil.which("tmux") is None:
        pytest.skip("needs tmux")
    opened: list[Terminal] = []

    def run(*arguments: str, size: tuple[int, int] = (80, 24)) -> Terminal:
        opened.append(Terminal(tmp_path, [program, *arguments], size))
        return opened[-1]

    yield run
    for one in opened:
        one.close()
