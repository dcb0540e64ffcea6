"""All scorers over one sample: the one path from a proposal to automatic assessments and their scores.

- `ragas`, `ragas_legacy`: context entity recall, digit for digit. Both compare raw strings: `collections`
  divides by the set of reference entities, `legacy` by the list, each with 1e-8 added, so a perfect score is
  n / (n + 1e-8) and never 1.0. Source: ragas 0.4.3, `ragas/metrics/collections/context_entity_recall` and
  `ragas/metrics/_context_entities_recall.py`. Unlike ragas, a reference without entities is undefined.
- `linked`: reference entities linked one-to-one to context entities by the layered matcher.
- `presence`: reference entities that occur in the text of the contexts.
- `contextual_recall`: statements that the contexts support, over all statements: deepeval's formula. Unlike
  deepeval every statement has exactly one verdict of a closed set: another word is refused where it comes in.

Of a counted sample one byte a unit is kept: enough for every match threshold and for doubt. The gate of a CI
job asks whether these recalls reach the pass mark.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from itertools import starmap

from workbench.matching import FLOOR
from workbench.matching.names import COUNTRY, LOOSE, SUGGESTED as LIKELY, Name, best
from workbench.matching.presence import presence
from workbench.matching.units import entity_units, language_of, names_of, statement_units
from workbench.model import (
    Assessment,
    Evidence,
    Match,
    Matching,
    Proposal,
    ProposedEntity,
    Sample,
    Score,
    Tally,
    Unit,
    count,
)
from workbench.scoring.doubt import Counted
from workbench.scoring.names import CALIBRATED, SCORERS
from workbench.text.ground import ground
from workbench.text.normalise import bounded, stands_in

SUGGESTED = 75
"""The similarity from which a near name is shown to the reviewer, and never counted."""


EPSILON = 1e-8
_FOUND = Match("found", similarity=100, rule="equal")
_MISSING = Match("missing", reason="absent")


def assess_all(
    sample: Sample,
    proposal: Proposal,
    matching: Matching,
    *,
    evidence: bool = True,
    only: tuple[str, ...] = tuple(SCORERS),
) -> dict[str, Assessment]:
    """The automatic assessment of every scorer that this proposal allows.

    A scorer is left out when the proposal was not asked for what it counts. Without `evidence` a unit has its
    principal place alone and `linked` gives none in the contexts. `only` some scorers: the others are not
    worked out.
    """
    names, in_contexts = proposal.reference_entities, proposal.context_entities
    assessments: dict[str, Assessment | None] = {}
    for name in ("ragas", "ragas_legacy"):
        if names is not None and in_contexts is not None and name in only:
            assessments[name] = exact_strings(names, in_contexts, name)
    if names is not None and ("linked" in only or "presence" in only):
        units = entity_units(sample, names, matching.policy, every=evidence)
        if in_contexts is not None and "linked" in only:
            assessments["linked"] = link_units(sample, units, in_contexts, matching, evidence=evidence)
        if "presence" in only:
            assessments["presence"] = look_up(sample, units, matching)
    if proposal.statements is not None and "contextual_recall" in only:
        statements = statement_units(sample, proposal.statements, proposal.proposer)
        assessments["contextual_recall"] = supported(statements)
    return {name: assessment for name, assessment in assessments.items() if assessment is not None}


def counted(sample: Sample, proposal: Proposal, matching: Matching) -> Counted:
    """What is kept of a sample's assessments so that they can be counted again under any match threshold."""
    assessments = assess_all(sample, proposal, matching._replace(threshold=FLOOR), evidence=False)
    matches = {
        name: [unit.match for unit in assessments[name].units if unit.counted]
        for name in CALIBRATED
        if name in assessments
    }
    return Counted(
        {
            name: bytes(match.similarity if match.verdict == "found" else 0 for match in listed)
            for name, listed in matches.items()
        },
        {name: count(assessment.units) for name, assessment in assessments.items() if name not in CALIBRATED},
    )


def machine(
    sample: Sample,
    units: Sequence[Unit],
    proposal: Proposal | None,
    matching: Matching,
    among: Sequence[Unit] = (),
) -> Assessment:
    """Entities with the machine's verdicts: those of `linked`, or of `presence` without context entities.

    The one matcher of a review, for what it opens with and for every unit that is made or edited later; that
    one is linked `among` the units that are there.
    """
    if proposal is not None and proposal.context_entities is not None:
        return link_units(sample, units, proposal.context_entities, matching, among=among)
    return look_up(sample, units, matching)


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
    matching: Matching,
    *,
    evidence: bool = True,
    among: Sequence[Unit] = (),
) -> Assessment:
    """Decide every unit by its best one-to-one link of at least the threshold.

    A link from 75 up to the threshold is a suggestion: the unit is missing, the near name and its places
    are kept for the reviewer. The policy may count some of them (`derived`, `coarser`). So is a link to a
    name that is in no context a suggestion: nothing shows that it was there. A duplicate takes the match of
    the unit it repeats. With `evidence` False no place is worked out. The units of `among` are linked as
    well, and left as they are.
    """
    policy, threshold, aliases = matching
    lang = language_of(sample, policy)
    candidates, invented = candidate_names(context_entities, sample.retrieved_contexts, lang)
    counted = [unit for unit in units if not unit.duplicate_of]
    names = names_of((*counted, *among), sample, lang, aliases)
    matches: dict[str, Match] = {}
    links, doubts = best(names, candidates, lang=lang), best(names, invented, lang=lang)
    for unit, near, doubt in zip(counted, links, doubts, strict=False):
        if near is None or near.similarity < min(threshold, SUGGESTED):
            note = ""
            if doubt is not None and doubt.similarity >= SUGGESTED:
                note = f"perhaps {invented[doubt.candidate].text}, which is in no context"
            similarity = near.similarity if near else 0
            as_is = not similarity and not note
            matches[unit.id] = _MISSING if as_is else Match("missing", "absent", (), similarity, note=note)
            continue
        if near.similarity == LIKELY and getattr(policy, LOOSE.get(near.rule, ""), "missing") == "found":
            near = near._replace(similarity=COUNTRY)
        linked = candidates[near.candidate]
        places: tuple[Evidence, ...] = ()
        if evidence:
            places = places_of(linked.text, context_entities, sample.retrieved_contexts)
        if evidence and not places:  # worded otherwise there
            places = presence([linked], sample.retrieved_contexts, lang=lang)[0].evidence
        if near.similarity >= threshold:
            equal = near.similarity == 100 and not places
            matches[unit.id] = _FOUND if equal else Match("found", None, places, near.similarity, near.rule)
        else:
            note = f"perhaps {linked.text}"
            matches[unit.id] = Match("missing", "absent", places, near.similarity, near.rule, note=note)
    return Assessment("entity", "linked", tuple(u.matched(matches[u.duplicate_of or u.id]) for u in units))


