"""Who proposes in the Python API: rules, a function, Claude over real HTTP; values equal to `score`."""

import asyncio
import io
import json
import os
import subprocess
import sys
import threading
from collections.abc import Callable
from contextlib import closing, redirect_stdout
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from tests.lists import from_cases
from tests.proposing.claude.server import Service
from tests.rows import write_rows
from workbench import cli
from workbench.api import Claude, ContextEntityRecall, ContextualRecall, OpenAI
from workbench.errors import AccessError, InputError, ProposalError, UsageError, WorkbenchError
from workbench.model import Proposal, ProposedEntity, Sample
from workbench.stages.claude import ModelOptions, plan_run
from workbench.stages.import_ import ImportOptions, import_file
from workbench.stages.propose import propose
from workbench.store.datasets import find_dataset, set_dataset
from workbench.store.engine import open_store

LINES = (Path(__file__).parents[2] / "examples" / "dataset.jsonl").read_text("utf-8").splitlines()
ROWS: list[dict[str, Any]] = [{"id": str(number), **json.loads(line)} for number, line in enumerate(LINES)]
TAJ = {
    "user_input": "What is the Taj Mahal?",
    "reference": "The Taj Mahal stands in Agra. Shah Jahan built it.",
    "retrieved_contexts": ["The Taj Mahal is in Agra, India.", "Agra lies on the Yamuna."],
}


@pytest.fixture
def service(service: Callable[..., Service]) -> Service:
    """A local service that speaks the Messages API, with a key for it."""
    return service()


@pytest.fixture
def database(tmp_path: Path) -> Path:
    """A database with the examples, of which the rules proposed."""
    path, source = tmp_path / "gold.db", write_rows(tmp_path / "rows.jsonl", ROWS)
    with closing(open_store(str(path))) as store:
        import_file(store, source, ImportOptions(kinds=("entity", "statement")), annotator="anna")
        propose(store, find_dataset(store, None), "rules", annotator="anna")
    return path


@cache
def printed(path: Path) -> list[dict[str, Any]]:
    """The samples of the document that `workbench score` prints."""
    with redirect_stdout(io.StringIO()) as said:
        assert 0 == cli._run(["--db", str(path), "score", "--json"])
    found: list[dict[str, Any]] = json.loads(said.getvalue())["samples"]
    return found


def stored_scores(path: Path, scorer: str) -> tuple[float | None, ...]:
    """What `workbench score` prints of a scorer, in the order of the file."""
    by_id = {row["id"]: row["automatic"][scorer]["value"] for row in printed(path)}
    return tuple(by_id[row["id"]] for row in ROWS)


def test_the_values_are_those_of_the_command_score(database: Path) -> None:
    for metric in (ContextEntityRecall(), ContextEntityRecall(scorer="ragas"), ContextualRecall()):
        assert stored_scores(database, metric.scorer) == metric.score_dataset(ROWS).scores


def entities(sample: Sample) -> dict[str, Any]:
    """A proposal as JSON has it."""
    return {"reference_entities": ["Agra", "Shah Jahan"],
            "context_entities": [["Agra"] for _ in sample.retrieved_contexts]}  # fmt: skip


async def later(sample: Sample) -> Proposal:
    agra, shah = ProposedEntity("Agra"), ProposedEntity("Shah Jahan")
    return Proposal("mine", "", (agra, shah), ((agra,),) * len(sample.retrieved_contexts))


@pytest.mark.parametrize("function", [entities, later])
def test_a_function_proposes_now_or_later(function: Any) -> None:
    metric = ContextEntityRecall(proposer=function)

    assert 0.5 == metric.measure(TAJ)
    assert metric.reason == "1 of 2 entities are in the contexts. Missing: Shah Jahan."


@pytest.mark.parametrize("made", ["Agra", {}, {"units": []}, {"statements": []}])
def test_what_is_no_proposal_is_no_score(made: Any) -> None:
    with pytest.raises(ProposalError):
        ContextEntityRecall(proposer=lambda _sample: made).measure(TAJ)


def test_an_error_of_a_function_is_raised_as_it_is() -> None:
    def failing(_sample: Sample) -> Proposal:
        raise KeyError("mine")

    with pytest.raises(KeyError, match="mine"):
        ContextEntityRecall(proposer=failing).measure(TAJ)


