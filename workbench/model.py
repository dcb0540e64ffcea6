"""The nouns of Workbench: frozen dataclasses, standard library only.

All offsets are Unicode code points, `end` exclusive; `text[start:end]` is the surface.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from numbers import Real
from typing import Any, Literal, NamedTuple, get_args

Kind = Literal["entity", "statement"]
Verdict = Literal["found", "missing", "unsure"]
Reason = Literal["absent", "partial", "contradicted", "other entity"]
Origin = Literal["proposed", "human", "imported", "carried"]
Disposition = Literal["todo", "started", "verified", "excluded", "skipped"]

JsonObject = dict[str, Any]
"""An object of JSON, such as a row of a file."""

Progress = Callable[[int], None]
"""Called now and then with how much is done so far: bytes of a file, or samples."""

SAID: dict[str, Verdict] = {
    "found": "found", "yes": "found", "supported": "found", "attributable": "found",
    "missing": "missing", "no": "missing", "unsupported": "missing",
}  # fmt: skip
"""The words in which proposers give the verdict on a statement, and what each means."""

FoundIf = Literal["nested", "derived", "coarser"]
"""The rules of a policy that say whether a name counts as found."""

FOUND_IF: tuple[FoundIf, ...] = get_args(FoundIf)
KINDS: tuple[Kind, ...] = get_args(Kind)
PLURAL: dict[Kind, str] = {"entity": "entities", "statement": "statements"}
VERDICTS: tuple[Verdict, ...] = get_args(Verdict)
REASONS: tuple[Reason, ...] = get_args(Reason)


def is_real(value: Any) -> bool:
    """Whether a value is a number, also one of numpy; True is none, and NaN fails every comparison."""
    return isinstance(value, Real) and not isinstance(value, bool)


def silent(_done: int) -> None:
    """Tell nobody."""


def letter(side: int) -> str:
    """How a person is called in the place of their name, by their number from 0: A to Z, then AA, AB …"""
    more, last = divmod(side, 26)
    return (letter(more - 1) if more else "") + chr(ord("A") + last)


@dataclass(frozen=True, slots=True)
class Span:
    """A stretch of the reference, in code points."""

    start: int
    end: int

    def of(self, text: str) -> str:
        """The words that stand there in a text."""
        return text[self.start : self.end]


@dataclass(frozen=True, slots=True)
class Evidence:
    """A stretch of one retrieved context; `context` counts from 0."""

    context: int
    start: int
    end: int

    def of(self, contexts: Sequence[str]) -> str:
        """The words that stand there in the contexts of a sample."""
        return contexts[self.context][self.start : self.end]

    def inside(self, contexts: Sequence[str]) -> bool:
        """Whether it is a place of these contexts."""
        there = 0 <= self.context < len(contexts)
        return there and 0 <= self.start < self.end <= len(contexts[self.context])


@dataclass(frozen=True, slots=True)
class Match:
    """The verdict on one unit and what decided it.

    `verdict` None means undecided. `similarity` is 0–100. `rule` names the layer that decided
    (equal, normalised, inflected, typo, short_form, acronym, initials, …), `human` for a person, the
    proposer for a verdict that came with its proposal, `carried` for one kept from a sibling sample.
    `nested`: the name occurs only inside a longer name. `alias`: a person said that the unit and the words of
    its first evidence name the same thing, wherever they stand.
    """

    verdict: Verdict | None = None
    reason: Reason | None = None
    evidence: tuple[Evidence, ...] = ()
    similarity: int = 0
    rule: str = ""
    nested: bool = False
    note: str = ""
    alias: bool = False


@dataclass(frozen=True, slots=True)
class Unit:
    """What a recall counts: an entity or a statement of the reference, with its match.

    `spans` point into the reference, the first is the principal one; none means *ungrounded*.
    A grounded entity's `text` is its surface, `reference[start:end]`; `proposed` keeps the proposer's
    wording where it differs. `duplicate_of` names an earlier unit with an equal normalised key: shown,
    never counted. `original_label` is a label that the policy does not know.
    """

    id: str
    kind: Kind
    text: str
    label: str = ""
    spans: tuple[Span, ...] = ()
    match: Match = Match()
    origin: Origin = "proposed"
    rejected: bool = False
    duplicate_of: str = ""
    original_label: str = ""
    proposed: str = ""

    @property
    def wording(self) -> str:
        """What matchers compare: the proposer's wording, else the surface."""
        return self.proposed or self.text

    def matched(self, match: Match) -> Unit:
        """The same unit with another match; by place, for `replace` takes four times as long."""
        return Unit(
            self.id, self.kind, self.text, self.label, self.spans, match,
            self.origin, self.rejected, self.duplicate_of, self.original_label, self.proposed,
        )  # fmt: skip

    @property
    def ends(self) -> tuple[int | None, int | None]:
        """Where its principal span begins and ends; None for a unit without a place."""
        return (self.spans[0].start, self.spans[0].end) if self.spans else (None, None)

    @property
    def counted(self) -> bool:
        """Whether the unit stands in a tally."""
        return not self.rejected and not self.duplicate_of


