"""The package: references, verdicts with features and causes, the journal, the dataset around them."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from workbench.formats import calibration, package
from workbench.formats.item import Item, Surroundings, Wrote, lines_into
from workbench.model import BY
from workbench.reviewing.documents import policy_of
from workbench.reviewing.fold import ReviewState
from workbench.stages.export_items import Choice, Naming, item_of, model_named
from workbench.stages.export_manifest import Provenance, plan_parameters
from workbench.stages.export_verdicts import Look, verdicts
from workbench.stages.progress import Progress
from workbench.store import exports, packages
from workbench.store.engine import Store
from workbench.store.exports import Leaving

Document = dict[str, Any]
Counting = Callable[[Iterable[Item]], Iterator[Item]]


def write(
    store: Store,
    choice: Choice,
    known: Provenance,
    about: Surroundings,
    place: Path,
    counted: Counting,
    progress: Progress,
) -> Wrote:
    """Write the four files and the calibration in use; `rows` of the answer are those of the references."""
    wrote = Wrote()
    facts = known.facts
    current = next(one for one in facts.policies if one["version"] == facts.dataset["policy_version"])
    policy = policy_of(current["document"], current["version"])
    look = Look(choice, policy, facts.dataset["threshold"], about.text)
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
                    for line in verdicts(leaving, item, states, look):
                        verdict(line)
                    wrote.rows += 1
            progress(wrote.rows)
    with lines_into(place / package.EVENTS) as event:
        if about.text:
            for row in packages.each_event(store, choice.dataset_id, choice.wanted, choice.withheld):
                row["data"] = _SOURCE.sub(partial(_renamed, choice.naming), row["data"])
                event(package.event_line(_named(row, choice.naming)))
    gone = [_named(one, choice.naming) for one in packages.tombstones(store, choice.dataset_id)]
    package.write_dataset(place, {**_dataset(known, choice, about.text), "purged": gone})
    write_calibration(place, known, choice)
    return wrote


def write_calibration(place: Path, known: Provenance, choice: Choice) -> None:
    """Write `calibration.json` where a calibration is in use, as `calibrate -o` does.

    Its groups leave under the names that may leave; it holds no other text.
    """
    facts = known.facts
    for one in facts.calibrations:
        if one["name"] == facts.dataset["calibration"]:
            text = calibration.text_of(_without_groups(one["document"], choice))
            (place / calibration.NAME).write_text(text, "utf-8", newline="\n")


def _without_groups(document: Document, choice: Choice) -> Document:
    """A calibration whose samples name their groups by what may leave of them."""
    name_of = choice.grouping
    if name_of is None:
        return document
    gold = document["gold"]
    learned = [
        {**one, "group": None if one["group"] is None else name_of(one["group"])} for one in gold["samples"]
    ]
    return {**document, "gold": {**gold, "samples": learned}}


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
    if not text:
        reviews = [{key: value for key, value in one.items() if key != "flag"} for one in reviews]
        disputes = [{key: value for key, value in one.items() if key != "note"} for one in disputes]
        failures = [{key: value for key, value in one.items() if key != "message"} for one in failures]
    document: Document = {
        "proposals": [_said(one, choice.naming) for one in more.proposals.get(number, [])] if text else [],
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
    """A document with the name under which its annotator leaves."""
    return {**document, "annotator": naming(document["annotator"])}


def _said(proposal: Document, naming: Naming) -> Document:
    """A proposal of a package; one made of a person's marks under the name that may leave."""
    model = proposal.get("model", "")
    return {**proposal, "model": model_named(model, naming)} if model.startswith(BY) else proposal


_SOURCE = re.compile(r'("source":")(verified by |imported from )((?:[^"\\]|\\.)*)(")')
"""Where an assessment says whose it is, in JSON text; within a string its quotes would be escaped."""


def _renamed(naming: Naming, found: re.Match[str]) -> str:
    key, start, name, end = found.groups()
    known = naming(json.loads(f'"{name}"'))
    return f"{key}{start}{json.dumps(known, ensure_ascii=False)[1:-1]}{end}"


def _dataset(known: Provenance, choice: Choice, text: bool) -> Document:
    """Settings, policies, runs, plan, openings and calibrations, people under the names that may leave."""
    facts, naming = known.facts, known.naming
    plan = facts.plan
    policies = [_named(one, naming) for one in facts.policies]
    runs = [{**_named(one, naming), "model": model_named(one["model"], naming)} for one in facts.runs]
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
        "plan": plan and {**_named(plan, naming), "parameters": plan_parameters(plan, choice)},
        "openings": [_named(one, naming) for one in facts.openings],
        "calibrations": calibrations,
    }
