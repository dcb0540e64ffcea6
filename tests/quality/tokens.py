"""Tokens per reference for both entity lists: ours against the two calls of ragas's context entity recall.

Counted with one tokeniser over everything sent and received: system text, JSON schema, fenced texts and
answers; for ragas 0.4 its whole prompt and answers. Both answer with the entities of the rule proposer, so
that only the shape of the answers differs. Needs ragas 0.4 and bpe-openai, which the project does not.

    python -m tests.quality.tokens FILE.jsonl [ROWS]
"""

from __future__ import annotations

import itertools
import json
import sys
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from workbench.model import Sample
from workbench.proposing.claude.answers import schema
from workbench.proposing.claude.asks import Ask, Setup, plan, system
from workbench.proposing.claude.prompt import FencedText, fenced
from workbench.proposing.rules import entities

Count = Callable[[str], int]


def read(path: Path, rows: int) -> list[Sample]:
    """The first rows of a JSON Lines file."""
    with path.open(encoding="utf-8") as file:
        listed = [json.loads(line) for line in itertools.islice(file, rows)]
    return [
        Sample(str(row["id"]), row["user_input"], row["reference"], tuple(row["retrieved_contexts"]))
        for row in listed
    ]


def answer(texts: Iterable[str]) -> str:
    """Our answer: the rule proposer's entities of every text, by label."""
    said = []
    for number, text in enumerate(texts, 1):
        groups: dict[str, list[str]] = {}
        for entity in entities(text):
            groups.setdefault(entity.label, []).append(entity.text)
        listed = [{"label": label, "names": names} for label, names in groups.items()]
        said.append({"text": number, "entities": listed})
    return json.dumps({"texts": said}, ensure_ascii=False, separators=(",", ":"))


def ours(asks: Iterable[Ask], count: Count) -> tuple[int, int, int]:
    """Calls, tokens sent and tokens received."""
    setup, calls, sent, received = Setup(), 0, 0, 0
    for ask in asks:
        shape = json.dumps(schema(ask.task, setup.labels), separators=(",", ":"))
        calls += 1
        sent += count(system(setup, ask.task)) + count(shape) + count(fenced(ask.pieces))
        received += count(answer(piece.text for piece in ask.pieces))
    return calls, sent, received


def theirs(samples: Iterable[Sample], count: Count, prompt: Callable[[str], str]) -> tuple[int, int, int]:
    """Calls, tokens sent and tokens received by two calls a sample."""
    calls = sent = received = 0
    for sample in samples:
        for text in (sample.reference, "\n".join(sample.retrieved_contexts)):
            calls += 1
            sent += count(prompt(text))
            received += count(
                json.dumps({"entities": [one.text for one in entities(text)]}, ensure_ascii=False)
            )
    return calls, sent, received


def one_call(sample: Sample) -> Ask:
    """Reference and contexts in one call: what was not chosen."""
    texts = (sample.reference, *sample.retrieved_contexts)
    pieces = tuple(FencedText("text", number, text) for number, text in enumerate(texts, 1))
    return Ask("entities", (sample.id,), len(texts), pieces)


def two_calls(sample: Sample) -> list[Ask]:
    """The reference in a call of its own, the contexts together: what was not chosen."""
    contexts = tuple(
        FencedText("text", number, text) for number, text in enumerate(sample.retrieved_contexts, 1)
    )
    return [
        Ask("entities", (sample.id,), 1, (FencedText("text", 1, sample.reference),)),
        Ask("entities", (sample.id,), len(contexts), contexts),
    ]


def main(path: Path, rows: int) -> None:
    """Print one line per way of asking, per sample."""
    import bpe_openai  # type: ignore[import-not-found]
    from ragas.metrics.collections.context_entity_recall.util import (
        ExtractEntitiesInput,
        ExtractEntitiesPrompt,
    )

    encoding: Any = bpe_openai.get_encoding("o200k_base")
    asked: Any = ExtractEntitiesPrompt()
    samples = read(path, rows)

    def count(text: str) -> int:
        return len(encoding.encode(text))

    peer = theirs(samples, count, lambda text: str(asked.to_string(ExtractEntitiesInput(text=text))))
    setup = Setup()
    ways = {
        "ragas, two calls": peer,
        "ours, packed": ours(plan(samples, setup, ("entity",)), count),
        "one call a sample": ours(map(one_call, samples), count),
        "two calls a sample": ours(itertools.chain.from_iterable(map(two_calls, samples)), count),
    }
    for name, (calls, sent, received) in ways.items():
        share = (sent + received) / (peer[1] + peer[2])
        per = [one / len(samples) for one in (calls, sent, received)]
        print(f"{name:20} {per[0]:5.2f} calls {per[1]:7.0f} sent {per[2]:6.0f} received {share:6.1%}")


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 50)
