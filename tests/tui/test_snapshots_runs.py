"""Pictures of the runs, of what one failed on, and of the dialogs that start one, at fixed sizes."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from tests.tui.conftest import LARGE, SMALL, each
from workbench.model import Proposal, ProposedEntity
from workbench.proposing.claude.answers import Failure
from workbench.reviewing.documents import proposal_document
from workbench.stages.claude import ModelOptions, made_by, setup_of
from workbench.store import runs, samples
from workbench.store.datasets import find_dataset
from workbench.store.engine import Store
from workbench.store.tables import CallRow
from workbench.tui.themes import LIGHT

NAMED = {
    "tower": ["Eiffel Tower", "Paris", "1889", "Seine"], "nil": ["نهر النيل", "مصر"],
    "schiller": ["Friedrich Schiller", "Weimar"], "genji": ["源氏物語", "紫式部"],
}  # fmt: skip
FAILED = (
    ("nevsky", Failure("refused")),
    ("changcheng", Failure("cut off")),
    ("emoji", Failure("refused", "the text of [bold]a policy[/bold]")),
)

pytestmark = pytest.mark.filterwarnings("default::DeprecationWarning")


@pytest.fixture
def with_runs(database: Path, store: Store, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Beside the recorded run one of Claude with failures and costs, and one by rules; all of one day."""
    monkeypatch.setenv("ANTHROPIC_BASE_URL", "https://llm.example")
    info = find_dataset(store, None)
    set_up = made_by(setup_of(store, info, ModelOptions()), info.policy.kinds)
    run = runs.create_run(store, info.id, *set_up)
    runs.create_run(store, info.id, "rules", "rules-1", {"source": "rules"})
    ids = samples.sample_ids(store, info.id)
    hashes = {
        one.sample.id: one.sample.content_hash for one in samples.load_samples(store, [*ids.values()], None)
    }

    def row(name: str, **rest: object) -> dict[str, Any]:
        return {"run_id": run, "sample_id": ids[name], "content_hash": hashes[name], **rest}

    proposals = [
        row(name, document=proposal_document(Proposal("claude", reference_entities=entities)))
        for name, names in NAMED.items()
        for entities in [tuple(ProposedEntity(text, "other") for text in names)]
    ]
    failed = [row(name, failure=one.kind, message=one.message) for name, one in FAILED]
    runs.add_results(store, proposals, failed)
    usage = {"input": 41_200, "output": 9_300, "cache_read": 12_000}
    runs.save_call(store, CallRow(run_id=run, task="entities", keys=["a"], usage=usage), {"a": []})
    with closing(sqlite3.connect(database)) as raw, raw:
        raw.execute("UPDATE run SET created_at = '2026-11-02 09:30:00'")
    return database


@pytest.fixture
def picture(picture: Any, with_runs: Path) -> Any:
    """Compares the runs after some keys."""
    return partial(picture, "R", at=with_runs)


@pytest.mark.parametrize(("size", "theme"), [(SMALL, ""), (LARGE, LIGHT.name)], ids=["80x24", "120x36-light"])
def test_runs(picture: Any, size: tuple[int, int], theme: str) -> None:
    """The run under the cursor in full, with its failures and what to do about them."""
    assert picture("k", size=size, theme=theme)


@each("pictures of runs")
def test_more(picture: Any, keys: list[str], size: tuple[int, int]) -> None:
    assert picture(*keys, size=size)
