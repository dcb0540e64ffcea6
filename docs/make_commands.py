"""Write docs/commands.md from the program's own help; with --check only say whether it is current."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

PAGE = Path(__file__).with_name("commands.md")
COMMANDS = (
    "", "demo", "audit", "import", "propose", "plan", "review", "score", "compare", "diff", "disputes",
    "agree", "calibrate", "export", "verify", "doctor", "copy", "purge", "status",
    "backup", "score-files", "draw", "assign", "person add", "person list", "person pass", "person disable",
    "serve",
    "policy show", "policy edit", "policy aliases",
)  # fmt: skip
HEAD = """\
# Commands

Made from the program's own help by `python docs/make_commands.py`.

Exit codes: 0 done · 1 the gate failed · 2 bad usage or input · 3 partly done, some rows refused and each
named · 70 a crash · 130 stopped by Ctrl-C. Reports take `--json`: one document on stdout; messages and
progress go to stderr.
`--db`, `--dataset` and `--as` may stand before or after the command.
"""


def page() -> str:
    parts = [HEAD]
    environment = {**os.environ, "COLUMNS": "96", "TERM": "dumb", "NO_COLOR": "1"}
    for command in COMMANDS:
        call = [sys.executable, "-m", "workbench.cli", *command.split(), "--help"]
        done = subprocess.run(call, capture_output=True, text=True, check=True, env=environment)
        lines = [line.rstrip() for line in done.stdout.strip("\n").splitlines()]
        text = "\n".join(lines).strip("\n").replace("python -m workbench.cli", "workbench")
        parts.append(f"## `workbench{' ' + command if command else ''}`\n\n```text\n{text}\n```\n")
    return "\n".join(parts)


def main() -> int:
    if "--check" not in sys.argv:
        PAGE.write_text(page(), "utf-8")
        return 0
    if PAGE.read_text("utf-8") == page():
        return 0
    print("docs/commands.md is not what the program says: run python docs/make_commands.py")
    return 1


if __name__ == "__main__":
    raise SystemExit(main())
