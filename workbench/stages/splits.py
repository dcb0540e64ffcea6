"""Splits of an export: drawn by document, never by row, and checked for texts that stand on both sides."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field

from workbench.errors import ExportError, UsageError
from workbench.model import Sample, text_hash
from workbench.store import exports
from workbench.store.engine import Store
from workbench.text.normalise import fold

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
