"""How well the rules propose names, against what people marked.

    python -m tests.quality.proposing DATA

DATA is a folder with `redocred_dev.jsonl` (English), `factrueval_dev.jsonl` (Russian): documents in which
people marked names, of which only the references are read; and `wnut17_systems.jsonl` (English posts). A
proposal counts when its span equals a marked one to the character. Two countings:

- entities: one span for each marked entity, its first mention; every other proposal is wrong, also a right
  second name of the same entity;
- surfaces: every distinct marked string at its first place, as the proposer lists them.

`typed` asks for the label too; work, event, other and what the policy does not know are one there, since the
corpora do not part them. The Russian corpus and the posts have no dates and numbers marked, so proposals
labelled so are left out of them (the last line puts them back). Every figure has a 95 % bootstrap interval
over documents (1,000 resamples, seed 0).
"""

from __future__ import annotations

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


def precision(counts: Sequence[Counts]) -> float:
    return sum(c.common for c in counts) / max(1, sum(c.proposed for c in counts))


def recall(counts: Sequence[Counts]) -> float:
    return sum(c.common for c in counts) / max(1, sum(c.marked for c in counts))


def f1(counts: Sequence[Counts]) -> float:
    return 2 * sum(c.common for c in counts) / max(1, sum(c.proposed + c.marked for c in counts))


def report(title: str, counts: Sequence[Counts]) -> None:
    shown = "  ".join(
        f"{name} {bootstrapped(counts, fn)}" for name, fn in (("P", precision), ("R", recall), ("F", f1))
    )
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
    }


def count(said: Marked, marked: Marked) -> Counts:
    return Counts(len(said), len(marked), len(said.keys() & marked.keys()))


def of_label(marked: Marked, label: str) -> set[tuple[tuple[int, int], str]]:
    return {item for item in marked.items() if not label or item[1] == label}


def typed(said: Marked, marked: Marked, label: str = "") -> Counts:
    ours, theirs = of_label(said, label), of_label(marked, label)
    return Counts(len(ours), len(theirs), len(ours & theirs))


def measure(path: Path, lang: str, without: frozenset[str]) -> None:
    rows = [in_form(row) for row in rows_of(path)]
    said = [proposals(row, lang, without) for row in rows]
    by_entity = [first_mentions(row) for row in rows]
    by_surface = [surfaces(row) for row in rows]
    name = f"{path.stem} ({len(rows)} documents)"
    print(name)
    report("  untyped, entities", [count(a, b) for a, b in zip(said, by_entity, strict=True)])
    report("  untyped, surfaces", [count(a, b) for a, b in zip(said, by_surface, strict=True)])
    report("  typed, surfaces", [typed(a, b) for a, b in zip(said, by_surface, strict=True)])
    for label in sorted({label for marked in by_surface for label in marked.values()}):
        report(f"    {label}", [typed(a, b, label) for a, b in zip(said, by_surface, strict=True)])
    if without:
        every = [proposals(row, lang, frozenset()) for row in rows]
        report(
            "  untyped, surfaces, with dates and numbers",
            [count(a, b) for a, b in zip(every, by_surface, strict=True)],
        )


def main() -> None:
    data = options(__doc__, data=Path).data
    measure(data / "redocred_dev.jsonl", "en", frozenset())
    measure(data / "factrueval_dev.jsonl", "ru", UNMARKED)
    measure(data / "wnut17_systems.jsonl", "en", UNMARKED)


if __name__ == "__main__":
    main()
