"""A person's own settings: the config file, which they write, and the state file, which the program writes.

The two are apart so that no program ever rewrites a file that a person keeps with comments and order.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from workbench.errors import UsageError

if TYPE_CHECKING:
    from platformdirs import PlatformDirs

CONFIG, STATE = "WORKBENCH_CONFIG", "WORKBENCH_STATE"
"""Environment variables that name another file."""

KNOWN = ("as", "keys")
TEXT_LIMIT = 1_000_000
"""Bytes of a file that a person writes: the config file, a policy, a prompt."""

NEAR = 60
"""Similarity (0-100) from which a name is offered for a mistyped one."""


@dataclass(frozen=True)
class Settings:
    """What the config file says; empty where it says nothing.

    `keys` maps the name of an action to the keys it shall have; whether such actions and keys exist is
    for the screens to say.
    """

    path: Path = Path()
    annotator: str = ""
    keys: Mapping[str, tuple[str, ...]] = field(default_factory=dict)


def _folders() -> PlatformDirs:
    from platformdirs import PlatformDirs

    return PlatformDirs("workbench", appauthor=False)


def config_path() -> Path:
    """Where the config file is, or would be."""
    return Path(os.environ.get(CONFIG) or _folders().user_config_path / "config.toml")


def state_path() -> Path:
    """Where the program keeps what it has to remember between two starts."""
    return Path(os.environ.get(STATE) or _folders().user_state_path / "state.json")


def written_text(path: Path, limit: int = TEXT_LIMIT) -> str:
    """The text of a file that a person writes. Raises OSError, or UsageError for one that is no such text.

    A device or a pipe without an end is not read for ever.
    """
    with path.open("rb") as file:
        data = file.read(limit + 1)
    if len(data) > limit:
        raise UsageError(f"{path}: more than {limit:,} bytes: name a smaller file")
    return decoded(data, str(path))


def decoded(data: bytes, name: str) -> str:
    """Bytes as text, without a byte order mark. Raises UsageError with the first byte that is not UTF-8."""
    try:
        return data.decode().removeprefix("\ufeff")
    except UnicodeDecodeError as error:
        raise UsageError(f"{name}: not UTF-8 at byte {error.start}") from error


def toml_table(text: str, number: Callable[[str], object] = float) -> dict[str, Any]:
    """A TOML document, `number` of each with a point. Raises ValueError that says what is off."""
    import tomllib  # seven milliseconds of every start; few have a config file

    try:
        return tomllib.loads(text, parse_float=number)
    except tomllib.TOMLDecodeError as error:
        raise ValueError(f"not TOML: {error}") from error
    except RecursionError:
        raise ValueError("lists or tables are nested too deep") from None
    except ValueError as error:  # more digits than Python reads
        raise ValueError("a number has too many digits") from error


def read_settings() -> Settings:
    """The settings of the config file; none when there is no file. Raises UsageError for one that is off.

    A file that WORKBENCH_CONFIG names has to be there.
    """
    path = config_path()
    try:
        if path.exists() and not path.is_file():
            raise UsageError(f"{path}: not a plain file: name a TOML file")
        text = written_text(path)
    except FileNotFoundError:
        if os.environ.get(CONFIG):
            raise UsageError(f"{path}: no such file; {CONFIG} names it") from None
        return Settings(path)
    except OSError as error:
        raise UsageError(f"{path}: {error.strerror or error}") from error
    try:
        table = toml_table(text)
    except ValueError as error:
        raise UsageError(f"{path}: {error}") from error
    for name in table:
        if name not in KNOWN:
            raise UsageError(f"{path}: there is no setting {name!r}{did_you_mean(name, KNOWN)}")
    return Settings(path, _annotator(path, table), _keys(path, table))


def _annotator(path: Path, table: Mapping[str, Any]) -> str:
    name = table.get("as", "")
    if not isinstance(name, str) or ("as" in table and not name.strip()):
        raise UsageError(f'{path}: as has to be a text: as = "…"')
    return name.strip()


def _keys(path: Path, table: Mapping[str, Any]) -> dict[str, tuple[str, ...]]:
    """The [keys] table. `review.accept` without quotes is a table in a table for TOML: both are read."""
    keys = table.get("keys", {})
    if not isinstance(keys, Mapping):
        raise UsageError(f"{path}: keys: write it as a table, [keys]")
    bindings: dict[str, tuple[str, ...]] = {}
    open_tables = [("", keys)]
    while open_tables:
        lead, inner = open_tables.pop()
        for name, value in inner.items():
            full = lead + name
            if isinstance(value, Mapping):
                open_tables.append((f"{full}.", value))
            else:
                parts = value.split() if isinstance(value, str) else value
                named = isinstance(parts, list) and all(isinstance(key, str) and key for key in parts)
                if not parts or not named:
                    example = '"a" or "a ctrl+a" or ["a", "ctrl+a"]'
                    raise UsageError(f"{path}: keys: {full}: write keys as {example}")
                bindings[full] = tuple(parts)
    return bindings


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """`; did you mean …?` with the nearest known word, or nothing when none is near."""
    from rapidfuzz import fuzz, process, utils

    match = process.extractOne(
        word, list(known), scorer=fuzz.WRatio, processor=utils.default_process, score_cutoff=NEAR
    )
    return f"; did you mean {match[0]!r}?" if match else ""


View = tuple[str, str]
"""A view of the queue: what is searched for, and the order."""


@dataclass(frozen=True)
class State:
    """What the program remembers: the theme chosen last, whether the tour was seen, saved views by name."""

    theme: str = ""
    tour_seen: bool = False
    views: Mapping[str, View] = field(default_factory=dict)


def read_state(path: Path) -> State:
    """What is remembered; nothing when the file is missing or spoilt, for no person keeps it in order."""
    try:
        table = json.loads(written_text(path)) if path.is_file() else {}
        views = {str(name): (str(query), str(order)) for name, (query, order) in table["views"].items()}
        return State(str(table["theme"]), bool(table["tour_seen"]), views)
    except (OSError, UsageError, ValueError, TypeError, KeyError, AttributeError, RecursionError):
        return State()


def write_state(path: Path, state: State) -> None:
    """Replace the state file whole, or leave it as it is. Raises OSError."""
    path.parent.mkdir(parents=True, exist_ok=True)
    fresh = path.with_name(f"{path.name}.{os.getpid()}")
    try:
        fresh.write_text(json.dumps(asdict(state)), "utf-8")
        fresh.replace(path)
    except OSError:
        fresh.unlink(missing_ok=True)
        raise


def remember(
    path: Path, *, theme: str = "", tour_seen: bool = False, view: tuple[str, View | None] | None = None
) -> None:
    """Keep a theme chosen in the app, that the tour was seen, or a view of the queue under its name.

    A view None is forgotten. Raises OSError.
    """
    state = read_state(path)
    views = {**state.views, view[0]: view[1]} if view else state.views
    saved = {name: entry for name, entry in views.items() if entry is not None}
    write_state(path, State(theme or state.theme, tour_seen or state.tour_seen, saved))
