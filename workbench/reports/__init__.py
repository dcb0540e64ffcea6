"""What the command line prints: one JSON document for --json, or a text; progress on stderr."""

from __future__ import annotations

import json
import os
import re
import shlex
import sys
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, is_dataclass
from datetime import datetime
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any, TextIO

from workbench.model import KINDS, JsonObject, Progress, recall_of
from workbench.text.cells import cut_middle, fit, width, wrapped
from workbench.text.safe import clean

if TYPE_CHECKING:
    from workbench.comparing.figures import Figures
    from workbench.scoring.scorers import ScoreGate
    from workbench.stages.recompute import Scored, ScoreReport


ROUND_OFF = 1e-15
"""Differences and means of recalls below this are sums of fractions that cancel."""

LEAST = 20
"""Cells that the first column of a table has in the narrowest terminal: so much tells two runs apart."""
COMMAND = re.compile(
    r"\bworkbench\s+(?:agree|assign|audit|backup|calibrate|compare|copy|demo|diff|disputes|doctor|draw|export|import"
    r"|person(?:\s+(?:add|disable|list|pass))?+|plan|policy(?:\s+(?:aliases|edit|show))?+|propose|purge|review"
    r"|score(?:-files)?|serve|status|verify)(?![\w-])(?!\s+--(?:db|dataset)\b)"
)
"""Every command of the program, where neither a database nor a dataset follows."""

given: Callable[[], Mapping[str, str]] = dict
"""`--db` and `--dataset` as they were given to this command, for the commands that messages name."""

WITHHELD = "blind, and you are yet to decide it"
OTHERS = "verified by others, and you are yet to decide it"


def show(document: Any, text: str, *, as_json: bool, whole: bool = False) -> None:
    """Print one report on stdout: the document with --json, else the text.

    `document` may be a function that makes it: of many samples that takes longer than their text. A terminal
    gets its long lines wrapped, but `whole` where a program reads them.
    """
    if as_json:
        document = document() if callable(document) else document
        ascii_ = (sys.stdout.encoding or "").lower().replace("-", "") != "utf8"
        text = _safe_json(json.dumps(document, ensure_ascii=ascii_, indent=2, default=_plain))
    elif not whole:
        text = folded(text, columns_of(sys.stdout))
    sys.stdout.write(text if text.endswith("\n") else text + "\n")
    sys.stdout.flush()


def page(lines: Iterable[str]) -> str:
    """Some lines as one text that cannot steer a terminal."""
    return clean("\n".join(lines))


def table(
    head: Sequence[str],
    rows: Sequence[Sequence[str]],
    *,
    right: bool = False,
    whole: bool = False,
    room: int = 0,
) -> list[str]:
    """Columns padded by cells, so that wide characters keep them straight.

    `right`: all but the first stand to the right, as figures do. `whole`: no cell is cut; else a long one
    loses its middle, and one of the first column more, where a line has `room` for so many cells.
    """
    cells = [[clean(cell).replace("\n", " ") for cell in row] for row in (head, *rows)]
    widest = [max(width(row[column]) for row in cells) for column in range(len(head))]
    sizes = widest if whole else [min(wide, 40 if column else 32) for column, wide in enumerate(widest)]
    if room:
        sizes[0] = min(sizes[0], max(LEAST, room - sum(sizes[1:]) - 2 * len(sizes[1:])))
    return [
        "  ".join(
            fit(cut_middle(cell, size), size, right=right and column > 0)
            for column, (cell, size) in enumerate(zip(row, sizes, strict=True))
        ).rstrip()
        for row in cells
    ]


def columns_of(stream: TextIO) -> int:
    """The columns of the terminal that a stream writes to; 0 where it writes to none."""
    return os.get_terminal_size(stream.fileno()).columns if stream.isatty() else 0


def suggested(text: str) -> str:
    """The text with every command in it on the database and the dataset that were given."""
    options = "".join(f" {name} {shlex.quote(value)}" for name, value in given().items())
    return COMMAND.sub(lambda found: found[0] + options, text) if options else text


def folded(text: str, columns: int) -> str:
    """The text with lines of at most `columns` cells, wrapped between words; 0 wraps nothing.

    What goes on begins further right. A command to copy, and a line that is marked already, stay whole.
    """
    text = suggested(text)
    lines = text.split("\n") if columns else []
    for number, line in enumerate(lines):
        start = len(line) - len(line.lstrip())
        if width(line) > columns and not line.startswith("workbench ", start) and "\x1b" not in line:
            lines[number] = "\n".join(wrapped(line[start:], columns, " " * start, " " * (start + 4)))
    return "\n".join(lines) if columns else text


def _safe_json(text: str) -> str:
    """The same JSON with everything that steers a terminal as \\u escapes."""
    safe = clean(text)
    if safe == text:
        return text
    return "".join(
        char if char == other else f"\\u{ord(char):04x}" if char <= "\uffff" else json.dumps(char)[1:-1]
        for char, other in zip(text, safe, strict=True)
    )


def _plain(value: Any) -> Any:
    if isinstance(value, datetime):
        return value.isoformat()
    if isinstance(value, Fraction | Decimal):
        return float(value)
    return asdict(value) if is_dataclass(value) and not isinstance(value, type) else list(value)


