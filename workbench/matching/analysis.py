"""What the layers of the matcher need to know of a name, worked out once and kept."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

from workbench.text import inflection
from workbench.text.inflection import forms
from workbench.text.lists import has_digit, listed, sections
from workbench.text.normalise import content, fold, key, settled, words
from workbench.text.numbers import date_parts

_WORDS = sections(__name__)

_COUNTRIES = _WORDS["countries"]


class Country(NamedTuple):
    """A country by its English name, and whether it was named by its adjective or its people."""

    name: str
    people: bool


NO_COUNTRY = Country("", False)


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
            # With the dictionary a single word stands here as its own lemma: 300 look-ups less.
            known = russian and len(words) == 1 and inflection.analyser() is not None
            for form in {words[0]} if known else forms(words[0], lang):
                index[form].append((words, Country(columns[0][0], name in people)))
    return dict(index)


def country(words: Sequence[str]) -> Country:
    """The country that normalised words name, in any case; its name is "" when they name none."""
    if not words or len(words) > 5:
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
        dict.fromkeys(words for known in index.values() for words, named in known if named == (name, False))
    )


def _is_cyrillic(word: str) -> bool:
    return not word.isascii() and any("\u0400" <= letter <= "\u04ff" for letter in word)


PERSON, ORGANISATION = "person", "organisation"
_LABELS = {
    **dict.fromkeys(("per", "people"), PERSON),
    **dict.fromkeys(("org", "organization", "company"), ORGANISATION),
}
_CAPITALISED = re.compile(r"[^\W\d_]+")
_UMLAUTS = str.maketrans({"ä": "ae", "ö": "oe", "ü": "ue", "Ä": "Ae", "Ö": "Oe", "Ü": "Ue"})
_ACRONYM = re.compile(r"(?:[^\W\d_]\.?){2,8}$")
_GENERATIONS = frozenset({"jr", "sr", "junior", "senior", "мл", "ст"})
# Small words that an acronym may leave out.
_SMALL = listed("of the and for in on at to a an de la и по на в при de der die und für et du des y del")
# Lower-case words before a name that say what or where it is and do not belong to it.
_DESCRIPTION = re.compile(
    rf"(?:(?:{sections(__name__)['description'].strip().replace(chr(10), '|')})[\s,]+)+"
)
_FORMAL = re.compile(
    r"(?:The\s+)?(?:People.s\s+)?(?:Kingdom|Republic|State|Commonwealth|City|Town|Village)\s+of\s+(?:the\s+)?"
)
_PARENTHESES = re.compile(r"\s*[(\[][^()\[\]]*[)\]]\s*$")
_SUBTITLE = re.compile(r"(?<=\w{3}):\s.*$")
_NAME = 200  # code points; what is longer is no name
_LARGER_PLACE = re.compile(r"(?<=\w{3}),\s+\w.*$")
_PLACES = frozenset({"place", "loc", "location", "gpe", "city", "country"})
_UNSPACED = re.compile("[\u3041-\u30fa\u30fc-\u30ff\u3400-\u9fff\uac00-\ud7af]")


class Analysed(NamedTuple):
    """A name taken apart.

    `tokens` are its content words, initials as single letters; `forms` the forms of each. `bag` holds
    the words that an equal name has, in any order; `keys` the same written together, with ä as a and
    as ae. `digits` are the words with a digit (numbers, dates, codes), which have to be equal. Two
    names share a trait, or most letters of their `spelling`, when any layer can link them.
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
    letters: int
    acronym: str
    initials: frozenset[str]
    generation: str
    capitals: int
    unspaced: bool
    country: Country
    bare: str
    traits: frozenset[str]
    spelling: str


