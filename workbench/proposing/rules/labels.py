"""Labels for names: by head words, gazetteers, first names and what stands around them."""

from __future__ import annotations

import re
from collections.abc import Sequence

import workbench.proposing.rules.lexicon as lexicon
from workbench.proposing.rules.lexicon import (
    is_faith,
    is_first_name,
    is_organisation,
    is_people,
    is_place,
    is_title,
    russian_head,
    words,
)
from workbench.proposing.rules.runs import ARTICLES, ROMANCE, Reading, Run

_PATRONYMIC = re.compile(r"(?:[оеё]вич|ович|[оеи]вн)(?:а|у|ем|ом|е|ы|ой)?$|ична$")
_INITIAL = re.compile(r"^[^\W\d_]\.?$|^(?:[^\W\d_]\.)+$")
_DEFINITION = lexicon.either("definition")
# "(born 1950", "(12 May 1907 –", "(1907–2003)", "(род. 1950": a life.
_LIFE = lexicon.either("life")
_CUT = re.compile(rf"\s(?:{'|'.join(lexicon.WORDS['cut'].split())})\s")
_IN = words("in near outside throughout à en nahe из в во под около")
# Before "of" and a place; right before a place; and before "by" and a firm, where no first name says person.
_PLACED = words(lexicon.WORDS["placed"])
_TURNED = words(lexicon.WORDS["turned"])
_ISSUED = words("released published manufactured developed distributed operated owned acquired")
_BEFORE_PLACES = words("in from near at of to ( ,")
_ENDS = frozenset({",", ".", ")", ";", "(", ""})
_LISTING = words(", and or и или")  # what stands next to each other in a list is alike
# INR 2.5, GFR < 30
_MEASURED = re.compile(r" (?:(?:[<>≤≥=]|of|was|is|below|above|under|unter|über|von) \d(?!\d{3})|\d+[.,]\d)")
_CODE = re.compile(r"[\d_]|^[IVXLM]+$")  # COVID-19, XII
_NOBLE = words("de da di du von van bin ibn del der zu al бин ибн фон ван де")
_PEOPLE = lexicon.ROLES | lexicon.TRADES
_SAID = words(lexicon.WORDS["said"])


