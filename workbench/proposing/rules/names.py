"""Names in scripts with capitals: runs split, trimmed, and kept when the capital means something."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import pairwise

import workbench.proposing.rules.lexicon as lexicon
from workbench.proposing.rules.cyrillic import adjective, reach_back, widen
from workbench.proposing.rules.german import german
from workbench.proposing.rules.labels import RunLabels
from workbench.proposing.rules.lexicon import (
    Claims,
    Found,
    is_faith,
    is_first_name,
    is_organisation,
    is_people,
    is_place,
    is_title,
    russian_head,
    words,
)
from workbench.proposing.rules.runs import Reading, Run, is_score, is_syllable, read, runs

_IS = words("is was")
_ARTICLES = words("a an the one")
_INSIDE = frozenset(":,'’-!")  # marks in a subject
_LONGEST_SUBJECT = 12


def subject(reading: Reading, run: Run) -> Run | None:
    """The whole subject that starts with this run when it opens a sentence "X and Y: Z is a …", else None.

    English only. It may hold small words and marks that a run would break at; behind it stands "is a",
    "(1954) is a" or "(".
    """
    start, small = run.first, reading.small
    if reading.lang != "en" or start not in reading.opening:
        return None
    if (first := reading.folded(start)) == "the":
        start += 1
    elif first in small:
        return None
    for index in range(start, min(start + _LONGEST_SUBJECT, len(reading.words))):
        word = reading.words[index]
        if index > start and (word in _IS or word == "("):
            ends = word == "(" or reading.word(index + 1) in _ARTICLES
            named = ends and index - 1 > run.last and reading.capital[index - 1]
            return Run(start, index - 1) if named else None
        if not (reading.capital[index] or word in _INSIDE or word.casefold() in small):
            return None
    return None


_SHORT_LINE = 4  # words
_NEAR = 200  # code points of a line that are looked at on either side of a run
_LINKS = lexicon.PARTICLES | lexicon.WEAK_PARTICLES | {"the"}
_PLACES_AND_EVENTS = lexicon.PLACE | lexicon.EVENT
_VERSION = re.compile(r" [vV]\d+(?:\.\d+)*(?![\w-])")  # Router X3 v2.1
# Verbs right after a bare name that opens a sentence.
_ACTING = words(lexicon.WORDS["acting"])
# Verbs that open a sentence by asking for something, before a name: Use SFTP. Ask Jeeves was a site.
_ASKING = words(lexicon.WORDS["asking"])
# What stands before a code or an address and is none of it: Error E-1042, Dirección Rua Augusta 24.
_LABELLING = lexicon.either("labelling")
_ABSTRACT = re.compile("(?:s|ing|tion|sion|ity|ness|ment|ism|ogy|ly|ance|ence|ship|ure|age|ics|people|men)$")
_PLURAL = re.compile("[a-z]{2}[^isu]s$")
# What follows the subject of a definition, "Load is the sixth album", "Vega (star)", or of "Vega's".
_BEING = words("is was are were")
_DEFINING = _BEING | words("( — – ist war est fut es era è 's ’s")


def names(text: str, lang: str, claims: Claims) -> Iterator[Found]:
    """Every name of the text outside the claimed stretches, labelled."""
    if not any(map(str.isupper, text)):
        return
    reading = read(text, lang, claims)
    kept = list(german(reading, list(runs(reading))) if lang == "de" else _kept(reading))
    labels = RunLabels(reading, kept)
    end = -1
    for run in kept:
        if run.first > end:
            yield from _spans(reading, run, labels.of(run))
            end = run.last


def _kept(reading: Reading) -> Iterator[Run]:
    """The runs that are names, in text order."""
    end = -1
    for run in runs(reading):
        if run.last <= end:
            continue
        whole = subject(reading, run)
        if whole is not None:
            end = whole.last
            yield whole
            continue
        parts = _shouted(reading, run)
        for part in _split(reading, run) if parts is None else parts:
            trimmed = _trim(reading, part)
            sure = trimmed and _evident(reading, widen(reading, trimmed))
            if sure:
                longer = _syllable(reading, reach_back(reading, sure))
                sure = longer if longer.first > end else sure
                yield sure
                end = max(end, sure.last)


def _shouted(reading: Reading, run: Run) -> list[Run] | None:
    """The names in a run of a line all in capitals, where capitals say nothing: JAPAN GET LUCKY WIN.

    Of a long line those that are known; of a short one (ST. LOUIS AT COLORADO) all between small words.
    None for a run of any other line.
    """
    text, start, end = reading.text, reading.starts[run.first], reading.ends[run.last]
    if not text[start:end].isupper():
        return None
    line = (
        text[max(0, start - _NEAR) : start].rpartition("\n")[2] + text[start : end + _NEAR].partition("\n")[0]
    )
    if not line.isupper():
        return None
    if len(line.split()) > _SHORT_LINE:
        return list(_known(reading, run))
    cuts = [i for i in range(run.first, run.last + 1) if reading.is_small(i)]
    ends = [*cuts, run.last + 1]
    return [Run(a + 1, b - 1) for a, b in zip([run.first - 1, *cuts], ends, strict=True) if a + 1 < b]


def _known(reading: Reading, run: Run) -> Iterator[Run]:
    """The longest known names of a run, and two words that begin with a first name."""
    first = run.first
    while first <= run.last:
        for last in range(min(run.last, first + 2), first - 1, -1):
            name = reading.name(first, last)
            named = last == first + 1 and is_first_name(reading.words[first])
            if named or is_place(name) or is_people(name) or is_organisation(name):
                yield Run(first, last)
                first = last
                break
        first += 1


def _syllable(reading: Reading, run: Run) -> Run:
    """Hồi giáo: a Vietnamese word's second syllable is small; names of people and foreign words have none."""
    word = reading.words[run.last]
    whole = reading.lang == "vi" and not (word.isascii() or is_place(word) or run.last > run.first + 1)
    return Run(run.first, run.last + 1) if whole and is_syllable(reading, run.last + 1) else run


