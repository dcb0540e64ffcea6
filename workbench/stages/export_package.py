"""The package: references, verdicts with features and causes, the journal, the dataset around them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from workbench.comparing.causes import Row, difference
from workbench.comparing.links import descends
from workbench.formats import package
from workbench.formats.item import Item, Surroundings, Wrote, lines_into
from workbench.matching.units import entity_units, language_of, statement_units
from workbench.model import Assessment, Evidence, Kind, Policy, Sample, Unit
from workbench.reviewing.documents import policy_of
from workbench.reviewing.fold import KindState, ReviewState
from workbench.scoring import contextual_recall, linked, presence
from workbench.stages.export_items import Choice, Naming, item_of
from workbench.stages.export_manifest import Provenance
from workbench.stages.progress import Progress
from workbench.store import exports, packages
from workbench.store.engine import Store
from workbench.store.exports import Leaving, Said

Document = dict[str, Any]
Counting = Callable[[Iterable[Item]], Iterator[Item]]


@dataclass(frozen=True, slots=True)
class _Look:
    """What verdicts are made with."""

    choice: Choice
    policy: Policy
    threshold: int
    text: bool


def write(
    store: Store,
    choice: Choice,
    known: Provenance,
    about: Surroundings,
    place: Path,
    counted: Counting,
    progress: Progress,
) -> Wrote:
    """Write the four files; `rows` of the answer are those of `references.jsonl`."""
    wrote = Wrote()
    facts = known.facts
    current = next(one for one in facts.policies if one["version"] == facts.dataset["policy_version"])
    policy = policy_of(current["document"], current["version"])
    look = _Look(choice, policy, facts.dataset["threshold"], about.text)
    with (
        lines_into(place / package.REFERENCES) as reference,
        lines_into(place / package.VERDICTS) as verdict,
    ):
        for chunk in exports.each_leaving(
            store, choice.dataset_id, choice.run_id, choice.wanted, choice.scale
        ):
            more = packages.beside(store, [one.sample_id for one in chunk])
            states = _folded(store, chunk, choice)
            for leaving in chunk:
                for item in counted([item_of(leaving, choice)]):
                    extra = _beside(leaving, item, more, choice, about.text)
                    reference(package.reference_line(item, extra, text=about.text))
                    for line in _verdicts(leaving, item, states, look):
                        verdict(line)
                    wrote.rows += 1
            progress(wrote.rows)
    with lines_into(place / package.EVENTS) as event:
        if about.text:
            for row in packages.each_event(store, choice.dataset_id, choice.wanted, choice.withheld):
                event(package.document_line(_named(row, choice.naming)))
    package.write_dataset(place, _dataset(known, about.text))
    return wrote


def _folded(store: Store, chunk: Sequence[Leaving], choice: Choice) -> dict[int, ReviewState]:
    """The reviews that people made, folded; imported ones have nothing that their gold does not say."""
    ids = [
        said.review_id
        for one in chunk
        if one.sample_id not in choice.withheld
        for said in one.reviews
        if said.shown != "import"
    ]
    return packages.folded(store, ids) if ids else {}


def _beside(leaving: Leaving, item: Item, more: packages.Beside, choice: Choice, text: bool) -> Document:
    number = leaving.sample_id
    withheld = number in choice.withheld
    reviews = [] if withheld else [_named(one, choice.naming) for one in more.reviews.get(number, [])]
    disputes = [] if withheld else [_named(one, choice.naming) for one in more.disputes.get(number, [])]
    failures = more.failures.get(number, [])
    reviews.sort(key=lambda one: one["annotator"])
    if not text:
        reviews = [{key: value for key, value in one.items() if key != "flag"} for one in reviews]
        disputes = [{key: value for key, value in one.items() if key != "note"} for one in disputes]
        failures = [{key: value for key, value in one.items() if key != "message"} for one in failures]
    document: Document = {
        "proposals": more.proposals.get(number, []) if text else [],
        "failures": failures,
        "reviews": reviews,
        "disputes": disputes,
        "sampling": {
            "u": item.u,
            "blind_u": leaving.blind_u,
            "rank": leaving.rank,
            "size": item.size,
            "stratum": item.stratum,
            "holdout": item.holdout,
            "blind": item.blind,
            "position": item.position or None,
            "pi": item.pi,
            "withheld": withheld,
        },
    }
    if not text:
        document["scores"] = {name: float(digits) for name, digits in sorted(item.external.items())}
    return document


def _named(document: Mapping[str, Any], naming: Naming) -> Document:
    """A document with the name under which its annotator leaves, also where an assessment says its source."""
    found = {**document, "annotator": naming(document["annotator"])}
    data = found.get("data")
    if isinstance(data, dict):
        if "assessment" in data:
            data = {**data, "assessment": _sourced(data["assessment"], naming)}
        if "assessments" in data:
            data = {**data, "assessments": [_sourced(one, naming) for one in data["assessments"]]}
        found["data"] = data
    return found


_SOURCES = ("verified by ", "imported from ")


def _sourced(assessment: Mapping[str, Any], naming: Naming) -> Document:
    source = str(assessment["source"])
    for start in _SOURCES:
        if source.startswith(start):
            return {**assessment, "source": start + naming(source.removeprefix(start))}
    return dict(assessment)


def _dataset(known: Provenance, text: bool) -> Document:
    """Settings, policies, runs, plan, openings and calibrations, people under the names that may leave."""
    facts, naming = known.facts, known.naming
    policies = [_named(one, naming) for one in facts.policies]
    runs = [_named(one, naming) for one in facts.runs]
    calibrations = [_named(one, naming) for one in facts.calibrations]
    if not text:
        for one in policies:
            one["document"] = {key: value for key, value in one["document"].items() if key != "guidelines"}
        for one in runs:
            one["parameters"] = {
                key: value
                for key, value in one["parameters"].items()
                if key not in ("prompt", "guidelines", "examples")
            }
        calibrations = [
            {key: value for key, value in one.items() if key != "document"} for one in calibrations
        ]
    return {
        "dataset": facts.dataset,
        "policies": policies,
        "runs": runs,
        "plan": None if facts.plan is None else _named(facts.plan, naming),
        "openings": [_named(one, naming) for one in facts.openings],
        "calibrations": calibrations,
    }


def _verdicts(leaving: Leaving, item: Item, states: Mapping[int, ReviewState], look: _Look) -> Iterator[str]:
    """One line for every verified unit and every automatic one without a partner, for each annotator."""
    if leaving.sample_id in look.choice.withheld or not item.records:
        return
    automatic: dict[Kind, Assessment | None] = {}
    proposed = leaving.proposal is not None  # finding a language out costs as much as all the rest
    lang = language_of(leaving.sample, look.policy) if proposed else ""
    named = sorted(((look.choice.naming(said.annotator), said) for said in leaving.reviews), key=_first)
    for name, said in named:
        for kind, units in said.units.items():
            if kind not in automatic:
                automatic[kind] = _automatic(leaving, look, kind, lang)
            state = states.get(said.review_id)
            shown = _Shown(name, said, state, item.gold.get(kind) == units)
            machine = automatic[kind]
            verified = Assessment(kind, "verified", units)
            if machine is None:
                rows = tuple(Row(None, unit, "", "", "", None) for unit in units)
            else:
                based = _based(state, verified, leaving.proposal_id)
                rows = difference(machine, verified, based=based, lang=lang).rows
            head = _of_review(item, kind, shown)
            yield from package.lines_with(head, (_verdict(item.sample, row, look.text) for row in rows))


def _first(pair: tuple[str, Said]) -> str:
    return pair[0]


@dataclass(frozen=True, slots=True)
class _Shown:
    """Whose verdicts, and what that person saw. `stands`: they are the gold."""

    name: str
    said: Said
    state: ReviewState | None
    stands: bool


def _based(state: ReviewState | None, verified: Assessment, proposal: int | None) -> bool:
    if state is None or state.opened is None:
        return False
    own = state.of(verified.kind)
    return descends(state.opened, KindState("verified", verified, imported=own.imported), proposal)


def _automatic(leaving: Leaving, look: _Look, kind: Kind, lang: str) -> Assessment | None:
    """The assessment of the scorer that is shown as the automatic one; None where nothing was proposed."""
    proposal, sample = leaving.proposal, leaving.sample
    if proposal is None:
        return None
    if kind == "statement":
        if proposal.statements is None:
            return None
        return contextual_recall.assess(statement_units(sample, proposal.statements, proposal.proposer))
    if proposal.reference_entities is None:
        return None
    units = entity_units(sample, proposal.reference_entities, look.policy, lang)
    if proposal.context_entities is not None:
        return linked.assess(sample, units, proposal.context_entities, threshold=look.threshold, lang=lang)
    return presence.assess(sample, units, policy=look.policy, threshold=look.threshold, lang=lang)


def _of_review(item: Item, kind: Kind, shown: _Shown) -> Document:
    """What all verdicts of one person on one kind of one sample share."""
    own = shown.state.of(kind) if shown.state else None
    opened = shown.state.opened if shown.state else None
    return {
        "id": item.sample.id,
        "group": item.sample.group,
        "annotator": shown.name,
        "standing": shown.stands,
        "kind": kind,
        "shown": shown.said.shown,
        "auto_shown": opened.auto_shown if opened else False,
        "policy": own.policy or (opened.policy if opened else None) if own else None,
        "fast": own.fast if own else False,
        "sample_seconds": shown.said.effort.seconds if shown.said.effort else None,
        "split": item.split or None,
        "pi": item.pi,
        "weight": 1 / item.pi if item.pi else None,
    }


def _verdict(sample: Sample, row: Row, text: bool) -> Document:
    """What is of one unit."""
    human, machine = row.verified, row.automatic
    unit = human or machine
    assert unit is not None  # a row has one of the two
    first = unit.spans[0] if unit.spans else None
    document: Document = {
        "side": "both" if human and machine else "gold" if human else "auto",
        "unit": human.id if human else None,
        "auto_unit": machine.id if machine else None,
        "label": unit.label,
        "start": first.start if first else None,
        "end": first.end if first else None,
        "human_verdict": (human.match.verdict or "unsure") if human else None,
        "human_reason": human.match.reason if human else None,
        "human_rule": human.match.rule if human else None,
        "evidence": _evidence(human),
        "auto_verdict": machine.match.verdict if machine else None,
        "candidate": _candidate(sample, machine, text),
        "features": _features(machine),
        "link": row.rule or None,
        "cause": row.cause or None,
        "part": row.part or None,
        "share": None if row.share is None else str(row.share),
    }
    if text:
        document["text"] = unit.text
        document["auto_text"] = machine.wording if machine else None
    return document


def _evidence(unit: Unit | None) -> list[dict[str, int]]:
    found: tuple[Evidence, ...] = unit.match.evidence if unit else ()
    return [{"context": one.context, "start": one.start, "end": one.end} for one in found]


def _features(machine: Unit | None) -> Document | None:
    if machine is None:
        return None
    match = machine.match
    return {"rule": match.rule, "similarity": match.similarity, "nested": match.nested}


def _candidate(sample: Sample, machine: Unit | None, text: bool) -> Document | None:
    """What the machine matched the unit with: the first piece of its evidence."""
    if machine is None or not machine.match.evidence:
        return None
    first = machine.match.evidence[0]
    place: Document = {"context": first.context, "start": first.start, "end": first.end}
    if text and first.context < len(sample.retrieved_contexts):
        place["text"] = sample.retrieved_contexts[first.context][first.start : first.end]
    return place
