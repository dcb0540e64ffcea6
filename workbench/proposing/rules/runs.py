"""Runs of capitalised words: which tokens stand together as one name."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from itertools import compress
from typing import NamedTuple

import workbench.proposing.rules.lexicon as lexicon
from workbench.proposing.rules.lexicon import Claims, function_words, is_first_name, is_people, is_place
from workbench.text.tokens import Cut, cut, sentences

ROMANCE = lexicon.words("es pt it fr ro ca")
ARTICLES = lexicon.words("el la los las le les lo o a os as")
_LONGEST = 24  # tokens; no name is longer, a page in capitals is
_SCORES = 6  # tokens around a number in which another one makes it a result
_MARKS = frozenset(",;()-–|")
_SLASHED = re.compile(r"\d|S$")  # R/3, A/S
_ARTICLE = re.compile(r"(?:(?<![^\n])|(?<=[.!?:»] ))[LD]['’](?!Oréal)")  # that opens a French sentence
_PLURALS = lexicon.words("women men children people")  # Women's Health Organization
_ON = lexicon.words("am an bei im in ob on sur under upon")  # Frankfurt an der Oder
_OPENING = re.compile("[“«„•*@]")
_NICKNAME = frozenset("\"“”'‘’«»")


class Run(NamedTuple):
    """Tokens `first`–`last` (inclusive) that stand together as one name."""

    first: int
    last: int


class Reading(NamedTuple):
    """A text cut into tokens, with what the name rules ask of each."""

    text: str
    lang: str
    small: frozenset[str]  # function words
    folds: Sequence[str]  # the tokens without case
    words: Sequence[str]  # the tokens, with the offsets of each
    starts: Sequence[int]
    ends: Sequence[int]
    capital: Sequence[bool]
    opening: frozenset[int]  # tokens that open a sentence: their capital says nothing
    capitalised: frozenset[str]  # folded words with a capital elsewhere than at an opening
    lowered: frozenset[str]  # words that also stand in lower case
    claimed: frozenset[int]  # tokens that other finders have taken

    def word(self, index: int) -> str:
        """The token of a number; "" before the first and behind the last."""
        return self.words[index] if 0 <= index < len(self.words) else ""

    def folded(self, index: int) -> str:
        """The same without case."""
        return self.folds[index] if 0 <= index < len(self.folds) else ""

    def is_honorific(self, index: int) -> bool:
        """Whether a token is a title before a person; in French M and Me are."""
        monsieur = self.lang == "fr" and self.word(index) in {"M", "Me"}
        return monsieur or self.folded(index).rstrip(".") in lexicon.HONORIFICS

    def is_title(self, index: int) -> bool:
        """Whether a token is an honorific, an office or a trade."""
        return self.is_honorific(index) or lexicon.is_title(self.word(index))

    def is_small(self, index: int) -> bool:
        """Whether a token is a function word."""
        return self.folded(index) in self.small

    def is_capital(self, index: int) -> bool:
        """Whether there is such a token, and its capital counts."""
        return index < len(self.words) and self.capital[index]

    def name(self, first: int, last: int) -> str:
        """The text from the first to the last token of a name."""
        return self.text[self.starts[first] : self.ends[last]]

    def gap(self, left: int, right: int) -> str:
        """What stands between two tokens; a line break behind the last."""
        return self.text[self.ends[left] : self.starts[right]] if right < len(self.words) else "\n"

    def near(self, left: int, right: int) -> bool:
        """Whether only a few spaces of one line stand between two tokens."""
        between = self.gap(left, right)
        return between == " " or (len(between) <= 3 and not between.strip() and "\n" not in between)


def read(text: str, lang: str, claims: Claims) -> Reading:
    """Tokens of the text; those in a claimed stretch can be part of no name."""
    found = cut(_ARTICLE.sub(lambda article: article[0].lower(), text) if lang == "fr" else text)
    words, folds = found.words, [word.casefold() for word in found.words]
    opening = _opening(text, words, found.starts)
    claimed = _claimed(found, claims)
    capital = [is_capital(word) and index not in claimed for index, word in enumerate(words)]
    capitalised = frozenset(
        folds[index]
        for index in compress(range(len(words)), capital)
        if index not in opening and len(words[index]) > 1
    )
    lowered = frozenset(filter(str.islower, words))
    small = function_words(lang)
    return Reading(text, lang, small, folds, *found, capital, opening, capitalised, lowered, claimed)


def is_capital(word: str) -> bool:
    """Paris, iPhone, al-Qaeda: a capital first, or after one to three small letters or a hyphen."""
    if word.islower() or not word[0].islower():
        return word[0].isupper() or word == "plc"
    head, _, tail = word.replace("’", "-").replace("'", "-").partition("-")
    if tail:
        return len(head) <= 3 and tail[0].isupper()
    return any(letter.isupper() for letter in word[1:4])


def _claimed(found: Cut, claims: Claims) -> frozenset[int]:
    """The tokens of claimed stretches, which count as no capitals."""
    return frozenset(
        index
        for item in claims.items
        for index in range(bisect_right(found.ends, item.start), bisect_left(found.starts, item.end))
    )


def _opening(text: str, words: Sequence[str], starts: Sequence[int]) -> frozenset[int]:
    """The first word of every sentence, and of every quotation or item in it; the one after a handle."""
    opening: set[int] = set()
    for span in sentences(text):
        _open(opening, words, bisect_left(starts, span.start))
    if _OPENING.search(text):
        for index, word in enumerate(words):
            if word in {"“", "«", "„", "•", "*"}:
                _open(opening, words, index)
            elif word == "@" and index + 1 not in opening:
                _open(opening, words, index + 2)
    return frozenset(opening)


def _open(opening: set[int], words: Sequence[str], index: int) -> None:
    """Add the first word from a token on."""
    while index < len(words) and not words[index][0].isalnum():
        index += 1
    if index < len(words):
        opening.add(index)


def runs(reading: Reading) -> Iterator[Run]:
    """Every run of joined capitalised tokens, untrimmed, as long as can be up to a bound."""
    index = 0
    for first, capital in enumerate(reading.capital):
        if not capital or first < index:
            continue
        last = first
        while last - first < _LONGEST and (following := _joined(reading, first, last)) is not None:
            last = following
        yield Run(first, last)
        index = last + 1


def _joined(reading: Reading, first: int, last: int) -> int | None:
    """The token that continues the run after `last`, or None."""
    after = last + 1
    if not reading.near(last, after):
        return None
    if reading.capital[after]:
        if reading.gap(last, after) == "" and not reading.words[last].endswith((".", "'", "’")):
            return None
        return after
    folded = reading.folded(after)
    return (
        (None if folded[0].isalnum() else _after_mark(reading, first, last, after, folded))
        or _after_particle(reading, first, last, after)
        or (_after_number(reading, first, last, after) if folded.isdecimal() else None)
        or (_after_syllable(reading, after) if reading.lang == "vi" else None)
    )


def _after_mark(reading: Reading, first: int, last: int, after: int, mark: str) -> int | None:
    """J. Smith, Dept. of Justice, R/3, Apple, Inc., King's College, John "Jack" Smith, Procter & Gamble."""
    touching = reading.gap(last, after) == ""
    follower = after + 1
    word = reading.words[last]
    if mark == "-" and touching:
        return _tail(reading, first, last, follower)
    if mark == "/" and touching and word.isupper() and reading.gap(after, follower) == "":
        return follower if len(word) < 3 and _SLASHED.match(reading.word(follower)) else None
    if mark == "." and touching and word == "Dept":
        return _after_particle(reading, first, last, follower)
    if not reading.is_capital(follower):
        return None
    near = reading.near(after, follower)
    if mark == "." and touching:
        known = word.casefold() in lexicon.ABBREVIATIONS or reading.words[follower] in lexicon.LEGAL_FORMS
        joined = near and (known or (len(word) == 1 and word.isalpha()))
    elif mark == ",":
        joined = reading.folded(follower) in lexicon.COMPANY_ENDINGS
    elif mark in {"'s", "’s"}:
        wanted = reading.folded(follower) in lexicon.POSSESSED and not is_place(word)
        joined = near and (wanted or word.casefold() in _PLURALS or reading.folded(first) in {"st", "saint"})
    elif mark in _NICKNAME and not touching and reading.gap(after, follower) == "":
        return _nickname(reading, follower)
    else:
        joined = mark == "&" and near
    return follower if joined else None


