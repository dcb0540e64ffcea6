"""What leaves without text: of everything that a person wrote, ids, labels and names of columns only."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import Bench
from tests.exports.conftest import csv_rows
from tests.rows import Row, gold, proposal, sample
from workbench.formats.policy import to_toml
from workbench.reviewing.edits import Comment, Flag
from workbench.stages import calibrate, editing
from workbench.stages.disputes import disputes, set_state
from workbench.stages.export import ExportOptions, export
from workbench.stages.plan import Wish, draft, make
from workbench.stages.policy import change_policy
from workbench.stages.upkeep import verify

SECRETS = (
    "Gruppe Ä", "Metawert", "Weltfrage", "Aachen", "Zwickau", "Satzwerk", "Antwortwort", "Andersname",
    "Notizwort", "Flaggenwort", "Randwort", "Streitwort", "Regelwort", "Ungar",
)  # fmt: skip
"""A word of every kind of text: group, value of meta, question, reference, context, note, guideline …"""


def row(place: int) -> Row:
    group, far, there = "ABCD"[place % 4], f"Zwickau{place}", place % 3 == 0
    entities = [{"text": "Aachen", "label": "Ortlabel"}, {"text": far}]
    more: Row = {
        "user_input": f"Weltfrage {place}?",
        "response": "Antwortwort",
        "alternatives": ["Andersname"],
        "group": f"Gruppe Ä{group}",
        "meta": {"city": f"Metawert {group}"},
        "proposal": proposal((), ["Aachen"], reference_entities=entities),
    }
    if group != "D":
        said = {"Aachen": "found", far: "found" if there else "missing"}
        more["gold"] = gold(said, "Gold Person", "Ortlabel")
        more["gold"]["entities"][0]["note"] = "Notizwort"
    context = f"Aachen, Ungar{place}" + (f", {far}" if there else "")
    return sample(f"idwort-{place:02}", f"Aachen and {far} Satzwerk.", context, **more)


def fill(bench: Bench, by: str) -> None:
    """24 samples in four strata, a calibration in use, everything that people can write, one stratum whose
    samples were all skipped.
    """
    bench.load([row(place) for place in range(24)], gold="given", seed=3, blind=0.0)
    text = to_toml(bench.info().policy).replace("Entities:", "Regelwort:")
    change_policy(bench.store, bench.info(), text, "ann")
    info = bench.info()
    make(bench.store, info, draft(bench.store, info, Wish(n=16, design="stratified", by=by), "a"))
    info = bench.info()
    calibrate.calibrate(bench.store, info, save="may", annotator="ann")
    calibrate.use(bench.store, info, "may", "ann")
    queue = bench.query("SELECT key FROM sample ORDER BY rank LIMIT 16")
    mine = [key for (key,) in queue if int(key[-2:]) % 4 == 3]
    assert 4 == len(mine)
    for key in mine:
        bench.act(key, Comment("Randwort"), Flag("Flaggenwort"), editing.skip, who="Eva Person")
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
    assert [] == [
        one for one in ("idwort-07", "Ortlabel", "stratified", by, ',"missing",') if one not in said
    ]
    assert {"README.md", "samples.csv", "units.csv", "manifest.json"} == {one.name for one in bare.iterdir()}
    assert verify(bare).passed


def test_strata_have_one_pseudonym_each_wherever_they_stand(bench: Bench) -> None:
    """In every file and every export of a database."""
    fill(bench, "group")
    bare = leave(bench, "bare", text=False)
    manifest = json.loads((bare / "manifest.json").read_text("utf-8"))
    rows = csv_rows(bare / "samples.csv")

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
