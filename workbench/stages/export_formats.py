"""The formats of an export by name: who writes each, and what each of them is worth."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from workbench.formats import (
    conll,
    deepeval_out,
    evaluation_dataset,
    few_shot,
    flat,
    huggingface,
    label_studio_out,
    prodigy_out,
    ragas_annotations,
)
from workbench.formats.item import Item, Surroundings, Writer, Wrote, lines_into, record_of
from workbench.formats.native_out import to_line

SAMPLES = "samples.jsonl"
VERDICTS = "verdicts.jsonl"


def _native(part: Path, items: Iterable[Item], about: Surroundings) -> Wrote:
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
    "ragas": evaluation_dataset.write,
    "ragas-annotations": ragas_annotations.write,
    "deepeval-goldens": deepeval_out.write_goldens,
    "deepeval-cases": deepeval_out.write_cases,
    "huggingface": huggingface.write,
    "label-studio": label_studio_out.write,
    "prodigy": prodigy_out.write,
    "conll": conll.write,
    "csv": flat.write,
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
