"""Who and what leaves: pseudonyms, hashes and what stays without text, filters, the holdout, examples."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import Bench
from tests.exports.conftest import Leave, csv_rows, json_rows, manifest, report_of
from tests.rows import Row, gold, proposal, sample
from workbench.errors import UsageError, WorkbenchError
from workbench.formats.exports.verify import FORMATS
from workbench.formats.policy import to_toml
from workbench.reviewing.edits import Comment, Flag
from workbench.stages import calibrate, editing
from workbench.stages.corpus import recipe_of, score_files
from workbench.stages.disputes import disputes, set_state
from workbench.stages.export import ExportOptions, export
from workbench.stages.plan import Wish, draft, make
from workbench.stages.policy import change_policy
from workbench.stages.review import act
from workbench.stages.upkeep import verify


def bytes_of(folder: Path) -> dict[str, bytes]:
    return {
        path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()
    }


def test_the_same_database_gives_the_same_bytes(leave: Leave) -> None:
    """In every format, on another day, whichever was asked for first."""
    assert bytes_of(leave("all")) == bytes_of(leave("all"))
    one, other = leave("csv", "native", "csv"), leave("native", "csv")
    assert bytes_of(one) == bytes_of(other)
    assert ["native", "csv"] == manifest(one)["formats"]


def test_no_name_of_an_annotator_leaves_unasked(hard: Bench, leave: Leave) -> None:
    """In no format; with --names in those that have a place for them."""
    everything = b"".join(bytes_of(leave("all")).values())
    named = b"".join(bytes_of(leave("native", "csv", names=True)).values())

    for name in ("Ann O'Nym", "Böb"):
        assert name.encode() not in everything
        assert json.dumps(name)[1:-1].encode() not in everything
        assert name.encode() in named
    assert [("hard",)] == hard.query("SELECT name FROM dataset")


def test_a_pseudonym_is_the_same_in_every_export_of_a_database(hard: Bench, leave: Leave) -> None:
    """The salt is made once, stays in the database and is in no file."""
    people = manifest(leave("native"))["annotators"]["each"]
    salts = hard.query("SELECT salt FROM dataset WHERE salt IS NOT NULL")

    assert people == manifest(leave("csv"))["annotators"]["each"]
    assert [4, 3] == sorted((one["reviews"] for one in people), reverse=True)
    assert 1 == len(salts)
    assert salts[0][0].encode() not in b"".join(bytes_of(leave("all")).values())


def test_an_export_may_replace_the_folder_one_stands_in(hard: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its place is noted too, for purge to name it."""
    here = hard.folder / "here"
    here.mkdir()
    monkeypatch.chdir(here)
    report = export(hard.store, hard.info(), Path("."), annotator="ann")

    assert str(here) == report.path
    assert [(str(here),)] == hard.query("SELECT path FROM export_log")


def test_disputed_samples_are_those_that_the_queue_calls_so(demo: Bench) -> None:
    opened = demo.open("taj-high")
    act(demo.store, opened, Flag("look"))
    report = report_of(demo, "native", only="disputed")
    listed = {row["id"] for row in json_rows(Path(report.path) / "samples.jsonl")}

    assert "taj-high" in listed
    assert 0 < report.samples < 50


def test_the_holdout_leaves_without_its_gold_until_it_is_opened(demo: Bench, tmp_path: Path) -> None:
    """Asking for it counts as an opening; afterwards it is no secret."""
    info = demo.info()
    make(demo.store, info, draft(demo.store, info, Wish(n=20, holdout=0.3), "ann"))
    kept = {key for (key,) in demo.query("SELECT key FROM sample WHERE holdout")}
    reviewed = "review JOIN sample ON sample.id = sample_id"
    gold = {key for (key,) in demo.query(f"SELECT key FROM {reviewed}")}
    [(back, rest)] = demo.query(f"SELECT sum(holdout), sum(NOT holdout) FROM {reviewed}")
    assert kept & gold
    assert back * rest
    reviews: dict[str, int] = {}

    def with_gold(name: str, **options: Any) -> set[str]:
        given = ExportOptions(**options)
        report = export(demo.store, info, tmp_path / name, given, annotator="ann")
        folder = Path(report.path)
        verdicts = {row["id"] for row in json_rows(folder / "verdicts.jsonl")}
        native = {row["id"] for row in json_rows(folder / "samples.jsonl") if "gold" in row}
        assert native == verdicts
        reviews[name] = sum(one["reviews"] for one in manifest(folder)["annotators"]["each"])
        assert len(kept & gold - native) == report.withheld
        return native

    assert gold - kept == with_gold("closed")
    assert [] == demo.query("SELECT purpose FROM holdout_opening")
    assert gold == with_gold("opened", holdout=True)
    assert gold == with_gold("later")
    assert [("export", "ann")] == demo.query("SELECT purpose, annotator FROM holdout_opening")
    assert (rest, rest + back) == (reviews["closed"], reviews["opened"])


@pytest.mark.parametrize("fault", [{"run": "nope"}, {"query": "delta:much"}, {"query": "id:nowhere"}])
def test_an_export_that_fails_leaves_the_holdout_closed(demo: Bench, tmp_path: Path, fault: Any) -> None:
    info = demo.info()
    with pytest.raises(UsageError, match="this dataset has no holdout"):
        export(demo.store, info, tmp_path / "out", ExportOptions(holdout=True), annotator="ann")
    make(demo.store, info, draft(demo.store, info, Wish(n=20, holdout=0.3), "ann"))
    given = ExportOptions(holdout=True, **fault)

    with pytest.raises(WorkbenchError):
        export(demo.store, info, tmp_path / "out", given, annotator="ann")
    assert [] == demo.query("SELECT purpose FROM holdout_opening")


