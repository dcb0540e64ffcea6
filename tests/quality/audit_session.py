"""One whole audit of a score file as a person sees it: answer, ten reviews, changed answer, HTML page.

    python -m tests.quality.audit_session FILE [--size 80x24] [--out FOLDER]

It runs the installed program in a tmux window of its own, presses the keys of a hurried reviewer and prints
every screen with the seconds since the start. The reviewer rejects the first unit of every third sample and
accepts the rest as suggested: that the answer moves is what it shows, not what is true. FOLDER keeps the
database, the page and, if Chromium is there, its picture.
"""

from __future__ import annotations

import argparse
import shutil
import subprocess
import tempfile
import time
from pathlib import Path

from tests.terminal.conftest import PROGRAM, Terminal

REVIEWS = 10


def main() -> None:
    """Run the session and print it."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("file", type=Path)
    parser.add_argument("--size", default="120x36")
    parser.add_argument("--out", type=Path)
    options = parser.parse_args()
    folder = options.out or Path(tempfile.mkdtemp(prefix="audit-session-"))
    folder.mkdir(parents=True, exist_ok=True)
    width, height = (int(number) for number in options.size.split("x"))
    general = ["--db", str(folder / "audit.db"), "--as", "ann"]
    begin = time.monotonic()
    window = Terminal(folder, [str(PROGRAM), *general, "audit", str(options.file.resolve())], (width, height))
    try:
        show(begin, "the first screen", window.wait_for("q to leave"))
        window.press("r", "Enter")
        show(begin, "the review", window.wait_for(" 0 of "))
        for number in range(REVIEWS):
            time.sleep(3)  # A person reads first; a review below a second is marked as fast.
            if number % 3 == 0:
                window.press("x")
                time.sleep(1)  # Keys that arrive in one burst count as a paste and are ignored.
            accept(window, number + 1)
        show(begin, f"after {REVIEWS} reviews", window.screen())
        window.press("q")
        while window.raw().count(b"q to leave") < 2:
            time.sleep(0.1)
        time.sleep(1)
        show(begin, "the answer now", window.screen())
        window.press("q", "Enter")
        print(f"exit code {window.exit_code()}")
    finally:
        window.close()
    page = folder / "audit.html"
    dataset = options.file.stem
    done = subprocess.run(
        [str(PROGRAM), *general, "--dataset", dataset, "compare", "--html", str(page)],
        capture_output=True,
        text=True,
        check=True,
    )
    show(begin, f"compare --html {page}", done.stdout)
    if chromium := shutil.which("chromium"):
        picture = page.with_suffix(".png")
        subprocess.run(
            [chromium, "--headless", "--no-sandbox", "--hide-scrollbars", "--window-size=1100,2600",
             f"--screenshot={picture}", page.as_uri()],
            capture_output=True, check=True,
        )  # fmt: skip
        print(f"the page as a picture: {picture}")


def accept(window: Terminal, number: int) -> None:
    """Press `a` until so many samples are verified; a sample opens with a pause after the one before."""
    while f" {number} of " not in window.screen():
        if "n makes a new" in window.screen():
            add_first_words(window)
        window.press("a")
        time.sleep(1)


def add_first_words(window: Terminal) -> None:
    """On a sample without suggestions: add the first two words of the reference as a name."""
    lines = window.screen().splitlines()
    below = next(number for number, line in enumerate(lines) if "─Reference" in line) + 1
    words = lines[below].split("│")[0].split()
    window.press("n")
    time.sleep(1)
    window.press("Tab")
    time.sleep(1)
    window.type(" ".join(words[:2]))
    time.sleep(1)
    window.press("Enter")
    time.sleep(1)


def show(begin: float, what: str, screen: str) -> None:
    """Print a screen with the time."""
    print(f"──── {time.monotonic() - begin:.1f} s: {what}\n{screen.rstrip()}\n", flush=True)


if __name__ == "__main__":
    main()
