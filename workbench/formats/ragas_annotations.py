"""ragas metric annotations: verified extractions as samples that `train` and both loaders read.

`annotations.json` is for `MetricAnnotation.from_json` and `metric.train`, `single.json` for
`SingleMetricAnnotation.from_json`. ragas uses one prompt for the reference and for the contexts and keeps one
entry per prompt name in a sample, so every record gives two samples. The files are ASCII: ragas opens them in
the encoding of the system.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from workbench.formats.item import Item, Surroundings, Wrote, as_ascii, entities_of, list_into, row_text
from workbench.model import Evidence, ProposedEntity, Unit, count
from workbench.text.ground import ground
from workbench.text.json_text import compact

METRIC = "context_entity_recall"
PROMPT = "extract_entities_prompt"
ANNOTATIONS = "annotations.json"
SINGLE = "single.json"


def write(folder: Path, items: Iterable[Item], about: Surroundings) -> Wrote:
    """Write both files; samples without a defined verified recall are left out, for ragas needs a number."""
    wrote = Wrote()
    with (
        list_into(folder / ANNOTATIONS, f'{{"{METRIC}": ', "}") as annotation,
        list_into(folder / SINGLE, f'{{"name": "{METRIC}", "samples": ', "}") as single,
    ):
        for item in items:
            if "entity" not in item.gold:
                wrote.left[f"entities {item.states.get('entity', 'todo')}"] += 1
                continue
            recall = count(entities_of(item)).recall
            if recall is None:
                wrote.left["no entity: recall is undefined"] += 1
                continue
            for text in (_of_reference(item, float(recall)), _of_contexts(item, float(recall))):
                annotation(text)
                single(text)
                wrote.rows += 1
    return wrote


def _of_reference(item: Item, recall: float) -> str:
    """What was extracted from the reference, and the gold in its place where that differs."""
    proposal = item.proposal
    gold = [unit.text for unit in entities_of(item)]
    given = proposal.reference_entities if proposal is not None else None
    proposed = gold if given is None else [one.text for one in given]
    return _sample(item, item.sample.reference, proposed, gold, True, recall, with_row=True)


def _of_contexts(item: Item, recall: float) -> str:
    """What was extracted from the contexts, with the evidence that it lacks.

    Nobody decides on context entities one by one. The sample is accepted only where every one of them is
    evidence of a unit, so that nothing unseen passes for verified.
    """
    contexts = item.sample.retrieved_contexts
    listed = (item.proposal.context_entities if item.proposal else None) or ()
    proposed = list(dict.fromkeys(one.text for inner in listed for one in inner))
    evidence = [place for unit in entities_of(item) if _found(unit) for place in unit.match.evidence]
    surfaces = dict.fromkeys(contexts[e.context][e.start : e.end] for e in evidence)
    edited = [*proposed, *(surface for surface in surfaces if surface not in proposed)]
    reviewed = bool(listed) and all(
        _seen(one, index, contexts[index], evidence) for index, inner in enumerate(listed) for one in inner
    )
    return _sample(item, "\n".join(contexts), proposed, edited, reviewed, recall)


def _found(unit: Unit) -> bool:
    return unit.match.verdict == "found"


def _seen(entity: ProposedEntity, context: int, text: str, evidence: Iterable[Evidence]) -> bool:
    """Whether a context entity overlaps a piece of evidence."""
    places = [(e.start, e.end) for e in evidence if e.context == context]
    if not places:
        return False
    if entity.start is not None and entity.end is not None:
        own = [(entity.start, entity.end)]
    else:
        own = [(span.start, span.end) for span in ground(entity.text, text)]
    return any(start < high and low < end for start, end in own for low, high in places)


def _sample(
    item: Item,
    text: str,
    proposed: list[str],
    edited: list[str],
    accepted: bool,
    recall: float,
    *,
    with_row: bool = False,
) -> str:
    sample = item.sample
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
    line = as_ascii(compact(value))
    return f'{line[:-1]}, "workbench": {as_ascii(row_text(item))}}}' if with_row else line
