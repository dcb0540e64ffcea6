"""The manifest of an export: where its rows come from, how they were drawn, and what they come to."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Collection, Iterable, Iterator
from dataclasses import replace
from itertools import combinations
from typing import TYPE_CHECKING, Any

from workbench.comparing.agreement import Overlap, beyond_chance, overlaps, tabulate
from workbench.comparing.intervals import Interval
from workbench.matching import MATCHER
from workbench.model import GoldRecord, Kind, Unit
from workbench.reviewing.documents import policy_document
from workbench.stages.export_items import SALT, Departure, Splits, each_item, model_named
from workbench.store import exports, plans, runs
from workbench.store.calibrations import calibration_in_use
from workbench.store.engine import Store
from workbench.store.runs import RunInfo

if TYPE_CHECKING:
    from workbench.comparing.figures import Arm, Figures

_TEXTS = frozenset({"prompt", "guidelines"})
"""Parameters of a run that are long texts: their hashes leave."""


def manifest_of(
    store: Store,
    departure: Departure,
    estimates: list[dict[str, Any]] | None,
    anchoring: dict[str, Any] | None,
) -> dict[str, Any]:
    """The manifest's own part; the same database gives the same."""
    info, options = departure.info, departure.options
    policy = policy_document(info.policy)
    made = exports.made_with(store, info.id)
    used = calibration_in_use(store, info.id)
    return {
        "dataset": {"id": info.name, "created_at": made.created_at},
        "run": options.run or info.run,
        "offset_unit": "codepoint",
        "text": options.text,
        "filters": {"only": options.only, "query": options.query or None if options.text else None},
        "licence": {"annotations": options.licence or None},
        "models": [_model(run, made, departure) for run in runs.list_runs(store, info.id)],
        "matcher": {"version": MATCHER, "threshold": info.threshold},
        "guidelines": {
            "version": info.policy.version,
            "sha256": sha256(info.guidelines),
            "policy_sha256": sha256(_canonical(policy)),
        },
        "labels": policy["labels"],
        "sampling": _sampling(store, departure),
        "splits": _splits(departure.splits),
        "annotators": _people(store, departure),
        "agreement": _agreement(store, departure),
        "anchoring": anchoring,
        "estimates": estimates,
        "calibration": used and used.name,
        "purged": made.purged,
    }


def estimate_document(found: Figures) -> dict[str, Any]:
    """What the verified samples say of all; `refusal` says why there is no number."""
    one = found.estimate

    def ends(interval: Interval | None) -> list[float] | None:
        return None if interval is None else [interval.low, interval.high]

    return {
        "target": f"mean verified {found.kind} recall of all samples",
        "scorer": found.scorer,
        "run": found.run,
        "design": str(one.design),
        "total": one.total,
        "n": one.n,
        "undefined": one.undefined,
        "excluded": one.excluded,
        "open": one.open,
        "automatic": one.automatic.value,
        "verified_so_far": one.verified.value,
        "point": one.point,
        "corpus": ends(one.corpus),
        "generalising": ends(one.generalising),
        "level": 0.95,
        "method": one.method,
        "df": one.df,
        "refusal": one.refusal,
    }


def anchoring_document(found: Figures, auto_shown: Collection[int]) -> dict[str, Any]:
    """What reviewers had before them: samples with gold and an automatic value, by what was shown.

    `auto_shown`: the samples whose automatic value somebody saw before deciding. `bias` is the mean
    difference of the automatic and the verified value, `unit_f1` that of proposed and verified units.
    """

    def of(arm: Arm) -> dict[str, Any]:
        bias = None if arm.bias is None else arm.bias.mean
        return {"n": arm.n, "bias": bias, "unit_f1": None if arm.units is None else arm.units.f1}

    return {
        "kind": found.kind,
        "scorer": found.scorer,
        "blind": of(found.arms.blind),
        "assisted": of(found.arms.assisted),
        "imported": {"n": sum(row.shown == "import" for row in found.rows)},
        "auto_shown": sum(row.sample_id in auto_shown for row in found.rows),
        "fast": found.counts.fast,
    }


def sha256(text: str) -> str:
    """The SHA-256 of a text, 64 hex digits."""
    return hashlib.sha256(text.encode()).hexdigest()


def _canonical(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, sort_keys=True)


