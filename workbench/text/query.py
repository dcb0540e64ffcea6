"""The query language of the queue: what a person types becomes terms, or says where it goes wrong.

    rome "right bank" state:todo label:date,place -is:flagged delta>0.2 meta.topic:art

Words and quoted phrases stand in the id, the question, the reference or the name of the retriever; all terms
hold at once; a comma means any of; a minus before a term means not.
"""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Literal, NamedTuple

from workbench.text.figures import rounded
from workbench.text.lists import pairs, sections

STATES = ("todo", "started", "verified", "excluded", "skipped")
MARKS = ("flagged", "blind", "rematch", "stale", "offplan", "fast", "disputed", "unresolved")
MAIN = (
    "missed unit", "invented unit", "duplicate", "granularity", "false match", "missed match", "unsure",
    "untraced",
)  # fmt: skip
"""The causes that may be a sample's main one; a word of them will do."""
KNOWN = {"state": STATES, "is": MARKS, "cause": MAIN}
"""The fields whose values are a closed set."""
VALUES = ("delta", "auto", "verified")
"""Numbers of a decided sample. `delta` is the size of the difference, whichever its sign."""

FIELDS = pairs(sections(__name__)["fields"])
"""Every field with what it means, in the order in which they are offered; `meta.KEY` comes on top."""

Order = Literal["u", "file", "doubt", "delta"]
"""Of the samples found: random, as in the file, the most doubtful first, the largest Δ first."""

META = "meta."
LONGEST = 1_000
"""Code points of a query. SQLite takes a thousand conditions in a row, and a term is at least two."""

Op = str
"""`:` for words; `>`, `>=`, `<`, `<=` or `=` for numbers."""

_COMPARES: dict[Op, Callable[[Any, Any], Any]] = {
    ">": operator.gt, ">=": operator.ge, "<": operator.lt, "<=": operator.le,
}  # fmt: skip
HALF, EDGE = 0.005, 1e-9
"""Half of the last digit that is shown: `=.67` finds two thirds. Digits behind the ninth decide nothing."""

_TOKEN = re.compile(r'(?s)(?:"(?:\\.|[^"\\])*"?|[^\s"])+')
_FIELD = re.compile(r'(-?)(meta\.[^\s:"<>=,]+|[A-Za-z]+)(:|>=|<=|>|<|=)')
_PIECE = re.compile(r'(?s)"((?:\\.|[^"\\])*)"?|([^",]+)|(,)')
_ESCAPED = re.compile(r"(?s)\\(.)")
_NUMBER = re.compile(r"[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)")
_UNSTORABLE = re.compile("[\x00\ud800-\udfff]")
_NEEDS_QUOTES = re.compile(r'[\s",:<>=]|^-')
_NEAR = 60  # of 100: below that a suggestion is a guess


RANDOM_MARKS = {"blind", "rematch", "stale", "fast"}


class QueryToken(NamedTuple):
    """One term as typed: its place and, where it names one, its field; `start` is before the minus."""

    start: int
    end: int
    negated: bool
    field: str
    op: Op
    rest: str
    rest_start: int


@dataclass(frozen=True, slots=True)
class Term:
    """One condition. `field` is "text" for plain words; any of `values` will do, `number` is for VALUES."""

    field: str
    values: tuple[str, ...] = ()
    negated: bool = False
    op: Op = ":"
    number: Fraction | float = Fraction(0)

    def compares(self, number: Any) -> Any:
        """Whether a number fits, its minus aside; a column of SQL gives a condition."""
        if self.op == "=":
            shown = rounded(self.number, 2)  # a half goes to the even digit: .375 and .385 are shown as .38
            reach = HALF + (EDGE if shown * 100 % 2 == 0 else -EDGE)
            return (number > float(shown) - reach) & (number < float(shown) + reach)
        return _COMPARES[self.op](number, self.number)


@dataclass(frozen=True, slots=True)
class Query:
    """All terms of a query; none means every sample."""

    terms: tuple[Term, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.terms)

    @property
    def by_value(self) -> tuple[Term, ...]:
        """The terms about numbers and causes, which only a decided sample has."""
        return tuple(term for term in self.terms if term.field in (*VALUES, "cause"))

    @property
    def marks(self) -> frozenset[str]:
        """What it asks by `is:`."""
        return frozenset(value for term in self.terms if term.field == "is" for value in term.values)

    @property
    def beside(self) -> bool:
        """Whether it asks what the database alone cannot tell."""
        return bool(self.by_value or self.marks & {"disputed", "fast", "unresolved"})

    @property
    def hand_picked(self) -> bool:
        """Whether the samples are chosen by what is in them, so that they stand for no others.

        Where one stands with them (`state:` and RANDOM_MARKS of `is:`) leaves them random.
        """
        return any(
            term.field != "state" and not (term.field == "is" and set(term.values) <= RANDOM_MARKS)
            for term in self.terms
        )

    @property
    def decided(self) -> bool:
        """Whether only samples can be in it whose review is behind them."""
        open_states, over = {"todo", "started"}, {"stale", "fast"}
        return bool(self.by_value) or any(
            (term.field == "state" and not open_states & set(term.values))
            or (term.field == "is" and over >= set(term.values))
            for term in self.terms
            if not term.negated
        )