def _tail(reading: Reading, first: int, last: int, follower: int) -> int | None:
    """Kim Jong-un and Гран-при keep a small tail, Paris-based and Tokyo-born do not."""
    if reading.gap(last + 1, follower) != "":
        return None
    tail = reading.words[follower]
    cyrillic = "\u0400" <= tail[0] < "\u0530"
    short = tail.islower() and len(tail) <= 4 and tail not in lexicon.HYPHEN_TAILS
    return follower if short and (first < last or cyrillic) else None


def _nickname(reading: Reading, opened: int) -> int | None:
    """The name after a quoted nickname of one or two words."""
    for closed in (opened + 1, opened + 2):
        if reading.word(closed) in _NICKNAME:
            known = reading.is_capital(closed + 1) and reading.near(closed, closed + 1)
            return closed + 1 if known and reading.gap(closed, closed + 1) else None
    return None


def _after_particle(reading: Reading, first: int, last: int, after: int) -> int | None:
    """Bank of the West, Ludwig van der Rohe, Department of Health and Social Care."""
    for index in (after + 1, after + 2) if reading.folded(after) in _ON else ():
        if reading.is_capital(index) and is_place(reading.name(last, index)):
            return index
    index = after
    kinds = set()
    while index - after < 3 and not reading.capital[index]:
        word = reading.folded(index)
        if word == "the":
            kinds.add("the")
        elif reading.lang in ROMANCE and (word in {"y", "e"} or (index == after and word in ARTICLES)):
            kinds.add("weak")
        elif word.rstrip("'’") in lexicon.PARTICLES:
            kinds.add("strong")
        elif word in lexicon.WEAK_PARTICLES:
            kinds.add("weak")
        else:
            return None
        if not reading.near(index, index + 1):
            return None
        index += 1
    if index == after or not reading.capital[index] or reading.is_small(index):
        return None
    if "weak" in kinds:
        return index if _binds(reading, first, last, index) else None
    if kinds == {"the"}:
        named = reading.is_small(last) or reading.folded(index) in lexicon.EPITHETS
        return index if named else None
    link = reading.folded(after)
    ended = reading.words[last] in lexicon.LEGAL_FORMS or _is_surnamed(reading, first, last)
    parted = is_people(reading.words[last]) or (link == "of" and ended)
    if link in {"of", "y", "e"} and parted:
        return None  # the Greeks of Alexandria, Steven Sasson of Kodak
    return index