def _model(run: RunInfo, made: exports.Made, departure: Departure) -> dict[str, Any]:
    text = departure.options.text
    hidden = _TEXTS if text else _TEXTS | {"examples"}  # examples name groups
    parameters = {key: value for key, value in run.parameters.items() if key not in hidden}
    for key in sorted(_TEXTS & run.parameters.keys()):
        parameters.setdefault(f"{key}_sha256", sha256(_canonical(run.parameters[key])))
    return {
        "run": run.name,
        "proposer": run.proposer,
        "model": model_named(run.model, departure.naming),
        "models_returned": made.models.get(run.name, []),
        "usage": made.usage.get(run.name, {}),
        "parameters": parameters,
    }


def _sampling(store: Store, departure: Departure) -> dict[str, Any]:
    info, drawn = departure.info, departure.drawn
    plan = plans.plan_of(store, info.id)
    parameters = dict(plan.parameters) if plan else {}
    if "strata" in parameters:
        parameters["strata"] = {departure.strata(name): one for name, one in parameters["strata"].items()}
    return {
        "design": plan.design if plan else "simple",
        "seed": info.seed,
        "planned_n": plan.planned_n if plan else None,
        "population": drawn.population,
        "parameters": parameters,
        "prefix_n": drawn.n,
        "beyond_prefix": drawn.beyond,
        "blind_share": info.blind_share,
        "holdout": {
            "n": len(plans.holdout_ids(store, info.id)),
            "withheld": withheld(store, departure),
            "opened": [
                {**one._asdict(), "annotator": departure.naming(one.annotator), "at": exports.stamp(one.at)}
                for one in plans.openings(store, info.id)
            ],
        },
    }


def withheld(store: Store, departure: Departure) -> int:
    """How many samples leave without what was verified."""
    if not departure.withheld:
        return 0
    return len(exports.verified_ids(store, departure.info.id).intersection(departure.withheld))


def _splits(splits: Splits | None) -> dict[str, Any] | None:
    if splits is None:
        return None
    return {
        "rule": splits.rule,
        "group_key": "group, else the normalised reference",
        "salt": SALT,
        "shared_contexts": splits.shared_contexts,
        "each": [
            {"name": name, "n": splits.sizes[name], "ids_sha256": splits.digests[name]}
            for name in splits.names
        ],
    }


def _people(store: Store, departure: Departure) -> dict[str, Any]:
    reviews = exports.annotators(store, departure.info.id, holdout=not departure.withheld)
    each = {departure.naming(name): number for name, number in reviews.items()}
    named = departure.options.names
    return {
        "names": "as they are" if named else "pseudonyms: HMAC-SHA256 under a salt that did not leave",
        "each": [{"annotator": name, "reviews": each[name]} for name in sorted(each)],
    }


def _agreement(store: Store, departure: Departure) -> dict[str, Any] | None:
    """Pairs of annotators on samples that several verified: units, and verdicts on units they share."""
    kind = departure.info.kinds[0]
    wanted = exports.several_ids(store, departure.info.id)
    if departure.wanted is not None:
        wanted = wanted.intersection(departure.wanted)
    if not wanted:
        return None
    units: list[Overlap] = []
    verdicts: list[tuple[str | None, str | None]] = []
    samples = 0
    for item in each_item(store, replace(departure, wanted=wanted)):
        pairs = list(combinations(_of_kind(item.records, kind), 2))
        samples += bool(pairs)
        for one, other in pairs:
            ours, theirs = _by_place(one), _by_place(other)
            shared = ours.keys() & theirs.keys()
            units.append(Overlap(len(shared), len(ours), len(theirs)))
            verdicts += [(ours[place], theirs[place]) for place in sorted(shared, key=repr)]
    if not units:
        return None
    found = overlaps(units)
    table = tabulate(verdicts)
    chance = beyond_chance(table.table)
    return {
        "kind": kind,
        "samples": samples,
        "pairs": len(units),
        "unit_f1": found.micro.f1,
        "unit_f1_of_samples": found.macro_f1,
        "shared_units": len(verdicts),
        "unsure": table.human_unsure,
        "equal_verdicts": chance.raw if chance.n else None,
        "kappa": chance.kappa,
        "ac1": chance.ac1,
        "linked_by": "equal span, else equal text",
    }


def _of_kind(records: Iterable[GoldRecord], kind: Kind) -> Iterator[tuple[Unit, ...]]:
    for record in records:
        units = record.entities if kind == "entity" else record.statements
        if units is not None:
            yield units


def _by_place(units: Iterable[Unit]) -> dict[object, str | None]:
    """Verdicts by what makes a unit one: the place of a name, the wording of a claim."""
    return {
        unit.spans[0] if unit.spans and unit.kind == "entity" else unit.text: unit.match.verdict
        for unit in units
    }