@dataclass(frozen=True, slots=True)
class Assessment:
    """All units of one kind of one sample with their matches, from one source."""

    kind: Kind
    source: str
    units: tuple[Unit, ...] = ()


@dataclass(frozen=True, slots=True)
class Tally:
    """Counts of one assessment. Unsure stands in the denominator only."""

    found: int
    missing: int
    unsure: int = 0

    @property
    def units(self) -> int:
        """All counted units."""
        return self.found + self.missing + self.unsure

    @property
    def recall(self) -> Fraction | None:
        """found / units as an exact fraction; None (undefined) without units."""
        return Fraction(self.found, self.units) if self.units else None

    @property
    def interval(self) -> tuple[Fraction, Fraction] | None:
        """The recall if every unsure unit were missing, and if every one were found."""
        if not self.units:
            return None
        return Fraction(self.found, self.units), Fraction(self.found + self.unsure, self.units)


@dataclass(frozen=True, slots=True)
class Imported:
    """A number that came with a file, where otherwise a tally stands."""

    recall: Fraction


@dataclass(frozen=True, slots=True)
class Score:
    """A tally of one scorer and the value that scorer reports for it; None is undefined."""

    scorer: str
    tally: Tally
    value: float | None


@dataclass(frozen=True, slots=True)
class Label:
    """An entity type; `key` is the digit that sets it on screen."""

    key: str
    name: str


DEFAULT_LABELS: tuple[Label, ...] = tuple(
    Label(str(number), name)
    for number, name in enumerate(
        ("person", "place", "organisation", "date", "number", "work", "event", "other"), start=1
    )
)

DEFAULT_GUIDELINES = """\
Entities: every name, date and amount of the reference that a reader would look up, once each.
A different name inside a name (London in "University of London") is an entity of its own.
Found: the entity is mentioned in the contexts, in any form that means the same thing.
Missing: it is not; give the reason when it is not simply absent.
Statements: a statement is found when the contexts alone support all of it.
"""


@dataclass(frozen=True, slots=True)
class Policy:
    """What annotators agreed on. Immutable: a change makes a new version.

    `counted_labels` empty means all labels count. `nested` says what a name found only inside a
    longer name is, `derived` a country by its people only (Danish for Denmark), `coarser` a date that
    agrees as far as it goes (1994 for 3 August 1994); `partial` what a statement supported in part is.
    `language` (ISO 639-1) holds for samples that name none; empty means that it is detected.
    """

    version: int = 1
    labels: tuple[Label, ...] = DEFAULT_LABELS
    guidelines: str = DEFAULT_GUIDELINES
    kinds: tuple[Kind, ...] = ("entity",)
    counted_labels: tuple[str, ...] = ()
    nested: Verdict = "missing"
    derived: Verdict = "missing"
    coarser: Verdict = "missing"
    partial: Literal["split", "missing"] = "split"
    language: str = ""

    def label_names(self) -> tuple[str, ...]:
        """The names of the labels, in key order."""
        return tuple([label.name for label in self.labels])

    def label_of(self, word: str) -> tuple[str, str]:
        """The label that a proposer's word names, and "". Else "other", or "" without one, and the word."""
        names = {name.lower(): name for name in self.label_names()}
        known = names.get(word.strip().lower())
        return (names.get("other", ""), word) if known is None else (known, "")


