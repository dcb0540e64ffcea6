"""How fast names are linked, looked up and grounded. Prints only; nothing is asserted.

    python tests/benchmarks/matching.py [rounds]

Records are synthetic: 13 reference names against 35 candidates, as large as the samples of a retriever
with four contexts. Times are medians of rounds interleaved with a floor measured in the same run (an
exact set intersection of the same names), so that the ratios hold on another machine.
"""

from __future__ import annotations

import random
import statistics
import sys
import time
from collections.abc import Callable

from workbench.matching.names import Name, best
from workbench.matching.nearest import nearest
from workbench.matching.presence import presence
from workbench.text.ground import ground

RECORDS = 600
SYLLABLES = "ka lo mer tin vas dor el bran su rik han po let mar wen gor ash ti no ber".split()
KINDS = ("person", "place", "organisation", "date", "number", "work")
Record = tuple[list[Name], list[Name]]


def word(rng: random.Random) -> str:
    return "".join(rng.choices(SYLLABLES, k=rng.randint(2, 4))).capitalize()


def name(rng: random.Random) -> Name:
    kind = rng.choice(KINDS)
    if kind == "date":
        return Name(f"{rng.randint(1, 28)} {rng.choice(['March', 'July'])} {rng.randint(1800, 2020)}", kind)
    if kind == "number":
        return Name(str(rng.randint(2, 90_000)), kind)
    return Name(" ".join(word(rng) for _ in range(rng.randint(1, 3))), kind)


def record(rng: random.Random) -> Record:
    """13 names, and 35 of which every third comes from them: equal, shortened, inflected or mistyped."""
    references = [name(rng) for _ in range(13)]
    candidates = [name(rng) for _ in range(23)]
    for source in rng.choices(references, k=12):
        text = source.text
        change = rng.randrange(4)
        if change == 1:
            text = text.split()[-1]
        elif change == 2:
            text += "s"
        elif change == 3 and len(text) > 6:
            text = text[:3] + text[4:]
        candidates.append(Name(text, source.label))
    rng.shuffle(candidates)
    return references, candidates


def seconds(run: Callable[[], object]) -> float:
    start = time.perf_counter()
    run()
    return time.perf_counter() - start


def link_all(records: list[Record]) -> None:
    for references, candidates in records:
        best(references, candidates, lang="en")


def exact_all(records: list[Record]) -> None:
    for references, candidates in records:
        {name.text for name in references} & {name.text for name in candidates}


def edits(records: list[Record], rng: random.Random) -> list[float]:
    """Seconds to link a record again after one reference name was changed."""
    times = []
    for references, candidates in records[:200]:
        best(references, candidates, lang="en")
        changed = list(references)
        changed[rng.randrange(len(changed))] = Name(f"{word(rng)} {word(rng)}", "person")
        times.append(seconds(lambda c=changed, k=candidates: best(c, k, lang="en")))  # type: ignore[misc]
    return times


def main(rounds: int) -> None:
    rng = random.Random(7)
    records = [record(rng) for _ in range(RECORDS)]
    cold = RECORDS / seconds(lambda: link_all(records))
    floors, warm = [], []
    for _ in range(rounds):
        floors.append(seconds(lambda: exact_all(records)))
        warm.append(seconds(lambda: link_all(records)))
    ratio = statistics.median(w / f for w, f in zip(warm, floors, strict=True))
    print(f"floor, exact sets      {RECORDS / statistics.median(floors):>10,.0f} records/s")
    print(f"linked, cold           {cold:>10,.0f} records/s")
    print(
        f"linked, warm           {RECORDS / statistics.median(warm):>10,.0f} records/s  {ratio:,.0f} x floor"
    )
    again = edits(records, rng)
    print(f"one record after edit  {1e6 * statistics.median(again):>10,.0f} us median")

    contexts = [" ".join(f"The {n.text} was seen in" for n in c) + "." for _, c in records[:50]]
    names = records[0][0]
    looked = statistics.median(
        seconds(lambda: presence(names, contexts[:4], lang="en")) for _ in range(rounds)
    )
    print(f"presence, 13 x 4 kB    {1e3 * looked:>10.2f} ms")
    megabyte = (" ".join(contexts) * (1_000_000 // len(" ".join(contexts)) + 1))[:1_000_000]
    for label, quote in (
        ("exact", contexts[3][:80]),
        ("folded", contexts[3][:80].upper()),
        ("fuzzy", "Qx" + contexts[3][2:80]),
    ):
        took = statistics.median(seconds(lambda q=quote: ground(q, megabyte)) for _ in range(rounds))  # type: ignore[misc]
        print(f"ground {label:<7} in 1 MB {1e3 * took:>9.1f} ms")
    took = seconds(lambda: nearest(names[0].text, [megabyte[i : i + 200_000] for i in range(0, 10_000, 100)]))
    print(f"nearest in 100 x 200 kB {1e3 * took:>9.0f} ms")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 5)