def test_async_mode_asks_for_samples_together_and_without_it_one_by_one() -> None:
    together = threading.Barrier(len(ROWS))

    def waiting(sample: Sample) -> dict[str, Any]:
        together.wait(600)  # nobody passes before all are there
        return entities(sample)

    ContextEntityRecall(proposer=waiting).score_dataset(ROWS)
    under_way: list[int] = []
    most: list[int] = []

    async def counting(sample: Sample) -> dict[str, Any]:
        under_way.append(1)
        most.append(len(under_way))
        await asyncio.sleep(0)
        under_way.pop()
        return entities(sample)

    ContextEntityRecall(proposer=counting, async_mode=False).score_dataset(ROWS)

    assert [1] * len(ROWS) == most


async def test_measure_works_inside_a_running_loop_as_in_a_notebook() -> None:
    assert 0.5 == ContextEntityRecall(proposer=later).measure(TAJ)


def test_verbose_mode_prints_each_unit_and_no_control_characters(capsys: pytest.CaptureFixture[str]) -> None:
    hostile = {"reference_entities": ["Agra", "Red\x1b[31m"], "context_entities": [["Agra"], []]}
    metric = ContextEntityRecall(proposer=lambda _sample: hostile, verbose_mode=True)
    metric.measure(TAJ)
    printed = capsys.readouterr().out

    assert printed == metric.verbose_logs + "\n"
    assert "  found: Agra (equal)\n  missing: Red␛[31m\nScore: 0.5\n" in printed


def test_claude_proposes_over_http_and_asks_no_text_twice(service: Service) -> None:
    metric = ContextEntityRecall(proposer="claude")
    again = {**TAJ, "retrieved_contexts": [*TAJ["retrieved_contexts"], "Agra lies in Uttar Pradesh."]}
    scores = metric.score_dataset([TAJ, TAJ, again]).scores

    assert (2 / 3,) * 3 == scores
    assert {1} == set(service.stats.paid.values())
    before = service.stats.requests
    assert 2 / 3 == metric.measure(TAJ)
    assert before == service.stats.requests
    service.options.faults.texts = {"Ganges": "refusal"}
    with pytest.raises(ProposalError, match="refus"):  # what shares its call is asked alone
        metric.measure({**TAJ, "retrieved_contexts": ["It lies on the Ganges.", "It is white."]})
    assert 0 == metric.measure({**TAJ, "retrieved_contexts": ["It is white."]})


async def test_samples_measured_side_by_side_share_their_questions(service: Service) -> None:
    metric = ContextEntityRecall(proposer="claude")

    assert [2 / 3] * 5 == await asyncio.gather(*(metric.a_measure(TAJ) for _ in range(5)))
    assert {1} == set(service.stats.paid.values())


def test_claude_judges_statements(service: Service) -> None:
    metric: Any = ContextualRecall(proposer=Claude(model="claude-sonnet-5-5"))
    score = metric.measure(TAJ)

    assert {"claude-sonnet-5-5"} == {body["model"] for body in service.stats.bodies}
    assert (2, score) == (metric.tally.units, metric.tally.found / 2)
    assert "contextual_recall · claude" == metric.assessment.source


def test_a_template_replaces_a_section_of_the_prompt(service: Service) -> None:
    mine = "List every name. Labels: {{labels}}."
    ContextEntityRecall(proposer="claude", template={"entities": mine}).measure(TAJ)

    assert service.stats.bodies[0]["system"][0]["text"].startswith("List every name. Labels: person, ")
    with pytest.raises(InputError, match="labels"):
        ContextEntityRecall(proposer="claude", template={"entities": "List every name."})
    with pytest.raises(InputError, match="unknown section 'names'"):
        ContextEntityRecall(proposer="claude", template={"names": mine})
    for proposer in ("rules", entities):
        with pytest.raises(UsageError, match="template"):
            ContextEntityRecall(proposer=proposer, template={"entities": mine})


def test_what_a_database_has_paid_for_is_not_asked_again(service: Service, database: Path) -> None:
    proposer = Claude(database=database)
    for metric in (ContextualRecall, ContextEntityRecall):
        first = metric(proposer=proposer).score_dataset(ROWS).scores
        paid = service.stats.requests
        assert first == metric(proposer=proposer).score_dataset(ROWS).scores
        assert paid == service.stats.requests > 0
    with closing(open_store(str(database))) as store:
        assert 0 == plan_run(store, find_dataset(store, None), ModelOptions()).requests


