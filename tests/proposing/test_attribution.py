"""How shared words judge statements."""

from __future__ import annotations

from collections.abc import Sequence

from workbench.model import ProposedStatement, Sample
from workbench.proposing.rules import propose, statements
from workbench.proposing.rules.attribution import Passages, judge


def attribute(statement: str, contexts: Sequence[str], lang: str) -> ProposedStatement:
    return judge(statement, Passages(contexts, lang), lang)


CONTEXTS = (
    "Paris is large. The tower was built by Gustave Eiffel in 1889 for the fair. It is made of iron.",
    "Berlin lies on the Spree.",
)


def test_a_statement_is_found_with_the_sentence_that_carries_it() -> None:
    """The context is counted from 0, the quote is one sentence, the reason says what was shared."""
    said = attribute("Gustave Eiffel built the tower in 1889.", CONTEXTS, "en")

    assert (
        ProposedStatement(
            text="Gustave Eiffel built the tower in 1889.",
            verdict="found",
            context=0,
            quote="The tower was built by Gustave Eiffel in 1889 for the fair.",
            reason="5 of 5 content words stand together in context 1",
        )
        == said
    )


def test_a_number_that_stands_nowhere_is_missing_whatever_the_words() -> None:
    """One other year, and the statement is missing; the reason names the year."""
    said = attribute("Gustave Eiffel built the tower in 1887.", CONTEXTS, "en")

    assert ("missing", "4 of 5 content words stand together in context 1; 1887 in none") == (
        said.verdict,
        said.reason,
    )


def test_support_may_be_spread_over_three_sentences() -> None:
    """Words of neighbouring sentences of one context count together, those of two contexts do not."""
    together = attribute("Large iron Eiffel fair zeppelin hangar", CONTEXTS, "en")
    apart = attribute("Spree iron hangar zeppelin dock", CONTEXTS, "en")

    assert ("found", "missing") == (together.verdict, apart.verdict)


def test_words_of_one_sentence_weigh_more_than_words_of_every_sentence() -> None:
    """Half of the words are there in both; only the name tells which sentence is meant."""
    contexts = ("The mill and its barn stand near the river. " * 4 + "Ottilie Kern came last.",)
    named = attribute("Ottilie Kern owns sheep.", contexts, "en")
    general = attribute("The mill and barn feed sheep.", contexts, "en")

    assert ("found", "Ottilie Kern came last.") == (named.verdict, named.quote)
    assert ("missing", "2 of 4 content words stand together in context 1") == (
        general.verdict,
        general.reason,
    )


def test_without_a_shared_word_there_is_no_quote() -> None:
    """Nothing shared, nothing quoted; nothing retrieved, nothing found."""
    strange = attribute("Octopuses dream.", CONTEXTS, "en")
    empty = attribute("Octopuses dream.", [], "en")

    assert [("missing", None, None)] * 2 == [(s.verdict, s.context, s.quote) for s in (strange, empty)]


def test_citation_marks_are_no_numbers() -> None:
    """[3] asks for no 3 in the contexts."""
    assert attribute("Berlin lies on the Spree [3].", CONTEXTS, "en").verdict == "found"


def test_inflected_words_are_shared_words() -> None:
    """Russian case forms of one word count as one."""
    said = attribute("Башню построил Гюстав Эйфель.", ["Башня построена Гюставом Эйфелем в Париже."], "ru")

    assert ("found", "Башня построена Гюставом Эйфелем в Париже.") == (said.verdict, said.quote)


def test_chinese_is_compared_by_pairs_of_characters() -> None:
    """Without spaces, pairs of characters stand for words."""
    contexts = ["埃菲尔铁塔位于巴黎。", "长城在中国北方。"]

    assert [("found", 0), ("found", 1), ("missing", None)] == [
        (said.verdict, said.context)
        for said in (
            attribute("埃菲尔铁塔在巴黎市。", contexts, "zh"),
            attribute("中国北方有长城。", contexts, "zh"),
            attribute("东京人口稠密。", contexts, "zh"),
        )
    ]


def test_statements_are_the_sentences_of_the_reference() -> None:
    """Each sentence is judged by itself and keeps its place."""
    reference = "Gustave Eiffel built the tower. Octopuses dream."

    assert [("Gustave Eiffel built the tower.", 0, 31, "found"), ("Octopuses dream.", 32, 48, "missing")] == [
        (said.text, said.start, said.end, said.verdict) for said in statements(reference, CONTEXTS, "en")
    ]


def test_a_proposal_looks_at_everything() -> None:
    """Entities of the reference, a tuple of them per context, and statements: nothing is left unasked."""
    proposal = propose(Sample("eiffel", "Who built it?", "Gustave Eiffel built it in 1889.", CONTEXTS))

    assert ("rules", "rules-2") == (proposal.proposer, proposal.model)
    assert ["Gustave Eiffel", "1889"] == [one.text for one in proposal.reference_entities or ()]
    assert [["Paris", "Gustave Eiffel", "1889"], ["Berlin", "Spree"]] == [
        [one.text for one in listed] for listed in proposal.context_entities or ()
    ]
    assert ["found"] == [said.verdict for said in proposal.statements or ()]


def test_an_empty_sample_has_an_empty_proposal() -> None:
    """The proposer looked and found nothing: () and not None."""
    proposal = propose(Sample("empty", "", "", ("",)))

    assert ((), ((),), ()) == (proposal.reference_entities, proposal.context_entities, proposal.statements)