def _is_surnamed(reading: Reading, first: int, last: int) -> bool:
    """Tim Cook, but neither Franz Ferdinand, Philip II nor John Jay College."""
    while first < last and (reading.is_title(first) or reading.words[first] == "."):
        first += 1
    word = reading.words[last]
    named = is_first_name(word) or word.isupper() or word.casefold() in lexicon.HEADS
    return last > first and is_first_name(reading.words[first]) and not named


def _binds(reading: Reading, first: int, last: int, follower: int) -> bool:
    """Whether "and", "for" and the like stand inside one organisation's name here."""
    left = [reading.folded(index) for index in range(first, last + 1)]
    right = [reading.folded(follower)]
    index = follower
    while reading.is_capital(index + 1) and reading.near(index, index + 1) and len(right) < 6:
        index += 1
        right.append(reading.folded(index))
    joint = reading.folded(last + 1)
    heads = [word for word in left if word in lexicon.ORGANISATION]
    if joint in {"and", "und", "et", "y", "e"}:
        if heads and ("of" in left or "for" in left) and left[-1] not in lexicon.ORGANISATION:
            return not any(word in lexicon.ORGANISATION for word in right[:-1]) and "of" not in right
        return left[-1] in lexicon.TOPICS and right[-1] in lexicon.ORGANISATION
    if joint in {"for", "für", "pour", "para", "per"}:
        return bool(heads)
    return False


def _after_syllable(reading: Reading, after: int) -> int | None:
    """Đại học Michigan: Vietnamese writes the later syllables of a word small."""
    goes_on = is_syllable(reading, after) and reading.near(after, after + 1)
    return after + 1 if goes_on and reading.capital[after + 1] else None


def is_syllable(reading: Reading, index: int) -> bool:
    """Whether a Vietnamese token is a small syllable that says something and follows a space."""
    word = reading.word(index)
    return (
        word.islower() and word.isalpha() and reading.near(index - 1, index) and not reading.is_small(index)
    )


def _after_number(reading: Reading, first: int, last: int, after: int) -> int | None:
    """Boeing 737, Apollo 11: a short number after a name, when nothing is counted with it; no result."""
    if len(reading.words[after]) > 3 or after in reading.claimed or reading.is_small(last):
        return None
    if reading.text[reading.ends[after] :][:2].strip()[:1] in {"%", "°", "-", "–", ":", "/", "$", "€"}:
        return None
    person = len(reading.words[first]) == 1 and last > first
    if person or is_place(reading.words[last]) or is_score(reading, first, last, after):
        return None
    noun = reading.word(after + 1)
    counted = noun.isalpha() and not reading.capital[after + 1] and not reading.is_small(after + 1)
    if reading.lang == "en":  # the Apollo 11 mission; Apollo 11 landed; but: In the Hindenburg 36 perished
        inside = any(reading.folded(at) in {"in", "on", "at"} for at in (first, first - 1, first - 2))
        counted &= noun.endswith(("s", "people", "men", "children")) or (inside and noun.endswith("ed"))
    return None if counted else after


def is_score(reading: Reading, first: int, last: int, number: int) -> bool:
    """Whether a number after a name is a result: Leeds 1 Newcastle 0; Ajax 34 22 8 4.

    Then another number, or another name with its number, stands in the same line with nothing but names
    and marks between. Apollo 11, Apollo 12 are names.
    """
    head = reading.words[last]
    before = range(first - 1, max(-1, first - 1 - _SCORES), -1)
    return _counts(reading, range(number + 1, number + 1 + _SCORES), head) or _counts(reading, before, head)


def _counts(reading: Reading, around: range, head: str) -> bool:
    """Whether a number that is no part of a name with the same head is met on the way along a line."""
    words = reading.words
    for index in around:
        left = min(index, index - around.step)
        if not 0 <= index < len(words) or "\n" in reading.gap(left, left + 1):
            return False
        word = words[index]
        if word.isdecimal() and len(word) <= 3:
            return index not in reading.claimed and words[index - 1] != head
        if not (reading.capital[index] or word in _MARKS):
            return False
    return False
