"""The formats of an export by name: who writes each, and what each of them is worth."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from workbench.formats.exports import evaluators, few_shot, label_studio, spans
from workbench.formats.exports import tables as table_exports
from workbench.formats.exports.item import (
    ExportItem,
    Surroundings,
    Writer,
    Wrote,
    lines_into,
    record_of,
    to_line,
)

SAMPLES = "samples.jsonl"
VERDICTS = "verdicts.jsonl"


def _native(part: Path, items: Iterable[ExportItem], about: Surroundings) -> Wrote:
    wrote = Wrote()
    with lines_into(part / SAMPLES) as line, lines_into(part / VERDICTS) as verdict:
        for item in items:
            line(to_line(record_of(item)))
            for one in item.verdicts:
                verdict(one)
            wrote.rows += 1
    return wrote


WRITERS: dict[str, Writer] = {
    "native": _native,
    "ragas": evaluators.write_dataset,
    "ragas-annotations": evaluators.write_annotations,
    "deepeval-goldens": evaluators.write_goldens,
    "deepeval-cases": evaluators.write_cases,
    "huggingface": table_exports.write_huggingface,
    "label-studio": label_studio.write,
    "prodigy": spans.write_prodigy,
    "conll": spans.write_conll,
    "csv": table_exports.write_csv,
    "few-shot": few_shot.write,
}
FORMATS = tuple(WRITERS)

WITH_SPLIT = frozenset({"csv"})
"""Formats that say in every row which split it is of; the others get a folder for each."""

WITHOUT_TEXT = frozenset({"csv"})
"""Formats that are worth something as hashes and figures."""

WITH_ESTIMATES = frozenset({"huggingface"})
"""Formats whose manifest says what the dataset comes to: it takes every difference to be explained."""

WITH_SCORES = frozenset({"csv", "huggingface"})
