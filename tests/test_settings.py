"""The config file and the state file: what is read, what is refused and how, what is kept."""

import getpass
import os
import pwd
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from tests.lists import from_cases
from workbench import cli, settings
from workbench.cli.console import Call, annotator_name
from workbench.errors import UsageError, to_install
from workbench.settings import Settings, State, read_settings, read_state, remember, write_state


@pytest.fixture
def database(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, demo_database: Path) -> str:
    """The demo in the folder of the test."""
    monkeypatch.chdir(tmp_path)
    return str(shutil.copy(demo_database, "x.db"))


@pytest.fixture
def config(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A config file of the test's own; it is not there yet."""
    path = tmp_path / "mine.toml"
    monkeypatch.setenv("WORKBENCH_CONFIG", str(path))
    return path


def test_everything_it_can_say(config: Path) -> None:
    """A name and keys; dotted names with and without quotes, keys as a text and as a list."""
    config.write_text(
        'as = " ana "\n'
        '[keys]\n"review.accept" = "a  ctrl+a"\nreview.reject = ["d", "delete"]\nqueue.open = "l"\n'
    )

    keys = {"review.accept": ("a", "ctrl+a"), "review.reject": ("d", "delete"), "queue.open": ("l",)}
    assert Settings(config, "ana", keys) == read_settings()


def test_without_a_file_there_are_no_settings() -> None:
    """The usual place is in the home folder, and nothing has to be there."""
    assert Settings(settings.config_path()) == read_settings()
    assert Path.home() in settings.config_path().parents
    assert settings.config_path().name == "config.toml"


def test_an_empty_file_and_a_byte_order_mark(config: Path) -> None:
    """Editors leave both."""
    config.write_text("")
    assert Settings(config) == read_settings()
    config.write_text('\ufeffas = "ana"\n')
    assert Settings(config, "ana") == read_settings()


@from_cases
def test_what_is_off_is_named_with_its_file(config: Path, text: str, said: str) -> None:
    """Where it stands and what to write; the nearest name for a mistyped one."""
    config.write_text(text)

    with pytest.raises(UsageError) as refused:
        read_settings()

    assert str(refused.value).startswith(f"{config}: ")
    assert said in str(refused.value)


def test_a_file_that_is_no_text(config: Path) -> None:
    """The byte is named."""
    config.write_bytes(b'as = "\xff"')
    with pytest.raises(UsageError, match="not UTF-8 at byte 6"):
        read_settings()


@pytest.mark.parametrize("name", ["/dev/zero", "pipe", "."])
def test_what_is_no_file_is_not_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    """A device without an end, a pipe that nobody writes into, a folder."""
    if os.name == "nt":
        pytest.skip("devices and pipes of POSIX")
    monkeypatch.chdir(tmp_path)
    os.mkfifo("pipe")
    monkeypatch.setenv("WORKBENCH_CONFIG", name)

    with pytest.raises(UsageError, match="not a plain file"):
        read_settings()
    assert State() == read_state(Path(name))


def test_a_named_file_has_to_be_there(config: Path) -> None:
    """A slip in WORKBENCH_CONFIG would otherwise drop all settings in silence."""
    with pytest.raises(UsageError, match="no such file; WORKBENCH_CONFIG names it"):
        read_settings()


def test_whose_name_it_is(config: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The option or the environment, then the config file, then the system's user."""
    config.write_text("")
    assert getpass.getuser() == annotator_name(None)
    config.write_text('as = "ana"\n')
    assert annotator_name(None) == "ana"
    assert annotator_name("bo") == "bo"
    config.write_text('as = "a\\u001bb"\n')
    with pytest.raises(UsageError, match=r"mine\.toml: as: give a printable name"):
        annotator_name(None)


def test_the_environment_beats_the_file(config: Path, database: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """`--as`, then WORKBENCH_AS, then the file: seen in what a command stores."""
    config.write_text('as = "file"\n')
    given = [(["--as", "option"], "environment"), ([], "environment"), ([], "")]
    for number, (arguments, environment) in enumerate(given):
        monkeypatch.delenv("WORKBENCH_AS", raising=False)
        if environment:
            monkeypatch.setenv("WORKBENCH_AS", environment)
        assert cli._run(["--db", database, *arguments, "export", f"out{number}"]) == 0

    with closing(sqlite3.connect(database)) as raw:
        seen = raw.execute("SELECT annotator FROM export_log ORDER BY id").fetchall()
    assert [("option",), ("environment",), ("file",)] == seen


def test_a_file_that_is_off_is_told_where_a_name_is_needed(config: Path, database: str, capsys: Any) -> None:
    config.write_text("as = \n")
    for words in (
        ["backup"],
        ["score"],
        ["status"],
        ["propose"],
        ["import", "none.jsonl"],
        ["export", "out"],
    ):
        capsys.readouterr()
        assert cli._run(["--db", database, *words]) == 2, words
        assert "not TOML" in capsys.readouterr().err
        assert cli._run(["--db", database, "--as", "ann", "export", "out", "--force"]) == 0


def test_review_is_refused_before_a_screen_is_painted(
    config: Path, database: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """An action, a key, a clash: each ends with 2 and is named; other commands ignore them."""
    monkeypatch.setattr(cli.console, "on_terminal", lambda: True)
    for text, said in (
        ('[keys]\nreview.acept = "a"', "no action 'review.acept'; did you mean 'review.accept'?"),
        ('[keys]\nreview.accept = "pagedwn"', "no key 'pagedwn'; did you mean 'pagedown'?"),
        ('[keys]\nreview.accept = "x"', "review.accept and review.reject are both on x"),
    ):
        config.write_text(text)
        capsys.readouterr()
        assert cli._run(["--db", database, "review"]) == 2
        ended = capsys.readouterr()
        assert said in ended.err
        assert ended.out == ""
        assert cli._run(["--db", database, "status"]) == 0


def test_a_call_is_made_without_the_file(config: Path) -> None:
    """A command that needs no name never reads it."""
    config.write_text("as = \n")
    call = Call("x.db", False, None, None)
    with pytest.raises(UsageError, match="not TOML"):
        _ = call.annotator


def test_the_state_is_kept_whole(tmp_path: Path) -> None:
    """What is remembered comes back; the folder is made; no half-written file is left."""
    path = tmp_path / "new" / "state.json"
    remember(path, theme="workbench-light")
    remember(path, tour_seen=True)

    assert State("workbench-light", tour_seen=True) == read_state(path)
    assert [path] == list(path.parent.iterdir())


@pytest.mark.parametrize("text", ["", "{", "[]", '{"theme": 1}', "null", "\x00"])
def test_a_spoilt_state_is_an_empty_one(tmp_path: Path, text: str) -> None:
    """No person keeps this file in order, so none is asked to mend it; the next write replaces it."""
    path = tmp_path / "state.json"
    path.write_text(text)

    assert State() == read_state(path)
    write_state(path, State(tour_seen=True))
    assert State(tour_seen=True) == read_state(path)


def test_a_state_that_cannot_be_written_stays_as_it_was(tmp_path: Path) -> None:
    """The caller is told; nothing is left behind."""
    path = tmp_path / "state.json"
    path.mkdir()
    with pytest.raises(OSError, match=r"state\.json"):
        write_state(path, State())
    assert [path] == list(tmp_path.iterdir())


def test_the_state_file_of_the_tests_is_none_of_a_person() -> None:
    """Neither file of the developer is ever touched."""
    assert Path.home() in settings.state_path().parents
    assert Path.home() in settings.config_path().parents
    assert Path(pwd.getpwuid(os.getuid()).pw_dir) != Path.home()


def test_an_install_hint_works_in_a_checkout_and_in_an_installation(tmp_path: Path, monkeypatch: Any) -> None:
    """Before a release nothing of the name is in the index."""
    here = Path(__file__).parents[1]
    in_checkout = to_install("web")
    monkeypatch.setattr("workbench.errors.__file__", str(tmp_path / "workbench" / "errors.py"))

    assert (f"pip install -e '{here}[web]'", "pip install 'gold-workbench[web]'") == (
        in_checkout, to_install("web"),
    )  # fmt: skip
