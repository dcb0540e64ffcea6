"""CPU time of `workbench --help` against a one-command Typer program showing its help. The bar is 1.6.

python tests/benchmarks/starting.py [ROUNDS]
"""

from __future__ import annotations

import resource
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

FLOOR = """
import typer

app = typer.Typer(add_completion=False)


@app.command()
def main(name: str = "you") -> None:
    "Say hello."
    print(name)


app()
"""


def cpu(command: list[str]) -> float:
    """User and system seconds of one process."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def main() -> None:
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 9
    with tempfile.TemporaryDirectory() as folder:
        program = Path(folder, "floor.py")
        program.write_text(FLOOR, "utf-8")
        ours = [sys.executable, "-m", "workbench.cli", "--help"]
        floor = [sys.executable, str(program), "--help"]
        cpu(ours), cpu(floor)  # byte code is compiled once
        pairs = [(cpu(ours), cpu(floor)) for _ in range(rounds)]
    mine, theirs = (statistics.median(column) for column in zip(*pairs, strict=True))
    ratio = statistics.median(a / b for a, b in pairs)
    print(f"--help {mine:.3f} s CPU, floor {theirs:.3f} s, median ratio {ratio:.2f} (bar 1.6)")


if __name__ == "__main__":
    main()
