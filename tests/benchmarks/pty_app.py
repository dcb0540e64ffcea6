"""A Textual program in a pseudo-terminal: keys go in, frames come out with their times.

Textual asks a terminal whether it takes frames as a whole (`ESC[?2026$p`). This driver says yes, so every
frame ends with `ESC[?2026l`, and the time from writing a key to reading that end is what a person waits
for (less the terminal's own drawing). Standard library only.
"""

import ctypes
import fcntl
import os
import pty
import re
import select
import signal
import struct
import subprocess
import sys
import termios
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

LIBC = ctypes.CDLL(None) if sys.platform == "linux" else None
DIES_WITH_PARENT = 1  # PR_SET_PDEATHSIG

ASKS = b"\x1b[?2026$p"
YES = b"\x1b[?2026;2$y"
FRAME_START = b"\x1b[?2026h"
FRAME_END = b"\x1b[?2026l"
SILENCE = 0.12

_STEERING = re.compile(
    rb"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)|P[^\x1b]*\x1b\\|[ -/]*[0-~])"
)


@dataclass(frozen=True, slots=True)
class Pressed:
    """What a key did: seconds to its last awaited frame (None: no such frame came) and what was written."""

    seconds: float | None
    output: bytes


def _end_with_parent() -> None:
    """A program whose terminal is gone would read its end for ever, on a core of its own."""
    assert LIBC is not None
    LIBC.prctl(DIES_WITH_PARENT, signal.SIGKILL)


class PtyApp:
    """One process in a pseudo-terminal of its own; leave the `with` block to end it."""

    def __init__(self, command: Any, size: tuple[int, int] = (120, 36), environment: Any = None) -> None:
        self.output = bytearray()
        self._answered = False
        self._master, slave = pty.openpty()
        self._terminal = os.ttyname(slave)
        fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", size[1], size[0], 0, 0))
        os.set_blocking(self._master, False)
        self.started = time.perf_counter()
        ends = {"stdin": slave, "stdout": slave, "stderr": slave, "start_new_session": True}
        dies, own = _end_with_parent if LIBC else None, dict(environment or terminal_environment())
        self.process: subprocess.Popen[bytes] = subprocess.Popen([*command], env=own, preexec_fn=dies, **ends)  # type: ignore[call-overload]
        os.close(slave)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def write(self, keys: bytes) -> None:
        """Type; returns as soon as the terminal has all of it."""
        while keys:
            try:
                keys = keys[os.write(self._master, keys) :]
            except BlockingIOError:  # it is full: the program reads, and perhaps waits for being read
                self.read(0.01)

    def read(self, seconds: float) -> bool:
        """Wait at most so long for output and take what is there; False when nothing came."""
        ready, _, _ = select.select([self._master], [], [], max(0.0, seconds))
        if not ready:
            return False
        try:
            new = os.read(self._master, 1 << 20)
        except OSError:  # the program has ended
            return False
        self.output += new
        if not self._answered and ASKS in self.output:
            self._answered = True
            self.write(YES)
        return bool(new)

    def wait_for(self, text: str | bytes, *, start: int = 0, seconds: float = 240) -> float:
        """Read until a text has come behind position `start`; seconds since the process was started.

        Raises TimeoutError with what was on the way.
        """
        wanted = text.encode() if isinstance(text, str) else text
        end = time.perf_counter() + seconds
        while self.output.find(wanted, start) < 0:
            if time.perf_counter() > end or (self.process.poll() is not None and not self.read(0.1)):
                raise TimeoutError(f"{text!r} did not come; the end of what came: {self.output[-2000:]!r}")
            self.read(0.2)
        return time.perf_counter() - self.started

    def quiet(self, seconds: float = 0.15, *, most: float = 240) -> None:
        """Read until nothing has come for so long, nor did a key wait: a busy program is silent too."""
        end, waited = time.perf_counter() + most, self._unread()
        while self.read(seconds) or waited:
            waited = self._unread()
            if time.perf_counter() > end:
                raise TimeoutError("the program does not stop drawing, or does not read")

    def _unread(self) -> bool:
        """Whether keys wait in the terminal."""
        if self.process.poll() is not None:
            return False
        terminal = os.open(self._terminal, os.O_RDWR | os.O_NOCTTY)
        try:
            return any(fcntl.ioctl(terminal, termios.FIONREAD, bytes(4)))
        finally:
            os.close(terminal)

    def ended(self, *, seconds: float = 240) -> int:
        """Read until the program ends, since one that nobody reads waits for its terminal; its exit code.

        Raises TimeoutError with the end of what it wrote.
        """
        end = time.perf_counter() + seconds
        while self.process.poll() is None:
            if time.perf_counter() > end:
                raise TimeoutError(f"it does not end; the last of what it wrote: {self.output[-2000:]!r}")
            if not self.read(0.05):
                time.sleep(0.01)  # its end of the terminal is closed: there is nothing to wait for
        return self.process.wait()

    def press(self, keys: bytes, *, until: bytes | None = None, seconds: float = 3) -> Pressed:
        """Type into a silent program and time the end of the first frame that holds `until` (or anything).

        Then waits for silence, so that the next key finds the program at rest.
        """
        self.quiet(SILENCE)
        start = len(self.output)
        pressed = time.perf_counter()
        self.write(keys)
        took: float | None = None
        while took is None and time.perf_counter() - pressed < seconds:
            if self.read(0.05):
                now, at = time.perf_counter(), self.output.find(until or b"", start)
                if at >= 0 and self.output.find(FRAME_END, at) >= 0:
                    took = now - pressed
        self.quiet(SILENCE)
        return Pressed(took, bytes(self.output[start:]))

    def megabytes(self) -> float:
        """Resident memory of the process now (Linux)."""
        status = Path(f"/proc/{self.process.pid}/status").read_text("ascii")
        return int(status.partition("VmRSS:")[2].split()[0]) / 1024

    def cpu_seconds(self) -> float:
        """User and system time of the process until now (Linux)."""
        fields = Path(f"/proc/{self.process.pid}/stat").read_text("ascii").rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def close(self) -> None:
        """End the process and let go of the terminal."""
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGKILL)
        self.process.wait()
        self.hang_up()

    def hang_up(self) -> None:
        """Let go of the terminal, as a window that is closed."""
        os.close(self._master)


def plain(output: bytes) -> str:
    """Output without escape sequences: the texts in the order in which they were written."""
    return _STEERING.sub(b" ", output).decode("utf-8", "replace")


def frames(output: bytes) -> list[bytes]:
    """The frames among the output, each without its brackets."""
    pieces = (piece.partition(FRAME_END) for piece in output.split(FRAME_START)[1:])
    return [frame for frame, end, _ in pieces if end]


def terminal_environment(**more: str) -> dict[str, str]:
    """The environment of a person at a colour terminal; byte code is written, as it is for everybody."""
    others = "NO_COLOR FORCE_COLOR COLUMNS LINES PYTHONDONTWRITEBYTECODE PYTHONUNBUFFERED".split()
    foreign = ("WORKBENCH_", "XDG_", "TEXTUAL", *others)
    kept = {name: value for name, value in os.environ.items() if not name.startswith(foreign)}
    return kept | {"TERM": "xterm-256color", "COLORTERM": "truecolor", "LC_ALL": "C.UTF-8"} | more


def installed() -> str:
    """The console script of the environment that runs this; raises FileNotFoundError without one."""
    script = Path(sys.executable).with_name("workbench")
    if not script.exists():
        raise FileNotFoundError(f"{script}: install the program first (pip install -e .)")
    return str(script)
