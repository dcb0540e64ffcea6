"""The manifest of an export, and how its samples are divided into train, development and test."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import combinations
from typing import TYPE_CHECKING, Any

from workbench.comparing.agreement import Overlap, beyond_chance, overlaps, tabulate
from workbench.comparing.intervals import Interval
from workbench.errors import ExportError, UsageError
from workbench.matching import MATCHER
from workbench.model import GoldRecord, Kind, Sample, Unit, text_hash
from workbench.stages.export_items import Choice, Naming, each_item, model_named
from workbench.stages.plan import Reach
from workbench.store import exports
from workbench.store.engine import Store
from workbench.store.exports import Facts
from workbench.text.normalise import fold

if TYPE_CHECKING:
    from workbench.comparing.figures import Arm, Figures

HOLDOUT = "holdout"
CALIBRATION = "calibration"
PLAN = "plan"
SALT = "workbench split 1"
"""Changing it would move documents between splits: it stands in every manifest."""

_NAME = re.compile(r"[a-z][a-z0-9_-]{0,30}")
SHOWN = 5


@dataclass(frozen=True, slots=True)
class Splits:
    """The split of every sample by number, and what was noticed."""

    names: tuple[str, ...]
    of: Mapping[int, str]
    sizes: Mapping[str, int]
    digests: Mapping[str, str]
    shared_contexts: int
    rule: str


@dataclass(slots=True)
class _Seen:
    """Texts by hash, each with the split and the sample where it stood first."""

    texts: dict[str, tuple[str, str]] = field(default_factory=dict)
    contexts: dict[str, str] = field(default_factory=dict)
    clashes: list[str] = field(default_factory=list)
    shared: int = 0


def shares_of(text: str) -> dict[str, float]:
    """`calibration=.8,holdout=.2` as names and shares. Raises UsageError."""
    found: dict[str, float] = {}
    for part in text.split(","):
        name, _, share = (piece.strip() for piece in part.partition("="))
        try:
            value = float(share)
        except ValueError:
            value = -1.0
        if not _NAME.fullmatch(name) or name in found or not 0 < value < 1:
            raise UsageError(f"--split {text!r}: write names and shares, as calibration=.8,holdout=.2")
        found[name] = value
    if len(found) < 2 or abs(sum(found.values()) - 1) > 1e-9:
        raise UsageError(f"--split {text!r}: at least two splits whose shares sum to 1")
    return found


def split_samples(store: Store, dataset_id: int, text: str, wanted: Collection[int] | None) -> Splits:
    """Draw the splits of the chosen samples, or take over the plan's holdout (`plan`).

    Raises ExportError when a reference stands in two splits, exactly or but for case, accents and white
    space: its group says that they are two documents, and the figures of the holdout would know its text.
    Raises UsageError when a split would be empty.
    """
    shares = None if text == PLAN else shares_of(text)
    names = (CALIBRATION, HOLDOUT) if shares is None else tuple(shares)
    of: dict[int, str] = {}
    sizes = dict.fromkeys(names, 0)
    digests = {name: hashlib.sha256() for name in names}
    seen = _Seen()
    kept_back = False
    for number, sample, holdout in _texts(store, dataset_id, wanted):
        kept_back = kept_back or holdout
        if shares is None:
            split = HOLDOUT if holdout else CALIBRATION
        else:
            split = _drawn(_group_key(sample), shares)
        of[number] = split
        sizes[split] += 1
        digests[split].update(sample.id.encode() + b"\0")
        _look(seen, sample, split)
    if shares is None and not kept_back:
        raise UsageError("--split plan: no sample is kept back; draw some: --split calibration=.8,holdout=.2")
    if shares is not None and kept_back:
        raise UsageError("the plan keeps samples back already: --split plan takes that holdout over")
    if empty := [name for name in names if not sizes[name]]:
        groups = "groups and texts are never cut; " if shares is not None else ""
        raise UsageError(
            f"--split {text}: no sample falls to {', '.join(empty)} ({len(of):,} chosen): {groups}choose "
            "more samples or a larger share"
        )
    if seen.clashes:
        raise ExportError(_leak(seen.clashes))
    done = {name: digest.hexdigest() for name, digest in digests.items()}
    return Splits(names, of, sizes, done, seen.shared, "plan" if shares is None else f"{text} by {SALT!r}")


def _texts(
    store: Store, dataset_id: int, wanted: Collection[int] | None
) -> Iterator[tuple[int, Sample, bool]]:
    for chunk in exports.each_leaving(store, dataset_id, None, wanted):
        for one in chunk:
            yield one.sample_id, one.sample, one.holdout


def _group_key(sample: Sample) -> str:
    """What is never cut: a document, else all samples with one reference."""
    return f"group {sample.group}" if sample.group is not None else f"text {_normal(sample.reference)}"


def _normal(text: str) -> str:
    return text_hash(" ".join(fold(text).split()))


def _drawn(key: str, shares: Mapping[str, float]) -> str:
    digest = hashlib.blake2b(f"{SALT}:{key}".encode(), digest_size=8).digest()
    place = (int.from_bytes(digest, "big") >> 11) * 2.0**-53
    upto = 0.0
    for name, share in shares.items():
        upto += share
        if place < upto:
            return name
    return next(reversed(tuple(shares)))


def _look(seen: _Seen, sample: Sample, split: str) -> None:
    if sample.reference.strip():
        where, first = seen.texts.setdefault(_normal(sample.reference), (split, sample.id))
        if where != split:
            seen.clashes.append(f"{first!r} ({where}) and {sample.id!r} ({split})")
    for context in sample.retrieved_contexts:
        if seen.contexts.setdefault(text_hash(context), split) != split:
            seen.shared += 1


def _leak(clashes: list[str]) -> str:
    more = f" and {len(clashes) - SHOWN:,} more" if len(clashes) > SHOWN else ""
    return (
        f"the same reference stands in two splits: {'; '.join(clashes[:SHOWN])}{more}. "
        "Give samples with one reference one group"
    )


_TEXTS = frozenset({"prompt", "guidelines"})
"""Parameters of a run that are long texts: their hashes leave."""


@dataclass(frozen=True, slots=True)
class Provenance:
    """What the manifest is made of besides the files."""

    facts: Facts
    run: str
    naming: Naming
    annotators: Mapping[str, int]
    several: frozenset[int]
    prefix: Reach
    splits: Splits | None
    filters: Mapping[str, Any]
    licence: str
    text: bool
    withheld: int
    names: bool
    estimates: list[dict[str, Any]] | None = None
    anchoring: dict[str, Any] | None = None


def manifest_of(store: Store, choice: Choice, known: Provenance, kind: Kind) -> dict[str, Any]:
    """The manifest's own part; the same database gives the same."""
    facts = known.facts
    policy = facts.policy
    return {
        "dataset": {"id": facts.dataset["name"], "created_at": facts.dataset["created_at"]},
        "run": known.run,
        "offset_unit": "codepoint",
        "text": known.text,
        "filters": dict(known.filters) if known.text else {**known.filters, "query": None},
        "licence": {"annotations": known.licence or None},
        "models": [_model(run, known) for run in facts.runs],
        "matcher": {"version": MATCHER, "threshold": facts.dataset["threshold"]},
        "guidelines": {
            "version": policy["version"],
            "sha256": sha256(policy["document"]["guidelines"]),
            "policy_sha256": sha256(_canonical(policy["document"])),
        },
        "labels": policy["document"]["labels"],
        "sampling": _sampling(known, choice),
        "splits": _splits(known.splits),
        "annotators": _people(known),
        "agreement": _agreement(store, choice, known, kind),
        "anchoring": known.anchoring,
        "estimates": known.estimates,
        "calibration": facts.calibration and facts.calibration["name"],
        "purged": facts.purged,
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


def _model(run: Mapping[str, Any], known: Provenance) -> dict[str, Any]:
    facts, text = known.facts, known.text
    hidden = _TEXTS if text else _TEXTS | {"examples"}  # examples name groups
    parameters = {key: value for key, value in run["parameters"].items() if key not in hidden}
    for key in sorted(_TEXTS & run["parameters"].keys()):
        parameters.setdefault(f"{key}_sha256", sha256(_canonical(run["parameters"][key])))
    return {
        "run": run["name"],
        "proposer": run["proposer"],
        "model": model_named(run["model"], known.naming),
        "models_returned": facts.answered.get(run["name"], []),
        "usage": facts.usage.get(run["name"], {}),
        "parameters": parameters,
    }


def _plan_parameters(plan: Mapping[str, Any] | None, choice: Choice) -> dict[str, Any]:
    """The parameters of a plan, strata under the names that may leave."""
    parameters = dict(plan["parameters"]) if plan else {}
    if choice.strata and "strata" in parameters:
        parameters["strata"] = {choice.strata(name): one for name, one in parameters["strata"].items()}
    return parameters


def _sampling(known: Provenance, choice: Choice) -> dict[str, Any]:
    facts, prefix = known.facts, known.prefix
    plan = facts.plan
    return {
        "design": plan["design"] if plan else "simple",
        "seed": facts.dataset["seed"],
        "planned_n": plan["planned_n"] if plan else None,
        "population": prefix.population,
        "parameters": _plan_parameters(plan, choice),
        "prefix_n": prefix.n,
        "beyond_prefix": prefix.beyond,
        "blind_share": facts.dataset["blind_share"],
        "holdout": {
            "n": facts.holdout,
            "withheld": known.withheld,
            "opened": [
                {**one, "annotator": known.naming(one["annotator"])} for one in facts.openings
            ],
        },
    }  # fmt: skip


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


def _people(known: Provenance) -> dict[str, Any]:
    each = {known.naming(name): number for name, number in known.annotators.items()}
    return {
        "names": "as they are" if known.names else "pseudonyms: HMAC-SHA256 under a salt that did not leave",
        "each": [{"annotator": name, "reviews": each[name]} for name in sorted(each)],
    }


def _agreement(store: Store, choice: Choice, known: Provenance, kind: Kind) -> dict[str, Any] | None:
    """Pairs of annotators on samples that several verified: units, and verdicts on units they share."""
    wanted = known.several if choice.wanted is None else known.several & set(choice.wanted)
    if not wanted:
        return None
    units: list[Overlap] = []
    verdicts: list[tuple[str | None, str | None]] = []
    narrowed = Choice(
        choice.dataset_id, choice.run_id, choice.naming, wanted=wanted, withheld=choice.withheld
    )
    samples = 0
    for item in each_item(store, narrowed):
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
