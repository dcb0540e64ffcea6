"""What an export's files are, for the person who opens the folder. The texts are Jinja2 templates."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any
from xml.sax.saxutils import quoteattr

from workbench.formats.exports.item import Surroundings
from workbench.text.safe import clean

_MARKUP = re.compile(r"([\\`*_\[\]|~#!$])")


def rendered(template: str, **values: object) -> str:
    """The text of a file of `templates/` with these values."""
    from jinja2 import Environment, PackageLoader, StrictUndefined

    environment = Environment(
        loader=PackageLoader("workbench.formats.exports"), undefined=StrictUndefined, autoescape=False,  # noqa: S701 Markdown and XML
        trim_blocks=True, lstrip_blocks=True, keep_trailing_newline=True,
    )  # fmt: skip
    environment.filters |= {"plain": plain, "quoted": _quoted, "quoteattr": quoteattr}
    return environment.get_template(template).render(values)


def write_card(
    folder: Path,
    about: Surroundings,
    rows: int,
    files: Iterable[str],
    manifest: Mapping[str, Any],
    counts: Mapping[str, int],
) -> None:
    """Write the card of a Hugging Face dataset: YAML that the Hub reads, and a page for people."""
    models = {
        ", ".join(run["models_returned"]) or run["model"] or run["proposer"] for run in manifest["models"]
    }
    text = rendered(
        "card.md", dataset=about.dataset, licence=about.licence, files=files, size=_size(rows), counts=counts,
        manifest=manifest, sampling=manifest["sampling"],
        models="; ".join(map(plain, sorted(models))) or "nobody",
    )  # fmt: skip
    (folder / "README.md").write_text(text, encoding="utf-8", newline="\n")


def _size(rows: int) -> str:
    """The category of the Hub for a number of rows."""
    limits = ((1_000, "n<1K"), (10_000, "1K<n<10K"), (100_000, "10K<n<100K"), (1_000_000, "100K<n<1M"))
    return next((name for limit, name in limits if rows < limit), "1M<n<10M")


def _quoted(text: str) -> str:
    """A text as YAML holds it in quotes; what does not print, or hides, as an escape."""
    return "".join(
        char if char.isprintable() else f"\\U{ord(char):08x}" if char > "\uffff" else f"\\u{ord(char):04x}"
        for char in json.dumps(text, ensure_ascii=False)
    )


def plain(text: str) -> str:
    """A name in a Markdown page: shown as it is, without HTML, links or hidden characters."""
    words = " ".join(clean(text).split())
    return _MARKUP.sub(r"\\\1", words).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
