"""How alike two names are and which layer says so, and the one-to-one links that follow."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from rapidfuzz import fuzz, process
from rapidfuzz.distance import OSA

from workbench.matching import FLOOR
from workbench.matching.analysis import (
    ORGANISATION,
    OTHER,
    PERSON,
    PLACE,
    SMALL,
    Analysed,
    analyse,
    capitals,
    country,
    kind_of,
    legal_forms,
    may_match,
    sketch,
)
from workbench.model import FoundIf
from workbench.text.lists import has_digit, listed, sections
from workbench.text.normalise import alike, differ, is_foreign, key
from workbench.text.numbers import MONEY, readings

Verdict = tuple[int, str]
NOTHING: Verdict = (0, "")
NORMALISED = 99
INFLECTED = 98
ACRONYM = COUNTRY = ALIAS = 96
INITIALS = 95
SHORT_FORM = 93
DESCRIBED = 90
SUGGESTED = 80  # shown to a person, counted only below the usual threshold
# Two words are one with a typo when four fifths of their letters agree: one edit in five letters.
_SAME_WORD = 0.8
LOOSE: Mapping[str, FoundIf] = {"country": "derived", "digits": "coarser"}
"""The layers whose suggestions a policy may count, and its rule for each."""
_DERIVED = 0.82  # a suggestion at most
# A name with one of these words is not a person's: its last word alone is not its short form.
_WORDS = sections(__name__)
_NOT_A_PERSON = listed(_WORDS["not a person"])
MODELS = listed(_WORDS["models"])  # each is a product of its own
# Letters that make another word of one: hypertension, hypotension; nitrate, nitrite; Freiburg, Freiberg.
_OPPOSITES = [*map(re.compile, _WORDS["opposites"].strip().splitlines())]


class Name(NamedTuple):
    """A name as it stands in a text, with its label when one is known, and what else its bearer is called."""

    text: str
    label: str = ""
    aliases: tuple[str, ...] = ()


def similarity(a: Name, b: Name, lang: str | None = None) -> Verdict:
    """How alike two names are, 0–100, and the layer that decided.

    equal 100; normalised 99; inflected 98; typo up to 97; acronym and country (names of one country) 96;
    transliteration (one sound in two alphabets) 96 or 90; initials 95; short_form 93, or 90 for a name with a
    description (western Turkey). Suggestions are 80: a country by its people (American), a date that goes
    less far (digits), a part of a name in a script without spaces, a place for what is written in another way
    and labelled other. digits with 0: numbers or dates differ. "" with 0: no layer speaks. Symmetric.
    `lang` is the ISO 639-1 code of the texts.
    """
    return compare(analyse(a.text, a.label, lang), analyse(b.text, b.label, lang))


def compare(a: Analysed, b: Analysed) -> Verdict:
    """`similarity` of two names already taken apart."""
    score, rule = compare_named(a, b)
    if score < INFLECTED and {a.label, b.label} == {PLACE, OTHER}:
        return min(score, SUGGESTED), rule
    return score, rule


def compare_named(a: Analysed, b: Analysed) -> Verdict:
    """The same for names that may be of one thing by their labels."""
    if a.text == b.text and a.bag:
        return 100, "equal"
    if not a.bag or not b.bag:
        return NOTHING
    if a.generation and b.generation and a.generation != b.generation:
        return NOTHING
    verdict = compare_as_written(a, b)
    if a.generation != b.generation and verdict[0] > SHORT_FORM:
        verdict = SHORT_FORM, "short_form"
    return verdict if verdict[0] >= DESCRIBED or not (a.bare or b.bare) else max(verdict, described(a, b))


def described(a: Analysed, b: Analysed) -> Verdict:
    """90 for a name and the same name with a description: Turkey and western Turkey."""
    for x, y in ((a, b), (b, a)):
        firm = x.label == ORGANISATION and y.label in (PERSON, PLACE) and x.text.startswith(x.bare)
        if x.bare and not firm and compare_as_written(analyse(x.bare, x.label, x.lang), y)[0] >= ACRONYM:
            return DESCRIBED, "short_form"
    return NOTHING


ADDRESS = re.compile("[^ ]@|://|^www[.]")
_RATE = re.compile(r"\d\s?[^\W\d]+(?:/| per )([^\W\d])")


def compare_as_written(a: Analysed, b: Analysed) -> Verdict:
    """The best layer for two names, each with all its words."""
    if ADDRESS.search(a.text) or ADDRESS.search(b.text):  # another letter is another address
        return (NORMALISED, "normalised") if a.text.lower() == b.text.lower() else NOTHING
    if a.digits != b.digits and not a.keys & b.keys:
        return coarser_date(a, b), "digits"
    if a.digits and differ(a.text, b.text, a.lang):
        return NOTHING
    if a.bag == b.bag or a.keys & b.keys:
        return NORMALISED, "normalised"
    rates = {(rate := _RATE.search(text)) and rate[1].lower() for text in (a.text, b.text)}
    if a.digits and len(rates) > 1:  # 500 mg is not 500 mg/kg
        return NOTHING
    pairs = paired(a, b)
    if not pairs.left and not pairs.right:
        return INFLECTED, "inflected"
    if _more_initials(a, b):
        return NOTHING
    if a.country.name and b.country.name:
        if a.country.name != b.country.name:
            return NOTHING
        # people who link names take American for the United States in about half of the cases
        return COUNTRY if a.country.counts and b.country.counts else SUGGESTED, "country"
    if _is_rate_of(a, b) or _is_rate_of(b, a):
        return DESCRIBED, "short_form"
    best = max(
        (typo(a, b, pairs), "typo"),
        (acronym(a, b), "acronym"),
        (contraction(a, b), "acronym"),
        (transliteration(a, b), "transliteration"),
        (initials(a, b, pairs), "initials"),
        (short_form(a, b, pairs), "short_form"),
    )
    if PERSON not in (a.label, b.label) and not MODELS.isdisjoint({*a.tokens[1:]} ^ {*b.tokens[1:]}):
        return min(best[0], SUGGESTED), best[1]  # iPhone 15 Pro, iPhone 15 Pro Max
    return best if best[0] else NOTHING


def _is_rate_of(a: Analysed, b: Analysed) -> bool:
    """Whether a name is an amount of money with a rate, and another the same without: $5 a month, $5."""
    rest = Counter(a.bag) - Counter(b.bag)
    return (
        not MONEY.isdisjoint(b.bag) and len(a.bag) == len(b.bag) + 2 and len(rest) == 2 and rest["per"] == 1
    )


def coarser_date(a: Analysed, b: Analysed) -> int:
    """80 for two dates that agree as far as they go or have a common reading, else 0."""
    if len(a.bag) != 1 or len(b.bag) != 1 or len(a.digits) != 1 or len(b.digits) != 1:
        return 0
    x, y = sorted((a.digits[0], b.digits[0]), key=len)
    begins = y.startswith(x + "m") or ("m" in x and (y.startswith(x + "d") or y.endswith(x)))
    return SUGGESTED if x in readings(y) or y in readings(x) or ("m" in y and begins) else 0


class Pairs(NamedTuple):
    """The tokens of two names that are the same word, and those of each that are left, by their places."""

    same: dict[int, int]
    left: list[int]
    right: list[int]

    def turned(self) -> Pairs:
        """The same for the names in the other order."""
        return Pairs({j: i for i, j in self.same.items()}, self.right, self.left)


def paired(a: Analysed, b: Analysed) -> Pairs:
    """The words that two names share, equal ones paired first."""
    same: dict[int, int] = {}
    left, right = list(range(len(a.tokens))), list(range(len(b.tokens)))
    for equal in (True, False):
        for i in tuple(left):
            for j in right:
                if a.forms[i].isdisjoint(b.forms[j]):  # equal words have equal forms
                    continue
                if not equal or a.tokens[i] == b.tokens[j]:
                    same[i] = j
                    left.remove(i)
                    right.remove(j)
                    break
    return Pairs(same, left, right)


def typo(a: Analysed, b: Analysed, pairs: Pairs) -> int:
    """97 × the share of letters in words that are the same, nearly the same or an initial (half).

    Nearly the same: at least four letters and an optimal string alignment of 0.8. Not for scripts
    where one character is a word or a syllable.
    """
    if a.unspaced or b.unspaced or _other_letter(a, b, pairs):
        return 0
    same = float(sum(len(a.tokens[i]) + len(b.tokens[j]) for i, j in pairs.same.items()))
    alone = len(a.tokens) == len(b.tokens) == 1
    near = []
    for i in pairs.left:
        for j in pairs.right:
            x, y = a.tokens[i], b.tokens[j]
            if share := _nearness(x, y, alone):
                near.append((-share, min(x, y), max(x, y), i, j))
    left, right = set(pairs.left), set(pairs.right)
    for negative, x, y, i, j in sorted(near):
        if i in left and j in right:
            left.remove(i)
            right.remove(j)
            same -= negative * (len(x) + len(y))
    score = int(97 * same / (len(a.spelling) + len(b.spelling)))
    more = [len(word) > 1 for word in (*map(a.tokens.__getitem__, left), *map(b.tokens.__getitem__, right))]
    return min(score, SUGGESTED) if a.digits and any(more) else score  # 196 ГК РФ, 196 УК РФ; 100 % RH


def _nearness(x: str, y: str, alone: bool) -> float:
    if has_digit(x) or has_digit(y):
        return 0.0
    shorter = min(len(x), len(y))
    if shorter > 3:
        share = OSA.normalized_similarity(x, y, score_cutoff=_SAME_WORD)
        if 0 < share < 1 and _are_two(x, y):
            return 0.0
        # Letters added at the end make another word more often than a typo: Venezuelan, souvlakia.
        derived = x.startswith(y) or y.startswith(x)
        return min(share, _DERIVED) if derived and (alone or x.endswith("n") != y.endswith("n")) else share
    return 0.5 if shorter == 1 and x[0] == y[0] and max(len(x), len(y)) > 2 else 0.0


def _are_two(x: str, y: str) -> bool:
    """Whether two words that look alike name two countries, or by their letters two things."""
    opposed = any(opposite.fullmatch(f"{x} {y}") for opposite in _OPPOSITES)
    return opposed or all(country((word,)).name for word in (x, y))


def _other_letter(a: Analysed, b: Analysed, pairs: Pairs) -> bool:
    """Whether single letters tell two names apart: hepatitis A and B; vitamin C, vitamin."""
    x = [i for i in pairs.left if len(a.tokens[i]) == 1 and a.tokens[i].isalpha()]
    y = [j for j in pairs.right if len(b.tokens[j]) == 1 and b.tokens[j].isalpha()]
    exact = len(a.tokens) != len(b.tokens) and not (a.dotted or b.dotted or a.label == PERSON)
    return bool(x and y) or (exact and (len(a.tokens) - 1 in x or len(b.tokens) - 1 in y))


def acronym(a: Analysed, b: Analysed) -> int:
    """96 when one name is written as the initials of the other."""
    return ACRONYM if a.acronym in b.initials or b.acronym in a.initials else 0


def transliteration(a: Analysed, b: Analysed) -> int:
    """96 for names that sound the same in Latin and in Greek or Cyrillic letters, 90 when they do nearly.

    All their words have to, in order; of a person the last word is enough.
    """
    if not (a.tokens and b.tokens) or is_foreign(a.tokens[0]) == is_foreign(b.tokens[0]):
        return 0
    x, y = (a, b) if is_foreign(a.tokens[0]) else (b, a)
    if not y.tokens[0][0] < "\u0250":
        return 0
    person = a.label == b.label == PERSON and 1 in {len(x.tokens), len(y.tokens)}
    if len(x.tokens) != len(y.tokens) and not person:
        return 0
    heard = [alike(*pair) for pair in zip(reversed(x.forms), reversed(y.tokens), strict=False)]
    if min(heard) == 1 and len(x.tokens) == len(y.tokens):
        return ACRONYM if sum(map(len, y.tokens)) > 3 else 0
    return DESCRIBED if min(heard) and max(map(len, y.tokens)) > 4 else 0


def contraction(a: Analysed, b: Analysed) -> int:
    """96 when a word of one name is short for some of the other, 93 when a body has words besides.

    Минсельхоз, Министерство сельского хозяйства; МИД Грузии, министерство иностранных дел Грузии.
    """
    best = 0
    if not (a.acronyms or b.acronyms or (a.label == b.label == ORGANISATION and not a.text.isascii())):
        return best
    for x, y in ((a, b), (b, a)):
        for i in range(len(x.tokens)):
            start, end = _stands_for(x, i, y)
            if end:
                rest = [forms for j, forms in enumerate(y.forms) if not start <= j < end]
                own = [forms for j, forms in enumerate(x.forms) if j != i]
                more = sum(all(forms.isdisjoint(other) for other in rest) for forms in own)
                less = sum(all(forms.isdisjoint(other) for other in own) for forms in rest)
                if not more and not less:
                    return ACRONYM
                if not (more and less) and a.label == b.label == ORGANISATION:
                    best = SHORT_FORM
    return best


def _stands_for(x: Analysed, i: int, y: Analysed) -> tuple[int, int]:
    """The words of y (first, after the last) that word i of x is short for; (0, 0) without any."""
    token = x.tokens[i]
    acronym = next(
        (prefix for prefix in x.acronyms if token.startswith(prefix) and len(token) <= len(prefix) + 2), ""
    )
    blend = x.label == y.label == ORGANISATION and len(token) > 5 and not token.isascii()
    for start in range(len(y.tokens) - 1) if acronym or blend else ():
        letters, at = acronym, start
        while letters and at < len(y.tokens) and (y.tokens[at] in SMALL or letters[0] == y.tokens[at][0]):
            letters = letters[y.tokens[at] not in SMALL :]
            at += 1
        if acronym and not letters and at - start > 1:
            return start, at
        if blend and not start and (used := max(_blended(form, y.tokens) for form in x.forms[i])) > 1:
            return 0, used
    return 0, 0


def _blended(word: str, tokens: Sequence[str]) -> int:
    """How many words have beginnings of three letters or more that together are the word, else 0."""
    if not word:
        return 0
    for size in range(len(word), 2, -1) if tokens else ():
        if tokens[0].startswith(word[:size]):
            if size == len(word):
                return 1
            if rest := _blended(word[size:], tokens[1:]):
                return rest + 1
    return 0


def initials(a: Analysed, b: Analysed, pairs: Pairs) -> int:
    """95 when a word is shared and every other one stands against its initial (J. Smith, John Smith)."""
    if not (pairs.same and pairs.left) or len(a.tokens) != len(b.tokens):
        return 0
    fits = (
        _is_initial_of(a, i, b.tokens[j], pairs.same.keys())
        or _is_initial_of(b, j, a.tokens[i], pairs.same.values())
        for i, j in zip(pairs.left, pairs.right, strict=True)
    )
    return INITIALS if all(fits) else 0


def _is_initial_of(name: Analysed, index: int, word: str, shared: Iterable[int]) -> bool:
    """Whether a token is the initial of a word: it has a dot, or a shared word follows (not Vitamin C)."""
    letter = name.tokens[index]
    return (
        len(letter) == 1
        and letter.isalpha()
        and word.startswith(letter)
        and (letter in name.dotted or any(later > index for later in shared))
    )


def short_form(a: Analysed, b: Analysed, pairs: Pairs) -> int:
    """93 when one name is a shorter form of the other and both are persons or both organisations.

    A person's last name behind a title is one: President Obama, Barack Obama.
    Each word of the shorter stands in the longer, or as its initial, and one has three letters.
    Without labels only a capitalised last word of a name that reads like a person's.
    """
    if len(a.tokens) > len(b.tokens) or (b.titled and len(a.tokens) == len(b.tokens)):
        a, b, pairs = b, a, pairs.turned()
    if a.titled and not b.titled and len(b.tokens) > 1 and pairs.same.get(1) == len(b.tokens) - 1:
        return SHORT_FORM
    if a.label == b.label == PERSON and (a.unspaced or b.unspaced):
        x, y = sorted(("".join(a.tokens), "".join(b.tokens)), key=len)
        return SUGGESTED if len(x) >= 2 and y.startswith(x) else 0
    if len(a.tokens) == len(b.tokens) or not pairs.same:
        return 0
    if a.label == b.label == "":
        reads_like_a_person = 2 <= capitals(b.text) <= 4 and _NOT_A_PERSON.isdisjoint(b.tokens)
        last = capitals(a.text) == len(a.tokens) == 1 and pairs.same.get(0) == len(b.tokens) - 1
        return SHORT_FORM if last and reads_like_a_person else 0
    if a.label != b.label or a.label not in {PERSON, ORGANISATION}:
        return 0
    firms = legal_forms(a.text) and legal_forms(b.text)  # Siemens AG, Siemens Energy AG
    if max(len(a.tokens[i]) for i in pairs.same) < 3 or (firms and a.text not in b.text):
        return 0
    letters = Counter(a.tokens[i][0] for i in pairs.left)
    spelled = any(len(a.tokens[i]) > 1 and a.tokens[i][0] not in b.tokens for i in pairs.left)
    return SHORT_FORM if not spelled and letters <= Counter(b.tokens[j][0] for j in pairs.right) else 0


def _more_initials(a: Analysed, b: Analysed) -> bool:
    """Whether one of two full names has more initials in it: George W. Bush, George H. W. Bush."""
    x, y = ([token for token in name.tokens if len(token) == 1] for name in (a, b))
    spelled = all(len(name.tokens[0]) > 1 and len(name.tokens) > 2 for name in (a, b))
    return bool(x and y) and len(x) != len(y) and spelled and set(a.tokens) - set(x) == set(b.tokens) - set(y)


class NameLink(NamedTuple):
    """The candidate a reference name is linked to, how alike they are and which layer said so."""

    candidate: int
    similarity: int
    rule: str


def best(
    references: Sequence[Name], candidates: Sequence[Name], *, lang: str | None = None
) -> list[NameLink | None]:
    """The one-to-one links of similarity 60 or more, one for each reference name, None without one.

    Pairs are taken best first; among equals the names decide, never their places, so another order of
    either side changes nothing but the indices. The links at a threshold are those of this list that
    reach it, for every threshold: a greedy walk at a higher one is the beginning of this one. 75–85
    is the band of suggestions.
    """
    if not candidates:
        return [None] * len(references)
    links = _equal(references, candidates, lang)
    taken = {near.candidate for near in links if near is not None}
    free = {j: name for j, name in enumerate(candidates) if j not in taken}
    open_names = {i: name for i, name in enumerate(references) if links[i] is None}
    pairs = [
        (-near.similarity, references[i], candidates[near.candidate], i, near)
        for i, near in _near(open_names, free, candidates, lang)
    ]
    for _, _, _, i, near in sorted(pairs):
        if links[i] is None and near.candidate not in taken:
            links[i] = near
            taken.add(near.candidate)
    return links


def _equal(references: Sequence[Name], candidates: Sequence[Name], lang: str | None) -> list[NameLink | None]:
    """The links between names of the same letters: nothing else reaches 100, so they need no comparing."""
    by_text: dict[str, list[int]] = {name.text: [] for name in references}
    for j, name in enumerate(candidates):
        if name.text in by_text:
            by_text[name.text].append(j)
    pairs = sorted(
        (name, candidates[j], i, j)
        for i, name in enumerate(references)
        for j in by_text[name.text]
        if key(name.text, lang)
    )
    links: list[NameLink | None] = [None] * len(references)
    taken: set[int] = set()
    for _, _, i, j in pairs:
        if links[i] is None and j not in taken:
            links[i] = NameLink(j, 100, "equal")
            taken.add(j)
    return links


def link(
    references: Sequence[Name], candidates: Sequence[Name], *, threshold: int = 85, lang: str | None = None
) -> list[NameLink | None]:
    """The links of `best` that reach the threshold, one for each reference name, None without one."""
    links = best(references, candidates, lang=lang)
    return [near if near is not None and near.similarity >= threshold else None for near in links]


def _near(
    open_names: Mapping[int, Name], free: Mapping[int, Name], candidates: Sequence[Name], lang: str | None
) -> Iterator[tuple[int, NameLink]]:
    """The links of 60 or more between names and the candidates that are free, by their keys.

    Only those are taken apart (50 µs) and compared (10 µs) that a look at their letters leaves: about one
    pair in fifty. A word labelled other counts as a person where it is a surname.
    """
    if not (open_names and free):
        return
    outlines = {j: sketch(name.text, name.label, lang) for j, name in free.items()}
    spellings = {j: outline.spelling for j, outline in outlines.items() if outline.spelling}
    for i, name in open_names.items():
        for text in (name.text, *name.aliases):
            outline = sketch(text, name.label, lang)
            chosen = {j for j, other in outlines.items() if may_match(outline, other, lang)}
            if outline.spelling:
                chosen.update(
                    j for _, _, j in process.extract(
                        outline.spelling, spellings, scorer=fuzz.ratio, score_cutoff=FLOOR, limit=None
                    )
                )  # fmt: skip
            for j in chosen:
                x, y = analyse(text, name.label, lang), analyse(*free[j][:2], lang)
                if x.label == PERSON and y.label == OTHER and _is_surname(y, x, candidates):
                    y = analyse(y.text, PERSON, lang)
                score, rule = compare(x, y)
                if text is not name.text:
                    score, rule = ALIAS if score >= INFLECTED else 0, "alias"
                if score >= FLOOR:
                    yield i, NameLink(j, score, rule)


def _is_surname(word: Analysed, person: Analysed, candidates: Sequence[Name]) -> bool:
    """Whether a capitalised word is the last name of a person and, among the candidates, of no other one."""
    last = any(not own.isdisjoint(word.forms[0]) for own in person.forms[-1:])
    namesakes = (b for b in candidates if b.text.endswith(f" {word.text}"))
    return capitals(word.text) == 1 and last and all(kind_of(b.label) != PERSON for b in namesakes)