EVERYTHING = Query()


@dataclass(frozen=True, slots=True)
class Mistake:
    """Why a query cannot be read.

    `suggestion` in the place of `text[start:end]` is what may have been meant, "" when nothing is near.
    """

    start: int
    end: int
    message: str
    suggestion: str = ""

    def __str__(self) -> str:
        return f"did you mean {self.suggestion}? {self.message}" if self.suggestion else self.message


def parse(text: str) -> Query | Mistake:
    """The query of a text, or its first mistake. Never raises."""
    if len(text) > LONGEST:
        return Mistake(LONGEST, len(text), f"a query has at most {LONGEST:,} characters")
    if (odd := _UNSTORABLE.search(text)) is not None:
        return Mistake(odd.start(), odd.end(), "no sample can hold this character")
    terms = []
    for token in tokens(text):
        term = _term(token)
        if isinstance(term, Mistake):
            return term
        if term is not None:
            terms.append(term)
    return Query(tuple(terms))


def tokens(text: str) -> list[QueryToken]:
    """The terms of a text as typed; a quote that is not closed goes on to the end."""
    typed = []
    for match in _TOKEN.finditer(text):
        raw, (start, end) = match.group(), match.span()
        named = _FIELD.match(raw)
        if named is not None and not _is_text(named.group(2), named.group(3), raw[named.end() :]):
            sign, name, op = named.groups()
            name, behind = name if name.startswith(META) else name.lower(), named.end()
            typed.append(QueryToken(start, end, bool(sign), name, op, raw[behind:], start + behind))
        else:
            negated = raw.startswith("-") and len(raw) > 1
            typed.append(QueryToken(start, end, negated, "text", ":", raw[negated:], start + negated))
    return typed


def quoted(value: str) -> str:
    """A value as it is typed: in quotes where it needs them."""
    if value and not _NEEDS_QUOTES.search(value):
        return value
    return '"' + value.replace("\\", "\\\\").replace('"', '\\"') + '"'


def values_of(rest: str) -> tuple[str, ...]:
    """The values behind an operator, without quotes; empty ones are left out."""
    values = [""]
    for in_quotes, bare, comma in _PIECE.findall(rest):
        if comma:
            values.append("")
        else:
            values[-1] += bare or _ESCAPED.sub(r"\1", in_quotes)
    return tuple(value for value in values if value)


def _is_text(name: str, op: Op, rest: str) -> bool:
    """Whether what looks like a field is a text: an address, or `E=mc2`, which is near no field."""
    if name.lower() in FIELDS or name.startswith(META):
        return False
    return rest.startswith("//") or (op != ":" and not _nearest(name, VALUES))


def _term(token: QueryToken) -> Term | Mistake | None:
    if token.field == "text":
        value = "".join(
            bare or comma or _ESCAPED.sub(r"\1", inner) for inner, bare, comma in _PIECE.findall(token.rest)
        )
        if set(value) <= set("<>=") and value:
            return Mistake(token.start, token.end, f"no blanks around {value}", f"delta{value}.2")
        return Term("text", (value,), token.negated) if value.strip() else None
    start = token.start + token.negated
    if token.field not in FIELDS and not token.field.startswith(META):
        near = _nearest(token.field, (*FIELDS, META))
        message = f"no field {token.field}; in quotes it is text"
        better = f"{near}KEY:" if near == META else f"{near}{token.op}" if near else f"{META}{token.field}:"
        return Mistake(start, token.rest_start, message, better)
    if token.field in VALUES:
        return _comparison(token, start)
    if token.op != ":":
        return Mistake(start, token.end, f"{token.field} takes a colon", f"{token.field}:{token.rest}")
    values = values_of(token.rest)
    if not values:
        return Mistake(start, token.end, f"{token.field}: what? ({FIELDS.get(token.field, 'a value')})")
    if (known := KNOWN.get(token.field)) is not None:
        values = tuple(value.lower() for value in values)
        names = "\n".join(known) if known is MAIN else known  # a piece of a name will do
        if (wrong := next((value for value in values if value not in names), None)) is not None:
            message = f"{token.field}: {', '.join(known)}"
            for name, others in KNOWN.items():
                if values == (wrong,) and wrong in others:  # of the other field
                    return Mistake(start, token.end, message, f"{name}:{wrong}")
            near = _nearest(wrong, known)
            right = ",".join(quoted(near if value == wrong else value) for value in values)
            return Mistake(start, token.end, message, f"{token.field}:{right}" if near else "")
    return Term(token.field, values, token.negated)


