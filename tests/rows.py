"""Rows of files as tests write them: a sample, what a proposer names, and what a person verified."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Mapping
from pathlib import Path
from typing import Any

Row = dict[str, Any]


def sample(key: str, reference: str, *contexts: str, **more: Any) -> Row:
    """A sample with a question of its own."""
    given = {"id": key, "user_input": f"question {key}", "reference": reference}
    return {**given, "retrieved_contexts": list(contexts), **more}


def units(names: Iterable[str], label: str = "place") -> list[Row]:
    return [{"text": name, "label": label} for name in names]


def proposal(names: Iterable[str], *contexts: Iterable[str | Row], proposer: str = "p", **more: Any) -> Row:
    """Places that a proposer named in the reference and in each context."""
    listed = [list(one) for one in contexts]
    return {"proposer": proposer, "reference_entities": units(names), "context_entities": listed, **more}


def gold(verdicts: Mapping[str, str], annotator: str = "gina", label: str = "place") -> Row:
    """What a person said of some names."""
    listed = [{"text": name, "label": label, "verdict": said} for name, said in verdicts.items()]
    return {"annotator": annotator, "entities": listed}


def naming(key: str, names: Collection[str], inside: Iterable[str], *, also: str = "", **more: Any) -> Row:
    """A sample that is a list of places, `inside` the one context, with a proposal of both."""
    inside = list(inside)
    row = sample(key, ", ".join(names) + ".", ", ".join(inside) + "." + also)
    return {**row, "proposal": proposal(names, inside), **more}


def lines(rows: Iterable[Row | str]) -> str:
    """Rows as JSON lines; a string is a line as it is."""
    return "".join(
        (row if isinstance(row, str) else json.dumps(row, ensure_ascii=False)) + "\n" for row in rows
    )


def write_rows(path: Path | str, rows: Iterable[Row | str]) -> Path:
    path = Path(path)
    path.write_text(lines(rows), "utf-8", newline="\n")
    return path
