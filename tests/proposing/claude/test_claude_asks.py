"""Which calls samples need, that each is paid once, and the proposals that results make."""

import json
from dataclasses import replace
from itertools import count, starmap
from typing import Any

import pytest

from workbench.model import Kind, ProposedEntity, Sample
from workbench.proposing.claude import asks as asking
from workbench.proposing.claude.answers import Failure, JudgedStatement, Part
from workbench.proposing.claude.asks import Ask, Setup, payment_key, plan, statements_key, verdicts_key
from workbench.proposing.claude.clients import claude_body
from workbench.proposing.claude.prompt import read_prompt

BOTH: tuple[Kind, ...] = ("entity", "statement")


def samples(count: int) -> list[Sample]:
    return [Sample(str(one), f"Q{one}?", f"Reference {one}.", (f"Context {one}.",)) for one in range(count)]


def texts(asks: list[Ask]) -> list[str]:
    return [piece.text for ask in asks for piece in ask.pieces if piece.role == "text"]


def test_every_text_is_asked_once_however_often_it_stands_in_the_dataset(setup: Setup) -> None:
    rows = [replace(one, id=f"again {one.id}") for one in samples(3)] + samples(3)

    asks = list(plan(rows, setup, ("entity",)))

    every = [f"{what} {one}." for what in ("Context", "Reference") for one in range(3)]
    assert every == sorted(texts(asks))
    assert len({key for ask in asks for key in ask.keys}) == 6


def test_the_next_retriever_pays_for_its_new_contexts_only(setup: Setup, taj: Sample) -> None:
    first = {key for ask in plan([taj], setup, BOTH) for key in ask.keys}
    other = replace(taj, id="taj-2", retrieved_contexts=(taj.retrieved_contexts[1], "Agra is old."))

    asks = list(plan([other], setup, BOTH, known=first))

    assert ["Agra is old."] == texts(asks)


def test_statements_do_not_depend_on_the_contexts_and_verdicts_do(setup: Setup, taj: Sample) -> None:
    other = replace(taj, retrieved_contexts=("Agra is old.",))

    assert statements_key(setup, taj) == statements_key(setup, other)
    assert verdicts_key(setup, taj, ["A."]) != verdicts_key(setup, other, ["A."])


def test_no_reference_shares_a_call_with_contexts(setup: Setup) -> None:
    for ask in plan(samples(25), setup, ("entity",)):
        assert len({piece.text.split()[0] for piece in ask.pieces}) == 1
        assert len(ask.keys) <= asking.PACK_TEXTS
    long = [replace(one, reference=f"Word {one.id} " * 900) for one in samples(3)]
    assert [1, 1, 1] == [len(ask.keys) for ask in plan(long, setup, ("statement",))]


PROMPT = "=== entities ===\n{{labels}}\n=== statements ===\nS\n=== verdicts ===\nV"
CHANGES: dict[str, dict[str, Any]] = {
    "model": {"model": "claude-sonnet-5-5"},
    "effort": {"effort": "high"},
    "no effort": {"effort": None},
    "labels": {"labels": ("gene",)},
    "prompt": {"prompt": read_prompt(PROMPT, "")},
}


@pytest.mark.parametrize("change", CHANGES)
def test_asking_differently_is_paid_again(setup: Setup, change: str) -> None:
    changed = replace(setup, **CHANGES[change])
    assert payment_key(setup, "entities", "Agra") != payment_key(changed, "entities", "Agra")


def test_what_an_answer_does_not_depend_on_is_not_paid_again(setup: Setup) -> None:
    """A higher limit of tokens; another prompt for verdicts only."""
    one, other = Setup(prompt=read_prompt(PROMPT, "")), Setup(prompt=read_prompt(PROMPT + "2", ""))
    more = replace(setup, max_tokens=99)

    assert payment_key(setup, "entities", "Agra") == payment_key(more, "entities", "Agra")
    assert payment_key(one, "entities", "Agra") == payment_key(other, "entities", "Agra")
    assert verdicts_key(one, samples(1)[0], ["A."]) != verdicts_key(other, samples(1)[0], ["A."])


def test_boundaries_between_texts_are_part_of_a_key(setup: Setup) -> None:
    one = Sample("1", "q", "r", ("B.", "C."))
    other = replace(one, retrieved_contexts=("C.",))

    assert verdicts_key(setup, one, ["A."]) != verdicts_key(setup, other, ["A.", "B."])


def test_blank_texts_cost_nothing_and_have_no_entities(setup: Setup) -> None:
    sample = Sample("1", "q", " ", ("", "\n"))

    proposal: Any = asking.assemble(sample, setup, BOTH, {})

    assert [] == list(plan([sample], setup, BOTH))
    assert ((), ((), ()), ()) == (proposal.reference_entities, proposal.context_entities, proposal.statements)


def test_asks_are_made_as_they_are_taken(setup: Setup) -> None:
    endless = map(lambda taken: samples(taken)[-1], numbers := count(1))

    next(plan(endless, setup, ("entity",)))

    assert next(numbers) <= asking.PACK_TEXTS + 2