@lru_cache(maxsize=262_144)
def analyse(text: str, label: str = "", lang: str | None = None) -> Analysed:
    """Take a name apart; remembered by text, label and language."""
    everything = words(text, lang)
    kind = _LABELS.get(label.strip().lower(), label.strip().lower())
    merged, generation = _without_generation(settled(everything, lang), kind)
    found, _ = _without_generation(content(everything, lang), kind)
    tokens = tuple(word.removesuffix(".") for word in found)
    keys = {_joined(merged)}
    spelled_out = text.translate(_UMLAUTS)
    if spelled_out != text:
        with_e = settled(words(spelled_out, lang), lang)
        keys.add(_joined(_without_generation(with_e, kind)[0]))
    one = Analysed(
        text=text,
        lang=lang,
        label=kind,
        tokens=tokens,
        forms=tuple(forms(token, lang) for token in tokens),
        bag=tuple(sorted(merged)),
        keys=frozenset(keys - {""}),
        digits=tuple(sorted(word for word in merged if has_digit(word))),
        dotted=frozenset(word[0] for word in found if word.endswith(".")),
        letters=sum(map(len, tokens)),
        acronym=_acronym(text),
        initials=_initials([word.removesuffix(".") for word in everything]),
        generation=generation,
        capitals=_capitals(text),
        unspaced=not text.isascii() and _UNSPACED.search(text) is not None,
        country=country(merged),
        bare=_bare(text, kind),
        traits=frozenset(),
        spelling="".join(sorted(tokens)),
    )
    return one._replace(traits=_traits(one))


def _traits(name: Analysed) -> frozenset[str]:
    """What two names have in common when any layer but `typo` speaks, as strings of distinct kinds."""
    traits = {f"key {key}" for key in name.keys}.union(*name.forms)
    traits.update(f"initials {initials}" for initials in (*name.initials, name.acronym) if initials)
    if name.country.name:
        traits.add(f"country {name.country.name}")
    if len(name.bag) == 1 and name.digits:
        traits.update(date_parts(name.bag[0]))
    if name.bare:
        traits |= analyse(name.bare, name.label, name.lang).traits
    return frozenset(traits)


def _without_generation(found: list[str], kind: str) -> tuple[list[str], str]:
    """A name without its last word when that is Jr., Sr. or the number of a person, and that word.

    One name of a person often leaves it out (DeMott, William DeMott II); two different ones part persons.
    """
    if len(found) > 1 and (found[-1] in _GENERATIONS or (kind == PERSON and found[-1].isdecimal())):
        return found[:-1], found[-1][:2]
    return found, ""


def _joined(merged: Sequence[str]) -> str:
    """Words written together; two numbers stay apart."""
    result = ""
    for word in merged:
        word = word.removesuffix(".")
        result += f" {word}" if result[-1:].isdigit() and word[:1].isdigit() else word
    return result


def _acronym(text: str) -> str:
    """The folded letters of a name that is one acronym (NATO, U.S., МГУ), else ""."""
    bare = text.strip(" \t\n\"'«»“”()")
    if _ACRONYM.match(bare) and bare.isupper():
        return fold(bare.replace(".", ""))
    return ""


def _initials(everything: Sequence[str]) -> frozenset[str]:
    """The acronyms a name of several words can have: with and without its small words."""
    if len(everything) < 2:
        return frozenset()
    big = [word for word in everything if word not in _SMALL]
    return frozenset(
        initials
        for initials in ("".join(word[0] for word in everything), "".join(word[0] for word in big))
        if 2 <= len(initials) <= 8
    )


def _bare(text: str, kind: str) -> str:
    """A name without what describes it, "" when nothing does.

    A class or direction before it (western Turkey, городе Грозном, City of Edmonton), a remark in
    parentheses, a subtitle or (of a place) the larger place behind it.
    """
    bare = text.strip()
    if len(bare) > _NAME:
        return ""
    if match := _DESCRIPTION.match(bare) or _FORMAL.match(bare):
        bare = bare[match.end() :]
    bare = _SUBTITLE.sub("", _PARENTHESES.sub("", bare))
    if kind in _PLACES:
        bare = _LARGER_PLACE.sub("", bare)
    if bare == text.strip() or not (bare[:1].isupper() or bare[:1].isdigit() or bare[:1] in '«"“'):
        return ""
    return bare


def _capitals(text: str) -> int:
    """How many words a name has if all of them begin with a capital, else 0."""
    found = _CAPITALISED.findall(text)
    return len(found) if all(word[0].isupper() for word in found) else 0
