"""ragas EvaluationDataset as JSON Lines: its own keys and nothing else, ours in a file beside it."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

from workbench.formats.item import Item, Surroundings, Wrote, as_ascii, lines_into, row_text
from workbench.text.json_text import compact

DATASET = "dataset.jsonl"
BESIDE = "dataset.workbench.jsonl"

_TEXTS = ("persona_name", "query_style", "query_length")
_LISTS = ("reference_contexts", "multi_responses")
_IDS = ("retrieved_context_ids", "reference_context_ids")
ORDER = (
    "user_input", "retrieved_contexts", "reference_contexts", "retrieved_context_ids",
    "reference_context_ids", "response", "multi_responses", "reference", "rubrics", "persona_name",
    "query_style", "query_length",
)  # fmt: skip
"""The keys of a single-turn sample, in the order in which ragas writes them."""


def write(folder: Path, items: Iterable[Item], about: Surroundings) -> Wrote:
    """Write `dataset.jsonl`, in ASCII for ragas opens it in the system's encoding, and the rows beside it.

    Keys that came with a ragas file, and were kept in `meta`, stand in their own place again where they have
    the type that ragas expects.
    """
    wrote = Wrote()
    with lines_into(folder / DATASET) as line, lines_into(folder / BESIDE) as beside:
        for item in items:
            line(as_ascii(compact(_sample(item))) + "\n")
            beside(row_text(item) + "\n")
            wrote.rows += 1
    return wrote


def _sample(item: Item) -> dict[str, Any]:
    sample = item.sample
    given: dict[str, Any] = {key: value for key, value in sample.meta.items() if _fits(key, value)}
    given |= {
        "user_input": sample.user_input,
        "retrieved_contexts": list(sample.retrieved_contexts),
        "reference": sample.reference,
    }
    if sample.response is not None:
        given["response"] = sample.response
    return {key: given[key] for key in ORDER if key in given}


def _fits(key: str, value: Any) -> bool:
    if key in _TEXTS:
        return isinstance(value, str)
    if key in _LISTS:
        return isinstance(value, list) and all(isinstance(one, str) for one in value)
    if key in _IDS:
        return isinstance(value, list) and all(type(one) in (str, int) for one in value)
    if key == "rubrics":
        return isinstance(value, dict) and all(isinstance(one, str) for one in value.values())
    return False