def document(value: Any) -> Any:
    """The same as JSON has it: a dataclass with the fields of its repr and the figures that follow from them.

    What only rounding keeps from 0 (−5.55e-17) is 0.
    """
    if isinstance(value, float):
        return 0.0 if abs(value) < ROUND_OFF else value
    if isinstance(value, Path):
        return str(value)
    if isinstance(value, Mapping):
        return {str(name) if isinstance(name, Path) else name: document(part) for name, part in value.items()}
    if is_dataclass(value):
        own = ((name, part) for name, part in vars(type(value)).items() if not name.startswith("_"))
        follow = [name for name, part in own if isinstance(part, property)]
        shown = [name for name, part in value.__dataclass_fields__.items() if part.repr]
        return {name: document(getattr(value, name)) for name in (*shown, *follow)}
    return [*map(document, value)] if isinstance(value, list | tuple) else value


@contextmanager
def progress(title: str, total: int | None, *, unit: str = "samples") -> Iterator[Progress]:
    """A bar on stderr when that is a terminal; nothing otherwise."""
    if not sys.stderr.isatty():
        yield lambda _done: None
        return
    from rich import console, progress as bars

    amount = bars.DownloadColumn() if unit == "bytes" else bars.MofNCompleteColumn()
    columns = (bars.TextColumn("{task.description}"), bars.BarColumn(), amount, bars.TimeRemainingColumn())
    with bars.Progress(*columns, console=console.Console(stderr=True), transient=True) as bar:
        task = bar.add_task(title, total=total)
        yield lambda done: bar.update(task, completed=done)


def score_document(
    report: ScoreReport, gate: ScoreGate | None = None, names: Collection[str] = ()
) -> JsonObject:
    """The JSON document of `score`; of blind samples that are not decided yet no values.

    Of a `gate` whether it passed; samples that are not in `names` are counted and not named.
    """
    seen = report.seen
    left_out = {"examples": sorted(seen.examples), "with_groups": sorted(seen.related)}
    return {
        "dataset": report.dataset,
        "run": report.run,
        "match_threshold": report.threshold,
        **({"calibration": report.calibration} if report.calibration else {}),
        "n_samples": len(report.samples),
        "n_unproposed": report.unproposed,
        "samples": [_sample_document(row, withheld=row.id in report.withheld) for row in report.samples],
        "means": {name: asdict(mean) for name, mean in report.means.items()},
        **({"left_out": left_out} if seen.examples else {}),
        **({"gate": _gate_document(gate, names)} if gate else {}),
    }


def figures_document(source: Figures) -> JsonObject:
    """The JSON document of a scorer's figures.

    `exact` has the sums over all samples and both values of each listed one as fractions: value − verified
    is the sum of the shares, exactly. An imported value is its decimal as it is written.
    """
    figures: JsonObject = document(source)
    value, verified = figures.pop("sums")
    totals = [
        (cause.cause, part.part, part.units, part.share * cause.n)
        for cause in source.causes
        for part in cause.parts
    ]
    figures["exact"] = {
        **_exact(value, verified, totals),
        "rows": [
            {"id": row.id, **_exact(*row.exact, [(s.cause, s.part, s.units, s.share) for s in row.shares])}
            for row in source.rows
        ],
    }
    for row in figures["rows"]:
        del row["exact"]
    figures["scorers"] = figures.pop("beside")
    del figures["counted"]
    figures["labels"] = {
        name: {"strict": strict, "matched": matched} for name, (strict, matched) in figures["labels"].items()
    }
    return figures


def _exact(
    value: Fraction | None, verified: Fraction | None, shares: Iterable[tuple[str, str, int, Fraction | None]]
) -> JsonObject:
    return {
        "value": _ratio(value),
        "verified": _ratio(verified),
        "shares": [
            {"cause": cause, "part": part, "units": units, "share": _ratio(share)}
            for cause, part, units, share in shares
        ],
    }


def _ratio(value: Fraction | None) -> str | None:
    return None if value is None else str(value)


def _gate_document(gate: ScoreGate, names: Collection[str]) -> JsonObject:
    whole = asdict(gate)
    return whole | {list_: [n for n in whole[list_] if n in names] for list_ in ("below", "undefined")}


def _sample_document(row: Scored, *, withheld: bool) -> JsonObject:
    automatic = {} if withheld else row.automatic
    external = {} if withheld else row.external
    hidden = row.hidden & row.verified.keys()
    verified = {kind: {**asdict(tally), "value": recall_of(tally)} for kind, tally in row.verified.items()}
    return {
        "id": row.id,
        "automatic": {
            name: {**asdict(score.tally), "value": score.value} for name, score in automatic.items()
        },
        "verified": {kind: None if kind in hidden else verified.get(kind) for kind in KINDS},
        "external": {name: value for name, (value, _) in external.items()},
        **({"withheld": WITHHELD if withheld else OTHERS} if withheld or hidden else {}),
        "unresolved": sorted(row.unresolved),
        "excluded": sorted(row.excluded),
    }
