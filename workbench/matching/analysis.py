"""What the layers of the matcher need to know of a name, worked out once and kept."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence, Set
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

from workbench.text import inflection
from workbench.text.inflection import LETTERS_STAY, first_letters, forms, places_of
from workbench.text.lists import by_word, has_digit, listed, sections
from workbench.text.normalise import alike, content, first_sound, fold, is_foreign, key, settled, words
from workbench.text.numbers import BOUND, HIGH, LOW, in_smallest

_WORDS = sections(__name__)

_COUNTRIES = _WORDS["countries"]


class Country(NamedTuple):
    """A country by its English name, and whether its adjective or its people named it.

    A Russian adjective counts as the country: Кипрское правительство is the government of Cyprus.
    """

    name: str
    people: bool
    counts: bool


NO_COUNTRY = Country("", False, False)


@lru_cache(maxsize=2)
def _index(russian: bool) -> dict[str, list[tuple[tuple[str, ...], Country]]]:
    """The names of all countries in one language as words, by every form of their first word.

    English names alone never load the Russian dictionary.
    """
    index: dict[str, list[tuple[tuple[str, ...], Country]]] = defaultdict(list)
    lang = "ru" if russian else "en"
    for line in _COUNTRIES.strip().splitlines():
        columns = [column.split(",") for column in line.split("|")]
        names, people = columns[2:] if russian else columns[:2]
        for name in filter(None, names + people):
            words = tuple(key(name, lang).split())
            counts = name in names or (russian and name.endswith("й"))
            # With the dictionary a single word stands here as its own lemma: 300 look-ups less.
            known = russian and len(words) == 1 and inflection.analyser() is not None
            for form in {words[0]} if known else forms(words[0], lang):
                index[form].append((words, Country(columns[0][0], name in people, counts)))
    return dict(index)


def country(words: Sequence[str]) -> Country:
    """The country that normalised words name, in any case; its name is "" when they name none."""
    if not words or len(words) > 5 or not _begins_country(words[0]):  # most words
        return NO_COUNTRY
    index = _index(_is_cyrillic(words[0]))
    for form in sorted(forms(words[0])):
        for known, named in index.get(form, ()):
            if len(known) == len(words) and all(
                not forms(word).isdisjoint(forms(other))
                for word, other in zip(words[1:], known[1:], strict=True)
            ):
                return named
    return NO_COUNTRY


@lru_cache(maxsize=512)
def other_names(name: str, like: str) -> tuple[tuple[str, ...], ...]:
    """The names of a country in the script of `like`, without those of its people, as normalised words."""
    index = _index(_is_cyrillic(like))
    return tuple(
        dict.fromkeys(
            words for known in index.values() for words, named in known if named == (name, False, True)
        )
    )


def _is_cyrillic(word: str) -> bool:
    return not word.isascii() and any("\u0400" <= letter <= "\u04ff" for letter in word)


PERSON, ORGANISATION, PLACE, OTHER = "person", "organisation", "place", "other"
_LABELS = by_word(_WORDS["labels"])
_TITLES = listed(_WORDS["titles"])
_CAPITALISED = re.compile(r"[^\W\d_]+")
_UMLAUTS = str.maketrans({"ä": "ae", "ö": "oe", "ü": "ue", "Ä": "Ae", "Ö": "Oe", "Ü": "Ue"})
_ACRONYM = re.compile(r"(?:[^\W\d_]\.?){2,8}$")
_CAPITALS = re.compile(r"(?<!\w)([^\W\d_a-zа-яё]{2,8})[а-я]{0,2}(?!\w)")  # МИД, МИДа
_TWO_CAPITALS = re.compile("[A-Z]{2}")
_FIGURES = re.compile(r"\d+(?:\.\d+)*")
_ALPHABETIC = re.compile(r"[a-z\u0400-\u04ff\d. ]*")
_GENERATIONS = frozenset({"jr", "sr", "junior", "senior", "мл", "ст"})
# Small words that an acronym may leave out.
SMALL = listed("of the and for in on at to a an de la и по на в при de der die und für et du des y del")
# Lower-case words before a name that say what or where it is and do not belong to it.
_DESCRIPTION = re.compile(
    rf"(?:(?:{_WORDS['description'].strip().replace(chr(10), '|')}|{LOW}|{HIGH})[\s,]+)+"
)
_FORMAL = re.compile(
    r"(?:The\s+)?(?:People.s\s+)?(?:Kingdom|Republic|State|Commonwealth|City|Town|Village)\s+of\s+(?:the\s+)?"
)
LEGAL_FORMS = listed(_WORDS["legal forms"])  # what a company is by law, without dots
_NO_FORM = listed("AB AS BV KK NV SL")  # unless it is called an organisation: type AB, 100 NV
_STATES = (["u", "s"], ["united", "states"])
_PARENTHESES = re.compile(r"\s*[(\[][^()\[\]]*[)\]]\s*$")
_SUBTITLE = re.compile(r"(?<=\w{3}):\s.*$")
_NAME = 200  # code points; what is longer is no name
_LARGER_PLACE = re.compile(r"(?<=\w{3}),\s+\w.*$")
# What a place is, behind its name. A city, county, river or lake is often not what it is called after.
_KIND = re.compile(r"(?<=\w{3})\s+(?:Province|Prefecture|Oblast|Governorate|Islands|Archipelago|CDP)$")
_UNSPACED = re.compile("[\u3041-\u30fa\u30fc-\u30ff\u3400-\u9fff\uac00-\ud7af]")


@dataclass(slots=True, eq=False)
class Analysed:
    """A name taken apart.

    `tokens` are its content words, initials as single letters; `forms` the forms of each. `bag` holds
    the words that an equal name has, in any order; `keys` the same written together, with ä as a and
    as ae. `digits` are the words with a digit (numbers, dates, codes), which have to be equal. `titled`: it
    is a person's last name behind a title.
    """

    text: str
    label: str
    lang: str | None
    tokens: tuple[str, ...]
    forms: tuple[frozenset[str], ...]
    bag: tuple[str, ...]
    keys: frozenset[str]
    digits: tuple[str, ...]
    dotted: frozenset[str]
    acronym: str
    acronyms: frozenset[str]
    initials: frozenset[str]
    generation: str
    unspaced: bool
    country: Country
    titled: bool
    bare: str
    spelling: str


@lru_cache(maxsize=1024)
def kind_of(label: str) -> str:
    """A label as the matcher knows it: PER, people and person are one."""
    lowered = label.strip().lower()
    return _LABELS.get(lowered, lowered)


class Sketch(NamedTuple):
    """What a look at its words says of a name.

    Its `kind` (figures, latin, cyrillic or unknown) and its `groups`: near are names with a common one, of a
    similar `spelling`, or that may sound like its `tokens` in another alphabet.
    """

    kind: str
    groups: Set[str] = frozenset()
    spelling: str = ""
    tokens: tuple[str, ...] = ()
    label: str = ""


UNKNOWN = Sketch("unknown")
"""Of a name that nothing can be told of: any other may be near it."""


@lru_cache(maxsize=4_096)
def sketch(text: str, label: str, lang: str | None) -> Sketch:
    """What can be told of a name without taking it apart: which figures it has, or which words.

    Names with figures match only with a common one, and no name without. Names in Latin or Cyrillic letters
    that match share a word, name one country, are an acronym and its words or sound alike.
    """
    kind, found = kind_of(label), words(text, lang)
    joined = " ".join(found)
    figures = _FIGURES.findall(joined)
    if not found or _bare(text, kind, lang):
        return UNKNOWN
    if figures and (kind != PERSON or has_digit("".join(_without_generation(settled(found, lang), kind)[0]))):
        smaller = " ".join(in_smallest(found))
        return Sketch("figures", {*figures, *(_FIGURES.findall(smaller) if smaller != joined else ())})
    if not text.isascii() and (not _ALPHABETIC.fullmatch(joined) or _acronyms(text)):
        return UNKNOWN
    kept = _without_generation(content(found, lang), kind)[0]
    groups = {"key " + "".join(kept), *figures}
    if min(map(len, found)) < 3:  # initials
        merged = _without_generation(settled(found, lang), kind)[0]
        groups = {f"key {_joined(merged)}", *figures}.union(*(_groups(word, kind, lang) for word in merged))
        found, kept = _without_dots(found), _without_dots(kept)
    if not text.isascii() and (spelled_out := _spelled_out(text)):
        groups.add(f"key {_key(spelled_out, kind, lang)}")
    tokens = tuple(kept)
    groups = groups.union(*(_groups(token, kind, lang) for token in tokens))
    if "country" in groups:
        tokens = _with_countries(tokens)
        groups.update(*(_groups(token, kind, lang) for token in tokens))
        groups.remove("country")
    foreign = is_foreign(tokens[0])
    if foreign and kind == ORGANISATION:
        groups.add(f"opening {tokens[0][:3]}")
    if len(found) > 1:
        groups |= {f"initials {initials}" for initials in _initials(found)}
    elif acronym := _acronym(text):
        groups.add(f"initials {acronym}")
    alphabet = "cyrillic" if foreign else "latin"
    return Sketch(alphabet, groups, "".join(sorted(tokens)), tokens, kind)


@lru_cache(maxsize=16_384)
def _groups(word: str, kind: str, lang: str | None) -> frozenset[str]:
    """The groups of names with a word: its forms, its first letters where a form is 30 µs, its countries."""
    letters = lang in LETTERS_STAY
    groups = frozenset((first_letters(word, lang),)) if letters else _forms(word, kind, lang)
    if not _begins_country(word):
        return groups
    known = map(_index(_is_cyrillic(word)).get, forms(word))
    names = (f"country {named.name}" for listed in known for _, named in listed or ())
    return groups.union(("country",), names)


def _without_dots(parts: Sequence[str]) -> list[str]:
    return [word.removesuffix(".") for word in parts]


def may_match(a: Sketch, b: Sketch, lang: str | None) -> bool:
    """Whether two names may match, their spelling aside: by a common group, or by their sound.

    Names in two alphabets have as many words, or are of a person, and the last ones sound alike.
    """
    if a is UNKNOWN or b is UNKNOWN or not a.groups.isdisjoint(b.groups):
        return True
    if {a.kind, b.kind} != {"latin", "cyrillic"}:
        return False
    x, y = (a, b) if a.kind == "cyrillic" else (b, a)
    if len(x.tokens) != len(y.tokens) and not (x.label == y.label == PERSON):
        return False
    heard, latin = _forms(x.tokens[-1], x.label, lang), y.tokens[-1]
    return first_sound(latin) in set(map(first_sound, heard)) and alike(heard, latin) > 0


@lru_cache(maxsize=4_096)
def analyse(text: str, label: str, lang: str | None = None) -> Analysed:
    """Take a name apart; remembered by text, label and language."""
    everything = words(text, lang)
    kind = kind_of(label)
    merged, generation = _without_generation(settled(everything, lang), kind)
    main, _ = _without_generation(content(everything, lang), kind)
    tokens = _with_countries(tuple(_without_dots(main)))
    in_forms = tuple(_forms(token, kind, lang) for token in tokens)
    keys = {_joined(in_smallest(merged))}
    if not text.isascii() and (spelled_out := _spelled_out(text)):
        keys.add(_key(spelled_out, kind, lang))
    return Analysed(
        text=text,
        lang=lang,
        label=kind,
        tokens=tokens,
        forms=in_forms,
        bag=tuple(sorted(merged)),
        keys=frozenset(keys - {""}),
        digits=tuple(sorted(filter(has_digit, merged))) if has_digit("".join(merged)) else (),
        dotted=frozenset(word[0] for word in main if word.endswith(".")),
        acronym=_acronym(text),
        acronyms=_acronyms(text),
        initials=_initials(_without_dots(everything)),
        generation=generation,
        unspaced=not text.isascii() and _UNSPACED.search(text) is not None,
        country=country(merged),
        titled=kind == PERSON and len(tokens) == 2 and not _TITLES.isdisjoint(in_forms[0]),
        bare=_bare(text, kind, lang),
        spelling="".join(sorted(tokens)),
    )


def _spelled_out(text: str) -> str:
    """A name with its umlauts as two letters, "" for one without."""
    spelled_out = text.translate(_UMLAUTS)
    return "" if spelled_out == text else spelled_out


def _key(text: str, kind: str, lang: str | None) -> str:
    """The words of a name written together."""
    return _joined(_without_generation(settled(words(text, lang), lang), kind)[0])


def _with_countries(tokens: tuple[str, ...]) -> tuple[str, ...]:
    """The words of a name with each country in it as one: Комиссия ЕС, комиссия Европейского союза."""
    if len(tokens) < 2:
        return tokens
    merged: list[str] = []
    at = 0
    while at < len(tokens):
        known, size = _country_at(tokens, at)
        if size == len(tokens):
            return tokens
        merged.append(key(known) if known else tokens[at])
        at += size
    return tuple(merged)


def _begins_country(word: str) -> bool:
    """Whether a normalised word is the first of a country's name, in any case."""
    index = _index(_is_cyrillic(word))
    if word.isascii() and word[-1] != "s":  # it has no other form
        return word in index
    return not index.keys().isdisjoint(forms(word))


