"""deepeval goldens and test cases as JSON lists; the native row travels in `additional_metadata`."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from workbench.formats.item import OBJECT, Item, Surroundings, Wrote, list_into, row_text
from workbench.text.json_text import compact, object_text

GOLDENS = "goldens.json"
CASES = "test_cases.json"


def write_goldens(folder: Path, items: Iterable[Item], about: Surroundings) -> Wrote:
    """Write `goldens.json`, which `EvaluationDataset.add_goldens_from_json_file` reads without loss."""
    wrote = Wrote()
    with list_into(folder / GOLDENS) as add:
        for item in items:
            sample = item.sample
            add(
                object_text(
                    (
                        *_common(item),
                        ("name", compact(sample.id)),
                        ("comments", "null"),
                        ("source_file", "null"),
                        ("tools_called", "null"),
                        ("expected_tools", "null"),
                        ("additional_metadata", object_text([(OBJECT, row_text(item))])),
                        ("custom_column_key_values", "null"),
                    )
                )
            )
            wrote.rows += 1
    return wrote


def write_cases(folder: Path, items: Iterable[Item], about: Surroundings) -> Wrote:
    """Write `test_cases.json`; samples without a response are left out: a test case tests one."""
    wrote = Wrote()
    with list_into(folder / CASES) as add:
        for item in items:
            if item.sample.response is None:
                wrote.left["no response: nothing to test"] += 1
                continue
            metadata = object_text([(OBJECT, row_text(item))])
            name = ("name", compact(item.sample.id))
            add(object_text((*_common(item), name, ("additional_metadata", metadata))))
            wrote.rows += 1
    return wrote


def _common(item: Item) -> list[tuple[str, str]]:
    sample = item.sample
    return [
        ("input", compact(sample.user_input)),
        ("actual_output", compact(sample.response)),
        ("expected_output", compact(sample.reference)),
        ("retrieval_context", compact(list(sample.retrieved_contexts))),
        ("context", "null"),
    ]
