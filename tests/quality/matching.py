"""How well names are linked and found, against what people said.

    python -m tests.quality.matching DATA [--without-russian]

DATA is a folder with `redocred_dev.jsonl`, `factrueval_dev.jsonl` (documents in which people marked
mentions, entities and coreference) and, in `native/`, the same texts with proposals recorded from a
model (`claude_*_dev.jsonl`). The first lines measure the pairs in `fixtures/match_pairs.json`, which
are also tests. `--without-russian` leaves the dictionary of the extra `russian` out.

Every figure comes with n and a 95 % bootstrap interval over documents (1,000 resamples, seed 0). Bias is
the mean of automatic recall − human recall, MAE the mean of its size, both per document.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from pathlib import Path
from statistics import mean
from typing import NamedTuple

from tests.benchmarks.harness import options
from tests.quality.labelled import Row, bootstrapped, rows_of
from workbench.matching.names import Name, best, similarity
from workbench.matching.presence import presence
from workbench.text import inflection

THRESHOLD = 85
PAIRS = Path(__file__).parents[2] / "fixtures" / "match_pairs.json"
NAMED = ("person", "place", "organisation")


class Outcome(NamedTuple):
    """Counts of one document, and its recall as counted automatically and by people."""

    true: int
    false: int
    lost: int
    automatic: float
    human: float


def f1(outcomes: Sequence[Outcome]) -> float:
    true = sum(o.true for o in outcomes)
    wrong = sum(o.false + o.lost for o in outcomes)
    return 2 * true / (2 * true + wrong) if true + wrong else 0.0


def bias(outcomes: Sequence[Outcome]) -> float:
    return mean(o.automatic - o.human for o in outcomes)


def mae(outcomes: Sequence[Outcome]) -> float:
    return mean(abs(o.automatic - o.human) for o in outcomes)


def report(title: str, outcomes: Sequence[Outcome], *, counted: bool) -> None:
    figures = [("bias", bias), ("MAE", mae)]
    if counted:
        figures.insert(0, ("F1", f1))
    shown = "   ".join(f"{name} {bootstrapped(outcomes, figure, '+.3f')}" for name, figure in figures)
    print(f"{title:<52} n={len(outcomes):>3}  {shown}")


def outcome(said: Iterable[bool], human: Iterable[bool]) -> Outcome:
    pairs = list(zip(said, human, strict=True))
    return Outcome(
        sum(a and h for a, h in pairs),
        sum(a and not h for a, h in pairs),
        sum(h and not a for a, h in pairs),
        mean(a for a, _ in pairs),
        mean(h for _, h in pairs),
    )


def linked(references: Sequence[Name], candidates: Sequence[Name], lang: str) -> list[bool]:
    links = best(references, candidates, lang=lang)
    return [found is not None and found.similarity >= THRESHOLD for found in links]


def looked_up(names: Sequence[Name], row: Row, lang: str, *, nested_found: bool = False) -> list[bool]:
    found = presence(names, row["retrieved_contexts"], lang=lang, nested_found=nested_found)
    return [match.verdict == "found" for match in found]


def pairs() -> None:
    """F1 of the conformance pairs, by language; pairs without labels, in-sample."""
    rows = json.loads(PAIRS.read_text(encoding="utf-8"))
    for group in ("en", "ru", "other"):
        chosen = [row for row in rows if (row["lang"] if row["lang"] in ("en", "ru") else "other") == group]
        outcomes = []
        for row in chosen:
            lang = None if row["lang"] == "mul" else row["lang"]
            said = similarity(Name(row["a"]), Name(row["b"]), lang)[0] >= THRESHOLD
            outcomes.append(outcome([said], [row["match"]]))
        print(f"{'pairs ' + group:<52} n={len(chosen):>3}  F1 {bootstrapped(outcomes, f1, '+.3f')}")


def with_gold_mentions(path: Path, lang: str) -> None:
    """People's own mentions: every reference entity against every mention in the contexts."""
    rows = [row for row in rows_of(path) if row["reference_entities"]]
    results: dict[str, list[Outcome]] = {
        "exact": [],
        "linked": [],
        "presence": [],
        "presence, nested found": [],
    }
    for row in rows:
        entities = row["reference_entities"]
        human = [entity["in_context"] for entity in entities]
        names = [Name(entity["text"], entity["label"]) for entity in entities]
        mentions = [
            Name(mention["text"], entity["label"])
            for entity in row["context_entities"]
            for mention in entity["mentions"]
        ]
        texts = {mention.text for mention in mentions}
        results["exact"].append(outcome([name.text in texts for name in names], human))
        results["linked"].append(outcome(linked(names, mentions, lang), human))
        results["presence"].append(outcome(looked_up(names, row, lang), human))
        lenient = looked_up(names, row, lang, nested_found=True)
        results["presence, nested found"].append(outcome(lenient, human))
    for title, outcomes in results.items():
        report(f"{path.stem}: {title}", outcomes, counted=True)


def with_proposals(path: Path, lang: str, labels: Sequence[str] | None) -> None:
    """Proposals of a model against the recall that people's units give."""
    results: dict[str, list[Outcome]] = {"exact": [], "linked": [], "presence": []}

    def chosen(entities: Iterable[Row]) -> list[Row]:
        return [entity for entity in entities if labels is None or entity["label"] in labels]

    for row in rows_of(path):
        gold, proposal = chosen(row["gold"]["entities"]), row["proposal"]
        names = [Name(entity["text"], entity["label"]) for entity in chosen(proposal["reference_entities"])]
        if not gold or not names:
            continue
        candidates = [
            Name(entity["text"], entity["label"])
            for context in proposal["context_entities"]
            for entity in chosen(context)
        ]
        human = mean(entity["verdict"] == "found" for entity in gold)
        texts = {candidate.text for candidate in candidates}
        for title, said in (
            ("exact", [name.text in texts for name in names]),
            ("linked", linked(names, candidates, lang)),
            ("presence", looked_up(names, row, lang)),
        ):
            results[title].append(Outcome(0, 0, 0, mean(said), human))
    for title, outcomes in results.items():
        report(
            f"{path.stem}{' ' + '/'.join(labels) if labels else ''}: {title}"[:52], outcomes, counted=False
        )


def main() -> None:
    given = options(__doc__, data=Path, without_russian=False)
    if given.without_russian:
        inflection.analyser = lambda: None  # type: ignore[assignment]
    data = given.data
    pairs()
    with_gold_mentions(data / "redocred_dev.jsonl", "en")
    with_gold_mentions(data / "factrueval_dev.jsonl", "ru")
    with_proposals(data / "native" / "claude_redocred_dev.jsonl", "en", None)
    with_proposals(data / "native" / "claude_factrueval_dev.jsonl", "ru", NAMED)
    with_proposals(data / "native" / "claude_factrueval_dev.jsonl", "ru", None)


if __name__ == "__main__":
    main()