def _country_at(tokens: tuple[str, ...], at: int) -> tuple[str, int]:
    """The country that words name from `at` on and how many they are; "" and 1 when they name none."""
    if _begins_country(tokens[at]):
        for size in range(min(5, len(tokens) - at), 0, -1):
            known = country(tokens[at : at + size])
            if known.counts:
                return known.name, size
    return "", 1


def _forms(token: str, kind: str, lang: str | None) -> frozenset[str]:
    """The forms of a word; in the name of a place or a body also of the place that an adjective is of."""
    variants = forms(token, lang)
    if token.isascii() or kind not in (PLACE, ORGANISATION):
        return variants
    return variants | places_of(token, variants)


def _without_generation(parts: list[str], kind: str) -> tuple[list[str], str]:
    """A name without its last word when that is Jr., Sr. or the number of a person, and that word.

    One name of a person often leaves it out (DeMott, William DeMott II); two different ones part persons.
    """
    if len(parts) > 1 and (parts[-1] in _GENERATIONS or (kind == PERSON and parts[-1].isdecimal())):
        return parts[:-1], parts[-1][:2]
    if len(parts) > 1 and kind == PERSON and parts[0].isdecimal():
        return parts[1:], parts[0]
    return parts, ""


def _joined(merged: Sequence[str]) -> str:
    """Words written together; two numbers stay apart."""
    result = ""
    for word in merged:
        word = word.removesuffix(".")
        result += f" {word}" if result[-1:].isdigit() and word[:1].isdigit() else word
    return result


