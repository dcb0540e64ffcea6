"""The offline proposer: entities by rules, statements by sentences, verdicts by token overlap."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cache, partial
from itertools import pairwise

from workbench.model import Proposal, ProposedEntity, ProposedStatement, Sample, Span
from workbench.proposing.rules.attribution import Passages, judge
from workbench.proposing.rules.lexicon import Claims, Found
from workbench.proposing.rules.names import names, nested
from workbench.proposing.rules.quantities import amounts, dates, numbers
from workbench.proposing.rules.titles import addresses, drugs, titles, wholes
from workbench.proposing.rules.uncased import uncased
from workbench.text.language import detect
from workbench.text.tokens import sentences

PROPOSER = "rules"
MODEL = "rules-6"


def propose(sample: Sample, lang: str | None = None) -> Proposal:
    """What the rules say of one sample: entities of the reference and of each context, statements.

    Needs no key, no network and no download; the same sample always gives the same proposal.
    `lang` is an ISO 639-1 code; without it each text's language is detected,
    and where a text is too short to tell, that of the whole sample is taken.
    """
    texts = (sample.reference, *sample.retrieved_contexts)
    known = lang or detect(sample.user_input, *texts)
    listed = tuple(entities(text, lang or detect(text) or known) for text in texts)
    return Proposal(
        proposer=PROPOSER,
        model=MODEL,
        reference_entities=listed[0],
        context_entities=listed[1:],
        statements=statements(sample.reference, sample.retrieved_contexts, lang or known),
    )


def entities(text: str, lang: str | None = None) -> tuple[ProposedEntity, ...]:
    """The distinct entities of a text in text order, each at its first mention.

    Offsets are code points and `text[start:end]` is the surface; no two spans overlap in part.
    """
    lang = detect(text) if lang is None else lang
    claims = Claims()
    claims.add(addresses(text))
    claims.add(titles(text, lang))
    claims.add(wholes(text))
    claims.add(drugs(text))
    claims.add(dates(text, lang))
    claims.add(amounts(text))
    claims.add(uncased(text))
    claims.add(names(text, lang, claims))
    claims.add(numbers(text, lang))
    outer = [item for item in claims.items if item.label]
    first: dict[str, Found] = {}
    for item in sorted([*outer, *nested(text, outer)]):
        first.setdefault(text[item.start : item.end], item)
    return tuple(ProposedEntity(surface, item.label, item.start, item.end) for surface, item in first.items())


def statements(reference: str, contexts: Sequence[str], lang: str | None) -> tuple[ProposedStatement, ...]:
    """One statement per sentence of the reference, each judged against the contexts by shared words.

    The verdict is "found" or "missing"; `context` counts from 0, `quote` is a sentence of it, verbatim.
    """
    lang = detect(reference) if lang is None else lang
    known = Passages(contexts, lang)
    judged = cache(partial(judge, known=known, lang=lang))  # a form repeats one sentence thousands of times
    cut = [(span, span.of(reference)) for span in sentences(reference)]
    return tuple(
        replace(judged(said), start=span.start, end=span.end)
        for (span, said), (_, following) in pairwise([*cut, (Span(0, 0), "")])
        if _says_something(said, following)
    )


def _says_something(sentence: str, following: str) -> bool:
    """Whether a sentence is more than signs (🌱), no heading (Pflichten:, # Findings), no head of a table."""
    heading = sentence.startswith("#") and sentence.lstrip("#")[:1] == " "
    head = following.startswith("|") and not any(map(str.isalnum, following))
    listing = sentence[-1] == ":" and sentence.count(" ") <= 4
    return any(map(str.isalnum, sentence)) and not (heading or head or listing)