def test_verified_samples_of_a_database_are_shown_to_claude(service: Service, tmp_path: Path) -> None:
    gold = {"annotator": "anna", "entities": [{"text": "Agra", "verdict": "found"}]}
    row = {"user_input": "?", "reference": "Agra is far.", "retrieved_contexts": ["Agra."], "gold": gold}
    file = write_rows(tmp_path / "gold.jsonl", [row])
    with closing(open_store(str(tmp_path / "gold.db"))) as store:
        import_file(store, file, ImportOptions(gold="require", blind=0), annotator="anna")
    ContextEntityRecall(proposer=Claude(database=tmp_path / "gold.db", examples=1)).measure(TAJ)

    assert '"names":["Agra"]' in service.stats.bodies[0]["system"][0]["text"]
    with pytest.raises(UsageError, match="database"):
        ContextEntityRecall(proposer=Claude(examples=1))


def test_text_of_a_dataset_that_must_not_leave_stays(service: Service, database: Path) -> None:
    with closing(open_store(str(database))) as store:
        set_dataset(store, find_dataset(store, None).id, external="never")

    with pytest.raises(UsageError, match="must not leave"):
        ContextEntityRecall(proposer=Claude(database=database))
    assert 0 == service.stats.requests


def test_claude_without_a_key_says_which_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("ANTHROPIC_API_KEY", raising=False)

    with pytest.raises(AccessError, match="ANTHROPIC_API_KEY"):
        ContextEntityRecall(proposer="claude").measure(TAJ)


def test_claude_stops_before_its_limit_of_cost(service: Service) -> None:
    with pytest.raises(AccessError, match=r"^max_cost 0\.0001: .*: raise max_cost to go on$"):
        ContextEntityRecall(proposer=Claude(max_cost=0.0001)).measure(TAJ)
    assert 0 == service.stats.requests


@pytest.fixture
def local(service: Service, monkeypatch: pytest.MonkeyPatch) -> str:
    """The address of the same service in OpenAI's form; nobody has a key for it."""
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    return f"{os.environ['ANTHROPIC_BASE_URL']}/v1"


def test_a_service_with_openais_interface_proposes_as_claude_does(service: Service, local: str) -> None:
    """Both metrics, the model that was named, and no text asked twice."""
    proposer = OpenAI(model="local-model", base_url=local)
    metric: Any = ContextEntityRecall(proposer=proposer)

    assert (2 / 3, 2 / 3) == metric.score_dataset([TAJ, TAJ]).scores
    assert {1} == set(service.stats.paid.values())
    assert "linked · openai" == metric.assessment.source
    assert ContextualRecall(proposer=proposer).measure(TAJ) is not None
    assert {"local-model"} == {body["model"] for body in service.stats.bodies}


def test_what_a_database_has_of_openai_is_not_asked_again(service: Any, local: str, database: Path) -> None:
    proposer = OpenAI(model="local-model", base_url=local, database=database)
    first = ContextEntityRecall(proposer=proposer).score_dataset(ROWS).scores
    paid = service.stats.requests

    assert first == ContextEntityRecall(proposer=proposer).score_dataset(ROWS).scores
    assert paid == service.stats.requests > 0


@from_cases
def test_what_openai_needs_is_told_in_python(local: str, monkeypatch: Any, given: Any, told: str) -> None:
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)
    options = OpenAI(**{"model": "local-model", "base_url": local, **given})
    with pytest.raises(WorkbenchError, match=told):
        ContextEntityRecall(proposer=options).measure(TAJ)
    with pytest.raises(UsageError, match=r"unknown proposer 'openai'; there is: .*OpenAI\(model=…"):
        ContextEntityRecall(proposer="openai")


BLOCKED = """
import sys
away = {"textual", "sqlmodel", "sqlalchemy", "alembic", "anthropic", "typer", "rich", "scipy", "numpy"}
class Blocked:
    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] in away:
            raise ImportError(name)
sys.meta_path.insert(0, Blocked())
from workbench.api import ContextEntityRecall, ContextualRecall
sample = {"user_input": "?", "reference": "Agra lies in India.", "retrieved_contexts": ["Agra lies far."]}
print(ContextEntityRecall().measure(sample), ContextualRecall().measure(sample))
"""


def test_the_metrics_need_no_terminal_no_database_and_no_client() -> None:
    done = subprocess.run([sys.executable, "-c", BLOCKED], capture_output=True, encoding="utf-8")

    assert ("0.5 1.0\n", "") == (done.stdout, done.stderr)
