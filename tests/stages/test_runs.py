"""Runs as a person sees them: what each cost, and which is current."""

from collections.abc import Sequence
from decimal import Decimal
from typing import Any

import pytest

from tests.rows import sample
from workbench.errors import NotFoundError, UsageError
from workbench.model import Proposal, ProposedEntity
from workbench.proposing.claude.answers import Usage
from workbench.reviewing.documents import proposal_document
from workbench.stages import claude as runs
from workbench.stages.claude import ModelOptions, made_by, setup_of
from workbench.store import runs as run_store
from workbench.store.samples import load_samples
from workbench.store.tables import CallRow

TEXTS = {"oslo": "Oslo lies in Norway. Anna Berg was born there in 1889.", "rome": "Rome lies in Italy."}
TEXTS |= {"lima": "Lima lies in Peru.", "bare": "Nothing is named here."}
ROWS = [sample(name, text, user_input="Where?") for name, text in TEXTS.items()]


def said(bench: Any, run: int, **names: Sequence[str] | None) -> None:
    """Store what a run names of some samples; None: it was not asked for entities."""
    rows = []
    for key, entities in names.items():
        (stored,) = load_samples(bench.store, [bench.id(key)], None)
        named = None if entities is None else tuple(ProposedEntity(text, "place") for text in entities)
        document = proposal_document(Proposal("claude", reference_entities=named))
        ids = {"sample_id": stored.sample_id, "content_hash": stored.sample.content_hash}
        rows.append({"run_id": run, "document": document, **ids})
    run_store.add_results(bench.store, rows, ())


def claude_run(bench: Any, model: str = "claude-haiku-5-5") -> int:
    options = ModelOptions(model=model)
    set_up = made_by(setup_of(bench.store, bench.info(), options), bench.info().policy.kinds)
    return run_store.create_run(bench.store, bench.info().id, *set_up)


def call(bench: Any, run: int, tokens_in: int, tokens_out: int, *, batch: str = "", key: str = "k") -> None:
    usage = {"input": tokens_in, "output": tokens_out}
    paid = CallRow(run_id=run, task="entities", keys=[key], usage=usage, batch=batch)
    run_store.save_call(bench.store, paid, {key: []})


def test_the_list_says_what_each_run_cost_and_could_not_do(bench: Any) -> None:
    """Newest first; a batch costs half; a model without a price has an unknown cost, rules none."""
    bench.load(ROWS)
    rules = run_store.create_run(bench.store, bench.info().id, "rules", "rules-1", {"source": "rules"})
    first, second = claude_run(bench), claude_run(bench, "claude-other")
    said(bench, first, oslo=["Oslo"], rome=["Rome"])
    call(bench, first, 1_000_000, 100_000, key="a")  # $0.50 of long prompts and $0.25 of output
    call(bench, first, 10_000, 100_000, batch="batch", key="b")  # half of $0.001 and $0.05
    call(bench, second, 5, 7, key="c")
    hashes = load_samples(bench.store, [bench.id("lima")], None)
    failed = {"sample_id": bench.id("lima"), "content_hash": hashes[0].sample.content_hash}
    run_store.add_results(
        bench.store, [], [{"run_id": first, **failed, "failure": "refused", "message": "refused: no"}]
    )
    runs.make_current(bench.store, bench.info(), "claude-run-1", "ann")

    listed = runs.list_runs(bench.store, bench.info())

    assert [run.name for run in listed] == ["claude-run-2", "claude-run-1", "rules-run-1"]
    assert [run.current for run in listed] == [False, True, False]
    assert [(run.n_proposals, run.failed, run.left, dict(run.failures)) for run in listed] == [
        (0, 0, 4, {}), (2, 1, 1, {"refused": 1}), (0, 0, 4, {}),
    ]  # fmt: skip
    other, paid, free = (run.paid for run in listed)
    assert free is None
    assert other is not None
    assert (other.calls, other.usage, other.cost) == (1, Usage(input=5, output=7), None)
    assert paid is not None
    assert (paid.calls, paid.usage) == (2, Usage(input=1_010_000, output=200_000))
    assert paid.cost == Decimal("0.50") + Decimal("0.25") + Decimal("0.0255")
    assert rules
    assert [{"a", "b", "c"}, set()] == [
        {key for key, _ in run_store.answers_to(bench.store, task)} for task in ("entities", "statements")
    ]
    (one,) = runs.failures(bench.store, bench.info(), "claude-run-1")
    assert (one.id, one.kind, one.message) == ("lima", "refused", "refused: no")
    assert one.question == next(row["user_input"] for row in ROWS if row["id"] == "lima")
    assert one.advice == "review the sample by hand, or leave the text out"
    assert runs.failures(bench.store, bench.info(), "claude-run-2") == []

    said(bench, first, oslo=["Norway"], lima=["Lima"])  # as another process would, meanwhile
    kept = load_samples(bench.store, [bench.id("oslo"), bench.id("lima")], first)
    assert [["Oslo"], ["Lima"]] == [
        [name.text for name in one.proposal.reference_entities or ()] for one in kept if one.proposal
    ]
    assert [] == runs.failures(bench.store, bench.info(), "claude-run-1")


def test_openings_go_by_the_current_run(bench: Any) -> None:
    bench.load(ROWS)
    first, second = claude_run(bench), claude_run(bench, "claude-other")
    said(bench, first, oslo=["Oslo"])
    said(bench, second, oslo=["Norway"])

    for name, unit in (("claude-run-2", "Norway"), ("claude-run-1", "Oslo")):
        assert runs.make_current(bench.store, bench.info(), name, "ann").run == name
        assert [one.text for one in bench.open("oslo").state.entity.assessment.units] == [unit]
    with pytest.raises(NotFoundError, match="there is: claude-run-1, claude-run-2"):
        runs.make_current(bench.store, bench.info(), "nobody-run-1", "ann")


def test_a_run_is_asked_again_with_its_own_set_up_only(bench: Any) -> None:
    """The model is its own; with other labels than now it is refused."""
    bench.load(ROWS)
    claude_run(bench, "claude-other")
    proposer, model, parameters = made_by(setup_of(bench.store, bench.info(), ModelOptions()), ("entity",))
    parameters["labels"] = ["thing"]
    run_store.create_run(bench.store, bench.info().id, proposer, model, parameters)
    run_store.create_run(bench.store, bench.info().id, "rules", "rules-1", {"source": "rules"})

    assert runs.options_again(bench.store, bench.info(), "claude-run-1") == ModelOptions(model="claude-other")
    with pytest.raises(UsageError, match="other labels"):
        runs.options_again(bench.store, bench.info(), "claude-run-2")
    with pytest.raises(UsageError, match="came from no service"):
        runs.options_again(bench.store, bench.info(), "rules-run-1")
