"""How well names are linked and found, against what people said.

    python -m tests.quality.matching DATA [--without-russian]

DATA is a folder with `redocred_dev.jsonl`, `factrueval_dev.jsonl` (documents in which people marked
mentions, entities and coreference) and, in `native/`, the same texts with proposals recorded from a
model (`claude_*_dev.jsonl`). The first lines measure the pairs in `fixtures/match_pairs.json`, which
are also tests. `--without-russian` leaves the dictionary of the extra `russian` out.

Every figure comes with n and a 95 % bootstrap interval over documents (1,000 resamples, seed 0). Bias is
the mean of automatic recall − human recall, MAE the mean of its size, both per document.
"""

import json
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Sequence
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


def report(title: str, outcomes: Sequence[Outcome], *, counted: bool) -> None:
    figures: dict[str, Callable[[Sequence[Outcome]], float]] = {"F1": f1} if counted else {}
    figures["bias"] = lambda some: mean(o.automatic - o.human for o in some)
    figures["MAE"] = lambda some: mean(abs(o.automatic - o.human) for o in some)
    shown = "   ".join(f"{name} {bootstrapped(outcomes, one, '+.3f')}" for name, one in figures.items())
    print(f"{title:<52} n={len(outcomes):>3}  {shown}")


def outcome(said: Iterable[bool], human: Iterable[bool]) -> Outcome:
    pairs = list(zip(said, human, strict=True))
    counts = Counter(pairs)
    true, false, lost = (counts[pair] for pair in ((True, True), (True, False), (False, True)))
    return Outcome(true, false, lost, mean(a for a, _ in pairs), mean(h for _, h in pairs))


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


def named(entities: Iterable[Row]) -> list[Name]:
    return [Name(entity["text"], entity["label"]) for entity in entities]


def said(names: Sequence[Name], candidates: Sequence[Name], row: Row, lang: str) -> dict[str, list[bool]]:
    """What each way of matching finds of some names, among the names in the contexts or in their text."""
    texts = {candidate.text for candidate in candidates}
    return {
        "exact": [name.text in texts for name in names],
        "linked": linked(names, candidates, lang),
        "presence": looked_up(names, row, lang),
    }


def with_gold_mentions(path: Path, lang: str) -> None:
    """People's own mentions: every reference entity against every mention in the contexts."""
    results = defaultdict[str, list[Outcome]](list)
    for row in rows_of(path):
        if not (entities := row["reference_entities"]):
            continue
        names = named(entities)
        marked = [(entity["label"], one) for entity in row["context_entities"] for one in entity["mentions"]]
        mentions = [Name(one["text"], label) for label, one in marked]
        lenient = {"presence, nested found": looked_up(names, row, lang, nested_found=True)}
        for title, found in (said(names, mentions, row, lang) | lenient).items():
            results[title].append(outcome(found, [entity["in_context"] for entity in entities]))
    for title, outcomes in results.items():
        report(f"{path.stem}: {title}", outcomes, counted=True)


def with_proposals(path: Path, lang: str, labels: Sequence[str] | None) -> None:
    """Proposals of a model against the recall that people's units give."""
    results = defaultdict[str, list[Outcome]](list)

    def chosen(entities: Iterable[Row]) -> list[Row]:
        return [entity for entity in entities if labels is None or entity["label"] in labels]

    for row in rows_of(path):
        gold, proposal = chosen(row["gold"]["entities"]), row["proposal"]
        names = named(chosen(proposal["reference_entities"]))
        if not gold or not names:
            continue
        candidates = [name for context in proposal["context_entities"] for name in named(chosen(context))]
        human = mean(entity["verdict"] == "found" for entity in gold)
        for title, found in said(names, candidates, row, lang).items():
            results[title].append(Outcome(0, 0, 0, mean(found), human))
    for title, outcomes in results.items():
        of = f"{path.stem}{' ' + '/'.join(labels) if labels else ''}"
        report(f"{of}: {title}"[:52], outcomes, counted=False)


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
