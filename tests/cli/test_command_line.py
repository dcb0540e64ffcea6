"""The command line as a program: options anywhere, streams, exit codes, nothing hostile on the terminal."""

import io
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from functools import partial
from pathlib import Path
from typing import Any

import pytest
import typer
from rich.cells import cell_len
from sqlalchemy.engine import RootTransaction

from tests.lists import from_cases
from tests.rows import write_rows
from workbench import __version__, cli, reports
from workbench.cli.console import STOPPED

HARD = Path(__file__).parents[2] / "fixtures" / "hard.jsonl"
CODE = "import sys; from workbench.cli import main; sys.argv[0] = 'workbench'; main()"
PROGRAM = [sys.executable, "-c", CODE]
RAW = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200b\u200c\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff]"
)
"""Everything that steers a terminal or hides in it; tab and newline may stand in a report."""

ROW = {"id": "a", "user_input": "q", "reference": "Rome.", "retrieved_contexts": ["Rome."]}


def commands(app: typer.Typer, path: tuple[str, ...] = ()) -> list[tuple[str, ...]]:
    """Every command and group of the program, by the words that call it."""
    group = typer.main.get_group(app)
    found: list[tuple[str, ...]] = [()]

    def walk(one: Any, words: tuple[str, ...]) -> None:
        for name, command in getattr(one, "commands", {}).items():
            found.append((*words, name))
            walk(command, (*words, name))

    walk(group, path)
    return found


def rows_file(*rows: dict[str, Any], name: str = "rows.jsonl") -> str:
    write_rows(name, rows)
    return name


@pytest.mark.parametrize("words", commands(cli.app), ids=" ".join)
def test_every_command_has_help(run: Any, words: tuple[str, ...]) -> None:
    """A sentence for the command and one for each of its options; a message that names it is understood."""
    ended = run(*words, "--help")

    assert (ended.code, ended.err) == (0, "")
    assert "Usage:" in ended.out
    assert not words or reports.COMMAND.fullmatch(" ".join(("workbench", *words)))  # in a message
    command: Any = typer.main.get_group(cli.app)
    for word in words:
        command = command.commands[word]
    assert command.help
    for parameter in command.params:
        if getattr(parameter, "help", None) is not None or parameter.param_type_name == "option":
            assert parameter.help, (words, parameter.name)
    assert all("\n" not in paragraph for paragraph in command.help.split("\n\n"))  # the window breaks them


def test_the_version(run: Any) -> None:
    assert run("--version") == (0, f"workbench {__version__}\n", "")


@pytest.mark.parametrize("name", ["", "  ", "a\x1b[31mb", "a\u202eb", "x" * 101])
def test_a_name_for_decisions_is_printable_and_free(run: Any, name: str) -> None:
    """It stands in every row and on every screen."""
    for source, words in (("--as", ("--as", name, "status")), ("NAME", ("person", "add", name))):
        run(*words).refuses(f"workbench: {source}: give a printable name")


def test_a_message_is_wrapped_between_words_by_cells() -> None:
    lines = reports.folded("名前 " * 30, 40).split("\n")
    assert ("名前 " * 30).split() == " ".join(lines).split()
    assert 39 == max(map(cell_len, lines))
    text = "workbench: unknown scorer 'nope'; there is: ragas, linked, contextual_recall"
    text += "\n  workbench compare --run a"

    wrapped = reports.folded(text, 40)

    assert [
        "workbench: unknown scorer 'nope'; there",
        "    is: ragas, linked, contextual_recall",
        "  workbench compare --run a",
    ] == wrapped.split("\n")
    assert text == reports.folded(text, 0)  # a pipe
    command = f"  workbench audit {'x' * 60}"
    assert command == reports.folded(command, 40)
    path = f"/data/{'x' * 60}/rows.jsonl"
    assert ["not there:", f"    {path}", "    (a file)"] == reports.folded(
        f"not there: {path} (a file)", 40
    ).split("\n")


def test_review_makes_no_database(tmp_path: Path) -> None:
    """On a real terminal: a typing error in --db is named and nothing is made."""
    pty = pytest.importorskip("pty")
    main, side = pty.openpty()
    ended = subprocess.run(
        [*PROGRAM, "review", "--db", "typo.db"], cwd=tmp_path, stdin=side, stdout=side,
        stderr=subprocess.PIPE, text=True, check=False, timeout=600, env={**os.environ, "TERM": "xterm"},
    )  # fmt: skip
    os.close(main)
    os.close(side)

    assert ended.returncode == 2
    assert "typo.db: no such database; import a file first" in ended.stderr
    assert list(tmp_path.iterdir()) == []


