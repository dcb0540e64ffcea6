"""A held `a` in a real terminal: thirty a second, and none accepts what was not painted or is in doubt."""

import re
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from tests.benchmarks.pty_app import LIBC, PtyApp, frames, plain
from tests.rows import proposal, sample
from tests.terminal.conftest import imported
from workbench.store.samples import draw
from workbench.tui.screens.accepting import RELEASED

pytestmark = pytest.mark.terminal

SAMPLES, SEED = 120, 3
RATE = 1 / 30
SAID = re.compile(r"✓ (s\d{3}) accepted")
REVIEW = "Entities"
"""What no other screen shows: the queue has references too."""


def row(number: int, *, doubtful: bool = False) -> dict[str, Any]:
    """A sample whose reference and units stand nowhere else; a doubtful one has a unit without a place."""
    name = f"Name{number:03}"
    proposed = proposal([name, "Rome", *(["Atlantis"] if doubtful else [])], [name, "Rome"])
    reference = f"{name} met Word{number:03} in Rome."
    return sample(f"s{number:03}", reference, f"{name} was in Rome.", proposal=proposed)


def in_queue_order() -> list[int]:
    """The numbers of the samples in the order in which the queue brings them."""
    return sorted(range(SAMPLES), key=lambda number: draw(SEED, f"s{number:03}")[0])


def database(folder: Path, doubtful: int | None = None) -> Path:
    """The samples in a database, one of them doubtful."""
    rows = [row(number, doubtful=number == doubtful) for number in range(SAMPLES)]
    return imported(folder, rows, seed=SEED)


def open_review(program: str, path: Path, environment: dict[str, str], first: int) -> PtyApp:
    """The program with the first sample open and nothing more to draw."""
    app = PtyApp([program, "--db", str(path), "--as", "ann", "review"], environment=environment)
    app.wait_for(f"s{first:03}")
    app.write(b" ")
    app.wait_for(REVIEW)
    app.quiet(0.3)
    return app


def hold(app: PtyApp, until: Callable[[], bool], longer: float = 0.0) -> float:
    """Hold `a` down until something is so, and some seconds longer: it repeats thirty times a second.

    The longest pause in these seconds: on a busy machine the one who presses has to wait too.
    """
    end, pause, following = float("inf"), 0.0, time.monotonic()
    limit, last = following + 600, following
    while time.monotonic() < min(end, limit):
        if end == float("inf") and until():
            end = time.monotonic() + longer
        app.write(b"a")
        last, before = time.monotonic(), last
        pause = max(pause, last - before) if end < float("inf") else 0.0
        following += RATE
        while (left := following - time.monotonic()) > 0:
            app.read(left)
    return pause


def told(app: PtyApp) -> list[str]:
    """The samples whose accept was shown, each once, in that order."""
    names = SAID.findall(plain(bytes(app.output)))
    return list(dict.fromkeys(names))


def accepts(path: Path) -> list[str]:
    """The samples of all accepts in the journal, in that order."""
    with closing(sqlite3.connect(path)) as raw:
        rows = raw.execute(
            "SELECT sample.key FROM review_event JOIN review ON review.id = review_id "
            "JOIN sample ON sample.id = review.sample_id WHERE op = 'accept' ORDER BY review_event.id"
        )
        return [key for (key,) in rows]


def first_frames(app: PtyApp) -> Iterator[tuple[int, str]]:
    """When (by frame) each sample's reference and units were both painted, and when its accept was shown."""
    seen: set[str] = set()
    texts = [plain(frame) for frame in frames(bytes(app.output))]
    first = next(place for place, text in enumerate(texts) if REVIEW in text)
    for place, text in enumerate(texts[first:]):
        for word in re.findall(r"Word\d{3}|Name\d{3}|✓ s\d{3} accepted", text):
            if word not in seen:
                seen.add(word)
                yield place, word


def test_a_held_accept_takes_what_was_painted_once(program: str, tmp_path: Path, environment: Any) -> None:
    """Accepts shown = reviews stored = samples painted, but for the last one, which is open."""
    path, order = database(tmp_path), in_queue_order()
    with open_review(program, path, environment, order[0]) as app:
        hold(app, lambda: len(accepts(path)) > 20)
        app.write(b"q")
        app.ended()

    done, when = accepts(path), {word: place for place, word in first_frames(app)}
    assert told(app) == done
    assert done == [f"s{number:03}" for number in order[: len(done)]]
    assert len(done) > 20
    painted = [number for number in order if f"Word{number:03}" in when and f"Name{number:03}" in when]
    assert painted == order[: len(done) + 1]
    for before, after in pairwise(painted):
        accepted = when[f"✓ s{before:03} accepted"]
        assert max(when[f"Word{before:03}"], when[f"Name{before:03}"]) < accepted
        assert accepted <= max(when[f"Word{after:03}"], when[f"Name{after:03}"]) + 1  # at most a frame later


def test_a_held_accept_stops_at_a_doubt_until_a_press(program: str, tmp_path: Path, environment: Any) -> None:
    """However long it is held; one press after a look goes on.

    A pause in between would be such a press: then it is done again.
    """
    order = in_queue_order()
    for number in range(20):
        (tmp_path / str(number)).mkdir()
        path = database(tmp_path / str(number), doubtful=order[10])
        with open_review(program, path, environment, order[0]) as app:
            if hold(app, lambda: b"accept anyway" in app.output, longer=2.0) > RELEASED / 3:
                continue
            assert [f"s{number:03}" for number in order[:10]] == accepts(path)
            app.quiet(1.0)  # a program that nobody reads takes no key
            start = len(app.output)
            app.write(b"a")
            app.wait_for(f"Word{order[11]:03}", start=start)
            assert [f"s{number:03}" for number in order[:11]] == accepts(path)
            return
    pytest.fail("never were keys held without a pause")


@pytest.mark.skipif(LIBC is None, reason="Linux alone tells a process that its parent has ended")
def test_a_program_in_a_terminal_ends_with_the_one_that_drives_it(tmp_path: Path) -> None:
    """A measurement that is killed leaves nobody behind who reads the end of a terminal for ever."""
    said = tmp_path / "child"
    code = (
        "import pathlib, sys, time\nfrom tests.benchmarks.pty_app import PtyApp\n"
        "app = PtyApp(['sleep', '600'])\npathlib.Path(sys.argv[1]).write_text(str(app.process.pid))\n"
        "time.sleep(600)"
    )
    driver = subprocess.Popen([sys.executable, "-c", code, str(said)], cwd=Path(__file__).parents[2])
    while not (said.exists() and said.read_text()):
        assert driver.poll() is None
        time.sleep(0.02)
    child = int(said.read_text())
    driver.kill()
    driver.wait()
    state = Path(f"/proc/{child}/stat")
    until = time.monotonic() + 600
    while state.exists() and state.read_text().rpartition(")")[2].split()[0] != "Z":
        assert time.monotonic() < until, "it goes on"
        time.sleep(0.02)