def _spans(reading: Reading, run: Run, label: str) -> Iterator[Found]:
    """The stretch of a run; Greek-French is two."""
    start, stop = reading.starts[run.first], reading.ends[run.last]
    word = reading.words[run.first]
    if run.first == run.last and "-" in word and is_people(word) and word.casefold() not in lexicon.DEMONYMS:
        for part in word.split("-"):
            yield Found(start, start + len(part), label)
            start += len(part) + 1
        return
    if reading.word(run.last + 1) in {"'s", "’s"} and is_organisation(f"{reading.text[start:stop]}'s"):
        stop, label = stop + 2, "organisation"
    if version := _VERSION.match(reading.text, stop):
        stop = version.end()
    short = reading.folded(run.last) in {"inc", "jr", "sr", "ltd", "corp", "co"}
    yield Found(start, stop + (short and reading.text[stop : stop + 1] == "."), label)  # Inc. keeps its dot


def _split(reading: Reading, run: Run) -> Iterator[Run]:
    """US President Barack Obama → US, Barack Obama; Greek-French is two; США Фил Гордон → США, Фил Гордон."""
    first = run.first
    for index in range(run.first, run.last):
        if index >= first and _parts(reading, first, index):
            yield Run(first, index)
            first = index + 1
    yield Run(first, run.last)