def _acronyms(text: str) -> frozenset[str]:
    """The folded words in capitals of a name that has others too."""
    if text.isupper() or (text.isascii() and not _TWO_CAPITALS.search(text)):
        return frozenset()
    return frozenset(map(fold, _CAPITALS.findall(text)))


def _acronym(text: str) -> str:
    """The folded letters of a name that is one acronym (NATO, U.S., МГУ), else ""."""
    bare = text.strip(" \t\n\"'«»“”()")
    return fold(bare.replace(".", "")) if text.isupper() and _ACRONYM.match(bare) else ""


def _initials(everything: Sequence[str]) -> frozenset[str]:
    """The acronyms a name of several words can have: with and without its small words."""
    # The FDA is the U.S. Food and Drug Administration, AF no US Air Force.
    states = 1 if everything[:1] == ["us"] else 2 * (everything[:2] in _STATES)
    named = [everything, everything[states:]] if states and len(everything) - states > 2 else [everything]
    if not SMALL.isdisjoint(everything):
        named += [[word for word in some if word not in SMALL] for some in named]
    initials = ("".join([word[0] for word in some]) for some in named)
    return frozenset([letters for letters in initials if 2 <= len(letters) <= 8])


def _bare(text: str, kind: str, lang: str | None) -> str:
    """A name without what describes it, "" when nothing does.

    A class or direction before it (western Turkey, городе Грозном, City of Edmonton), a remark in
    parentheses, a subtitle, a legal form or (of a place) the larger place or its kind behind it (Hubei).
    """
    bare = text.strip()
    if bare.isalnum() or len(bare) > _NAME:
        return ""
    described = (bare[:1].islower() and _DESCRIPTION.match(bare)) or (has_digit(bare) and BOUND.match(bare))
    if match := described or ("of" in bare and _FORMAL.match(bare)):
        bare = bare[match.end() :]
    bare = _PARENTHESES.sub("", bare) if bare.endswith((")", "]")) else bare
    bare = _SUBTITLE.sub("", bare) if ":" in bare else bare
    while " " in bare and (form := bare.rpartition(" ")[2].strip(",")).replace(".", "") in LEGAL_FORMS:
        if form in _NO_FORM and kind != ORGANISATION:
            break
        bare = bare.rpartition(" ")[0].rstrip(" ,&")
    if kind == PLACE:
        bare = _KIND.sub("", _LARGER_PLACE.sub("", bare) if "," in bare else bare)
    begins = bare[:1].isupper() or bare[:1].isdigit() or bare[:1] in '«"“' or has_digit(key(bare, lang))
    return bare if begins and bare != text.strip() else ""


def legal_forms(text: str) -> frozenset[str]:
    """The legal forms among the words of a name."""
    return LEGAL_FORMS.intersection(re.split(r"[\s,]+", text.replace(".", "")))


def capitals(text: str) -> int:
    """How many words a name has if all of them begin with a capital, else 0."""
    parts = _CAPITALISED.findall(text)
    return len(parts) if all(word[0].isupper() for word in parts) else 0
