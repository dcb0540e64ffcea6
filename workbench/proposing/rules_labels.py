"""Labels for names: by head words, gazetteers, first names and what stands around them."""

from __future__ import annotations

import re
from collections.abc import Sequence

from workbench.proposing.gazetteer import is_faith, is_people, is_place
from workbench.proposing.gazetteer_names import is_first_name
from workbench.proposing.lexicon import EVENT, HONORIFICS, NOUNS, ORGANISATION, PLACE, ROLES, TRADES, is_title
from workbench.proposing.rules_cyrillic import heads
from workbench.proposing.rules_runs import Reading, Run

_PATRONYMIC = re.compile(r"(?:[оеё]вич|ович|[оеи]вн)(?:а|у|ем|ом|е|ы|ой)?$|ична$")
_SURNAME = re.compile(
    r"(?:[оеё]в|[иы]н|ск(?:ий|ого|ому|им|ом|ая|ой|ую)|дзе|швили|енко|янц?|чук|юк|ич|ллер|сон|ман|берг|штейн)(?:а|у|ым|ом|е|ой|ых)?$"
)
_INITIAL = re.compile(r"^[^\W\d_]\.?$|^(?:[^\W\d_]\.)+$")
_DEFINITION = re.compile(
    r"\s?(?:\([^()]{0,200}\))?,?\s(?:is|was|are|were|ist|war|est|fut|es|era|è)\s(?:also\s)?(?:an?|the|one\sof\sthe|ein|eine|der|die|das|une?|una?|uno|el|la)\s([^.;:(]{1,140})"
    r"|\s?(?:\([^()]{0,200}\))?\s[—–-]\s([^.;:(]{1,100})"
    r"|,\s(?:an?|the)\s([^.,;:(]{1,60})"
)
_CUT = re.compile(
    r"\s(?:of|that|which|who|whose|in|by|from|on|at|for|with|and|between|located|released|born|based|written|directed)\s"
)
_IN = frozenset({"in", "near", "outside", "throughout", "à", "en", "nahe", "из", "в", "во", "под", "около"})
_SAID = frozenset(
    """said says told wrote added argued claimed stated sagte erklärte dit dijo сказал сказала заявил заявила сообщил
    сообщила отметил отметила добавил добавила считает рассказал рассказала born родился родилась""".split()
)


class Labels:
    """Labels the runs of one text; a surname of a full name seen in it is a person."""

    def __init__(self, reading: Reading, kept: Sequence[Run]) -> None:
        self._reading = reading
        self._certain: dict[str, str] = {}
        self._surnames: set[str] = set()
        for run in kept:
            label = self._sure(run)
            if label:
                self._certain.setdefault(self._name(run), label)
            if label == "person" and run.last > run.first:
                self._surnames.add(reading.tokens[run.last].text)

    def of(self, run: Run) -> str:
        """The label of one run."""
        name = self._name(run)
        if name in self._certain:
            return self._certain[name]
        if run.first == run.last and self._reading.tokens[run.last].text in self._surnames:
            return "person"
        return self._guess(run)

    def _name(self, run: Run) -> str:
        tokens = self._reading.tokens
        return self._reading.text[tokens[run.first].start : tokens[run.last].end]

    def _words(self, run: Run) -> list[str]:
        return [token.text for token in self._reading.tokens[run.first : run.last + 1]]

    def _before(self, run: Run) -> str:
        return self._reading.tokens[run.first - 1].text if run.first else ""

    def _sure(self, run: Run) -> str:
        """A label with a reason of its own, or ""."""
        listed = self._words(run)
        folded = [word.casefold() for word in listed]
        name = self._name(run)
        if is_place(name) or is_people(name):
            return "place"
        if is_faith(name):
            return "organisation"
        if head := _head(listed, folded):
            return head
        if defined := self._defined(run):
            return defined
        if is_first_name(listed[0]) and (len(listed) > 1 or not is_place(listed[0])):
            return "person"
        if any(_PATRONYMIC.search(word) for word in folded if word > "а"):
            return "person"
        if len(listed) > 1 and any(_INITIAL.match(word) for word in listed[:-1]) and len(listed[-1]) > 1:
            return "person"
        before = self._before(run)
        if before.casefold().rstrip(".") in HONORIFICS or before.casefold() in ROLES | TRADES:
            return "person"
        if (
            before == "."
            and run.first > 1
            and self._reading.tokens[run.first - 2].text.casefold() in HONORIFICS
        ):
            return "person"
        if before > "а" and is_title(before):
            return "person"
        return ""

    def _defined(self, run: Run) -> str:
        """What a definition right after the name says it is."""
        found = _DEFINITION.match(self._reading.text, self._reading.tokens[run.last].end)
        if found is None:
            return ""
        phrase = next(group for group in found.groups() if group)
        phrase = _CUT.split(phrase, maxsplit=1)[0]
        for word in reversed(re.findall(r"[^\W\d_]+", phrase.casefold())):
            if word in TRADES or word in ROLES:
                return "person"
            if word in NOUNS:
                return NOUNS[word]
            if word > "а" and (label := heads(word)):
                return label
        return ""

    def _guess(self, run: Run) -> str:
        """The likeliest label from shape and neighbours."""
        listed = self._words(run)
        before = self._before(run).casefold()
        after = (
            self._reading.tokens[run.last + 1].text.casefold()
            if run.last + 1 < len(self._reading.tokens)
            else ""
        )
        single = len(listed) == 1
        if after in _SAID and len(listed) <= 3:
            return "person"
        if single and len(listed[0]) > 1 and listed[0].isupper():
            return "organisation"
        if before in _IN:
            return "place"
        if listed[0] > "А" and len(listed) in {2, 3} and all(word[0].isupper() for word in listed):
            return "person" if _SURNAME.search(listed[-1]) or len(listed) == 2 else "other"
        if len(listed) in {2, 3} and all(word[:1].isupper() and word.isalpha() for word in listed):
            return "person" if before != "the" else "other"
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
            if word in EVENT:
                return "event"
            if word in ORGANISATION:
                return "organisation"
            if word in PLACE:
                return "place"
    for word in listed:
        if word > "А" and (label := heads(word)):
            return label
    return ""
