"""One thing has one name wherever a person reads it: the glossary's."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
READ = [
    path
    for folder in ("workbench", "docs", "examples")
    for path in ROOT.joinpath(folder).rglob("*")
    if path.suffix in (".py", ".txt", ".toml", ".html", ".md", ".js")
]
OTHER_NAMES = {
    "automatic value": r"automatic scores?\b",
    "yours": r"(score|number) in the file\b|\b(the|your) file's (score|number)|\byour number\b",
    "recount": r"\bour (re)?count\b",
    "rough check": r"names in the retrieved text\b",
}
"""What is not said, by the name that the glossary has for it."""


@pytest.mark.parametrize("name", OTHER_NAMES)
def test_a_thing_of_the_glossary_has_no_other_name(name: str) -> None:
    other = re.compile(OTHER_NAMES[name], re.IGNORECASE)
    said = {
        f"{path.relative_to(ROOT)}: {found[0]}"
        for path in (ROOT / "README.md", *READ)
        for found in other.finditer(" ".join(path.read_text("utf-8").split()))
    }
    assert set() == said
