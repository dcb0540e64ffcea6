"""How well the rules propose names, against what people marked.

    python -m tests.quality.proposing DATA

DATA is a folder with `redocred_dev.jsonl` (English), `factrueval_dev.jsonl` (Russian): documents in which
people marked names, of which only the references are read; and `wnut17_systems.jsonl` (English posts). A
proposal counts when its span equals a marked one to the character. Two countings:

- entities: one span for each marked entity, its first mention; every other proposal is wrong, also a right
  second name of the same entity;
- surfaces: every distinct marked string at its first place, as the proposer lists them.

`typed` asks for the label too; work, event, other and what the policy does not know are one there, since the
corpora do not part them. The Russian corpus and the posts have no dates, numbers and addresses marked, so
such proposals are left out of them (the last line puts them back). Every figure has a 95 % bootstrap interval
over documents (1,000 resamples, seed 0).
"""

import re
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from tests.benchmarks.harness import options
from tests.quality.labelled import Row, bootstrapped, rows_of
from workbench.matching.analysis import kind_of
from workbench.proposing.rules import entities

Marked = dict[tuple[int, int], str]
LABELS = {"time": "date", "num": "number", "corporation": "organisation", "group": "organisation"}
"""What the matcher has no word for."""
KNOWN = frozenset({"person", "place", "organisation", "date", "number"})
UNMARKED = frozenset({"date", "number"})


class Counts(NamedTuple):
    """One document: spans proposed, marked, and in both."""

    proposed: int
    marked: int
    common: int


def report(title: str, counts: Sequence[Counts]) -> None:
    """Precision, recall and their harmonic mean."""
    figures = {
        "P": lambda some: sum(c.common for c in some) / max(1, sum(c.proposed for c in some)),
        "R": lambda some: sum(c.common for c in some) / max(1, sum(c.marked for c in some)),
        "F": lambda some: 2 * sum(c.common for c in some) / max(1, sum(c.proposed + c.marked for c in some)),
    }
    shown = "  ".join(f"{name} {bootstrapped(counts, figure)}" for name, figure in figures.items())
    print(f"{title:<44} n={sum(c.marked for c in counts):>5}  {shown}")


def coarse(label: str) -> str:
    """The label as the corpora part them; what is none of the policy's counts as other."""
    known = LABELS.get(label.lower(), kind_of(label))
    return known if known in KNOWN else "other"


def in_form(row: Row) -> Row:
    """A post with its entities in the form of the documents: each mention is an entity."""
    if "gold_entities" not in row:
        return row
    marked = [{"label": one["label"], "mentions": [one]} for one in row["gold_entities"]]
    return {"reference": row["text"], "reference_entities": marked}


def first_mentions(row: Row) -> Marked:
    """One span for each marked entity."""
    found: Marked = {}
    for entity in row["reference_entities"]:
        mention = min(entity["mentions"], key=lambda one: (one["start"], -one["end"]))
        found[mention["start"], mention["end"]] = coarse(entity["label"])
    return found


def surfaces(row: Row) -> Marked:
    """Every distinct marked string at its first place."""
    mentions = [
        (mention["start"], mention["end"], coarse(entity["label"]))
        for entity in row["reference_entities"]
        for mention in entity["mentions"]
    ]
    found: Marked = {}
    seen: set[str] = set()
    for start, end, label in sorted(mentions):
        surface = row["reference"][start:end]
        if surface not in seen:
            seen.add(surface)
            found[start, end] = label
    return found


def proposals(row: Row, lang: str, without: frozenset[str]) -> Marked:
    listed = entities(row["reference"], lang)
    return {
        (one.start, one.end): coarse(one.label)
        for one in listed
        if one.start is not None and one.end is not None and one.label not in without
        if not (without and re.search("@|://|www[.]", one.text))
    }


def typed(said: Marked, marked: Marked, label: str = "") -> Counts:
    """Spans whose labels agree too; of one label, or of all."""
    ours, theirs = ({item for item in side.items() if label in ("", item[1])} for side in (said, marked))
    return Counts(len(ours), len(theirs), len(ours & theirs))


def untyped(said: Marked, marked: Marked) -> Counts:
    return Counts(len(said), len(marked), len(said.keys() & marked.keys()))


def measure(path: Path, lang: str, without: frozenset[str]) -> None:
    rows = [in_form(row) for row in rows_of(path)]
    said, every = ([proposals(row, lang, left) for row in rows] for left in (without, frozenset[str]()))
    by_entity, by_surface = map(first_mentions, rows), list(map(surfaces, rows))
    print(f"{path.stem} ({len(rows)} documents)")
    report("  untyped, entities", list(map(untyped, said, by_entity)))
    report("  untyped, surfaces", list(map(untyped, said, by_surface)))
    report("  typed, surfaces", list(map(typed, said, by_surface)))
    for label in sorted({label for marked in by_surface for label in marked.values()}):
        report(f"    {label}", [typed(a, b, label) for a, b in zip(said, by_surface, strict=True)])
    if without:
        report("  untyped, surfaces, with dates and numbers", list(map(untyped, every, by_surface)))


def main() -> None:
    data = options(__doc__, data=Path).data
    measure(data / "redocred_dev.jsonl", "en", frozenset())
    measure(data / "factrueval_dev.jsonl", "ru", UNMARKED)
    measure(data / "wnut17_systems.jsonl", "en", UNMARKED)


if __name__ == "__main__":
    main()