def _parts(reading: Reading, first: int, index: int) -> bool:
    """Whether a name ends at token `index` although a capital follows."""
    if first == index and reading.word(first - 1) == "@":
        return True  # a handle is one word
    here, after = reading.words[index], reading.words[index + 1]
    if not (reading.capital[index] and reading.capital[index + 1]):
        return False
    listed = is_place(here) or is_people(here)
    country = first == index and listed
    if country and (is_people(after) or is_faith(after)) and not is_people(f"{here} {after}"):
        return True
    if after.casefold() in lexicon.OFFICES and reading.word(index + 2):
        article = index == first + 1 and first in reading.opening and reading.folded(first) == "the"
        known = listed or (is_organisation(here) and reading.is_capital(index + 3))
        return known and (first == index or article) and not is_title(here)
    if after[0] >= "Ѐ" and after[0] < "\u0530":
        if here[-1] < "\u0250" and here[-1].isalpha():
            return True
        if is_place(here) and here not in after:
            return not (is_place(after) or russian_head(after) or (len(after) > 1 and after.isupper()))
        if len(here) > 1 and here.isupper() and is_organisation(here):
            return not (after.isupper() or is_place(after) or russian_head(after))
        if not (is_first_name(after) and reading.is_capital(index + 2)):
            return False
        person = len(here) > 1 and not (is_place(after) or is_first_name(here) or is_title(here))
        return person or is_organisation(here)
    return country and is_first_name(after) and not is_people(after) and not is_place(after)


def _trim(reading: Reading, run: Run) -> Run | None:
    """Cut function words off both ends, and titles off the front."""
    first, last = run
    while first <= last:
        word = reading.words[first]
        particle = not reading.capital[first] and reading.folds[first] in _LINKS
        if word == "The" and first < last and first not in reading.opening:
            break  # a title: the band The Beatles
        if _is_person_after_all(reading, first, last):
            break
        if _says_nothing(reading, word) or particle:
            first += 1
        elif first < last and reading.is_title(first) and not _headed(reading, first, last):
            first += 1
            while first <= last and not reading.capital[first]:
                first += 1
        else:
            break
    while last > first:
        word, before = reading.words[last], reading.words[last - 1]
        if word in {"I", "Plus"} or not (
            _says_nothing(reading, word) or (is_title(word) and is_place(before))
        ):
            break
        last -= 1
    if first > last:
        return None
    if first < last:
        return Run(first, last)
    word = reading.words[first]
    alone = is_title(word) or word.casefold() in lexicon.ABBREVIATIONS or word in lexicon.LEGAL_FORMS
    return None if alone or _is_shorthand(reading, first) else Run(first, last)


def _is_shorthand(reading: Reading, index: int) -> bool:
    """Whether a word in capitals names nothing: LOL, TV, the RT before @."""
    word = reading.words[index]
    to_handle = len(word) == 2 and reading.word(index + 1) == "@"
    return word.isupper() and (word.casefold() in lexicon.SHORTHAND or to_handle)


def _says_nothing(reading: Reading, word: str) -> bool:
    """Whether a token is a function word or a mark; US and WHO are neither."""
    small = word.casefold() in reading.small and word not in lexicon.ACRONYMS
    return small or not word[0].isalnum()


def _is_person_after_all(reading: Reading, first: int, last: int) -> bool:
    """Will Smith, A. R. Rahman: a function word's letters, a person's name."""
    if first >= last:
        return False
    word, after = reading.words[first], reading.words[first + 1]
    if len(word) == 1 and after == "." and reading.starts[first + 1] == reading.ends[first]:
        return not reading.is_honorific(first)
    return word == "Will" and reading.capital[first + 1] and not reading.is_small(first + 1)


def _headed(reading: Reading, first: int, last: int) -> bool:
    """Premier League, General Motors, Prince Edward Island: the title is part of the name."""
    second = reading.folded(first + 1)
    person = reading.is_honorific(first) and is_first_name(reading.words[first + 1])  # Sir John Hall
    return not person and (second in lexicon.HEADS or reading.folded(last) in _PLACES_AND_EVENTS)


