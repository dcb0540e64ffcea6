"""Words that name nothing: they open sentences, end names, and are cut off a run."""

from __future__ import annotations

from functools import lru_cache

from workbench.proposing.lexicon import words
from workbench.text.lists import sections

_WORDS = sections(__file__)

_EN = words(_WORDS["en"])
_DE = words(_WORDS["de"])
_FR = words(_WORDS["fr"])
_ES = words(_WORDS["es"])
_IT = words(_WORDS["it"])
_PT = words(_WORDS["pt"])
_OTHER = {
    "nl": "de het een van voor met op te aan bij uit naar is was zijn werd wordt deze dit dat niet ook",
    "tr": """bir bu şu o ve ile için gibi ancak fakat da de ki ne çok daha en bugün dün aslında ayrıca
    sonra önce tüm her bazı""",
    "pl": "w we z ze na do od po przez przy dla jest był była było były są nie się oraz ale jak to ten ta",
    "ro": "și de la sau dar este sunt era au fost în din cu pe pentru prin după acest această un o",
    "vi": "là và của các những một có được trong cho với không này đó khi ở tại từ theo bị đã sẽ đang sinh",
    "id": "yang dan di ke dari pada adalah ini itu untuk dengan",
}
_RU = words(_WORDS["ru"])
_UK = words(
    """є і й та або але він вона воно вони це цей ця ці у в з із до від на за під про як що який була був були
    та не для після якщо також проте однак"""
)
_LISTS = {
    "en": _EN,
    "de": _DE,
    "fr": _FR,
    "es": _ES,
    "it": _IT,
    "pt": _PT,
    "ru": _RU,
    "uk": _RU | _UK,
    "be": _RU,
}

# Words that often open a sentence and are no name there; in the middle they can be part of one.
OPENERS = words(_WORDS["openers"])


# Acronyms that read as function words when folded.
ACRONYMS = frozenset({"US", "WHO", "IT"})


@lru_cache(maxsize=64)
def function_words(lang: str) -> frozenset[str]:
    """The function words of a language; those of English too where the script is another one."""
    if lang in _LISTS:
        own = _LISTS[lang]
        return own | _EN if lang in {"ru", "uk", "be"} else own
    return words(_OTHER[lang]) if lang in _OTHER else _EN
