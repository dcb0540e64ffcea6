"""How often a suspicion is right, against people.

    python -m tests.quality.triage DATA

DATA is a folder with `native/expertqa_val_statements.jsonl` (statements that experts judged) and
`native/claude_redocred_dev.jsonl` (names that people linked, with recorded proposals).

No score of a real judge is in the first. So each sample is asked about as if its score were 0; a signal is
right when the share that the experts found is at least `LOW`. A reference that says that nothing was found
is asked about as if its score were 1; the signal is right when that share is at most .5. The base rate is the
same share of all samples: a signal has to beat it. The scores of names are ragas's own, counted exactly from
the recorded proposals, and the names that triage sees are those of the rules, as in a file without traces.
Shares have 95 % Wilson intervals.
"""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from fractions import Fraction
from functools import partial
from pathlib import Path

from tests.benchmarks.harness import options
from tests.quality.labelled import Row, rows_of, wilson
from workbench.comparing.triage import LOW, suspect
from workbench.model import Matching, Policy, ProposedEntity, Sample, Unit, count
from workbench.proposing import rules
from workbench.scoring.scorers import assess_all, exact_strings
from workbench.stages.measure import record_of

SAMPLE = ("id", "user_input", "reference", "retrieved_contexts", "meta")


def read(path: Path) -> list[tuple[Row, Sample]]:
    return [(row, record_of({name: row[name] for name in SAMPLE}).sample) for row in rows_of(path)]


def names(sample: Sample) -> Sequence[Unit]:
    """The names that the rules propose, looked up in the text."""
    assessments = assess_all(sample, rules.propose(sample), Matching(Policy(), 85), only=("presence",))
    return assessments["presence"].units


def share(verdicts: Sequence[Row]) -> float:
    return float(sum(one["verdict"] == "found" for one in verdicts) / len(verdicts))


def line(title: str, right: Sequence[bool], base: Sequence[bool]) -> str:
    if not right:
        return f"{title:<44} never fires"
    usual = sum(base) / len(base)
    return f"{title:<44} n={len(right):<4} right {wilson(sum(right), len(right))}  any sample {usual:.3f}"


def of_statements(rows: Sequence[tuple[Row, Sample]]) -> Iterator[str]:
    gold = [share(row["gold"]["statements"]) for row, _ in rows]
    fired: dict[str, list[float]] = defaultdict(list)
    for (_, sample), truth in zip(rows, gold, strict=True):
        units = names(sample)
        found = suspect(sample, 0.0, "statement", partial(tuple, units))
        if found is not None:
            fired[found.signal].append(truth)
        high = suspect(sample, 1.0, "statement", tuple)
        if high is not None and high.signal == "nothing found":
            fired[high.signal].append(truth)
    for signal in ("word for word", "all names"):
        title = f"low score, {signal}: the truth is ≥ {LOW}"
        yield line(title, [truth >= LOW for truth in fired[signal]], [truth >= LOW for truth in gold])
    said, usual = ([truth <= 0.5 for truth in some] for some in (fired["nothing found"], gold))
    yield line("reference says that nothing was found: ≤ .5", said, usual)


def of_names(rows: Sequence[tuple[Row, Sample]]) -> Iterator[str]:
    below: dict[bool, list[bool]] = {True: [], False: []}
    for row, sample in rows:
        score = recall(row["proposal"])
        if score is None or not row["gold"]["entities"]:
            continue
        truth, units = share(row["gold"]["entities"]), names(sample)
        found = suspect(sample, float(score), "entity", partial(tuple, units))
        below[found is not None and found.signal == "names"].append(truth > score + 0.1)
    yield line("low score, names in the text: more than .1 low", below[True], [*below[True], *below[False]])


def recall(given: Row) -> Fraction | None:
    """ragas's entity recall of recorded proposals, as an exact fraction."""

    def listed(entities: Sequence[Row]) -> tuple[ProposedEntity, ...]:
        return tuple(ProposedEntity(one["text"], one.get("label", "")) for one in entities)

    names, in_contexts = listed(given["reference_entities"]), [*map(listed, given["context_entities"])]
    return count(exact_strings(names, in_contexts, "ragas").units).recall


def false_alarms(paths: Sequence[Path]) -> Iterator[str]:
    """References of people that no rule may take for "nothing was found"; positives are shown to be read."""
    for path in paths:
        rows = read(path)
        said = [(sample, suspect(sample, 1.0, "statement", tuple)) for _, sample in rows]
        hits = [sample.reference for sample, found in said if found and found.signal == "nothing found"]
        yield f"“nothing was found” in {len(hits)} of {len(rows)} references of {path.name}"
        yield from (f"    {reference[:110]!r}" for reference in hits)


def main() -> None:
    data = options(__doc__, data=Path).data / "native"
    statements, linked = data / "expertqa_val_statements.jsonl", data / "claude_redocred_dev.jsonl"
    print(*of_statements(read(statements)), *of_names(read(linked)), sep="\n")
    unseen = data / "claude_factrueval_dev.jsonl"
    if unseen.exists():
        print("the same names signal on Russian news, which no threshold was chosen on:")
        print(*of_names(read(unseen)), sep="\n")
    others = [data / "redocred_dev.jsonl", data / "factrueval_dev.jsonl"]
    print(*false_alarms([statements, *(path for path in others if path.exists())]), sep="\n")


if __name__ == "__main__":
    main()