def candidate_names(
    context_entities: Sequence[Sequence[ProposedEntity]], contexts: tuple[str, ...], lang: str
) -> tuple[list[Name], list[Name]]:
    """The distinct entities of all contexts: those that stand in one, and those that stand in none.

    One named in several contexts is one candidate.
    """
    known: dict[tuple[str, str], bool] = {}  # whether the name stands where it was taken from
    for index, entities in enumerate(context_entities):
        context = contexts[index] if index < len(contexts) else ""
        for e in entities:
            name = e.text, e.label
            if not known.get(name):
                start = -1 if e.start is None else e.start
                given = start >= 0 and context.startswith(e.text, start)
                known[name] = given and bounded(context, start, start + len(e.text))
    names = list(starmap(Name, known))
    if all(known.values()):
        return names, []
    invented = _in_none(
        tuple(name for name, given in zip(names, known.values(), strict=True) if not given), contexts, lang
    )
    return [name for name in names if name not in invented], [*invented]


@lru_cache(maxsize=16)
def _in_none(names: tuple[Name, ...], contexts: tuple[str, ...], lang: str) -> Mapping[Name, None]:
    """The names that stand in no context in any form in which `presence` would find them, or nearly.

    Kept for the next edit of a sample.
    """
    rest = [name for name in names if not stands_in(name.text, contexts)]
    if rest:
        found = presence(rest, contexts, lang=lang)
        rest = [name for name, places in zip(rest, found, strict=True) if not places.evidence]
    for context in contexts:  # one by one: what is worked out for a text is kept for the next name
        rest = [
            name
            for name in rest
            if not any(bounded(context, span.start, span.end) for span in ground(name.text, context))
        ]
    return dict.fromkeys(rest)


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


def look_up(sample: Sample, units: Sequence[Unit], matching: Matching) -> Assessment:
    """Decide every unit by whether its name stands in a context; a duplicate follows its unit.

    A name that stands only inside a longer name is what the policy says (`nested`), marked as nested.
    """
    policy, threshold, aliases = matching
    lang = language_of(sample, policy)
    counted = [unit for unit in units if not unit.duplicate_of]
    found = presence(
        names_of(counted, sample, lang, aliases),
        sample.retrieved_contexts,
        lang=lang,
        nested_found=policy.nested == "found",
        threshold=threshold,
    )
    matches = {unit.id: match for unit, match in zip(counted, found, strict=True)}
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


@dataclass(frozen=True, slots=True)
class ScoreGate:
    """Whether the samples pass, and what was held against what.

    `value` is the mean over the `n` defined samples, with `strict` the share of perfect ones; None without
    any. `below` are the ids of samples under the pass mark (with `strict`: not perfect), `undefined` of those
    without units. `unscored` samples have no value at all; `step` is the command that gives them one, and
    `note` says why the value tells nothing of them.
    """

    metric: str
    threshold: float
    strict: bool
    passed: bool
    value: float | None
    n: int
    undefined: tuple[str, ...]
    unscored: int
    below: tuple[str, ...]
    step: str
    note: str = ""


def gate(
    metric: str,
    recalls: Sequence[tuple[str, Fraction | None]],
    *,
    threshold: float,
    strict: bool,
    unscored: int = 0,
    step: str = "",
) -> ScoreGate:
    """The mean recall against the pass mark; with `strict` every sample must have a value, every defined
    one must be perfect.

    Exact fractions are compared, so 2 of 3 reaches a pass mark of 2/3; what is short of it by no more than
    `EPSILON` reaches it too, as a perfect score of ragas does. Undefined samples are named and left out;
    nothing but undefined samples fails.
    """
    defined = [(name, recall) for name, recall in recalls if recall is not None]
    mark = (Fraction(1) if strict else Fraction(str(threshold))) - Fraction(str(EPSILON))
    below = tuple(name for name, recall in defined if recall < mark)
    reached = len(defined) - len(below) if strict else sum((recall for _, recall in defined), Fraction(0))
    value = Fraction(reached) / len(defined) if defined else None
    passed = value is not None and (not below and not unscored if strict else value >= mark)
    return ScoreGate(
        metric=metric,
        threshold=threshold,
        strict=strict,
        passed=passed,
        value=None if value is None else float(value),
        n=len(defined),
        undefined=tuple(name for name, recall in recalls if recall is None),
        unscored=unscored,
        below=below,
        step=step if unscored else "",
    )