@dataclass(frozen=True, slots=True)
class Sample:
    """One row: a question, its reference answer and what a retriever brought."""

    id: str
    user_input: str
    reference: str
    retrieved_contexts: tuple[str, ...]
    response: str | None = None
    group: str | None = None
    meta: Mapping[str, Any] = field(default_factory=dict)
    alternatives: tuple[str, ...] = ()

    @property
    def blank(self) -> bool:
        """Whether the reference has nothing to verify: recall is then undefined, whoever counted it."""
        return not self.reference or self.reference.isspace()

    @property
    def reference_hash(self) -> str:
        """Equal for samples with the same question and reference: the same gold units."""
        return text_hash(self.user_input, self.reference)

    @property
    def content_hash(self) -> str:
        """Equal for samples with the same question, reference and contexts."""
        return text_hash(self.user_input, self.reference, *self.retrieved_contexts)


@dataclass(frozen=True, slots=True)
class ProposedEntity:
    """An entity as a proposer said it; offsets only when the proposer gave them."""

    text: str
    label: str = ""
    start: int | None = None
    end: int | None = None

    @property
    def spans(self) -> tuple[Span, ...]:
        """Where it stands, by the offsets that the proposer gave."""
        return () if self.start is None or self.end is None else (Span(self.start, self.end),)


@dataclass(frozen=True, slots=True)
class ProposedStatement:
    """A statement as a proposer said it; `context` counts from 0."""

    text: str
    verdict: str | None = None
    context: int | None = None
    quote: str | None = None
    reason: str | None = None
    start: int | None = None
    end: int | None = None


RESOLVED = "=resolved"
"""Whose a review is that settles what people differ in; no person has this name."""


@dataclass(frozen=True, slots=True)
class Alias:
    """Two names of one thing, by a verified unit: its `text`, and the words of its evidence (`other`).

    It stands for samples of another `group` and reference than the one where a person said so.
    """

    text: str
    other: str
    sample: str
    group: str | None
    reference_hash: str
    annotator: str
    day: str

    def holds_for(self, sample: Sample) -> bool:
        """Whether it may decide on a sample: never on what it was learned from, nor on what is related."""
        related = self.group is not None and self.group == sample.group
        return not related and self.reference_hash != sample.reference_hash


class Matching(NamedTuple):
    """How names are matched: under a policy, from a similarity of `threshold` (0–100) on, with aliases."""

    policy: Policy
    threshold: int
    aliases: tuple[Alias, ...] = ()


BY = "annotator "
"""How the model of a proposal begins that was made of a person's marks; the name behind it is the person's,
and leaves as annotators do."""


@dataclass(frozen=True, slots=True)
class Proposal:
    """What one proposer said of one sample, stored as said and never changed.

    None means that the proposer was not asked; () that it looked and found nothing.
    """

    proposer: str
    model: str = ""
    reference_entities: tuple[ProposedEntity, ...] | None = None
    context_entities: tuple[tuple[ProposedEntity, ...], ...] | None = None
    statements: tuple[ProposedStatement, ...] | None = None


IDLE = 60.0
"""Seconds that a longer pause counts as: reading takes a minute, an absence is no work."""


