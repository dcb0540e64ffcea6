"""A dozen samples by keys alone in a real terminal, killed while keys are held, opened again.

`WORKBENCH_TEST_SAMPLES` names a file of samples with proposals to do it on; the demo's are the default.
"""

import os
import re
import signal
import sqlite3
import time
from contextlib import closing
from functools import partial
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest

from tests.terminal.conftest import imported
from workbench.tui.screens.accepting import LOOK, RELEASED

pytestmark = pytest.mark.terminal

SAMPLES = 12
ESCAPES = re.compile(rb"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)|[()][A-B0-2]|[=>78])")
SAID = re.compile(r"✓ (\S+) (?:entities )?accepted: (?:yours \S+ · )?verified (?:(\d+)/(\d+)|no units)")
HELD = ["m", "j", "M", "x", "x", "a", "a"]


@pytest.fixture
def database(tmp_path: Path) -> Path:
    """Samples with proposals and without any gold."""
    given = os.environ.get("WORKBENCH_TEST_SAMPLES")
    source = Path(given) if given else Path(str(files("workbench"))) / "demo_data" / "demo.jsonl"
    return imported(tmp_path, source, seed=3)


def said(window: Any) -> dict[str, tuple[int, int]]:
    """Every accept that the terminal was told of: sample -> (found, units) as shown."""
    text = ESCAPES.sub(b"", window.raw()).decode("utf-8", "replace")
    return {name: (int(found or 0), int(units or 0)) for name, found, units in SAID.findall(text)}


def is_answered(window: Any, before: int, start: int) -> bool:
    """Whether one more accept was said, or since the start of some output that there is a doubt."""
    return len(said(window)) > before or b"accept anyway" in ESCAPES.sub(b"", window.raw()[start:])


def stored(database: Path) -> dict[str, tuple[int, int]]:
    """Every verified sample of the database: (found, units) of its gold."""
    with closing(sqlite3.connect(database)) as raw:
        rows = raw.execute(
            "SELECT sample.key, coalesce(sum(verdict = 'found'), 0), count(gold_unit.id) FROM review "
            "JOIN sample ON sample.id = review.sample_id "
            "LEFT JOIN gold_unit ON gold_unit.review_id = review.id AND gold_unit.kind = 'entity' "
            "WHERE review.entity = 'verified' GROUP BY review.id"
        ).fetchall()
        return {key: (found, units) for key, found, units in rows}


def in_queue_order(database: Path) -> list[str]:
    with closing(sqlite3.connect(database)) as raw:
        return [key for (key,) in raw.execute("SELECT key FROM sample ORDER BY rank")]


def test_a_dozen_samples_a_kill_amid_held_keys_and_open_again(terminal: Any, database: Path) -> None:
    """What was said to be saved is there, nothing else but at most the key in flight, and one goes on."""
    arguments = ("--db", str(database), "--as", "ann", "review")
    window = terminal(*arguments, size=(120, 36))
    window.wait_for("verified")
    window.press("Space")
    window.wait_for("Entities")
    answered = 0.0
    for number in range(SAMPLES):
        before = len(said(window))
        window.press(*("j", "x", "k", "m")[: number % 5])
        # an `a` right behind another one, when that came, would count as held
        time.sleep(max(0.0, answered + RELEASED - time.monotonic()))
        while len(said(window)) == before:
            start = len(window.raw())
            window.press("a")
            window.until(partial(is_answered, window, before, start), "nothing is said of it")
            answered = time.monotonic()
            if len(said(window)) == before:
                time.sleep(LOOK)  # it stopped at a doubt, which has to be in sight so long
    done = said(window)
    assert len(done) == SAMPLES

    for _ in range(30):
        window.press(*HELD[:4])  # more at once would be a paste
        window.press(*HELD[4:])
    os.kill(window.pid(), signal.SIGKILL)
    assert 128 + signal.SIGKILL == window.exit_code()

    told, there = said(window), stored(database)
    assert done.items() <= told.items()
    assert told.items() <= there.items()
    assert len(there) - len(told) <= 1  # committed, killed before the next frame

    again = terminal(*arguments, size=(120, 36))
    order = in_queue_order(database)
    with closing(sqlite3.connect(database)) as raw:
        questions = dict(raw.execute("SELECT key, user_input FROM sample"))
    following = next(key for key in order if key not in there)
    screen = again.wait_for(following[:12])
    selected = next(line for line in screen.splitlines() if "▸" in line)
    assert questions[following][:12] in selected
    again.wait_for(f"{len(there)} of {len(order)} verified")  # counted after the rows are there
    with closing(sqlite3.connect(database)) as raw:
        assert raw.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
    again.press("q")
    assert again.exit_code() == 0
