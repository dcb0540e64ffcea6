"""All scorers over one sample: the one path from a proposal to automatic assessments and their scores.

- `ragas`, `ragas_legacy`: context entity recall, digit for digit. Both compare raw strings: `collections`
  divides by the set of reference entities, `legacy` by the list, each with 1e-8 added, so a perfect score is
  n / (n + 1e-8) and never 1.0. Source: ragas 0.4.3, `ragas/metrics/collections/context_entity_recall` and
  `ragas/metrics/_context_entities_recall.py`. Unlike ragas, a reference without entities is undefined.
- `linked`: reference entities linked one-to-one to context entities by the layered matcher.
- `presence`: reference entities that occur in the text of the contexts.
- `contextual_recall`: statements that the contexts support, over all statements: deepeval's formula. Unlike
  deepeval every statement has exactly one verdict of a closed set: another word is refused where it comes in.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from workbench.matching import FLOOR
from workbench.matching.names import Name, best
from workbench.matching.presence import presence
from workbench.matching.units import entity_units, language_of, statement_units
from workbench.model import (
    Assessment,
    Evidence,
    Match,
    Policy,
    Proposal,
    ProposedEntity,
    Sample,
    Score,
    Tally,
    Unit,
    count,
)
from workbench.scoring.counted import Counted
from workbench.scoring.names import CALIBRATED, SCORERS
from workbench.text.folding import bounded
from workbench.text.ground import ground

SUGGESTED = 75
"""The similarity from which a near name is shown to the reviewer, and never counted."""


EPSILON = 1e-8
_FOUND = Match("found", similarity=100, rule="equal")
_MISSING = Match("missing", reason="absent")


def assess_all(
    sample: Sample,
    proposal: Proposal,
    policy: Policy,
    *,
    threshold: int,
    evidence: bool = True,
    only: str = "",
) -> dict[str, Assessment]:
    """The automatic assessment of every scorer that this proposal allows.

    A scorer is left out when the proposal was not asked for what it counts. `threshold` is the
    match threshold, 0-100. `only` one scorer: the others are not worked out.
    """
    wanted = {only} if only else {*SCORERS}
    names, in_contexts = proposal.reference_entities, proposal.context_entities
    found: dict[str, Assessment | None] = {}
    for name in ("ragas", "ragas_legacy"):
        if names is not None and in_contexts is not None and name in wanted:
            found[name] = exact_strings(names, in_contexts, name)
    if names is not None and wanted & {"linked", "presence"}:
        lang = language_of(sample, policy)
        units = entity_units(sample, names, policy, lang)
        if in_contexts is not None and "linked" in wanted:
            found["linked"] = link_units(
                sample, units, in_contexts, threshold=threshold, lang=lang, evidence=evidence
            )
        if "presence" in wanted:
            found["presence"] = look_up(sample, units, policy=policy, threshold=threshold, lang=lang)
    if proposal.statements is not None and "contextual_recall" in wanted:
        statements = statement_units(sample, proposal.statements, proposal.proposer)
        found["contextual_recall"] = supported(statements)
    return {name: assessment for name, assessment in found.items() if assessment is not None}


def counted(sample: Sample, proposal: Proposal, policy: Policy) -> Counted:
    """What is kept of a sample's assessments so that they can be counted again under any match threshold."""
    found = assess_all(sample, proposal, policy, threshold=FLOOR, evidence=False)
    matches = {
        name: [unit.match for unit in found[name].units if unit.counted]
        for name in CALIBRATED
        if name in found
    }
    return Counted(
        {
            name: bytes(match.similarity if match.verdict == "found" else 0 for match in listed)
            for name, listed in matches.items()
        },
        {name: count(one.units) for name, one in found.items() if name not in CALIBRATED},
    )


def machine(
    sample: Sample,
    units: Sequence[Unit],
    proposal: Proposal | None,
    policy: Policy,
    *,
    threshold: int,
    among: Sequence[Unit] = (),
) -> Assessment:
    """Entities with the machine's verdicts: those of `linked`, or of `presence` without context entities.

    The one matcher of a review, for what it opens with and for every unit that is made or edited later; that
    one is linked `among` the units that are there.
    """
    lang = language_of(sample, policy)
    if proposal is not None and proposal.context_entities is not None:
        return link_units(
            sample, units, proposal.context_entities, threshold=threshold, lang=lang, among=among
        )
    return look_up(sample, units, policy=policy, threshold=threshold, lang=lang)


def score(scorer: str, assessment: Assessment) -> Score:
    """Count an assessment as that scorer does."""
    tally = count(assessment.units)
    return Score(scorer, tally, value_of(scorer, tally))


def value_of(scorer: str, tally: Tally) -> float | None:
    """The scorer's value of a tally: the exact recall as a float, for ragas found / (units + 1e-8)."""
    recall = tally.recall
    if recall is None:
        return None
    return tally.found / (tally.units + EPSILON) if scorer in ("ragas", "ragas_legacy") else float(recall)


def exact_strings(
    listed: Sequence[ProposedEntity], context_entities: Sequence[Sequence[ProposedEntity]], source: str
) -> Assessment:
    """Reference entities, each found when the contexts' entities hold the same string.

    `ragas` takes each once; in `ragas_legacy` a repeat is in the denominator and cannot be found again.
    """
    known = {entity.text for context in context_entities for entity in context}
    seen: set[str] = set()
    units = []
    for number, name in enumerate((entity.text for entity in listed), start=1):
        repeated = name in seen
        seen.add(name)
        if not repeated or source == "ragas_legacy":
            match = _FOUND if name in known and not repeated else _MISSING
            units.append(Unit(id=f"p{number}", kind="entity", text=name, match=match))
    return Assessment("entity", source, tuple(units))


