"""Does a verdict change by itself? Units that nobody touched are matched again, and moved out and back.

DATA is a folder of native rows. Rows with recorded proposals are opened with those; for the others the rules
propose, and `rules` names them. Every figure has to be 0.

    python -m tests.quality.verdicts DATA
"""

import tempfile
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

from tests.benchmarks.harness import options
from workbench.errors import InputError
from workbench.model import Unit
from workbench.reviewing.edits import Put
from workbench.reviewing.fold import followed
from workbench.stages import editing
from workbench.stages.import_ import ImportOptions, import_file
from workbench.stages.intents import shifted
from workbench.stages.propose import propose
from workbench.stages.review import Opened, open_sample
from workbench.store.datasets import find_dataset
from workbench.store.engine import open_store
from workbench.store.samples import sample_ids


class Changed(NamedTuple):
    """Units that were looked at, and those whose match another look or a way out and back changed."""

    units: int
    matched: list[str]
    moved: list[str]


def entities(opened: Opened) -> tuple[Unit, ...]:
    return opened.state.entity.assessment.units


def after(opened: Opened, edit: Put) -> Opened:
    """The sample after an edit, without writing it."""
    state = followed(opened.state, [("act", edit)])
    assert state is not None
    return replace(opened, state=state)


def out_and_back(opened: Opened, unit: Unit) -> Unit | None:
    """The unit after its right edge went out by a token and in again; None at the end of the text."""
    reference = opened.sample.reference
    now = opened
    for outward in (True, False):
        mine = next(one for one in entities(now) if one.id == unit.id)
        try:
            span = shifted(reference, mine.spans[0], left=False, outward=outward)
        except InputError:
            return None
        now = after(now, editing.set_span(now, mine, span))
    mine = next(one for one in entities(now) if one.id == unit.id)
    return mine if mine.spans[:1] == unit.spans[:1] else None  # a span that began or ended inside a token


def changed(samples: Iterator[Opened]) -> Changed:
    """What changes by itself in some samples."""
    units, by_matching, by_moving = 0, list[str](), list[str]()
    for opened in samples:
        for unit in filter(lambda unit: unit.counted, entities(opened)):
            name = f"{opened.sample.id}: {unit.text}"
            units += 1
            again = unit.match if editing.by_person(opened, unit) else editing.matched(opened, unit)[0].match
            if again != unit.match:
                by_matching.append(name)
            back = out_and_back(opened, unit) if unit.spans else None
            if back not in (None, unit):
                by_moving.append(name)
    return Changed(units, by_matching, by_moving)


def opened_of(path: Path, folder: Path, proposer: str) -> Iterator[Opened]:
    """Every sample of a file as a review opens it."""
    with closing(open_store(str(folder / f"{path.stem}.db"))) as store:
        import_file(store, path, ImportOptions(dataset="d", blind=0.0), annotator="importer")
        if proposer:
            propose(store, find_dataset(store, "d"), proposer, annotator="importer")
        for number in sample_ids(store, find_dataset(store, "d").id).values():
            yield open_sample(store, number, "ann")


def main() -> None:
    data: Path = options(__doc__, data=Path).data
    for path in sorted(data.glob("*.jsonl")):
        text = path.read_text("utf-8")
        if '"reference"' not in text[:100_000]:
            continue
        proposer = "" if '"proposal"' in text else "rules"
        with tempfile.TemporaryDirectory() as folder:
            found = changed(opened_of(path, Path(folder), proposer))
        print(
            f"{path.stem:30} {proposer or 'recorded':9} units {found.units:5}  "
            f"matched again: {len(found.matched):3} change  out and back: {len(found.moved):3} change"
        )


if __name__ == "__main__":
    main()