def _comparison(token: QueryToken, start: int) -> Term | Mistake:
    name, op, typed = token.field, token.op, token.rest
    if op == ":":
        message = f"{name} is compared with a number"
        return Mistake(start, token.end, message, f"{name}>{typed if _NUMBER.fullmatch(typed) else 0.2}")
    if _NUMBER.fullmatch(typed) is None:
        point = typed.replace(",", ".")
        near = f"{name}{op}{point}" if _NUMBER.fullmatch(point) else ""
        message = f"{typed} is no number from 0 to 1" if typed else f"{name}{op} what? (a number from 0 to 1)"
        return Mistake(start, token.end, message, near)
    number = Fraction(typed)
    if not 0 <= number <= 1:
        near = f"{name}{op}{float(number / 100):g}" if 1 < number <= 100 else ""
        return Mistake(start, token.end, f"{name} lies between 0 and 1", near)
    return Term(name, (), token.negated, op, number)


def _nearest(word: str, known: tuple[str, ...]) -> str:
    from rapidfuzz import fuzz, process, utils  # 10 ms, and few queries have a mistake

    best = process.extractOne(
        word, known, scorer=fuzz.ratio, processor=utils.default_process, score_cutoff=_NEAR
    )
    return best[0] if best else ""


Facet = Sequence[tuple[str, int | None]]
"""The values of a field that occur, with how many samples have them (None: not counted)."""
Facets = Mapping[str, Facet]

MOST = 12


class Completion(NamedTuple):
    """`text[start:end]` becomes `insert`; `shown` stands in the list, `samples` have it."""

    start: int
    end: int
    insert: str
    shown: str
    samples: int | None = None


def complete(text: str, cursor: int, facets: Facets) -> list[Completion]:
    """What can stand at the cursor: fields for the beginning of a word, values behind a colon."""
    cursor = max(0, min(cursor, len(text)))
    token = next((token for token in tokens(text) if token.start < cursor <= token.end), None)
    if token is None:
        return _fields("", cursor, cursor, facets)
    if token.field == "text":
        typed = text[token.rest_start : cursor]
        return [] if '"' in token.rest else _fields(typed, token.rest_start, token.end, facets)
    if token.op != ":" or cursor < token.rest_start:
        return []
    return _values(text, token, cursor, facets)


def apply(text: str, completion: Completion) -> tuple[str, int]:
    """The text with a completion taken, and the cursor behind it."""
    done = text[: completion.start] + completion.insert
    return done + text[completion.end :].removeprefix(" " if done.endswith(" ") else ""), len(done)


def toggled(text: str, field: str, value: str) -> str:
    """The query with `field:value` put in; taken out when it stands there already.

    Another value of the same field makes way, but for `is:`, whose marks add up.
    """
    wanted = f"{field}:{quoted(value)}"
    terms, there = [], False
    for token in tokens(text):
        same_field = token.field == field and not token.negated
        if same_field and values_of(token.rest) == (value,):
            there = True
        elif not same_field or field == "is":
            terms.append(text[token.start : token.end])
    if terms and terms[-1].count('"') % 2:  # a quote that was not closed would take the new term in
        terms[-1] += '"'
    return " ".join(terms if there else [*terms, wanted])


def _fields(typed: str, start: int, end: int, facets: Facets) -> list[Completion]:
    names = [*FIELDS, *(name for name in facets if name.startswith(META))]
    shown = [name + (">" if name in VALUES else ":") for name in names]
    lowered = typed.lower()
    return [Completion(start, end, name, name) for name in shown if name.startswith(lowered)][:MOST]


def _values(text: str, token: QueryToken, cursor: int, facets: Facets) -> list[Completion]:
    commas = [token.rest_start + match.start(3) for match in _PIECE.finditer(token.rest) if match[3]]
    start = max((at + 1 for at in commas if at < cursor), default=token.rest_start)
    end = min((at for at in commas if at >= cursor), default=token.end)
    typed = text[start:cursor].strip('"').lower()
    known = dict.fromkeys(KNOWN.get(token.field, ())) | dict(facets.get(token.field, ()))
    matching = [value for value in known if typed in value.lower()]
    matching.sort(key=lambda value: not value.lower().startswith(typed))
    space = " " if end == token.end else ""
    return [Completion(start, end, quoted(value) + space, value, known[value]) for value in matching[:MOST]]