def link_units(
    sample: Sample,
    units: Sequence[Unit],
    context_entities: tuple[tuple[ProposedEntity, ...], ...],
    *,
    threshold: int,
    lang: str,
    evidence: bool = True,
    among: Sequence[Unit] = (),
) -> Assessment:
    """Decide every unit by its best one-to-one link of at least `threshold`.

    A link from 75 up to the threshold is a suggestion: the unit is missing, the near name and its places
    are kept for the reviewer. So is a link to a name that is in no context: nothing shows that it was there.
    A duplicate takes the match of the unit it repeats. With `evidence` False no place is worked out. The
    units of `among` are linked as well, and left as they are.
    """
    candidates, invented = candidate_names(context_entities, sample.retrieved_contexts, lang)
    counted = [unit for unit in units if not unit.duplicate_of]
    names = [Name(unit.wording, unit.original_label or unit.label) for unit in (*counted, *among)]
    matches: dict[str, Match] = {}
    links, doubts = best(names, candidates, lang=lang), best(names, invented, lang=lang)
    for unit, near, doubt in zip(counted, links, doubts, strict=False):
        if near is None or near.similarity < min(threshold, SUGGESTED):
            note = ""
            if doubt is not None and doubt.similarity >= SUGGESTED:
                note = f"perhaps {invented[doubt.candidate].text}, which is in no context"
            matches[unit.id] = Match(
                "missing", "absent", similarity=near.similarity if near else 0, note=note
            )
            continue
        linked = candidates[near.candidate]
        places: tuple[Evidence, ...] = ()
        if evidence:
            places = places_of(linked.text, context_entities, sample.retrieved_contexts)
        if evidence and not places:  # worded otherwise there
            places = presence([linked], sample.retrieved_contexts, lang=lang)[0].evidence
        found = near.similarity >= threshold
        matches[unit.id] = Match(
            verdict="found" if found else "missing",
            reason=None if found else "absent",
            evidence=places,
            similarity=near.similarity,
            rule=near.rule,
            note="" if found else f"perhaps {linked.text}",
        )
    return Assessment("entity", "linked", tuple(u.matched(matches[u.duplicate_of or u.id]) for u in units))


@lru_cache(maxsize=16)
def candidate_names(
    context_entities: tuple[tuple[ProposedEntity, ...], ...], contexts: tuple[str, ...], lang: str
) -> tuple[list[Name], list[Name]]:
    """The distinct entities of all contexts: those that stand in one, and those that stand in none.

    One named in several contexts is one candidate. A name stands in a context in any form in which
    `presence` would find it, or nearly. Kept for the next edit of a sample.
    """
    names = dict.fromkeys(Name(e.text, e.label) for context in context_entities for e in context)
    rest = [name for name in names if not _as_given(name.text, contexts)]  # hardly any
    if rest:
        found = presence(rest, contexts, lang=lang)
        rest = [name for name, places in zip(rest, found, strict=True) if not places.evidence]
    for context in contexts:  # one by one: what is worked out for a text is kept for the next name
        rest = [
            name
            for name in rest
            if not any(bounded(context, span.start, span.end) for span in ground(name.text, context))
        ]
    invented = set(rest)
    return [name for name in names if name not in invented], rest


def _as_given(text: str, contexts: Sequence[str]) -> bool:
    """Whether a context has a text letter by letter, as whole words."""
    places = ((context, context.find(text)) for context in contexts)
    return any(at >= 0 and bounded(context, at, at + len(text)) for context, at in places)


def places_of(
    name: str, context_entities: Sequence[Sequence[ProposedEntity]], contexts: Sequence[str]
) -> tuple[Evidence, ...]:
    """Where the linked name stands, in the contexts it was extracted from."""
    return tuple(
        Evidence(index, span.start, span.end)
        for index, (entities, context) in enumerate(zip(context_entities, contexts, strict=False))
        if any(entity.text == name for entity in entities)
        for span in ground(name, context)
    )


def look_up(
    sample: Sample, units: Sequence[Unit], *, policy: Policy, threshold: int, lang: str
) -> Assessment:
    """Decide every unit by whether its name stands in a context; a duplicate follows its unit.

    A name that stands only inside a longer name is what the policy says (`nested`), marked as nested.
    """
    counted = [unit for unit in units if not unit.duplicate_of]
    found = presence(
        [Name(unit.wording, unit.original_label or unit.label) for unit in counted],
        sample.retrieved_contexts,
        lang=lang,
        nested_found=policy.nested == "found",
        threshold=threshold,
    )
    matches = {
        unit.id: Match(
            verdict="found" if one.found else "missing",
            reason=None if one.found else "absent",
            evidence=one.evidence,
            similarity=one.similarity,
            rule=one.rule,
            nested=one.nested,
        )
        for unit, one in zip(counted, found, strict=True)
    }
    return Assessment("entity", "presence", tuple(u.matched(matches[u.duplicate_of or u.id]) for u in units))


def supported(units: Sequence[Unit]) -> Assessment | None:
    """The statements with the verdicts recorded for them; None unless every one of them has a verdict."""
    if any(unit.match.verdict is None for unit in units):
        return None
    return Assessment("statement", "contextual_recall", tuple(units))


def band(tally: Tally) -> str | None:
    """The band of a `presence` score; a score on a border belongs to the upper band, None without units.

    Compared in integers, so 9 of 10 is exactly 90.
    """
    if not tally.units:
        return None
    for lower, name in ((90, "90-100"), (70, "70-90"), (50, "50-70")):
        if 100 * tally.found >= lower * tally.units:
            return name
    return "0-50"
