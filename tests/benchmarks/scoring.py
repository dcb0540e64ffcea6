"""Speed of counting, as ratios to floors measured in the same run, and growth from 10,000 to 1,000,000.

Floors: for `ragas` a bare set intersection of the same strings; for the curve a copy of the vector.

    python tests/benchmarks/scoring.py [RECORDS]
"""

from __future__ import annotations

import random
import statistics
import sys
import time
from collections.abc import Callable
from functools import partial

import numpy as np

from workbench import model
from workbench.comparing.curve import Vectors, mean_curve, overlay, vectors
from workbench.model import Proposal, ProposedEntity
from workbench.scoring.scorers import exact_strings


def proposals(number: int) -> list[Proposal]:
    """Thirteen reference entities and 35 context entities each, a third of them shared."""
    chance = random.Random(3)
    names = [f"Name {index}" for index in range(400)]

    def entities(size: int) -> tuple[ProposedEntity, ...]:
        return tuple(ProposedEntity(name) for name in chance.sample(names, size))

    few = [Proposal("x", "", entities(13), (entities(20), entities(15))) for _ in range(2_000)]
    return [few[index % len(few)] for index in range(number)]


def timed(work: Callable[[], object]) -> float:
    start = time.process_time()
    work()
    return time.process_time() - start


def ratio(
    ours: Callable[[], object], floor: Callable[[], object], rounds: int = 5
) -> tuple[float, float, float]:
    """Medians of five interleaved rounds: our seconds, the floor's, and the ratio round by round."""
    pairs = [(timed(ours), timed(floor)) for _ in range(rounds)]
    return (
        statistics.median(a for a, _ in pairs),
        statistics.median(b for _, b in pairs),
        statistics.median(a / b for a, b in pairs if b),
    )


def automatic(known: Vectors) -> object:
    return mean_curve(known.similarity, known)


def verified(known: Vectors) -> object:
    return mean_curve(overlay(known), known)


def report(size: int, name: str, measured: tuple[float, float, float]) -> None:
    ours, _, by = measured
    print(f"{size:>9,} {name}: {ours * 1e3:.1f} ms, {by:,.0f} × a copy of the vector")


def main() -> None:
    sizes = [int(sys.argv[1])] if len(sys.argv) > 1 else [10_000, 100_000, 1_000_000]
    for size in sizes:
        stored = proposals(size)
        plain = [
            (
                [e.text for e in p.reference_entities or ()],
                [e.text for c in p.context_entities or () for e in c],
            )
            for p in stored[:2_000]
        ]

        def count(rows: list[Proposal] = stored) -> None:
            for proposal in rows:
                names, contexts = proposal.reference_entities or (), proposal.context_entities or ()
                model.count(exact_strings(names, contexts, "ragas").units)

        def intersect(rows: list[tuple[list[str], list[str]]] = plain, times: int = size // 2_000) -> None:
            for _ in range(times):
                for reference, contexts in rows:
                    len(set(reference) & set(contexts))

        ours, _, by = ratio(count, intersect, rounds=3)
        print(f"{size:>9,} ragas: {size / ours:>9,.0f} records/s, {by:.2f} × a bare set intersection")

        chance = np.random.default_rng(5)
        similarities = [chance.integers(0, 101, 13, dtype=np.uint8).tobytes() for _ in range(2_000)]
        human = [chance.integers(0, 4, 13, dtype=np.uint8).tobytes() for _ in range(2_000)]
        known = vectors(similarities * (size // 2_000), human * (size // 2_000))
        report(size, "curve", ratio(partial(automatic, known), known.similarity.copy))
        report(size, "verified curve", ratio(partial(verified, known), known.similarity.copy))


if __name__ == "__main__":
    main()