def _evident(reading: Reading, run: Run) -> Run | None:
    """The run, or what is left of it, when more than a sentence start explains its capital."""
    word = reading.words[run.first]
    if _LABELLING.match(reading.name(run.first, run.last)):
        return Run(run.first + 1, run.last)
    if run.first not in reading.opening:
        if run.first == run.last and (len(word) == 1 or adjective(reading, run.first)):
            return None
        return run
    if run.first == run.last:
        return run if _names_something(reading, run.first) else None
    plural = _is_plural_of(reading, run)
    if not (plural or reading.capital[run.first + 1]):
        return run
    folded = word.casefold()
    small = folded not in reading.capitalised
    asking = folded in _ASKING or (folded == "see" and reading.words[run.last].isdecimal())  # See Table 1
    asks = small and reading.lang in ("en", "") and asking
    asks = asks and reading.word(run.last + 1) not in _ACTING | _BEING
    common = small and (plural or folded in reading.lowered) and folded not in lexicon.HEADS
    if asks or (common and not _headed_name(reading, run)) or _russian_opener(reading, run):
        rest = _trim(reading, Run(run.first + 1, run.last))
        return None if rest is None else widen(reading, rest)
    return run


def _is_plural_of(reading: Reading, run: Run) -> bool:
    """Members of NATO: a plural before "of"; not Lords of Dogtown was, where the verb is of one thing."""
    word = reading.words[run.first]
    plural = _PLURAL.search(word) and reading.words[run.first + 1] == "of"
    return bool(plural) and not is_first_name(word) and reading.word(run.last + 1) not in _IS


def _headed_name(reading: Reading, run: Run) -> bool:
    """New York, Big Muddy Creek: a common word that belongs to a known or headed name."""
    name = reading.name(run.first, run.last)
    return is_place(name) or reading.folded(run.last) in _PLACES_AND_EVENTS


def _russian_opener(reading: Reading, run: Run) -> bool:
    """Посол Японии, Менеджеры НАСА: a common noun before a name it governs."""
    word, second = reading.words[run.first], reading.words[run.first + 1]
    if not "Ѐ" <= word[0] < "\u0530" or russian_head(word) or is_place(word) or is_first_name(word):
        return False
    if word.casefold() in reading.capitalised or word.isupper():
        return False
    return is_place(second) or (len(second) > 1 and second.isupper()) or adjective(reading, run.first + 1)


def _names_something(reading: Reading, index: int) -> bool:
    """Whether the single opening word is a name rather than any word with a capital."""
    word = reading.words[index]
    folded = word.casefold()
    if len(word) == 1:
        return False
    known = is_place(word) or is_people(word) or is_faith(word) or is_organisation(word)
    if known or folded in reading.capitalised or any(c.isupper() or c.isdigit() for c in word[1:]):
        return True
    if folded in reading.lowered or folded in lexicon.NOUNS:  # Роман is a name, роман a novel
        return False
    following = "" if index + 1 in reading.claimed else reading.word(index + 1)  # Dose 75–130 mg
    if (
        is_first_name(word)
        or (reading.lang in {"ru", "uk"} and word[0] < "\u0250")
        or (following.isdecimal() and is_score(reading, index, index, index + 1))
        or following in _DEFINING
    ):
        return True
    # "Prévost served …": a bare noun before a verb is a name, unless it is plural or abstract.
    acts = following in _ACTING or (len(following) > 4 and following.endswith("ed"))
    return reading.lang == "en" and acts and not _ABSTRACT.search(folded)


_WORD = re.compile(r"[^\W_][\w'’.-]*")
_LONGEST = 3  # words of a nested name


def nested(text: str, stretches: Iterable[Found]) -> Iterator[Found]:
    """Known places and bodies that end a longer name, after a small word; in Russian also after a noun.

    North America, Восточная Сибирь and Air France hold no second name.
    """
    for item in stretches:
        whole = text[item.start : item.end]
        if item.label not in {"organisation", "place", "event"} or is_place(whole) or is_organisation(whole):
            continue
        listed = [word.span() for word in _WORD.finditer(text, item.start, item.end)]
        for before, (start, _) in list(pairwise(listed))[-_LONGEST:]:
            governed = item.label == "organisation" and "\u0400" <= text[start] < "\u0530"
            if not (text[before[0]].islower() or governed):
                continue
            name = text[start : item.end]
            if is_place(name) or is_organisation(name):
                yield Found(start, item.end, "place" if is_place(name) else "organisation")
                break