# --- the policy -----------------------------------------------------------------------------------------


BOTTOMLESS = {
    "a number has too many digits": "kinds = " + "1" * 5_000,
    "lists or tables are nested too deep": "kinds = " + "[" * 5_000 + "]" * 5_000,
}


@pytest.mark.parametrize("message", BOTTOMLESS)
def test_toml_that_python_cannot_hold_is_refused(run: Any, monkeypatch: Any, message: str) -> None:
    """Valid TOML, and still exit 2 instead of a crash."""
    run("import", rows_file(ROW))
    Path("deep.toml").write_text(BOTTOMLESS[message])

    policy = run("policy", "edit", "--file", "deep.toml")
    monkeypatch.setenv("WORKBENCH_CONFIG", "deep.toml")
    monkeypatch.delenv("WORKBENCH_AS")
    config = run("propose")

    for where, ended in (("policy", policy), ("deep.toml", config)):
        assert (2, "") == (ended.code, ended.out)
        # pytest's own hook may add a line where Python's stack is used up
        assert ended.err.endswith(f"workbench: {where}: {message}\n")


@pytest.mark.parametrize(
    ("data", "message"), [(b"\xff", "not UTF-8 at byte 0"), (b"", "'coarser' is missing")]
)
def test_a_policy_is_bytes_first_from_standard_input_and_from_a_file(
    run: Any, demo_db: Path, monkeypatch: pytest.MonkeyPatch, data: bytes, message: str
) -> None:
    Path("given.toml").write_bytes(data)
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(data)))
    for name in ("-", "given.toml"):
        run("--db", demo_db, "policy", "edit", "--file", name).refuses(message)


# --- hostile text ---------------------------------------------------------------------------------------


HOSTILE = "\x1b]0;owned\x07\x1b[2J\u202egnp.exe\u202c\u009b31m\u2066x\x7f\r"


def hostile_rows() -> str:
    rows = [json.loads(line) for line in HARD.read_text("utf-8").splitlines()]
    rows.append({**ROW, "id": HOSTILE, "meta": {"retriever": HOSTILE}, "scores": {HOSTILE: 0.5}})
    rows.append({**ROW, "id": HOSTILE + "2", "meta": {"retriever": HOSTILE + "2"}})
    found = [{"text": "Rome", "verdict": "found"}]
    rows[-1]["gold"] = rows[-2]["gold"] = {"annotator": HOSTILE, "entities": found}
    rows += [{"id": HOSTILE + "bad", "user_input": HOSTILE}, {HOSTILE: HOSTILE}]
    return rows_file(*rows, name="hard.jsonl")


def test_hostile_text_never_reaches_the_terminal_raw(run: Any) -> None:
    """Ids, metas, columns and errors, in tables and in --json; a program still reads them unchanged."""
    said = [run("import", hostile_rows(), "--gold-if-given"), run("import", "hard.jsonl", "--strict")]
    said.append(run("import", "hard.jsonl", "--gold-if-given", "--json"))
    calls = (
        ["propose"], ["score"], ["score", "--json"], ["compare"], ["compare", "--json"], ["status"],
        ["compare", "--by", "meta.retriever"], ["compare", "--by", "meta.retriever", "--json"],
        ["compare", "--by", "meta.nothing" + HOSTILE], ["score", "--run", HOSTILE],
        ["score", "--dataset", HOSTILE],
        ["score", "--metric", HOSTILE, "--strict"], ["policy", "show"], ["policy", "show", "--json"],
        ["export", "out"], ["export", "out"], ["import", HOSTILE], ["propose", "--proposer", HOSTILE],
        ["status", "--json"], ["score", "--strict"],
    )  # fmt: skip
    said += [run(*words) for words in calls]

    assert [ended.code for ended in said[:3]] == [3, 2, 3]
    for ended in said:
        assert ended.out + ended.err
        assert RAW.findall(ended.out + ended.err) == []
    samples = run("score", "--json").json["samples"]
    assert [sample["id"] for sample in samples][-2:] == [HOSTILE, HOSTILE + "2"]


