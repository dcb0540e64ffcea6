"""Samples to be purged, and where their texts still stand."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import Any

from tests.conftest import Bench, add_text
from workbench.stages.export import ExportOptions, export
from workbench.stages.recompute import score_dataset
from workbench.stages.review import act
from workbench.stages.upkeep import PurgeReport, plan_purge, purge
from workbench.store.tables import AnswerRow, CallRow, FailedRow

SECRET = "Xyzzyplugh Quuxford"


def row(name: str, text: str, **more: Any) -> dict[str, Any]:
    reference = f"{text} lives in Rome."
    return {
        "id": name, "user_input": f"Where does {text} live?", "reference": reference,
        "retrieved_contexts": [f"{text} moved to Rome."], "response": f"{text}: Rome",
        "alternatives": [f"{text}!"], "meta": {"note": text}, "group": f"group {name}",
        "proposal": {"proposer": "p", "reference_entities": [text, "Rome"], "context_entities": [[text]],
                     "statements": [{"text": reference, "verdict": "found", "quote": text}]},
        "gold": {"annotator": "ann", "comments": [text], "flag": text, "entities": [
            {"text": text, "label": "person", "start": 0, "end": len(text), "verdict": "found", "note": text}
        ]},
        "scores": {"context_entity_recall": 0.5},
        **more,
    }  # fmt: skip


def fill(bench: Bench) -> None:
    """Two samples, one of them secret, with everything a sample can have."""
    bench.load([row("secret", SECRET), row("open", "Ada Lovelace")], gold="given", seed=1)
    score_dataset(bench.store, bench.info())
    opened = bench.open("secret", "Böb")
    act(bench.store, opened, add_text(opened, "entity", "Quuxford lives"))
    run_id = bench.info().run_id or 0
    with bench.store.writing() as session:
        now = datetime.now(UTC)
        for number, text in ((1, SECRET), (2, "Ada Lovelace")):
            session.add(CallRow(id=number, run_id=run_id, task="t", keys=[f"k{number}"], detail=text, at=now))
            session.flush()
            session.add(AnswerRow(key=f"k{number}", call_id=number, task="t", document=[text]))
            key = "secret" if number == 1 else "open"
            sample = bench.id(key)
            session.connection().exec_driver_sql(
                "UPDATE proposal SET calls = ? WHERE sample_id = ?", (json.dumps([number]), sample)
            )
        session.add(FailedRow(run_id=run_id, sample_id=bench.id("secret"), content_hash="h",
                              failure="f", message=SECRET))  # fmt: skip


def run_purge(bench: Bench, *keys: str) -> PurgeReport:
    plan = plan_purge(bench.store, bench.info(), keys)
    return purge(bench.store, bench.info(), plan, "ann")


def in_files(bench: Bench, text: str) -> list[str]:
    """The files of the folder in which a text stands, in any of the forms in which it was written."""
    forms = (text.encode(), json.dumps(text)[1:-1].encode(), text.split()[-1].encode())
    return sorted(
        path.name
        for path in bench.folder.iterdir()
        if path.is_file() and any(form in path.read_bytes() for form in forms)
    )


def leave(bench: Bench, name: str, *formats: str, **options: Any) -> str:
    """Export into a folder of that name; its path."""
    given = ExportOptions(formats=formats or ("native",), **options)
    export(bench.store, bench.info(), bench.folder / name, given, annotator="ann")
    return str(bench.folder / name)
