"""ragas datasets, ragas metric annotations, deepeval goldens and test cases, and examples for a prompt.

An EvaluationDataset has ragas's own keys and nothing else; the native rows are in a file next to it.
`annotations.json` is for `MetricAnnotation.from_json` and `metric.train`, `single.json` for
`SingleMetricAnnotation.from_json`. ragas uses one prompt for the reference and for the contexts and keeps one
entry per prompt name in a sample, so every record gives two samples. The files for ragas are ASCII: it opens
them in the encoding of the system. In deepeval files the native row is in `additional_metadata`.
Examples are verified samples, one a line; never from the holdout or the blind arm.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial
from pathlib import Path

from workbench.formats.exports.item import (
    ExportItem,
    Writing,
    as_ascii,
    entities_of,
    lines_into,
    list_into,
    no_entities,
    row_text,
)
from workbench.formats.rows import OBJECT
from workbench.model import KINDS, PLURAL, Evidence, JsonObject, ProposedEntity, Unit, count
from workbench.text.ground import ground
from workbench.text.lists import compact, object_text

DATASET = "dataset.jsonl"
BESIDE = "dataset.workbench.jsonl"
DATASET_KEYS = ("user_input", "retrieved_contexts", "response", "reference")
"""What a row has, in the order in which ragas writes it."""


def write_dataset(folder: Path, out: Writing) -> None:
    """Write `dataset.jsonl`, in ASCII (ragas opens it in the system's encoding), and the rows next to it."""
    with lines_into(folder / DATASET) as line, lines_into(folder / BESIDE) as beside:
        for item in out.each():
            sample = item.sample
            values = {name: getattr(sample, name) for name in DATASET_KEYS}
            there = {name: value for name, value in values.items() if value is not None}
            line(as_ascii(compact(there)) + "\n")
            beside(row_text(item) + "\n")


METRIC = "context_entity_recall"
PROMPT = "extract_entities_prompt"
ANNOTATIONS = "annotations.json"
SINGLE = "single.json"


def write_annotations(folder: Path, out: Writing) -> None:
    """Write both files; samples without a defined verified recall are left out, for ragas needs a number."""
    with (
        list_into(folder / ANNOTATIONS, f'{{"{METRIC}": ', "}") as annotation,
        list_into(folder / SINGLE, f'{{"name": "{METRIC}", "samples": ', "}") as single,
    ):
        for item in out.each(_no_recall):
            for text in (_of_reference(item), _of_contexts(item)):
                annotation(text)
                single(text)


def _no_recall(item: ExportItem) -> str:
    undefined = count(entities_of(item)).recall is None
    return no_entities(item) or ("no entity: recall is undefined" if undefined else "")


def _of_reference(item: ExportItem) -> str:
    """What was extracted from the reference, the gold in its place where that differs, and the native row."""
    proposal = item.proposal
    gold = [unit.text for unit in entities_of(item)]
    given = proposal.reference_entities if proposal is not None else None
    proposed = gold if given is None else [entity.text for entity in given]
    line = _annotated_sample(item, item.sample.reference, proposed, gold, accepted=True)
    return f'{line[:-1]}, "workbench": {as_ascii(row_text(item))}}}'


def _of_contexts(item: ExportItem) -> str:
    """What was extracted from the contexts, with the evidence that it lacks.

    Nobody decides on context entities one by one. The sample is accepted only where every one of them is
    evidence of a unit, so that nothing unseen passes for verified.
    """
    contexts = item.sample.retrieved_contexts
    listed = (item.proposal.context_entities if item.proposal else None) or ()
    proposed = list(dict.fromkeys(entity.text for inner in listed for entity in inner))
    evidence = [
        evidence
        for unit in entities_of(item)
        if unit.match.verdict == "found"
        for evidence in unit.match.evidence
    ]
    surfaces = dict.fromkeys(e.of(contexts) for e in evidence)
    edited = [*proposed, *(surface for surface in surfaces if surface not in proposed)]
    reviewed = bool(listed) and all(
        _seen(entity, index, contexts[index], evidence)
        for index, inner in enumerate(listed)
        for entity in inner
    )
    return _annotated_sample(item, "\n".join(contexts), proposed, edited, accepted=reviewed)


def _seen(entity: ProposedEntity, context: int, text: str, evidence: Iterable[Evidence]) -> bool:
    """Whether a context entity overlaps a piece of evidence."""
    places = [(e.start, e.end) for e in evidence if e.context == context]
    if not places:
        return False
    own = entity.spans or ground(entity.text, text)
    return any(span.start < high and low < span.end for span in own for low, high in places)


def _annotated_sample(
    item: ExportItem, text: str, proposed: list[str], edited: list[str], *, accepted: bool
) -> str:
    sample, recall = item.sample, float(count(entities_of(item)).recall or 0)
    call = {
        "prompt_input": {"text": text},
        "prompt_output": {"entities": proposed},
        "edited_output": {"entities": edited} if edited != proposed else None,
    }
    value = {
        "metric_input": {
            "user_input": sample.user_input,
            "reference": sample.reference,
            "retrieved_contexts": list(sample.retrieved_contexts),
        },
        "metric_output": recall,
        "prompts": {PROMPT: call},
        "is_accepted": accepted,
        "target": recall,
    }
    return as_ascii(compact(value))


GOLDENS = "goldens.json"
CASES = "test_cases.json"


def write_goldens(folder: Path, out: Writing) -> None:
    """Write `goldens.json`, which `EvaluationDataset.add_goldens_from_json_file` reads without loss."""
    with list_into(folder / GOLDENS) as add:
        for item in out.each():
            add(object_text(_test_case(item, "comments", "source_file", "tools_called", "expected_tools")))


def write_cases(folder: Path, out: Writing) -> None:
    """Write `test_cases.json`; samples without a response are left out: a test case tests one."""
    with list_into(folder / CASES) as add:
        for item in out.each(
            lambda item: "no response: nothing to test" if item.sample.response is None else ""
        ):
            add(object_text(_test_case(item)))


def _test_case(item: ExportItem, *unused: str) -> list[tuple[str, str]]:
    """The keys of deepeval with their values as JSON; `unused` ones are null, as its own reader expects."""
    sample = item.sample
    texts = (sample.user_input, sample.response, sample.reference, list(sample.retrieved_contexts), None)
    names = ("input", "actual_output", "expected_output", "retrieval_context", "context")
    return [
        *zip(names, map(compact, texts), strict=True),
        ("name", compact(sample.id)),
        *((name, "null") for name in unused),
        ("additional_metadata", object_text([(OBJECT, row_text(item))])),
        *([("custom_column_key_values", "null")] if unused else []),
    ]


EXAMPLES = "examples.jsonl"


def write_examples(folder: Path, out: Writing) -> None:
    """Write one sample of every group and reference that may be shown, with its verified units."""
    taken: set[tuple[str, str]] = set()
    with lines_into(folder / EXAMPLES) as line:
        for item in out.each(partial(_left_out, taken)):
            line(compact(_example(item)) + "\n")


def _left_out(taken: set[tuple[str, str]], item: ExportItem) -> str:
    """Why a sample is no example; empty when it is one, and then its group and reference are taken."""
    sample = item.sample
    if item.holdout:
        return "holdout"
    if item.blind:
        return "to be reviewed without suggestions"
    if not item.gold or "excluded" in item.states.values():
        return "nothing verified stands"
    if sample.blank:
        return "blank reference"
    marks = {("reference", sample.reference_hash)}
    if sample.group is not None:
        marks.add(("group", sample.group))
    if marks & taken:
        return "its group or reference has an example already"
    taken |= marks
    return ""


def _example(item: ExportItem) -> JsonObject:
    sample = item.sample
    names = ("id", "group", "reference_hash", "user_input", "reference")
    value: JsonObject = {name: getattr(sample, name) for name in names}
    value["retrieved_contexts"] = list(sample.retrieved_contexts)
    verified = {PLURAL[kind]: list(map(_verified, item.gold[kind])) for kind in KINDS if kind in item.gold}
    return value | verified


def _verified(unit: Unit) -> JsonObject:
    value = {"text": unit.text, "label": unit.label, "verdict": unit.match.verdict or "unsure"}
    return {name: content for name, content in (value | {"reason": unit.match.reason}).items() if content}
