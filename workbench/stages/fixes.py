"""What would fix a difference, in our own words and numbers: one line per cause."""

from __future__ import annotations

from workbench.comparing.causes import Cause, Part, Row
from workbench.model import Kind, Match
from workbench.scoring.linked import SUGGESTED

Key = tuple[Cause, Part]

EDGES = "guideline or prompt: where the unit begins and ends"

_FIXES: dict[Key, str] = {
    ("missed unit", ""): "add to the proposer's extraction from the reference",
    ("duplicate", ""): "count the mentions of one unit once",
    ("granularity", "merge"): "guideline or prompt: these are several units",
    ("granularity", "split"): "guideline or prompt: these are parts of one unit",
    ("granularity", "nested"): "guideline: whether a name inside a longer name counts",
    ("granularity", "boundary"): EDGES,
    ("unsure", ""): "settle it: what is unsure counts as not found",
    (
        "false match",
        "context extraction",
    ): "the proposer's context extraction: this name stands in no context",
    ("missed match", "context extraction"): "add to the proposer's context extraction",
    ("missed match", "unattributed"): "choose the evidence (e): without it nobody knows which step failed",
    ("untraced", ""): "import the scores with the judge's steps (traces)",
    ("rounding", ""): "",
    ("missed match", "nested"): "policy: count a name that stands inside a longer name as found",
}
_CLAIM_REASONS = {
    "partial": "the judge's prompt: supported in part is not supported",
    "contradicted": "the judge's prompt: the contexts say the opposite",
}


def fix(row: Row, kind: Kind, scorer: str) -> str:
    """What would make the automatic side agree with the verified one; "" where they agree."""
    if not row.cause:
        return ""
    if row.cause == "invented unit":
        return "tell the proposer not to extract this"
    if row.cause in ("false match", "missed match") and row.part in ("", "comparator"):
        if kind == "entity" and _recut(row):
            return EDGES
        return (_false_match if row.cause == "false match" else _missed_match)(row, kind, scorer)
    return _FIXES[row.cause, row.part]


def _false_match(row: Row, kind: Kind, scorer: str) -> str:
    ours, theirs = _match(row)
    if kind == "statement":
        return _CLAIM_REASONS.get(theirs.reason or "", "the judge's prompt or model: it is not supported")
    if theirs.reason == "other entity" or ours.similarity == 100 or scorer.startswith("ragas"):
        return "an equal name: another entity, or a verdict to look at again"
    return f"raise the match threshold above {ours.similarity}: similarity {ours.similarity}"


def _missed_match(row: Row, kind: Kind, scorer: str) -> str:
    ours, _ = _match(row)
    if kind == "statement":
        return "the judge's prompt or model: the contexts support it"
    if scorer.startswith("ragas"):
        return "compare by name matching or text search: ragas takes equal strings only"
    if ours.similarity >= SUGGESTED:
        return f"lower the match threshold to {ours.similarity}: similarity {ours.similarity}"
    return "teach the matcher this name: no threshold would link it"


def _recut(row: Row) -> bool:
    """Whether two linked units begin or end elsewhere, so that they were not the same name to match."""
    assert row.automatic is not None  # a match links two units
    assert row.verified is not None
    ours, theirs = row.automatic.spans[:1], row.verified.spans[:1]
    return row.rule in ("lineage", "overlap") and bool(ours and theirs) and ours != theirs


def _match(row: Row) -> tuple[Match, Match]:
    assert row.automatic is not None  # a match links two units
    assert row.verified is not None
    return row.automatic.match, row.verified.match
