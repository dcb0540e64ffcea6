"""Names in scripts without capitals: known places, head words, and the marks of transliterated names."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache

from workbench.proposing.rules.lexicon import Claims, Found
from workbench.text.lists import pairs, sections

_WORDS = sections(__name__)


# Known entries that are organisations, not places.
BODIES = frozenset(_WORDS["bodies"].strip().split("|"))
# The characters Chinese writes foreign names with; others end the name.
SOUNDS = _WORDS["sounds"].replace("\n", "")

_SCRIPTS = re.compile("[\u0590-\u06ff\u0900-\u097f\u0e00-\u0e7f\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")
# A pattern is tried on texts only that have its script.
_HAN_OR_KANA = re.compile("[\u3005\u3040-\u30ff\u3400-\u9fff]")
_DOT = re.compile("[·•‧・＝=]")
_HANGUL = re.compile("[가-힣]")
_ARABIC = re.compile("[\u0600-\u06ff]")
_HEBREW = re.compile("[\u0590-\u05ff]")
_DEVANAGARI = re.compile("[\u0900-\u097f]")
_THAI = re.compile("[\u0e00-\u0e7f]")

_HAN = "\u3005\u3400-\u4dbf\u4e00-\u9fff"
_KATA = "\u30a1-\u30fa\u30fc"
# Characters of no name: a run of Han is cut at them. Prepositions, particles, numerals, verbs.
_STOP = _WORDS["stop"].replace("\n", "")


_DOTTED = re.compile(
    f"[{SOUNDS}]{{1,6}}(?:[·•‧・](?:[{SOUNDS}]{{1,6}}|[A-Z](?![A-Za-z]))){{1,3}}"
    f"|[{_KATA}]{{2,12}}(?:[・＝=][{_KATA}]{{1,12}}){{1,3}}"
)
_KATA_HEADED = re.compile(
    f"[{_KATA}]{{2,12}}(?:(?P<place>州|市|県|島|川|山|海|湖|共和国|王国|帝国|半島)|(?P<organisation>大学|社|銀行|党|軍))"
)
_HEADED = pairs(_WORDS["headed"])


def _names(section: str) -> list[str]:
    """The names of a script, those of several words too."""
    phrases = _WORDS.get(f"{section} phrases", "").strip()
    return [*(phrases.split("|") if phrases else []), *_WORDS[section].split()]


def _alternatives(names: Sequence[str]) -> str:
    """The names, longer ones first; a look at the first letter spares most places of a text all of them."""
    listed = sorted(set(names), key=lambda name: (-len(name), name))
    firsts = "".join(sorted({name[0] for name in listed}))
    return f"(?=[{re.escape(firsts)}])(?:{'|'.join(map(re.escape, listed))})"


@lru_cache(maxsize=1)
def _layers() -> tuple[tuple[re.Pattern[str], re.Pattern[str], str], ...]:
    """What is looked for, what says more first: the script it needs, its pattern and its label.

    Where the label is empty, the group that matched is it. Han names of two to five characters stand before
    a head (北京大学): they are read from the last cut to the head. Of the known places Arabic and Hebrew ones
    stand after up to two prefix letters, Han ones anywhere.
    """
    plain = f"(?:(?![{_STOP}])[{_HAN}])"
    begins = f"(?:(?<![{_HAN}])|(?<=[{_STOP}])){plain}{{2,5}}?"
    headed = [
        (_HAN_OR_KANA, f"{begins}(?:{_WORDS[f'{label} heads'].strip()})", label)
        for label in ("place", "organisation", "event")
    ]
    japanese = _names("japanese")
    katakana = [name for name in japanese if re.match(f"[{_KATA}]", name)]
    han = [name for name in (*_names("han"), *japanese) if name not in katakana]
    kana = f"(?<![{_KATA}])(?:{_alternatives(katakana)})(?![{_KATA}])"
    deva = _DEVANAGARI.pattern
    known = [
        (_HAN_OR_KANA, f"{kana}|(?P<name>{_alternatives(han)})"),
        (_HANGUL, f"(?<![가-힣])(?P<name>{_alternatives(_names('korean'))})"),
        (_ARABIC, rf"(?<!\w)(?:[وبلفك]{{1,2}})?(?P<name>{_alternatives(_names('arabic'))})(?!\w)"),
        (_HEBREW, rf"(?<!\w)(?:[בלמוהכש]{{1,2}})?(?P<name>{_alternatives(_names('hebrew'))})(?!\w)"),
        (_DEVANAGARI, rf"(?<!{deva})(?P<name>{_alternatives(_names('devanagari'))})(?!{deva})"),
        (_THAI, rf"(?P<name>{_alternatives(_names('thai'))})(?![\u0e30-\u0e3a\u0e45\u0e47-\u0e4e])"),
    ]
    written = (
        (_DOT, _DOTTED, "person"),
        *headed,
        (_HAN_OR_KANA, _KATA_HEADED, ""),
        (_HANGUL, _HEADED["korean"], ""),
        *((script, pattern, "place") for script, pattern in known),
        (_ARABIC, _HEADED["arabic"], "place"),
        (_HEBREW, _HEADED["hebrew"], "place"),
        (_THAI, _HEADED["thai"], "place"),
    )
    return tuple((script, re.compile(pattern), label) for script, pattern, label in written)


def uncased(text: str) -> list[Found]:
    """Names in Han, kana, Hangul, Arabic, Hebrew, Devanagari and Thai; [] at once for a text without them."""
    if not _SCRIPTS.search(text):
        return []
    claims = Claims()
    for script, pattern, label in _layers():
        if script.search(text):
            claims.add(_labelled(found, label) for found in pattern.finditer(text))
    return claims.items


def _labelled(found: re.Match[str], label: str) -> Found:
    start, end = found.span("name" if found.groupdict().get("name") else 0)
    label = "organisation" if found.string[start:end] in BODIES else label
    return Found(start, end, label or found.lastgroup or "")
