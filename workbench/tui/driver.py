"""Keys from a terminal: what is a paste, whether the terminal brackets it or not.

A terminal that is known to bracket pastes sends all else as keys, however many come at once: a slow line
holds back what is typed. Of another one, what arrives at once is a paste. One read gives what has come since
the last one. A key is one character or one escape sequence, and a person presses few of them between two
reads; a paste comes whole. The library turns a paste without brackets into keys, and every escape sequence
within one that has them.
"""

from __future__ import annotations

import os
import re
from codecs import getincrementaldecoder
from select import select
from signal import SIGHUP

from textual._xterm_parser import XTermParser
from textual.drivers.linux_driver import LinuxDriver
from textual.events import Key, Paste

from workbench.tui.work import Entered

AT_ONCE = 5
"""Keys that may come at once and are still keys: a slow line holds back half a second of fast typing."""

HELD = 60
"""The same for one key alone, which repeats thirty times a second while it is held down, and for any keys of
a terminal that brackets pastes: more than this comes from a program that types."""

REPEAT = 1 / 30
"""Seconds between keys that come at once, as far as anybody knows: a key that is held down while the app is
busy must not look as if it had been let go."""

NEXT, MORE, END = 0.0005, 0.1, 1.0
"""Seconds without input after which what came is complete: keys, a paste, a paste that is still open.

The first is waited for at every key, and lines faster than 19,200 baud bring the next character within it.
"""

POLL = 0.1
"""Seconds between looks whether the app is leaving, and whether an escape was a key of its own."""

LONGEST = 200_000
"""Characters of a paste that are kept; no field takes more."""

OPENS, CLOSES = "\x1b[200~", "\x1b[201~"
ENTER = re.compile(r"(?:\r|\x1b\[13[\d:;]*u)$")
ASK = "\x1b[?2004$p\x1b[>q"
"""Asks whether the terminal brackets pastes, and for its name: all that tell their name do."""

ANSWERS = re.compile(r"\x1b\[\?2004;[123]\$y|\x1bP>\|[^\x1b]*\x1b\\")
_TOKEN = re.compile(
    r"(?P<report>\x1b\[(?:<[\d;]+[Mm]|[IO]|[\d;:]+[Rt]|\?[\d;]*(?:\$y|[cu]))"  # the mouse, and answers
    r"|\x1bP>\|[^\x1b]*\x1b\\)"
    r"|\x1b\[[0-?]*[ -/]*[@-~]|\x1bO.|\x1b?.",
    re.DOTALL,
)


class PasteDriver(LinuxDriver):
    """The library's driver, with every paste as one `Paste`, or `Entered`."""

    _brackets = False

    def _enable_bracketed_paste(self) -> None:
        """As the library's; asks whether the terminal knows it."""
        super()._enable_bracketed_paste()
        if os.environ.get("TERM_PROGRAM") != "Apple_Terminal":  # it prints the p of the question
            self.write(ASK)

    def _sigcont_application(self, *_: object) -> None:
        """Take the terminal anew after SIGSTOP too: the library takes it twice, and then never ends.

        A terminal that goes away sends it behind SIGHUP. Nobody takes what is written there any more, and the
        library would wait for that for ever.
        """
        if not os.isatty(self.fileno):
            return
        if self._auto_restart and not self._must_signal_resume:  # SIGTSTP has not let go of it
            self.suspend_application_mode()
            self._must_signal_resume = True
        super()._sigcont_application()

    def run_input_thread(self) -> None:
        """Read until the app leaves or the terminal is gone, which ends the app like a signal of it."""
        try:
            self._read_keys()
        except (OSError, EOFError):
            # Otherwise the thread would read "nothing" for ever, at full speed, when the app has ended too.
            self._app.call_later(self._app.exit, None, 128 + SIGHUP)

    def _read_keys(self) -> None:
        """Turn what comes into events. What is no UTF-8 is replaced: it would end the library's thread."""
        decode = getincrementaldecoder("utf-8")("replace").decode
        parser = XTermParser(self._debug)
        last = 0.0

        def read(seconds: float) -> str:
            ready, _, _ = select([self.fileno], [], [], seconds)
            if not ready:
                return ""
            if not (data := os.read(self.fileno, 1 << 16)):
                raise EOFError("the terminal is gone")
            return decode(data)

        while not self.exit_event.is_set():
            text = read(POLL)
            wait = patience(text, self._brackets)
            while wait and not self.exit_event.is_set() and (more := read(wait)):
                text += more
                if len(text) > LONGEST:
                    text = text[: LONGEST // 2] + text[-len(CLOSES) :]
                wait = patience(text, self._brackets)
            text, answers = ANSWERS.subn("", text)
            self._brackets = self._brackets or answers > 0 or OPENS in text
            if is_paste(text, self._brackets):
                paste = Entered if ENTER.search(text) else Paste
                self.process_message(paste(text.replace(OPENS, "").replace(CLOSES, "")))
            elif text:
                events = list(parser.feed(text))
                keys = [event for event in events if isinstance(event, Key)]
                for older, key in enumerate(reversed(keys)):
                    key.time = max(last, keys[-1].time - older * REPEAT)
                last = keys[-1].time if keys else last
                for event in events:
                    self.process_message(event)
            for event in parser.tick():
                self.process_message(event)


def patience(text: str, brackets: bool = False) -> float:
    """How long to wait for what belongs to a text; 0 for one without keys (the mouse, answers)."""
    if text.rfind(OPENS) > text.rfind(CLOSES) or text.rfind("\x1bP>") > text.rfind("\x1b\\"):
        return END
    if is_paste(text, brackets):
        return MORE
    return NEXT if _keys(text) else 0.0


def is_paste(text: str, brackets: bool = False) -> bool:
    """Whether no person pressed this; `brackets`: the terminal marks what is pasted."""
    keys = _keys(text)
    return OPENS in text or len(keys) > (HELD if brackets or len(set(keys)) == 1 else AT_ONCE)


def _keys(text: str) -> list[str]:
    """The keys that a text would be, as far as it takes to tell a paste."""
    keys = []
    for token in _TOKEN.finditer(text):
        if not token["report"]:
            keys.append(token.group())
            if len(keys) > HELD:
                break
    return keys