def test_examples_are_never_blind_nor_kept_back_and_one_of_a_group(demo: Bench) -> None:
    info = demo.info()
    make(demo.store, info, draft(demo.store, info, Wish(n=20, holdout=0.3, blind=0.3), "ann"))
    report = report_of(demo, "few-shot", holdout=True)
    examples = json_rows(Path(report.path) / "examples.jsonl")
    sides = "sample JOIN dataset ON dataset.id = dataset_id"
    barred = demo.query(f"SELECT key FROM {sides} WHERE holdout OR blind_u < blind_share")

    assert examples
    assert not set(barred) & {(row["id"],) for row in examples}
    assert len(examples) == len({row["group"] for row in examples})
    assert {"holdout", "nothing verified stands"} <= set(report.left["few-shot"])


def test_a_failing_format_leaves_nothing_behind(hard: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    """pyarrow may not be there: the message says how to get it."""
    import sys

    monkeypatch.setitem(sys.modules, "pyarrow", None)
    options = ExportOptions(formats=("native", "huggingface"))
    with pytest.raises(UsageError, match=r"need the package pyarrow: pip install .*\[parquet\]"):
        export(hard.store, hard.info(), hard.folder / "out", options, annotator="ann")
    assert not (hard.folder / "out").exists()
    assert not list(hard.folder.glob(".out*"))
    recipe = recipe_of(None, 85, None, ())
    with pytest.raises(UsageError, match=r"scores are written as Parquet: .*need the package pyarrow"):
        score_files([hard.folder], hard.folder / "scores", recipe, workers=1)


def test_all_formats_are_those_that_can_be_written(hard: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without pyarrow that is all but Hugging Face's, and the report says how to get it."""
    import sys

    monkeypatch.setitem(sys.modules, "pyarrow", None)
    out = hard.folder / "out"
    report = export(hard.store, hard.info(), out, ExportOptions(formats=("all",)), annotator="ann")
    assert {*FORMATS} - {"huggingface"} == {path.name for path in out.iterdir() if path.is_dir()}
    assert 0 == report.rows["huggingface"]
    ((reason, number),) = report.left["huggingface"].items()
    assert (True, report.samples) == (reason.startswith("no pyarrow: pip install"), number)
    assert verify(out).passed


HOSTILE = "a\x1b[31m\u202eb <img src=x onerror=y> [c](http://d) `e` & *f*\n# g \U000e0041😀"


@pytest.mark.parametrize("place", ["dataset", "model", "proposer"])
def test_names_stand_in_the_card_as_plain_text(bench: Bench, place: str) -> None:
    """No HTML, link, heading, terminal escape or hidden character of them reaches who reads the page."""
    from markdown_it import MarkdownIt

    names = {"dataset": "set", "proposer": "p", "model": ""} | {place: HOSTILE}
    name = names.pop("dataset")
    bench.load([sample("a", "Ann.", "c", proposal={**names, "reference_entities": ["Ann"]})], dataset=name)
    folder = Path(report_of(bench, "huggingface").path)
    card = (folder / "README.md").read_text("utf-8")
    _, head, body = card.split("---\n", 2)
    tokens = [one for token in MarkdownIt().parse(body) for one in (token, *(token.children or ()))]
    shown = "a\u241b[31m\ufffdb <img src=x onerror=y> [c](http://d) `e` & *f* # g \ufffd😀"

    assert not [one for one in card if not one.isprintable() and one != "\n"]
    assert not {"html_block", "html_inline", "link_open", "em_open"} & {one.type for one in tokens}
    assert 5 == len([one for one in tokens if one.type == "heading_open"])
    rendered = "".join(one.content for one in tokens if one.type in ("text", "text_special"))
    assert shown in rendered
    (pretty,) = (line for line in head.splitlines() if line.startswith("pretty_name: "))
    expected = json.dumps(name, ensure_ascii=False).replace("\u202e", "\\u202e")
    assert f"pretty_name: {expected.replace(chr(0xE0041), chr(92) + 'U000e0041')}" == pretty


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


def written(bench: Bench, name: str, **options: Any) -> Path:
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
    bare = written(bench, "bare", text=False)
    said = everything(bare)
    full = everything(written(bench, "full"))

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
    bare = written(bench, "bare", text=False)
    manifest = json.loads((bare / "manifest.json").read_text("utf-8"))
    rows = csv_rows(bare / "samples.csv")

    stored = dict(bench.query("SELECT key, content_hash FROM sample"))
    assert stored == {one["id"]: one["content_hash"] for one in rows}
    strata = {one["stratum"] for one in rows}
    assert 4 == len(strata) == len({(one["stratum"], one["group"]) for one in rows})
    assert all(re.fullmatch("stratum-[0-9a-f]{12}", one) for one in strata)
    assert strata == set(manifest["sampling"]["parameters"]["strata"])
    assert all(re.fullmatch("group-[0-9a-f]{12}", one["group"]) for one in rows)
    again = written(bench, "again", text=False)
    for path in bare.rglob("*"):
        assert path.is_dir() or path.read_bytes() == (again / path.relative_to(bare)).read_bytes(), path
