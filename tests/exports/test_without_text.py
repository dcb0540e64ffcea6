"""What leaves without text: of everything that a person wrote, ids, labels and names of columns only."""

from __future__ import annotations

import csv
import json
import re
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import Bench
from tests.rows import Row
from workbench.formats.policy import to_toml
from workbench.reviewing.edits import Comment, Flag
from workbench.stages import calibrate, editing
from workbench.stages.disputes import disputes, set_state
from workbench.stages.export import ExportOptions, export
from workbench.stages.plan import Wish, draft, make
from workbench.stages.policy import change_policy
from workbench.stages.review import act
from workbench.stages.upkeep import verify

SECRETS = (
    "Gruppe Ä", "Metawert", "Weltfrage", "Aachen", "Zwickau", "Satzwerk", "Antwortwort", "Andersname",
    "Notizwort", "Flaggenwort", "Randwort", "Streitwort", "Regelwort", "Ungar",
)  # fmt: skip
"""A word of every kind of text: group, value of meta, question, reference, context, note, guideline …"""


def row(place: int) -> Row:
    group = "ABCD"[place % 4]
    reference = f"Aachen and Zwickau{place} Satzwerk."
    gold = [
        {"text": "Aachen", "label": "Ortlabel", "verdict": "found", "note": "Notizwort"},
        {"text": f"Zwickau{place}", "label": "Ortlabel", "verdict": ("missing", "found")[place % 3 == 0]},
    ]
    return {
        "id": f"idwort-{place:02}",
        "user_input": f"Weltfrage {place}?",
        "reference": reference,
        "retrieved_contexts": [f"Aachen, Ungar{place}" + (f", Zwickau{place}" if place % 3 == 0 else "")],
        "response": "Antwortwort",
        "alternatives": ["Andersname"],
        "group": f"Gruppe Ä{group}",
        "meta": {"city": f"Metawert {group}"},
        "proposal": {
            "proposer": "p",
            "reference_entities": [{"text": "Aachen", "label": "Ortlabel"}, {"text": f"Zwickau{place}"}],
            "context_entities": [["Aachen"]],
        },
        **({} if group == "D" else {"gold": {"annotator": "Gold Person", "entities": gold}}),
    }


def fill(bench: Bench, by: str) -> None:
    """24 samples in four strata, a calibration in use, everything that people can write, one stratum whose
    samples were all skipped.
    """
    bench.load([row(place) for place in range(24)], gold="given", seed=3, blind=0.0)
    text = to_toml(bench.info().policy).replace("Entities:", "Regelwort:")
    change_policy(bench.store, bench.info(), text, "ann")
    make(
        bench.store,
        bench.info(),
        draft(bench.store, bench.info(), Wish(n=16, design="stratified", by=by), "a"),
    )
    info = bench.info()
    calibrate.calibrate(bench.store, info, save="may", annotator="ann")
    calibrate.use(bench.store, info, "may", "ann")
    queue = bench.query("SELECT key FROM sample ORDER BY rank LIMIT 16")
    mine = [key for (key,) in queue if int(key[-2:]) % 4 == 3]
    assert 4 == len(mine)
    for key in mine:
        act(bench.store, bench.open(key, "Eva Person"), Comment("Randwort"))
        act(bench.store, bench.open(key, "Eva Person"), Flag("Flaggenwort"))
        opened = bench.open(key, "Eva Person")
        act(bench.store, opened, editing.skip(opened))
    for one in disputes(bench.store, bench.info(), "Eva Person").disputes[:3]:
        set_state(bench.store, one, "explained", "Streitwort", "Eva Person")


def leave(bench: Bench, name: str, **options: Any) -> Path:
    given = ExportOptions(formats=("all",), **options)
    export(bench.store, bench.info(), bench.folder / name, given, annotator="ann")
    return bench.folder / name


def everything(folder: Path) -> str:
    """All files, JSON escapes read; and the names of files."""
    said = ["\n".join(str(path) for path in folder.rglob("*"))]
    for path in sorted(folder.rglob("*")):
        if path.is_file() and path.suffix != ".parquet":
            text = path.read_text("utf-8")
            said += [text, re.sub(r"\\u([0-9a-f]{4})", lambda found: chr(int(found[1], 16)), text)]
    return "\n".join(said)


@pytest.mark.parametrize("by", ["group", "meta.city"])
def test_no_word_of_a_text_leaves_without_text_and_all_of_them_leave_with_it(bench: Bench, by: str) -> None:
    """Strata are groups or values of meta: they stand in rows, plan, estimates and calibrations."""
    fill(bench, by)
    bare = leave(bench, "bare", text=False)
    said = everything(bare)
    full = everything(leave(bench, "full"))

    assert [] == [word for word in (*SECRETS, "Gold Person", "Eva Person") if word in said]
    assert ["Streitwort"] == [word for word in SECRETS if word not in full]  # notes on disputes stay
    assert all(
        word in said for word in ("idwort-07", "Ortlabel", "stratified", "meta.city" if "." in by else by)
    )
    assert ',"missing",' in said
    assert {"README.md", "samples.csv", "units.csv", "manifest.json"} == {one.name for one in bare.iterdir()}
    assert verify(bare).passed


def test_strata_have_one_pseudonym_each_wherever_they_stand(bench: Bench) -> None:
    """In every file and every export of a database."""
    fill(bench, "group")
    bare = leave(bench, "bare", text=False)
    manifest = json.loads((bare / "manifest.json").read_text("utf-8"))
    with (bare / "samples.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))

    stored = dict(bench.query("SELECT key, content_hash FROM sample"))
    assert stored == {one["id"]: one["content_hash"] for one in rows}
    strata = {one["stratum"] for one in rows}
    assert 4 == len(strata) == len({(one["stratum"], one["group"]) for one in rows})
    assert all(re.fullmatch("stratum-[0-9a-f]{12}", one) for one in strata)
    assert strata == set(manifest["sampling"]["parameters"]["strata"])
    assert all(re.fullmatch("group-[0-9a-f]{12}", one["group"]) for one in rows)
    again = leave(bench, "again", text=False)
    for path in bare.rglob("*"):
        assert path.is_dir() or path.read_bytes() == (again / path.relative_to(bare)).read_bytes(), path