class RunLabels:
    """Labels the runs of one text; a surname of a full name seen in it is a person."""

    def __init__(self, reading: Reading, names: Sequence[Run]) -> None:
        self._reading = reading
        self._certain: dict[str, str] = {}
        self._surnames: set[str] = set()
        self._ending: dict[int, str] = {}  # the labels so far, by the last token
        for run in names:
            label = self._sure(run)
            if label:
                self._certain.setdefault(self._reading.name(*run), label)
            if label == "person" and run.last > run.first:
                self._surnames.add(reading.words[run.last])

    def of(self, run: Run) -> str:
        """The label of one run; runs are asked for in text order."""
        name = self._reading.name(*run)
        if name in self._certain:
            label = self._certain[name]
        elif run.first == run.last and self._reading.words[run.last] in self._surnames:
            label = "person"
        else:
            label = self._guess(run)
        self._ending[run.last] = label
        return label

    def _before(self, run: Run) -> str:
        return self._reading.word(run.first - 1)

    def _sure(self, run: Run) -> str:
        """A label with a reason of its own, or ""."""
        listed = self._reading.words[run.first : run.last + 1]
        name = self._reading.name(*run)
        firm = listed[-1] in lexicon.LEGAL_FORMS or "&" in listed or name.endswith(" A/S")
        if firm or is_organisation(name) or is_faith(name):
            return "organisation"
        if (people := is_people(name)) or is_place(name):
            return "other" if people and self._is_language(run) else "place"
        before = self._before(run)
        honoured = self._reading.is_honorific(run.first - (2 if before == "." else 1))
        sir = honoured and len(listed) == 2 and is_first_name(listed[0])  # Sir John Hall
        if sir or _LIFE.match(self._reading.text, self._reading.ends[run.last]):
            return "person"
        folded = [word.casefold().rpartition("-")[2] for word in listed]  # Robert Koch-Institut
        if label := _head(listed, folded) or self._defined(run):
            return label
        inside = before.casefold() in {"в", "во"}  # в Аль Аин: no person is a place to be in
        if (
            (is_first_name(listed[0]) and (len(listed) > 1 or not is_place(listed[0])) and not inside)
            or any(_PATRONYMIC.search(word) for word in folded if word > "а")
            or (len(listed[-1]) > 1 and listed[-1][0].isalpha() and any(map(_INITIAL.match, listed[:-1])))
        ):
            return "person"
        if near := self._neighbour(run):
            return near
        acronym = len(listed) == 1 and len(name) > 1 and name.isupper()  # представители ПАСЕ
        titled = (
            honoured or before.casefold() in _PEOPLE or (before > "а" and is_title(before) and not acronym)
        )
        return "person" if titled else ""

    def _is_language(self, run: Run) -> bool:
        """Whether the name of a people is that of its language: (Spanish: rama); in German."""
        after = self._reading.word(run.last + 1)
        spoken = self._before(run).casefold() == "in" and (after in _ENDS or after in {"as", "by"})
        return spoken or after == ":"

    def _defined(self, run: Run) -> str:
        """What a definition right after the name says it is."""
        definition = _DEFINITION.match(self._reading.text, self._reading.ends[run.last])
        if definition is None:
            return ""
        phrase = next(group for group in definition.groups() if group)
        phrase = _CUT.split(phrase, maxsplit=1)[0]
        for word in reversed(re.findall(r"[^\W\d_]+", phrase.casefold())):
            if word in lexicon.TRADES or word in lexicon.ROLES:
                return "person"
            if word in lexicon.NOUNS:
                return lexicon.NOUNS[word]
            if word > "а" and (label := russian_head(word)):
                return label
        return ""

    def _neighbour(self, run: Run) -> str:
        """What the noun beside the name says: the band Queen, the Kanto region, Ithaca, New York."""
        reading, before = self._reading, self._before(run)
        if before.islower() and not reading.gap(run.first - 1, run.first).strip():
            if before in lexicon.NOUNS:
                return lexicon.NOUNS[before]
            if before in _TURNED:
                return "place"
            if before > "а" and (label := russian_head(before)):
                return label
        if of := self._of(run):
            return of
        after, then = reading.word(run.last + 1), reading.word(run.last + 2)
        plug = after == "port" and self._reading.words[run.last].isupper()  # the HDMI port
        if then and lexicon.NOUNS.get(after) in {"place", "organisation", "event"} and not plug:
            return lexicon.NOUNS[after]
        listing = after == "," and before.casefold() in _BEFORE_PLACES
        return "place" if listing and is_place(then) else ""

    def _of(self, run: Run) -> str:
        """What the words before "of" or "by" say: the town of Ely, north of Ely, published by Elsevier."""
        first = run.first - (self._before(run) == "the")
        link, word = self._reading.word(first - 1), self._reading.word(first - 2)
        if link == "of" and (word.casefold() in _PLACED or lexicon.NOUNS.get(word) == "place"):
            return "place"
        return "organisation" if link == "by" and word in _ISSUED else ""

    def _guess(self, run: Run) -> str:
        """The likeliest label from shape and neighbours."""
        listed = self._reading.words[run.first : run.last + 1]
        before = self._before(run).casefold()
        after = self._reading.folded(run.last + 1)
        single = len(listed) == 1
        if after in _SAID and len(listed) <= 3:
            return "person"
        if single and len(listed[0]) > 1 and listed[0].isupper():
            measured = _MEASURED.match(self._reading.text, self._reading.ends[run.last])
            return "other" if measured or _CODE.search(listed[0]) else "organisation"
        if before == "@":
            return "person"
        head = listed[0] if is_place(listed[-1]) else listed[-1]
        if head > "А" and len(head) > 2 and head.isupper():  # ФАС России, Первом МГМУ
            return "organisation"
        if before in _IN:
            return "place"
        if before in _LISTING and (alike := self._ending.get(run.first - 2)):
            return alike
        if listed[0] > "А" and len(listed) in {2, 3} and all(word[0].isupper() for word in listed):
            return "person" if len(listed) == 2 else "other"
        noble = "of" not in listed and not _NOBLE.isdisjoint(listed[1:-1])
        if noble and self._reading.lang not in ROMANCE:
            return "person"
        if len(listed) in {2, 3} and all(word[:1].isupper() and word.isalpha() for word in listed):
            articles = ARTICLES if self._reading.lang in ROMANCE else {"the"}
            known = is_organisation(listed[0]) or (len(listed[0]) > 2 and listed[0].isupper())
            product = known or listed[-1][1:].isupper()  # Amazon Echo, BNP Paribas, Amazon RDS
            thing = product or before in articles or listed[0] == "The" or self._reading.lang == "de"
            return "other" if thing else "person"
        return "other"


def _head(listed: Sequence[str], folded: Sequence[str]) -> str:
    """What the head word of the name says: University of Oxford, Lake Victoria, Battle of Hastings."""
    if len(folded) > 1 or folded[0] in {"parliament", "congress", "senate", "army", "navy"}:
        core = list(folded)
        for link in ("of", "for", "de", "von", "du", "del", "in"):
            if link in core[1:]:
                core = core[: core.index(link, 1)]
                break
        for word in (core[-1], *core[:-1], *folded[len(core) :]):
            if word in lexicon.EVENT:
                return "event"
            if word in lexicon.ORGANISATION:
                return "organisation"
            if word in lexicon.PLACE:
                return "place"
    for word in listed:
        if word > "А" and (label := russian_head(word)):
            return label
    return ""