def test_the_texts_of_a_pack_can_be_asked_one_by_one(setup: Setup) -> None:
    (pack,) = plan(samples(3), setup, ("statement",))

    parts = list(plan(samples(3), setup, ("statement",), alone=set(pack.keys)))

    assert pack.keys == tuple(key for one in parts for key in one.keys)
    assert [("question", 1, "Q1?"), ("text", 1, "Reference 1.")] == [tuple(one) for one in parts[1].pieces]


def test_an_ask_without_its_texts_is_known_by_its_keys(setup: Setup) -> None:
    (pack,) = plan(samples(3), setup, ("statement",))

    assert pack.id == Ask(pack.task, pack.keys, pack.count).id


def complete(sample: Sample, setup: Setup) -> dict[str, Part | Failure]:
    names = {"Zeus": "person", "Agra": "place", "Taj Mahal": "work"}
    claims = ("The Taj Mahal is in Agra.", "Shah Jahan built it.")
    found = JudgedStatement("found", 0, "is in Agra", "said")
    missing = JudgedStatement("missing", 7, None, "absent: nobody builds")
    first, second = sample.retrieved_contexts
    return {
        payment_key(setup, "entities", sample.reference): tuple(starmap(ProposedEntity, names.items())),
        payment_key(setup, "entities", first): (),
        payment_key(setup, "entities", second): (ProposedEntity("Yamuna", "place"),),
        statements_key(setup, sample): claims,
        verdicts_key(setup, sample, claims): (found, missing),
    }


def test_a_proposal_is_assembled_from_what_was_said_of_each_text(setup: Setup, taj: Sample) -> None:
    """Entities stand in text order, an ungrounded one last; a context that is not there is not named."""
    proposal: Any = asking.assemble(taj, setup, BOTH, complete(taj, setup))

    said = [(one.verdict, one.context, one.quote) for one in proposal.statements]
    assert ["Taj Mahal", "Agra", "Zeus"] == [one.text for one in proposal.reference_entities]
    assert ((), (ProposedEntity("Yamuna", "place"),)) == proposal.context_entities
    assert [("found", 0, "is in Agra"), ("missing", None, None)] == said


def test_what_was_not_asked_for_is_not_proposed(setup: Setup, taj: Sample) -> None:
    proposal: Any = asking.assemble(taj, setup, ("statement",), complete(taj, setup))

    assert (None, None) == (proposal.reference_entities, proposal.context_entities)


def test_a_sample_is_never_proposed_in_part(setup: Setup, taj: Sample) -> None:
    """Any failed key fails it with that failure; any unknown one leaves it open."""
    for key in complete(taj, setup):
        known = complete(taj, setup)
        known[key] = Failure("refused")
        assert known[key] == asking.assemble(taj, setup, BOTH, known)
        del known[key]
        assert asking.assemble(taj, setup, BOTH, known) is None


def test_without_contexts_every_statement_is_missing_and_nothing_is_asked(setup: Setup) -> None:
    sample = Sample("1", "q", "Agra is old.", ())
    known: dict[str, Part | Failure] = {statements_key(setup, sample): ("Agra is old.",)}

    proposal: Any = asking.assemble(sample, setup, ("statement",), known)

    assert [] == list(asking.plan_verdicts([sample], setup, known))
    assert ["missing"] == [one.verdict for one in proposal.statements]


def test_verdicts_are_asked_once_the_statements_are_there(setup: Setup, taj: Sample) -> None:
    known = complete(taj, setup)
    asks = list(asking.plan_verdicts([taj, taj], setup, known))

    assert [(2, ["context", "context", "statement", "statement"])] == [
        (ask.count, [piece.role for piece in ask.pieces]) for ask in asks
    ]
    assert [] == list(asking.plan_verdicts([taj], setup, known, known=known))
    assert [] == list(asking.plan_verdicts([taj], setup, {statements_key(setup, taj): Failure("refused")}))


def test_a_blank_context_keeps_the_numbers_of_the_others(setup: Setup) -> None:
    sample = Sample("1", "q", "r", ("", "Agra is old."))

    (ask,) = asking.plan_verdicts([sample], setup, {statements_key(setup, sample): ("Old.",)})

    assert [("context", 2, "Agra is old.")] == [tuple(one) for one in ask.pieces if one.role == "context"]


def test_parts_are_read_back_equal_from_what_was_written(setup: Setup, taj: Sample) -> None:
    tasks: Any = ("entities",) * 3 + ("statements", "verdicts")
    parts: Any = complete(taj, setup).values()
    for part, task in zip(parts, tasks, strict=True):
        assert part == asking.read_part(task, json.loads(json.dumps(asking.part_document(part))))


def test_effort_is_left_out_when_a_model_has_none(ask: Ask) -> None:
    assert "effort" in claude_body(Setup(), ask)["output_config"]
    assert "effort" not in claude_body(Setup(effort=None), ask)["output_config"]
