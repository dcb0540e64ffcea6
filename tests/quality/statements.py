"""How well weighed words attribute statements, against domain experts and against a model's verdicts.

    python -m tests.quality.statements DATA

DATA is a folder with `native/expertqa_val_statements.jsonl`: claims of answers that experts judged against
evidence; and `native/claude_*_dev.jsonl`: statements that a model proposed and judged. Experts read the whole
page behind a link, a row holds an extract, so some of their `found` cannot be seen in the text. They call
missing whatever an answer gives no source for; "cited" leaves such claims out. κ has a 95 % bootstrap
interval over answers (1,000 resamples, seed 0), TPR (found by both / found by experts) and TNR (missing by
both / missing by experts) have Wilson intervals. Two constant judges show what the accuracy is worth.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from tests.benchmarks.harness import options
from tests.quality.labelled import Row, bootstrapped, rows_of, wilson
from workbench.proposing.rules.attribution import Passages, judge


class Verdict(NamedTuple):
    """Whether a statement is found: as the rules and as an expert said."""

    rules: bool
    expert: bool


def kappa(verdicts: Sequence[Verdict]) -> float:
    """Cohen's κ; 0 where both always say the same one thing."""
    n = len(verdicts)
    agreed = sum(v.rules == v.expert for v in verdicts) / n
    rules, expert = sum(v.rules for v in verdicts) / n, sum(v.expert for v in verdicts) / n
    chance = rules * expert + (1 - rules) * (1 - expert)
    return (agreed - chance) / (1 - chance) if chance < 1 else 0.0


def kappa_of(answers: Sequence[Sequence[Verdict]]) -> float:
    return kappa([verdict for answer in answers for verdict in answer])


def report(title: str, answers: Sequence[Sequence[Verdict]]) -> None:
    flat = [v for answer in answers for v in answer]
    found, missing = [v for v in flat if v.expert], [v for v in flat if not v.expert]
    print(
        f"{title:<18} n={len(flat)}  κ {bootstrapped(answers, kappa_of)}"
        f"  TPR {wilson(sum(v.rules for v in found), len(found))}"
        f"  TNR {wilson(sum(not v.rules for v in missing), len(missing))}"
        f"  accuracy {wilson(sum(v.rules == v.expert for v in flat), len(flat))}"
        f"  found {sum(v.rules for v in flat) / len(flat):.3f} against {len(found) / len(flat):.3f}"
    )


def judged(row: Row, statements: Sequence[Row], lang: str) -> list[Verdict]:
    known = Passages(row["retrieved_contexts"], lang)
    return [
        Verdict(judge(one["text"], known, lang).verdict == "found", one["verdict"] == "found")
        for one in statements
    ]


def main() -> None:
    native = options(__doc__, data=Path).data / "native"
    rows = [(row, row["gold"]["statements"]) for row in rows_of(native / "expertqa_val_statements.jsonl")]
    cited = [(row, [one for one in claims if "[" in one["text"]]) for row, claims in rows]
    answers = [judged(row, claims, "en") for row, claims in rows]
    report("experts", answers)
    report("experts, cited", [judged(row, claims, "en") for row, claims in cited])
    report("always found", [[v._replace(rules=True) for v in answer] for answer in answers])
    report("always missing", [[v._replace(rules=False) for v in answer] for answer in answers])
    for name, lang in (("redocred", "en"), ("factrueval", "ru")):
        read = rows_of(native / f"claude_{name}_dev.jsonl")
        report(f"model, {name}", [judged(row, row["proposal"]["statements"], lang) for row in read])


if __name__ == "__main__":
    main()