@dataclass(frozen=True, slots=True)
class Effort:
    """What a person gave: active seconds (a pause of more than a minute counts as one) and presses."""

    seconds: float
    presses: int


@dataclass(frozen=True, slots=True)
class Marks:
    """What a review says besides its verified units.

    `dispositions`: the kinds that are excluded or skipped, `reasons` why. `shown`: assisted or blind, empty
    when it is not known. `adjudicated`: it settles what others differ in.
    """

    dispositions: Mapping[Kind, Disposition] = field(default_factory=dict)
    reasons: Mapping[Kind, str] = field(default_factory=dict)
    flag: str = ""
    comments: tuple[str, ...] = ()
    shown: Literal["", "assisted", "blind"] = ""
    off_plan: bool = False
    adjudicated: bool = False


NO_MARKS = Marks()


@dataclass(frozen=True, slots=True)
class GoldRecord:
    """Units with verdicts that one annotator verified; None means that kind was not verified.

    `effort` is the sum over all acts, None when it was not measured. `by`: who settled it, where it is
    nobody's own review.
    """

    annotator: str
    entities: tuple[Unit, ...] | None = None
    statements: tuple[Unit, ...] | None = None
    effort: Effort | None = None
    marks: Marks = NO_MARKS
    by: str = ""

    @property
    def units(self) -> dict[Kind, tuple[Unit, ...]]:
        """The units of each kind that was verified."""
        both = zip(KINDS, (self.entities, self.statements), strict=True)
        return {kind: units for kind, units in both if units is not None}

    @property
    def named(self) -> str:
        """Who verified it, in one word."""
        return f"resolved:{self.by}" if self.by else self.annotator

    def renamed(self, naming: Callable[[str], str]) -> GoldRecord:
        """The same with other names for people."""
        return replace(self, annotator=naming(self.annotator), by=naming(self.by))


@dataclass(frozen=True, slots=True)
class Example:
    """A verified sample as a prompt shows it, and what figures over its run leave out by.

    `entities` are (name, label); None where that kind is not verified, () where there are none.
    """

    id: str
    group: str | None
    reference_hash: str
    question: str
    text: str
    entities: tuple[tuple[str, str], ...] | None = None
    statements: tuple[str, ...] | None = None


@dataclass(frozen=True, slots=True)
class Record:
    """One sample with all that came with it in a file.

    `u` is its permanent random number there. `contexts_given`: the file says what was retrieved, be it
    nothing. `named`: it gives the sample an id.
    """

    sample: Sample
    proposals: tuple[Proposal, ...] = ()
    gold: tuple[GoldRecord, ...] = ()
    scores: Mapping[str, str] = field(default_factory=dict)
    u: float | None = None
    contexts_given: bool = True
    named: bool = field(default=True, compare=False)

    @property
    def proposal(self) -> Proposal | None:
        """What the first proposer said."""
        return self.proposals[0] if self.proposals else None


def named_language(meta: Mapping[str, Any]) -> str:
    """The language that `language` or `lang` of a sample's meta names; empty where none does."""
    given = (meta.get(name) for name in ("language", "lang"))
    named = next((tag for tag in given if isinstance(tag, str) and tag), "")
    return named.split("-")[0].lower()


def sha256(text: str) -> str:
    """The SHA-256 of a text, 64 hex digits."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def text_hash(*parts: str) -> str:
    """A SHA-256 over the parts as 32 hex digits, joined by NUL, which no stored text holds."""
    return sha256("\0".join(parts))[:32]


def recall_of(tally: Tally | None) -> float | None:
    """The recall as a float; None (undefined) without a tally or units."""
    return tally.found / tally.units if tally and tally.units else None


def count(units: Iterable[Unit]) -> Tally:
    """Count the verdicts of the counted units; an undecided unit counts as unsure."""
    verdicts = Counter(unit.match.verdict or "unsure" for unit in units if unit.counted)
    return Tally(verdicts["found"], verdicts["missing"], verdicts["unsure"])