def test_a_hostile_file_name_is_shown_safely(run: Any) -> None:
    """The dataset is called after it, and the message names it."""
    name = "\x1b[31mred\u202e.jsonl"

    ended = run("import", rows_file(ROW, name=name))

    assert ended.code == 0
    assert RAW.findall(ended.out + ended.err) == []
    assert RAW.findall(run("status").out) == []


@pytest.mark.parametrize(
    "words", [("import",), ("compare", "--html"), ("verify",), ("backup",), ("diff", "now"), ("--db",)]
)
def test_a_path_that_cannot_be_looked_at_is_said(run: Any, words: tuple[str, ...]) -> None:
    """A name too long, or one in a folder that may not be entered, was called a crash."""
    run("import", rows_file(ROW))
    name = "x" * 300

    ended = run(*words, name, *(("status",) if words == ("--db",) else ()))

    assert 2 == ended.code
    assert re.search(rf"^workbench: \S*{name}\S*: File name too long$", ended.err, re.MULTILINE)


def test_a_crash_shows_where_and_no_data(run: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Exit 70, the program's own lines, and neither the message nor any value."""
    run("import", rows_file(ROW))

    def broken(*_: object, **__: object) -> None:
        raise RuntimeError("SECRET of row a: Rome.")

    monkeypatch.setattr("workbench.stages.recompute.recompute", broken)
    run("propose")
    ended = run("score")

    assert (ended.code, ended.out) == (70, "")
    assert f"workbench {__version__} crashed: RuntimeError" in ended.err
    assert "score_dataset" in ended.err
    assert "SECRET" not in ended.err
    assert "Rome" not in ended.err


# --- the real program -----------------------------------------------------------------------------------


@pytest.fixture
def demo_db(tmp_path: Path, demo_database: Path) -> Path:
    return Path(shutil.copy(demo_database, tmp_path / "w.db"))


@pytest.mark.skipif(os.name == "nt", reason="pipes of POSIX")
@pytest.mark.parametrize(("arguments", "code"), [(["--json"], 0), (["--strict"], 1)])
def test_a_reader_that_goes_away_changes_no_exit_code(demo_db: Path, arguments: list[str], code: int) -> None:
    """`workbench score | head -1`: no trace, and the gate's answer stands."""
    process: Any = subprocess.Popen(
        [*PROGRAM, "--db", demo_db, "score", *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )  # fmt: skip
    process.stdout.close()
    said = process.stderr.read()
    process.stderr.close()

    assert (process.wait(), said) == (code, b"")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="a device of Linux")
@from_cases
def test_a_full_disk_on_standard_output_is_no_success(demo_db: Path, command: str, unbuffered: str) -> None:
    """A report that was not written is an error, and Python does not try again at its end."""
    with open("/dev/full", "wb") as full:
        ended = subprocess.run(
            [*PROGRAM, "--db", demo_db, command], stdout=full, stderr=subprocess.PIPE, check=False,
            env={**os.environ, "PYTHONUNBUFFERED": unbuffered},
        )  # fmt: skip

    said = b"workbench: standard output: No space left on device\n"
    assert (ended.returncode, ended.stderr) == (2, said)


@pytest.mark.skipif(os.name == "nt", reason="limits of POSIX")
def test_half_a_report_is_no_success_where_python_does_not_buffer(demo_db: Path, tmp_path: Path) -> None:
    """A disk that fills up in the middle of a document."""
    limited = f"import resource as r; r.setrlimit(r.RLIMIT_FSIZE, (33_000, r.RLIM_INFINITY)); {CODE}"
    with (tmp_path / "scores.json").open("wb") as file:
        ended = subprocess.run(
            [*PROGRAM[:2], limited, "--db", demo_db, "score", "--json"],
            stdout=file, stderr=subprocess.PIPE, check=False,
            env={**os.environ, "PYTHONUNBUFFERED": "1", "PYTHONDONTWRITEBYTECODE": "1"},  # else half of it
        )  # fmt: skip

    assert (ended.returncode, ended.stderr) == (2, b"workbench: standard output: File too large\n")


@pytest.mark.skipif(os.name == "nt", reason="streams of POSIX")
def test_a_closed_stream_is_no_crash(demo_db: Path) -> None:
    """A service manager may start a program without any. A crash would end with 70."""
    no_output, nothing_else = (
        subprocess.run(
            ["sh", "-c", f'exec "$@" {closed}', "sh", *PROGRAM, "--db", str(demo_db), "score", "--json"],
            capture_output=True, text=True, check=False,
        )
        for closed in (">&-", "2>&- <&-")
    )  # fmt: skip

    assert (2, True) == (no_output.returncode, "output is closed" in no_output.stderr)
    assert 0 == nothing_else.returncode
    assert 50 == json.loads(nothing_else.stdout)["n_samples"]


def printed(monkeypatch: pytest.MonkeyPatch, encoding: str, *words: object) -> bytes:
    """What the program writes to a standard output of this encoding."""
    stream = io.TextIOWrapper(io.BytesIO(), encoding)
    monkeypatch.setattr(sys, "argv", ["workbench", *map(str, words)])
    monkeypatch.setattr(sys, "stdout", stream)
    with pytest.raises(SystemExit) as ended:
        cli.main()
    assert 0 == ended.value.code
    return stream.buffer.getvalue()


def test_a_terminal_without_unicode_gets_a_report_and_valid_json(demo_db: Path, monkeypatch: Any) -> None:
    """What cannot be shown is replaced in tables and escaped in JSON."""
    monkeypatch.setenv("PYTHONIOENCODING", "ascii")
    report, document = (
        printed(monkeypatch, "ascii", "--db", demo_db, *words) for words in (["score"], ["compare", "--json"])
    )

    assert report.isascii()
    assert b"demo ? run claude-run-1" in report
    assert document.isascii()
    assert 50 == json.loads(document)["answer"]["total"]


@pytest.mark.skipif(os.name == "nt", reason="locales of POSIX")
def test_a_locale_without_unicode_makes_no_question_marks() -> None:
    """Terminals of today take UTF-8 whatever LC_ALL says."""
    kept = {name: value for name, value in os.environ.items() if name != "PYTHONIOENCODING"}
    environment = {**kept, "LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
    ended = subprocess.run([*PROGRAM, "--help"], capture_output=True, env=environment, check=True)

    assert "─" in ended.stdout.decode("utf-8")


@pytest.mark.skipif(os.name == "nt", reason="signals of POSIX")
def test_ctrl_c_ends_with_one_line(tmp_path: Path) -> None:
    """Exit 130, and what was stored by then stays whole."""
    rows = [{**ROW, "id": str(n), "user_input": "x" * 1_000} for n in range(20_000)]
    write_rows(tmp_path / "big.jsonl", rows)
    process = subprocess.Popen(
        [*PROGRAM, "--db", tmp_path / "w.db", "import", tmp_path / "big.jsonl"],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        preexec_fn=partial(signal.signal, signal.SIGINT, signal.SIG_DFL),  # ignored if a shell's & began it
    )  # fmt: skip
    while not (tmp_path / "w.db-wal").exists():
        assert process.poll() is None
        time.sleep(0.01)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=600)

    assert (130, b"", f"{STOPPED}\n".encode()) == (process.returncode, out, err)


def test_ctrl_c_in_the_end_of_a_transaction_is_no_crash(run: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """What it stopped half way fails while it is cleaned up; that was told, with exit code 70 or 2."""
    usual, stops = RootTransaction._deactivate_from_connection, [KeyboardInterrupt]

    def stopped(transaction: RootTransaction) -> None:
        if stops:
            raise stops.pop()
        usual(transaction)

    monkeypatch.setattr(RootTransaction, "_deactivate_from_connection", stopped)
    assert (130, "", f"{STOPPED}\n") == run("import", rows_file(ROW))


@from_cases
def test_options_before_and_after_the_command_name_what_is_opened(
    run: Any, monkeypatch: pytest.MonkeyPatch, arguments: tuple[str, ...], opened: tuple[str | None, ...]
) -> None:
    """Given once, twice, empty, and without a command."""
    found: list[tuple[object, ...]] = []
    monkeypatch.setattr(cli.console, "open_app", lambda *given: found.append(given))
    monkeypatch.setattr(cli.console, "on_terminal", lambda: True)
    monkeypatch.setenv("WORKBENCH_AS", "eve")

    assert run(*arguments).code == 0

    assert [opened] == found
