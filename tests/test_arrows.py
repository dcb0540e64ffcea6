"""Arrows go one way: which room may import which, and what nobody imports before it is needed."""

import ast
import subprocess
import sys
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PACKAGE = ROOT / "workbench"

NOUNS = {"errors", "model", "workbench"}
PURE = NOUNS | {"text", "matching", "reviewing", "scoring", "comparing"}
MAY_IMPORT: dict[str, set[str]] = {
    "workbench": set(),
    "errors": set(),
    "model": {"errors"},
    "text": NOUNS,
    "matching": NOUNS | {"text"},
    "reviewing": NOUNS | {"text"},
    "scoring": NOUNS | {"text", "matching", "reviewing"},
    "comparing": NOUNS | {"text", "matching", "reviewing", "scoring"},
    "proposing": PURE | {"settings"},
    "formats": PURE | {"settings"},
    "store": PURE,
    "stages": PURE | {"proposing", "formats", "store", "settings"},
    "reports": PURE | {"stages", "store", "proposing"},
    "settings": NOUNS,
    "cli": PURE | {"stages", "store", "proposing", "reports", "settings", "tui", "web"},
    "calibration": PURE | {"formats"},
    "api": PURE | {"stages", "store", "proposing", "calibration"},
    "batch": PURE | {"stages"},
    "deepeval": NOUNS | {"api"},
    "ragas": NOUNS | {"api"},
    "tui": PURE | {"stages", "store", "settings", "reports"},
    "web": PURE | {"stages", "store", "reports"},
}
"""A room may always import itself. `cli` and `tui` name the store's handle and open it, no more."""

PURE_MAY_NOT = {*"datetime time pathlib os io socket sqlite3 asyncio random subprocess".split()}
ALLOWED_STORE_NAMES = {f"workbench.store.{name}" for name in ("database", "datasets", "engine", "copying")}


def room_of(path: Path) -> str:
    name = path.relative_to(PACKAGE).parts[0].removesuffix(".py")
    return "workbench" if name == "__init__" else name


def imports_of(path: Path) -> set[str]:
    """Every imported module of a file, wherever in the file the import stands."""
    names: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            assert node.level == 0, f"{path}: relative import"
            names |= {f"{node.module}.{alias.name}" for alias in node.names} | {node.module}
    return names


@cache
def imports() -> list[tuple[Path, str, set[str]]]:
    """Every file, its room and what it imports."""
    files = sorted(PACKAGE.rglob("*.py"))
    return [(path, room_of(path), imports_of(path)) for path in files]


def tops(names: set[str]) -> set[str]:
    return {name.split(".")[0] for name in names}


def test_a_room_imports_only_what_its_arrows_allow() -> None:
    for path, room, names in imports():
        used = {name.split(".")[1] for name in names if name.startswith("workbench.")}
        rooms = {name for name in used if (PACKAGE / name).is_dir() or (PACKAGE / f"{name}.py").is_file()}

        assert rooms - {room} <= MAY_IMPORT[room], path


def test_pure_rooms_know_no_clock_disk_network_or_chance() -> None:
    for path, room, names in imports():
        if room in PURE - {"workbench", "errors"}:
            assert set() == tops(names) & PURE_MAY_NOT, path


def test_front_ends_know_the_store_by_its_handle_only() -> None:
    for path, room, names in imports():
        if room in {"cli", "tui", "web", "api"}:
            used = {name for name in names if name.startswith("workbench.store.")}

            assert {".".join(name.split(".")[:3]) for name in used} <= ALLOWED_STORE_NAMES, path


def test_a_session_never_leaves_the_store() -> None:
    for path, room, names in imports():
        if room != "store":
            assert set() == tops(names) & {"sqlmodel", "sqlalchemy", "alembic", "sqlite3"}, path


def modules_after(code: str) -> set[str]:
    """What is imported in a fresh interpreter after the code ran."""
    script = f"import sys\n{code}\nprint('\\n'.join(sys.modules))"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    return {*done.stdout.split(), *(name.split(".")[0] for name in done.stdout.split())}


HEAVY = {
    *"anthropic scipy numpy sqlmodel sqlalchemy alembic textual pydantic pymorphy3".split(),
    *"jinja2 starlette uvicorn".split(),
}


def test_the_command_line_starts_without_heavy_imports() -> None:
    assert set() == modules_after("import workbench.cli") & (HEAVY | {"rapidfuzz"})


def test_the_annotations_of_commands_are_values_which_typer_need_not_evaluate() -> None:
    from workbench.cli import app

    callbacks = [command.callback for command in app.registered_commands]

    assert [] == [
        callback
        for callback in callbacks
        if callback is not None and any(isinstance(one, str) for one in callback.__annotations__.values())
    ]


def test_the_terminal_app_starts_without_the_store() -> None:
    heavy = HEAVY - {"textual"}

    assert set() == modules_after("import workbench.tui.app") & heavy


def test_the_desk_of_screens_and_pages_needs_neither() -> None:
    found = modules_after("import workbench.stages.desk, workbench.stages.intents")

    assert set() == found & {"textual", "rich", "starlette"}


def test_the_rows_of_the_queue_come_before_what_they_do_not_need_is_loaded() -> None:
    late = {*"rapidfuzz numpy pymorphy3 multiprocessing xml".split(), "workbench.stages.plan"}
    late.add("workbench.text.normalise")

    assert set() == modules_after("import workbench.tui.app, workbench.cli, workbench.stages.desk") & late


def test_the_pure_rooms_need_no_heavy_package() -> None:
    names = ", ".join(f"workbench.{room}" for room in sorted(PURE - NOUNS))
    assert set() == modules_after(f"import {names}, workbench.scoring.scorers") & HEAVY
