"""Published and recomputed agreement figures, by the product's own functions and what is built on them.

    python tests/quality/oracles.py DATA

DATA is a folder with `oracles.json`, `ragchecker_meta.jsonl`, `wnut17_systems.jsonl` and `btc_crowd.jsonl`.
Every figure that can be had from those files is printed beside the expected one, to the digits given there;
exit 1 when one differs. Figures of data that is not there are named.
"""

from __future__ import annotations

import json
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from workbench.comparing.agreement import Distance, Overlap, Value, alpha, nominal
from workbench.comparing.paired import pearson, spearman

Row = Mapping[str, Any]
Figure = tuple[str, float, float]
SIDES = ("correctness", "completeness", "overall")
SCALE = (-2, -1, 0, 1, 2)


def read(path: Path) -> list[Row]:
    return [json.loads(line) for line in path.read_text("utf-8").splitlines() if line]


def ragchecker(rows: Sequence[Row], expected: Row, agreement: Row, kappas: Row) -> Iterator[Figure]:
    """Differences of two models' scores against two people's preferences on a scale from −2 to 2."""
    within = []
    for side in SIDES:
        scores = [[model["auto"][f"{side}_label"] for model in row["responses"]] for row in rows]
        deltas = np.array([second - first for first, second in scores])
        scaled = (deltas - deltas.min()) / (deltas.max() - deltas.min()) * 4 - 2
        people = [[one[side] for one in row["human_pairwise"]] for row in rows]
        both = np.array(people, dtype=float)
        machine = np.repeat(scaled, 2)
        for name, figure in (("pearson", pearson), ("spearman", spearman)):
            wanted = expected["ragchecker_vs_human"][side][name]
            yield f"RAGChecker {side} {name} against people", wanted, hundred(figure(machine, both.ravel()))
            wanted = expected["human_vs_human"][side][name]
            yield f"RAGChecker {side} {name} between people", wanted, hundred(figure(*both.T))
        yield f"RAGChecker {side} α ordinal", agreement[side], value(alpha(people, ordinal(people)).value)
        table = [[sum(pair == [a, b] for pair in people) for b in SCALE] for a in SCALE]
        yield f"RAGChecker {side} κ quadratic", kappas[side], value(weighted_kappa(table))
        within.append(float((np.abs(both[:, 0] - both[:, 1]) <= 1).mean()))
    yield "RAGChecker people within one", expected["within_one_agreement_published"], hundred(np.mean(within))


def wnut(rows: Sequence[Row], expected: Row) -> Iterator[Figure]:
    """F1 of seven systems: entities by place and type; surfaces by string and type, right once in place."""
    gold = [
        (n, e["start"], e["end"], e["label"], e["text"])
        for n, r in enumerate(rows)
        for e in r["gold_entities"]
    ]
    published = expected["published_seen"]["spinningbytes"]
    for system in expected["recomputed_entity_f1"]:
        found = [
            (n, e["start"], e["end"], e["label"], e["text"])
            for n, row in enumerate(rows)
            for e in row["auto_entities"][system]
        ]
        right = set(gold) & set(found)
        entity = Overlap(len(right), len(found), len(gold))
        surfaces = [{one[3:] for one in side} for side in (right, found, gold)]
        surface = Overlap(*map(len, surfaces))
        yield f"WNUT17 {system} entity F1", expected["recomputed_entity_f1"][system], hundred(entity.f1)
        yield f"WNUT17 {system} surface F1", expected["recomputed_surface_f1"][system], hundred(surface.f1)
        if system == "spinningbytes":
            yield "WNUT17 spinningbytes entity F1 as published", published["entity_f1"], hundred(entity.f1)
            yield "WNUT17 spinningbytes surface F1 as published", published["surface_f1"], hundred(surface.f1)


def crowd(rows: Sequence[Row], expected: Row) -> Iterator[Figure]:
    """Five workers' marks of tokens, by type: a token is in an entity or not."""
    for label, wanted in expected.items():
        items = [
            tuple(place in worker["tokens"] for worker in row["judgments"][label])
            for row in rows
            if label in row["judgments"]
            for place in range(len(row["tokens"]))
        ]
        yield f"Broad Twitter {label} α nominal by token", wanted, value(alpha(items, nominal).value)


def weighted_kappa(table: Sequence[Sequence[int]]) -> float | None:
    """Cohen's κ with quadratic weights for ordered categories (1968); None where it is undefined."""
    n = sum(map(sum, table))
    rows, columns = [sum(row) for row in table], [sum(column) for column in zip(*table, strict=True)]
    size = range(len(table))
    seen = sum(table[i][j] * (i - j) ** 2 for i in size for j in size) * n
    expected = sum(rows[i] * columns[j] * (i - j) ** 2 for i in size for j in size)
    return 1 - seen / expected if expected else None


def ordinal(items: Sequence[Sequence[Value | None]]) -> Distance[Value]:
    """The distance of ranks: the squared number of values between two, half of each end counted.

    It depends on how often each value was given, so it is made from the same items.
    """
    counts = Counter(
        value
        for item in items
        if sum(value is not None for value in item) > 1
        for value in item
        if value is not None
    )
    below: dict[Value, float] = {}
    passed = 0.0
    for value in sorted(counts):  # type: ignore[type-var]
        below[value] = passed + counts[value] / 2
        passed += counts[value]
    return lambda one, other: (below[one] - below[other]) ** 2


def hundred(share: Any) -> float:
    return 100 * value(share)


def value(figure: float | None) -> float:
    return float("nan") if figure is None else float(figure)


def digits(number: float) -> int:
    """Decimals as printed; 60.9 stands for 60.90."""
    return max(2, len(str(number).partition(".")[2]))


def main() -> int:
    if len(sys.argv) != 2:
        print(__doc__)
        return 2
    data = Path(sys.argv[1])
    oracles = json.loads((data / "oracles.json").read_text("utf-8"))
    recomputed = oracles["recomputed_only"]
    parts: list[Callable[[], Iterator[Figure]]] = [
        lambda: ragchecker(
            read(data / "ragchecker_meta.jsonl"),
            oracles["ragchecker_table2"],
            recomputed["ragchecker_krippendorff_ordinal"],
            recomputed["ragchecker_quadratic_kappa"],
        ),
        lambda: wnut(read(data / "wnut17_systems.jsonl"), oracles["wnut17"]),
        lambda: crowd(read(data / "btc_crowd.jsonl"), recomputed["btc_e_krippendorff_nominal_token"]),
    ]
    wrong = total = 0
    for part in parts:
        for name, wanted, found in part():
            total += 1
            same = abs(found - wanted) <= 0.5 * 10 ** -digits(wanted) + 1e-9
            wrong += not same
            print(f"{'  ' if same else '✗ '}{name:<48} {wanted:>9} {found:>12.5f}")
    print(f"{total - wrong} of {total} figures as expected")
    print("not in these files: MT-RAG, the FactRuEval systems' answers")
    return 1 if wrong else 0


if __name__ == "__main__":
    raise SystemExit(main())
