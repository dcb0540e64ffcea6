"""Keys for comparing names: one spelling per name; the text itself is never touched.

`Folded` finds a quote in a text with case, accents, dashes, quotes and white space levelled. `sound` spells
names of one sound in Latin, Cyrillic and Greek letters alike: Чайковский, Tchaikovsky.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import groupby, islice, product
from typing import NamedTuple

from rapidfuzz.distance import OSA

from workbench.model import Span
from workbench.text import numbers
from workbench.text.lists import by_key, by_word, has_digit, listed, sections
from workbench.text.tokens import GRADE, UNSPACED, marks, plain

_QUOTES = dict.fromkeys("“”„‟″«»‹›〝〞「」『』", '"')
_MARKS = re.compile("[\u0300-\u036f\u0591-\u05c7\u064b-\u065f\u0670\ufe0e\ufe0f]")
_UNSPACED = re.compile(f"[{UNSPACED}]")


class Folded(NamedTuple):
    """A folded text; `back[i]` is the offset of the character that gave folded[i], None for the same."""

    text: str
    back: list[int] | None


class _Letters(dict[int, str]):
    """Each code point folded once, then looked up by `str.translate`."""

    def __missing__(self, code: int) -> str:
        letter = chr(code)
        level = " " if letter.isspace() else _MARKS.sub("", _QUOTES.get(letter) or fold(letter))
        if level.isspace() and not letter.isspace():
            level = letter  # a mark that stands by itself, as ¯
        self[code] = level
        return level


_LETTERS = _Letters()


@lru_cache(maxsize=8)
def folded(text: str) -> Folded:
    """Fold a text letter by letter (1 MB: 60–300 ms); remembered for the next quote of the same text."""
    level = text.translate(_LETTERS)
    if "  " not in level and all(len(_LETTERS[ord(letter)]) == 1 for letter in set(text)):
        return Folded(level, None)
    letters: list[str] = []
    back: list[int] = []
    for index, letter in enumerate(text):
        level = _LETTERS[ord(letter)]
        if level == " " and letters and letters[-1] == " ":
            continue
        for part in level:
            letters.append(part)
            back.append(index)
    return Folded("".join(letters), back)


def occurrences(quote: str, text: str) -> Iterator[tuple[int, int]]:
    """All places of a string in another that do not overlap; linear in both."""
    start = text.find(quote)
    while start >= 0:
        yield start, start + len(quote)
        start = text.find(quote, start + len(quote))


def find_folded(quote: str, text: str, most: int | None = None) -> list[Span]:
    """The places that say the quote up to case, accents, width, white space, dashes and quotation marks.

    All of them, or the first `most`. Spans are whole characters of the text, combining marks included.
    """
    wanted = " ".join(quote.translate(_LETTERS).split())
    if not wanted:
        return []
    level, back = folded(text)
    spans = []
    for start, end in islice(occurrences(wanted, level), most):
        if back is None:
            spans.append(Span(start, end))
        elif not _inside(back, start) and not _inside(back, end):
            stop = back[end] if end < len(back) else len(text)
            spans.append(Span(back[start], _with_marks(text, back[end - 1] + 1, stop)))
    return spans


def _inside(back: list[int], index: int) -> bool:
    """Whether an edge falls inside what one character became (ﬁ as fi)."""
    return 0 < index < len(back) and back[index - 1] == back[index]


def _with_marks(text: str, end: int, stop: int) -> int:
    """The end of a span that takes in the marks of its last letter and nothing else."""
    while end < stop and _MARKS.match(text[end]):
        end += 1
    return end


def cuts_letter(text: str, end: int) -> bool:
    """Whether an edge parts a letter from its combining mark."""
    return end < len(text) and text[end] > "\u02ff" and _MARKS.match(text[end]) is not None


def bounded(text: str, start: int, end: int) -> bool:
    """Whether text[start:end] does not begin or end inside a word or a number."""
    if text[end : end + 1] not in ("", " ") and _joins(text, end):  # most end at a blank
        return False
    return (
        not start or (text[start - 1] == " " and text[start : start + 1].isalnum()) or not _joins(text, start)
    )


def stands_in(text: str, contexts: Iterable[str]) -> bool:
    """Whether a context has a text letter by letter, as whole words."""
    return any(bounded(context, *edges) for context in contexts for edges in occurrences(text, context))


def _joins(text: str, edge: int) -> bool:
    """Whether a word or number goes on across an edge."""
    if not 0 < edge < len(text):
        return False
    left, right = text[edge - 1], text[edge]
    if right == " " or (left == " " and (right.isascii() or right.isalnum())):  # most edges
        return False
    if right in ".,":
        return left.isdigit() and text[edge + 1 : edge + 2].isdigit()
    if right.isdigit() and left in ".," and text[max(0, edge - 2) : edge - 1].isdigit():
        return True
    if right > "\u02ff" and _MARKS.match(right):
        return True
    if (left > "\u02ff" and _UNSPACED.match(left)) or (right > "\u02ff" and _UNSPACED.match(right)):
        return False
    return left.isalnum() and right.isalnum()


_WORDS = sections(__name__)
_SIMPLIFIED = _WORDS["simplified"].split()
# Dashes and apostrophes become one of each; the rest of punctuation separates words later on.
_RESPELLED = (
    str.maketrans("".join(_SIMPLIFIED[::2]), "".join(_SIMPLIFIED[1::2]))
    | str.maketrans(by_word(_WORDS["respelled"]))
    | dict.fromkeys(map(ord, "\u00ad\u200b\u200c\u200d\u2060\ufeff\u0640"), "")
)
_TO_RESPELL = re.compile(f"[{re.escape(''.join(map(chr, _RESPELLED)))}]")
# After decomposition: marks on Latin and Greek letters, the Cyrillic stress mark, Hebrew points, Arabic
# vowels. й, ї, ў and the signs of Devanagari and Thai keep their marks: they are letters.
_ACCENTS = re.compile(
    "[\u0300-\u036f\u0591-\u05bd\u05bf\u05c1-\u05c7\u064b-\u065f\u0670]"  # a search jumps to these
    "(?:(?<=[a-z\u0370-\u03ff][\u0300-\u036f])[\u0300-\u036f]*|(?<=[^\u0300\u0302-\u036f]))"
)
# A word of two alphabets is written in the one that has a letter of its own in it: НАТО with a Latin A.
_CYRILLIC, _LATIN = _WORDS["look-alikes"].split()
_TO_CYRILLIC, _TO_LATIN = str.maketrans(_LATIN, _CYRILLIC), str.maketrans(_CYRILLIC, _LATIN)
_IS_CYRILLIC = re.compile("[\u0400-\u04ff]")
_ALPHABETS_MEET = re.compile("[a-zA-Z](?:(?=[\u0400-\u04ff])|(?<=[\u0400-\u04ff].))")
_SPACED = f"[^\\W\\d_{UNSPACED}\uac00-\ud7af]*"  # letters of a script that parts its words by spaces
_MIXED = re.compile(f"{_SPACED}(?:[a-zA-Z][\u0400-\u04ff]|[\u0400-\u04ff][a-zA-Z]){_SPACED}")
_DIGITS_MEET = re.compile(r"(?<=\d) (?=-?\d)")
_ONLY_LATIN = re.compile(f"(?![{_LATIN}])[a-zA-Z]")
# Hindi writes a nasal before a consonant of its class as a letter or as a dot, and foreign sounds with or
# without one below.
_NASAL = re.compile("ँ|ङ्(?=[क-घ])|ञ्(?=[च-झ])|ण्(?=[ट-ढ])|न्(?=[त-ध])|म्(?=[प-भ])")
_NUKTA = re.compile("(?<=[कखगजफ])़")
_DEVANAGARI = re.compile("[\u0900-\u097f]")
_FOREIGN_DIGIT = re.compile(r"[^\D0-9]")
# 10² is no 102, 2½ no 21/2: compatibility forms write them with the same digits.
_RAISED = re.compile("[²³¹⁰⁴-⁹¼-¾⅐-⅞](?<=\\d.)")
_BARE = re.compile(r"[¼½¾](?<!\d.)")
_LEVEL = str.maketrans("″°>≥≤", "′′<<<")
_WRITTEN = {"¼": ".25", "½": ".5", "¾": ".75", "+": " plus", "-": " minus", "−": " minus", "–": " minus"}
_ROUNDS = 4  # folding settles in two rounds on all of Unicode; the rest is margin

# Fillers are dropped wherever they stand: a name says the same without them. Prepositions are dropped at the
# start: spans of inflecting languages often begin with the preposition of the case.
_LISTS = {name: by_key(_WORDS[name]) for name in ("articles", "fillers", "prepositions")}
# Cut from a start that leaves a name of two words: "Queen" and "General" often belong to the name.
_HONORIFICS = listed(_WORDS["honorifics"])
# Before a figure they say nothing: in 1990, between 10 and 40.
_OF_TIME = listed("in on at from between during entre zwischen между от")
_WHOLE, _AT_START, _BEFORE_FIGURE, _AT_END = (
    by_word(_WORDS[f"abbreviations{where}"])
    for where in ("", " at the start", " before a figure", " at the end")
)
GENERA = {f"{genus[0]} {kind}": genus for genus, kinds in by_key(_WORDS["genera"]).items() for kind in kinds}
"""The genus that everybody means by its initial: Staphylococcus in S. aureus."""
_ABBREVIATIONS = frozenset({*_WHOLE, *_AT_START, *_BEFORE_FIGURE, *_AT_END, *(name[2:] for name in GENERA)})
_WHOLES = frozenset({*_WHOLE.values(), *_AT_START.values(), *_BEFORE_FIGURE.values(), *_AT_END.values()})
# Endings of numerals, after a hyphen (1930-х, 14-го) and written together (1930er, 14th).
_DECADE = re.compile(r"(?<=\d0)(?:-(?:ых|ми|х|е|er)|'s)\b")
_ORDINAL = re.compile(r"(?<=\d)-(?:го|му|ого|ому|ой|ый|ий|й|ая|я|ое|ым|м)\b")
_DECADE_WORD = re.compile(r"(\d+0)(?:er|х|е)")
_ORDINAL_WORD = re.compile(r"(\d+)(?:st|nd|rd|th|й|я|го)")
_ELISION = re.compile(r"(?:l|d|qu|dell|nell|sull|all|dall|un|c|j|m|n|s|t)'(?=[^\W\d])")
_TURKISH = re.compile(r"(?<=\w{4})'[a-z]{1,6}$")
_ELIDING = frozenset({"fr", "it", "ca"})


_ISO = "|".join(rf"\d{{4}}{mark}\d{{1,2}}{mark}\d{{1,2}}" for mark in ("-", "/", r"\."))
_SHORT = "|".join(rf"\d{{1,2}}{mark}\d{{1,2}}{mark}\d{{4}}" for mark in ("-", "/", r"\."))
_DATE = rf"{_ISO}|{_SHORT}|(?:0[1-9]|1[0-2])/(?:19|20)\d\d"
_IS_DATE = re.compile(_DATE)


_GRADE = re.compile(rf"{GRADE}(?<=([+−–-]))")
_SIGNS = r"(?:(?:\+\+|#)(?![\w+#]))?"  # C++ and C# are not C


@lru_cache(maxsize=2)
def _word_pattern(plain: bool) -> re.Pattern[str]:
    """The pattern for any text, and the same for a plain one, which is faster; most frequent words first."""
    unspaced, mark = UNSPACED + "\uac00-\ud7af", f"[{marks()}]*"
    letter, letters = f"[^\\W_{unspaced}]{mark}", f"(?:[^\\W_{unspaced}]++{mark}+)++"
    first, run = f"[^\\W\\d_{unspaced}]{mark}+", rf"|(?:[{unspaced}]{mark})+"
    if plain:
        letter, letters, first, run = "[^\\W_]", "[^\\W_]++", "[^\\W\\d_]", ""
    return re.compile(
        rf"{first}{letters}(?:['&]{letters})*{_SIGNS}{run}"
        rf"|(?=\d)(?:{_DATE}|\d{{1,3}}(?:[ ']\d{{3}})+(?!\d)(?:[.,]\d+)?|\d+(?:[.,]\d+)*)(?!{letter}|\d)"
        rf"|{letter}\.(?!\d)"
        rf"|{letters}(?:['&]{letters})*{_SIGNS}"
        rf"|[{re.escape(numbers.SYMBOLS)}]"
    )


# What makes more of a text than words parted by anything else: figures, inner marks, signs, initials.
_SPECIAL = re.compile(rf"[\d'&+#{re.escape(numbers.SYMBOLS)}]")
_INITIAL = re.compile(r"\.(?<=[^\W_]\.)(?<![^\W_][^\W_]\.)")
_FIGURE = re.compile(r"[\d., ']+")
_LETTERS_ONLY = re.compile(r"[^\W_]++")


def _one_alphabet(match: re.Match[str]) -> str:
    word = match.group()
    return word.translate(_TO_LATIN if _ONLY_LATIN.search(word) else _TO_CYRILLIC)


def _composed(text: str) -> str:
    bare = _BARE.sub(lambda sign: f"0{sign[0]}", text)
    raised = _RAISED.sub(lambda sign: _WRITTEN.get(sign[0], "^" + sign[0]), bare)
    return unicodedata.normalize("NFKC", raised)


def _fold_once(text: str) -> str:
    composed = _composed(text)
    if _IS_CYRILLIC.search(composed) and _ALPHABETS_MEET.search(composed):
        composed = _MIXED.sub(_one_alphabet, composed)
    folded = composed.casefold()
    if _TO_RESPELL.search(folded):
        folded = folded.translate(_RESPELLED)
    folded = _FOREIGN_DIGIT.sub(lambda digit: str(unicodedata.decimal(digit.group())), folded)
    decomposed = unicodedata.normalize("NFD", folded)
    bare = _ACCENTS.sub("", decomposed)
    folded = unicodedata.normalize("NFC", folded if len(bare) == len(decomposed) else bare)
    return _NUKTA.sub("", _NASAL.sub("ं", folded)) if _DEVANAGARI.search(folded) else folded


@lru_cache(maxsize=4_096)
def fold(text: str) -> str:
    """Case, compatibility forms, accents, digits, dashes and apostrophes levelled; idempotent.

    Traditional Chinese characters become simplified ones, letters of two alphabets in one word those of one.

    Keeps what tells words apart: й and ї, the vowel signs of Indic scripts, the points of kana.
    """
    if text.isascii():
        return text.replace("`", "'").lower()
    for _ in range(_ROUNDS):
        folded = _fold_once(text)
        if folded == text:
            break
        text = folded
        if text.isascii():
            break
    return text


def words(text: str, lang: str | None = None) -> list[str]:
    """All words of a name in one spelling, in order; initials keep their dot ("j.", "k.", "rowling")."""
    if lang == "de" and "Billion" in text:  # an English text has a small letter
        text = text.replace("Billion", "Trillion")
    if text.isascii():  # most names
        if text.replace(" ", "").isalpha() and not numbers.ROMAN_END.search(text):
            parts = text.lower().split()
            return parts if numbers.counting(lang).isdisjoint(parts) else numbers.canonical(parts, lang)
        if text.isdecimal():
            return [text]
    composed = text if text.isascii() else _composed(text)
    if has_digit(composed):
        composed = numbers.parted(composed)
    if "+" in composed or "-" in composed or not composed.isascii():
        composed = _GRADE.sub(lambda grade: grade[0][:-1] + _WRITTEN[grade[1]], composed)
    folded = numbers.paused(fold(numbers.romans(composed)))
    if ("-" in folded or "'" in folded) and has_digit(folded):
        folded = _ORDINAL.sub("", _DECADE.sub("s", folded))
    simple = plain(folded)
    if simple and not _SPECIAL.search(folded) and not _INITIAL.search(folded):
        return numbers.canonical(_LETTERS_ONLY.findall(folded), lang)
    tokens = _word_pattern(simple).findall(folded)
    for index, word in enumerate(tokens):
        if not (word.isalpha() or word.isdecimal() or word.endswith(".")):
            tokens[index] = _plain_word(word, lang)
    return numbers.canonical([word for word in tokens if word], lang)


def _plain_word(word: str, lang: str | None) -> str:
    """A number, date or word with inner marks in one spelling."""
    if not word[0].isdigit():
        return fold(_apostrophes(word, lang))  # of one alphabet again
    if _IS_DATE.fullmatch(word):
        return numbers.full_date(word, lang)
    return numbers.number(word, lang) if _FIGURE.fullmatch(word) else _numeral(word)


def _apostrophes(word: str, lang: str | None) -> str:
    """A word without possessive, elided article or Turkish case ending, and without apostrophes."""
    if "'" not in word:
        return word.replace("&", "")
    word = word.removesuffix("'s")
    if lang in _ELIDING:
        word = _ELISION.sub("", word, count=1)
    elif lang == "tr":
        word = _TURKISH.sub("", word)
    return word.replace("'", "").replace("&", "")


def _numeral(word: str) -> str:
    """A word that begins with a digit without the ending of an ordinal; decades end in s: 1930s."""
    word = fold(word.replace("'", "").replace("&", ""))  # of one alphabet again
    if decade := _DECADE_WORD.fullmatch(word):
        return decade.group(1) + "s"
    ordinal = _ORDINAL_WORD.fullmatch(word)
    return ordinal.group(1) if ordinal else word


_TOLD = re.compile("|".join(_WORDS["told apart"].split()))
_DOLLARS = re.compile(r"\$|\d dollars")
_NTH = re.compile(_WORDS["in an order"].strip(), re.IGNORECASE)
# The film 48 Hours is no two days; German has capitals everywhere.
_TITLE = re.compile("[A-Z][a-z]{3}(?<!Stun|Minu|Tage|Woch|Mona|Jahr|Gram|Mete)")
_SIDE_BY_SIDE = re.compile(r"(?<!\d)\d\S*+(?: \d\S*+)++")


def differ(a: str, b: str, lang: str | None) -> bool:
    """Whether two amounts of the same figures differ.

    In their bounds (up to 5), country of dollars, what a sign or capitals tell (MW, mW; 5′, 5″), their
    unit (10 business days), the order of figures side by side (2-1, 1-2), or as 2 days and the 2nd day.
    """
    told = [
        [*dict.fromkeys(mark.strip() for mark in _TOLD.findall(text) if mark[0] not in numbers.SYMBOLS)]
        for text in (a, b)
    ]
    alike = [[mark[0].lower().translate(_LEVEL) for mark in marks] for marks in told]
    dollars = ({*told[0]} ^ {*told[1]}) - {*"<>≤≥"} and all(map(_DOLLARS.search, (a, b)))
    signs = told[0] != told[1] and (alike[0] == alike[1] or bool(dollars))
    x, y = words(a, lang), words(b, lang)
    figures = [{*filter(has_digit, some)} for some in (x, y)]
    titled = lang != "de" and figures[0] != figures[1] and any(map(_TITLE.search, (a, b)))
    unit = not numbers.UNITS.isdisjoint(x + y) and (titled or not numbers.OTHER_UNITS.isdisjoint({*x} ^ {*y}))
    runs = [map(str.split, _SIDE_BY_SIDE.findall(" ".join(some))) for some in (x, y)]
    turned = any(one != other and sorted(one) == sorted(other) for one, other in product(*runs))
    signs = signs or bool(numbers.opposed(x, y))
    return signs or unit or turned or (_NTH.search(a) is None) != (_NTH.search(b) is None)


def joined_initials(tokens: Sequence[str], lang: str | None) -> list[str]:
    """Words with runs of single letters made one (U. S. → us); a lone initial loses its dot.

    It keeps the dot where it would read as an article or preposition ("A. Smith", «С. Петров»).
    """
    if min(map(len, tokens), default=3) > 2 or not any(len(word.removesuffix(".")) == 1 for word in tokens):
        return list(tokens)  # most names
    result: list[str] = []
    run: list[str] = []
    droppable = _small(lang, *_LISTS)
    for word in [*tokens, ""]:
        if len(word.removesuffix(".")) == 1 and word[0].upper() != word[0]:
            run.append(word)
            continue
        if len(run) == 1 and run[0][0] in droppable:
            result.append(run[0])
        elif run:
            result.append(fold("".join(letter[0] for letter in run)))
        run = []
        if word:
            result.append(word)
    return result


def content(tokens: Sequence[str], lang: str | None) -> list[str]:
    """Words without articles, leading prepositions and honorifics, and fillers, unless nothing is left."""
    main = written_out(tokens)
    if len(main) < 2:
        return main
    leading, fillers = _small(lang, "articles", "prepositions"), _small(lang, "fillers")
    while main and (
        main[0] in leading
        or (len(main) > 2 and main[0] in _HONORIFICS)
        or (main[0] in _OF_TIME and main[1:] and main[1][0].isdecimal())
    ):
        del main[0]
    main = [word for word in main if word not in fillers or (len(word) == 1 and word is main[-1])]
    return main or list(tokens)


def wholes(word: str) -> set[str]:
    """The whole words that a folded word may be short for, or that it is, if there is an abbreviation."""
    return {table.get(word, word) for table in (_WHOLE, _AT_START, _BEFORE_FIGURE, _AT_END)} & _WHOLES


def written_out(tokens: Sequence[str]) -> list[str]:
    """Words with abbreviations as whole words: St. Petersburg, Main St., Sen. Warren, vol. 2."""
    if len(tokens) < 2 or _ABBREVIATIONS.isdisjoint(word.removesuffix(".") for word in tokens):
        return list(tokens)
    whole = []
    for index, (word, following) in enumerate(zip(tokens, (*tokens[1:], ""), strict=True)):
        table = _AT_START if not index else {} if following else _AT_END
        table = _BEFORE_FIGURE if following[:1].isdigit() else table
        short = word.removesuffix(".")
        whole.append(GENERA.get(f"{short} {following}") or table.get(short) or _WHOLE.get(short, word))
    return whole


def settled(tokens: Sequence[str], lang: str | None = None) -> list[str]:
    """The content of a name with its initials joined, until nothing changes any more."""
    before: list[str] = []
    after = list(tokens)
    while after != before:
        before, after = after, content(numbers.canonical(joined_initials(after, lang), lang), lang)
    return after


@lru_cache(maxsize=64)
def _small(lang: str | None, *lists: str) -> frozenset[str]:
    """The words of a language in some lists; of English and Russian where it is not known or has no list."""
    words: frozenset[str] = frozenset()
    for table in (_LISTS[name] for name in lists):
        if lang is not None and lang in table and lang not in {"ru", "uk"}:
            words |= table[lang]
        else:
            words |= table.get("en", frozenset()) | table.get("uk" if lang == "uk" else "ru", frozenset())
    return words


@lru_cache(maxsize=4_096)
def key(text: str, lang: str | None = None) -> str:
    """The normalised key of a name: two mentions with equal non-empty keys are one entity.

    Levels case, compatibility forms, accents, punctuation, articles, possessives, the writing of numbers
    (1.5 million, 1,500,000), dates (July 14, 1889, 1889-07-14) and amounts ($5, 5 dollars). `lang`
    is an ISO 639-1 code and sharpens the lists of articles and the reading of 1.000. Idempotent; ""
    for a text without letters and digits. Offsets and texts are never touched: a key is only compared.
    """
    if text.isdecimal() and text.isascii():
        return text
    tokens = settled(words(text, lang), lang)
    if not has_digit(joined := " ".join(tokens)):
        return joined
    # Two numbers are parted by a comma, or "1 000" would be one when the key is normalised again.
    joined = _DIGITS_MEET.sub(", ", joined)
    # 0YÐ is 0yd, which is 0 yards.
    return key(joined, lang) if joined != text and numbers.parted(joined) != joined else joined


def _sounds(section: str) -> dict[str, str]:
    pairs = (pair.partition("=") for pair in _WORDS[section].split())
    return {left: right for left, _, right in pairs}


_SOUNDS, _LEVELS = _sounds("sounds"), _sounds("sounds of one level")
_SOUND = re.compile("|".join(sorted(_SOUNDS, key=len, reverse=True)))
_NEAR = 0.8  # one letter in five


def is_foreign(word: str) -> bool:
    """Whether a folded word is in Greek or Cyrillic letters."""
    return "\u0370" <= word[:1] <= "\u04ff"


@lru_cache(maxsize=4_096)
def sound(word: str) -> str:
    """A folded word in Latin letters, in one spelling for what transcriptions spell in several ways."""
    latin = _SOUND.sub(lambda letter: _SOUNDS[letter.group()], word).replace("ь", "").replace("ъ", "")
    for spelled, level in _LEVELS.items():
        latin = latin.replace(spelled, level)
    return "".join(letter for letter, _ in groupby(latin))


def first_sound(word: str) -> str:
    """The first letter of `sound`, of a form of a word: no more than four letters decide it."""
    return sound(word.partition("+")[0][:4])[:1]


def alike(foreign: frozenset[str], latin: str) -> float:
    """How alike the forms of a Greek or Cyrillic word sound to a Latin one: 0.8 to 1, or 0.

    Nearly alike are words of six letters or more but for one letter in five, not the first, and no ending:
    Иран is not Iraq, Иванов is not Ivanova.
    """
    wanted = sound(latin)
    best = 0.0
    for form in foreign:
        heard = sound(form.partition("+")[0])
        if heard == wanted:
            return 1.0
        derived = heard.startswith(wanted) or wanted.startswith(heard)
        if min(len(heard), len(wanted)) > 5 and heard[0] == wanted[0] and not derived:
            best = max(best, OSA.normalized_similarity(heard, wanted, score_cutoff=_NEAR))
    return best
