"""The command `import` as a person gives it: formats, mapping, dry run, folders, exit codes."""

from __future__ import annotations

import json
import shlex
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from tests.rows import write_rows
from workbench.errors import AmbiguousError
from workbench.formats.detect import files_of
from workbench.stages.import_ import bytes_to_import
from workbench.store import database


def files(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


PLAIN = {"user_input": "q", "reference": "Ann met Bob.", "retrieved_contexts": ["Ann came."]}
ANN = {"text": "Ann", "verdict": "found"}
BOB = {"text": "Bob", "verdict": "missing"}


def by(annotator: str, *units: dict[str, Any]) -> dict[str, Any]:
    return {"annotator": annotator, "entities": list(units)}


CHANGES: list[dict[str, Any]] = [
    {**PLAIN, "id": "same"},
    {**PLAIN, "id": "more", "response": "Bob."},
    {**PLAIN, "id": "new"},
    {**PLAIN, "id": "new", "scores": {"context_entity_recall": 0.5}},
    {**PLAIN, "id": "new"},
    {**PLAIN, "id": "other", "reference": "Zoe met Bob."},
    {**PLAIN, "id": "gold", "gold": by("a", BOB)},
    {**PLAIN, "id": "fresh gold", "gold": by("a", ANN)},
    {"id": "broken"},
]


@pytest.mark.parametrize(
    ("options", "counted", "conflicts"),
    [
        (("--gold-if-given",), {"new": 1, "unchanged": 2, "extended": 3, "updated": 0}, 2),
        ((), {"new": 1, "unchanged": 4, "extended": 2, "updated": 0}, 1),
        (("--gold-if-given", "--update"), {"new": 1, "unchanged": 2, "extended": 4, "updated": 1}, 0),
    ],
    ids=["gold", "no gold", "update"],
)
def test_a_dry_run_counts_what_the_import_does(run: Any, options: Any, counted: Any, conflicts: int) -> None:
    """New, unchanged, extended, updated and in conflict, against the database and the rows before."""
    names = ("same", "more", "other", "fresh gold")
    there: list[dict[str, Any]] = [{**PLAIN, "id": name} for name in names]
    write_rows("a.jsonl", [*there, {**PLAIN, "id": "gold", "gold": by("a", ANN)}])
    assert run("import", "a.jsonl", "--gold-if-given")[0] == 0
    write_rows("a.jsonl", CHANGES)

    code, out, _ = run("import", "a.jsonl", "--dry-run", "--json", *options)
    said = json.loads(out)
    done, out, _ = run("import", "a.jsonl", "--json", *options)
    real = json.loads(out)

    assert (code, done) == (3, 3)
    assert {name: said[name] for name in counted} == counted == {name: real[name] for name in counted}
    assert (said["rejected"], said["conflicts"]) == (real["rejected"], conflicts)


def test_an_import_of_which_nothing_goes_in_ends_as_its_dry_run_does(run: Any) -> None:
    """With 2, also where the dataset is there."""
    for reference, codes in (("Ann.", [0, 0]), ("Zoe.", [2, 2])):
        write_rows("a.jsonl", [{**PLAIN, "id": "a", "reference": reference}])
        assert codes == [run("import", "a.jsonl", *more).code for more in (["--dry-run"], [])]


def test_an_empty_database_is_one_that_is_not_there_yet(run: Any) -> None:
    """As a server has it: what needs none was told to import a file first."""
    Path("workbench.db").touch()
    write_rows("a.jsonl", [{**PLAIN, "id": "a", "context_entity_recall": 0.5}])

    assert "1 new; it would hold 1 sample; nothing was written" in run("import", "a.jsonl", "--dry-run").out
    export = Path(__file__).parents[2] / "exports" / "native"
    assert 0 == run("diff", export, export).code
    assert 0 == Path("workbench.db").stat().st_size
    assert 0 == run("audit", "a.jsonl", "--scorer", "context_entity_recall").code


def test_a_dry_run_leaves_the_database_as_it_was(run: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Gold, samples and runs are taken back; one of an older Workbench is not even migrated."""
    write_rows("a.jsonl", [{**PLAIN, "id": "a"}])
    run("import", "a.jsonl")
    write_rows("a.jsonl", [{**PLAIN, "id": name, "gold": by("a", ANN)} for name in "ab"])
    before = run("status", "--json")[1]

    _, out, _ = run("import", "a.jsonl", "--dry-run", "--gold")

    assert "a.jsonl → a: 1 new, 1 extended; it would hold 2 samples; nothing was written" in out.splitlines()
    assert run("status", "--json")[1] == before
    monkeypatch.setattr(database, "SCHEMA", "9999")
    code, _, err = run("import", "a.jsonl", "--dry-run", "--gold")
    assert (code, err) == (
        2,
        f"workbench: {Path('workbench.db').absolute()} was made by an older Workbench: open it once first\n",
    )


@pytest.mark.databases
def test_a_score_whose_kind_was_named_stands_beside_the_verified_value(run: Any) -> None:
    """Under the name of its column, with the kind."""
    proposal = {"proposer": "p", "reference_entities": ["Ann"]}
    row = {**PLAIN, "reference": "Ann", "mine": 0.5, "gold": by("a", ANN), "proposal": proposal}
    write_rows("a.jsonl", [row])

    assert run("import", "a.jsonl", "--gold", "--external", "mine=entity").code == 0
    assert "mine (entity)" in run("score").out
    found = run("compare", "--json").json["figures"]["scorers"]

    mine = next(one for one in found if one["scorer"] == "mine (entity)")
    assert (mine["automatic"], mine["verified"], mine["delta"]) == (0.5, 1.0, -0.5)


def test_a_named_column_that_may_come_later_is_said_and_read(run: Any) -> None:
    """A row of JSON may lack what it may do without: no error, but no silence either."""
    write_rows("a.jsonl", [PLAIN] * 100 + [{**PLAIN, "user_input": "w", "name": "late"}])

    code, out, err = run("import", "a.jsonl", "--map", "id=name", "--map", "group=nope")

    assert (code, err) == (0, "")
    assert "  named by you, but nothing is there: 201 (line 1: name; line 1: nope; line 2: name;" in out
    with closing(sqlite3.connect("workbench.db")) as raw:
        assert ("late",) in raw.execute("SELECT key FROM sample").fetchall()


@pytest.mark.databases
def test_an_import_says_of_gold_and_blind_samples_what_is_left_to_do(run: Any) -> None:
    """Nobody is told to store what is stored, nor that samples with gold are reviewed blind."""
    write_rows("a.jsonl", [{**PLAIN, "id": f"s{number}", "gold": by("a", ANN)} for number in range(120)])

    without, stored, again = (
        run("import", "a.jsonl"),
        run("import", "a.jsonl", "--gold"),
        run("import", "a.jsonl"),
    )

    assert "samples are to be reviewed without suggestions" in without[1]
    assert "120 rows have verified units that were not imported; to take them:\n" in without[1]
    assert "without suggestions" not in stored[1] + again[1]


@pytest.mark.parametrize("command", ["import", "audit"])
def test_the_command_that_takes_the_gold_of_a_file_runs_as_it_is_printed(run: Any, command: str) -> None:
    """It names the database, the dataset and how the file is read; a row without gold does not matter."""
    rows = [{**PLAIN, "id": "a", "gold": by("a", ANN)}, {**PLAIN, "id": "b", "retrieved_contexts": []}]
    Path("my data.json").write_text(json.dumps({"mine": {"rows": rows}}))

    first = run(command, "my data.json", "--db", "my.db", "--dataset", "foo", "--rows", "mine.rows")
    said = (first.out + first.err).splitlines()
    words = next(shlex.split(line) for line in said if line.startswith("  workbench import"))
    again = run(*words[1:])

    assert (0, True) == (again.code, "1 review with " in again.out)
    assert not Path("workbench.db").exists()


EXPORTED = ("native", "ragas", "deepeval-goldens", "huggingface", "label-studio", "csv")


@pytest.mark.parametrize("form", EXPORTED)
def test_an_export_comes_back_with_its_name_policy_gold_and_marks(run: Any, tmp_path: Any, form: str) -> None:
    """The folder is named, nothing else; what is exported from there is the same again."""
    gold = [
        {
            "annotator": "zoe",
            "entities": [
                {"text": "Ann", "label": "person", "start": 0, "end": 3, "verdict": "found",
                 "evidence": [{"context": 0, "start": 0, "end": 3}]},
                {"text": "Bob", "label": "person", "start": 10, "end": 13, "verdict": "missing"},
            ],
            "statements": [
                {"text": "Ann met Bob.", "start": 1, "end": 5, "verdict": "missing", "reason": "partial"}
            ],
            "flag": "look", "comments": ["one", "two"], "shown": "blind",
        },
        {"annotator": "max", "disposition": {"entity": "excluded"}, "reason": {"entity": "private"},
         "off_plan": True},
    ]  # fmt: skip
    row = {
        "id": "s1", "user_input": "=Who?", "reference": "Ann met 😀 Bob.",
        "retrieved_contexts": ["Ann | came\n'in'."], "response": "+a", "group": "g",
        "meta": {"k": [1, "x"]}, "alternatives": ["b"], "scores": {"context_recall": 0.50}, "u": 0.25,
        "proposal": {"proposer": "p", "model": "m", "reference_entities": [{"text": "Ann", "label": "x"}]},
    }  # fmt: skip
    Path("named.jsonl").write_text(
        json.dumps({**row, "gold": gold}) + "\n" + json.dumps({**row, "id": "s2"}) + "\n"
    )
    assert run("--db", "one.db", "import", "named.jsonl", "--gold-if-given")[0] == 0
    assert run("--db", "one.db", "export", "first", "--names")[0] == 0
    assert run("--db", "one.db", "export", "out", "--format", form, "--names")[0] == 0

    code, out, err = run("--db", "two.db", "import", "out", "--gold-if-given")
    assert run("--db", "two.db", "export", "second", "--names")[0] == 0

    assert (code, err) == (0, "")
    assert "→ named: " in out
    first, second = (
        next(Path(name).rglob("samples.jsonl")).read_text("utf-8") for name in ("first", "second")
    )
    assert first == second
    assert '"disposition": {"entity": "excluded"}' in first
    policies = [run("--db", db, "policy", "show")[1] for db in ("one.db", "two.db")]
    assert policies[0] == policies[1]


ROW = {"id": "a", "user_input": "q", "reference": "Ann met Bob.", "retrieved_contexts": ["Ann"]}


def test_offsets_that_we_counted_for_label_studio_are_nothing_to_say(run: Any) -> None:
    """Its editor counts UTF-16 units, so that is how they leave."""
    gold = {"annotator": "zoe", "entities": [{"text": "Bob", "start": 8, "end": 11, "verdict": "missing"}]}
    write_rows("a.jsonl", [{**ROW, "reference": "😀 met 😀 Bob.", "gold": gold}])
    said = run("import", "a.jsonl", "--gold")[1]
    assert "1 review" in said
    run("export", "out", "--format", "label-studio")

    _, out, _ = run("--dataset", "b", "import", "out/tasks.json", "--gold")

    assert "1 review with 1 unit" in out
    assert "offsets" not in out


def test_every_folder_of_an_export_that_can_come_back_does(run: Any) -> None:
    """Also where files stand beside the one that holds the samples."""
    gold = {"annotator": "zoe", "entities": [{"text": "Bob", "start": 8, "end": 11, "verdict": "missing"}]}
    write_rows("a.jsonl", [{**ROW, "response": "r", "gold": gold}])
    run("import", "a.jsonl", "--gold")
    assert run("export", "x1", "--format", "all")[0] == 0

    for name in ("native", "ragas", "ragas-annotations", "deepeval-goldens", "deepeval-cases", "huggingface",
                 "label-studio", "prodigy", "csv"):  # fmt: skip
        code, out, err = run("--dataset", f"from-{name}", "import", f"x1/{name}", "--gold")
        assert (code, err) == (0, ""), name
        assert "1 review with 1" in out, name


@pytest.mark.parametrize("command", ["import", "audit"])
def test_the_current_folder_with_one_dataset_is_that_dataset(run: Any, command: str) -> None:
    write_rows("rows.jsonl", [{"user_input": "q", "reference": "Rome.", "retrieved_contexts": []}])

    assert 0 == run(command, ".").code


@pytest.mark.parametrize("folder", [".cache", ".cache/hf", "data/.cache/hf", "old/run", "a/b/c"])
def test_a_folder_is_read_no_deeper_than_datasets_stand(tmp_path: Path, folder: str) -> None:
    """A cache or a tree below was taken for the dataset, silently; nothing of it is taken or counted."""
    file = tmp_path / folder / "0.parquet"
    file.parent.mkdir(parents=True)
    file.write_bytes(b"PAR1")
    rows = write_rows(tmp_path / "data.jsonl", [{"user_input": "q", "reference": "Rome."}])

    assert [rows] == files_of(tmp_path)
    assert rows.stat().st_size == bytes_to_import(tmp_path)


@pytest.mark.parametrize("folder", ["", "data"])
def test_rows_next_to_a_table_are_not_left_out_silently(tmp_path: Path, folder: str) -> None:
    """A folder with `mine.jsonl` and somewhere a Parquet file gave the rows of the latter."""
    file = tmp_path / folder / "other.parquet"
    file.parent.mkdir(exist_ok=True)
    file.write_bytes(b"PAR1")
    write_rows(tmp_path / "mine.jsonl", [{"user_input": "q", "reference": "Rome."}])

    with pytest.raises(AmbiguousError, match=f"name a file: mine.jsonl, {file.relative_to(tmp_path)}"):
        files_of(tmp_path)


@pytest.mark.parametrize("folder", ["", "data", "en", "default/train", "data/en", "data/en/train"])
def test_a_folder_is_read_as_deep_as_datasets_stand(tmp_path: Path, folder: str) -> None:
    """As the Hub converts them: `default/train/0000.parquet`."""
    file = tmp_path / folder / "0000.parquet"
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(b"PAR1")

    assert [file] == files_of(tmp_path)


def test_what_a_new_dataset_shall_be_is_in_the_command_that_makes_it_later(run: Any) -> None:
    """No row went in, so that no dataset has the seed and the share that were asked for."""
    Path("bad.jsonl").write_text('{"user_input": "q", "reference": 3, "retrieved_contexts": []}\n')

    _, _, err = run("import", "bad.jsonl", "--seed", "7", "--blind", "0.25")
    rejected = Path("bad.jsonl.rejected.jsonl")
    rejected.write_text(json.dumps({**json.loads(rejected.read_text()), "reference": "Ann was in Rome."}))
    code, out, _ = run(*command_in(err))
    run("export", "out")
    manifest = json.loads(Path("out/manifest.json").read_text())

    assert (0, True) == (code, "→ bad: 1 new" in out)
    assert (7, 0.25) == (manifest["settings"]["seed"], manifest["settings"]["blind_share"])


def test_a_database_that_was_there_stays_when_nothing_goes_in(run: Any, tmp_path: Path) -> None:
    """Also one without a sample."""
    write_rows("plain.jsonl", [PLAIN])
    run("import", "plain.jsonl")
    before = Path("workbench.db").read_bytes()
    Path("bad.jsonl").write_text('{"user_input": "q", "reference": 3}\n')

    code, _, err = run("import", "bad.jsonl")

    assert 2 == code
    assert "the rejected rows are in" in err
    assert before == Path("workbench.db").read_bytes()


def test_an_import_that_breaks_off_names_the_database_of_the_first_rows(run: Any, tmp_path: Path) -> None:
    """A column whose later values cannot be held ends the file after its first two thousand rows."""
    import pyarrow
    from pyarrow import parquet

    rows = 2_500
    table = pyarrow.table(
        {
            "user_input": [f"q{number}" for number in range(rows)],
            "reference": ["Ann"] * rows,
            "retrieved_contexts": [["c"]] * rows,
            "at": pyarrow.array([0] * (rows - 1) + [1], pyarrow.timestamp("ns")),
        }
    )
    parquet.write_table(table, "late.parquet")

    code, _, err = run("import", "late.parquet")

    assert 2 == code
    assert "column at of type timestamp[ns]" in err
    assert f"2,000 samples were stored in {tmp_path / 'workbench.db'} before that" in err
    assert ["late.parquet", "workbench.db"] == files(tmp_path)


NESTED: list[dict[str, Any]] = [
    {"q": "Who?", "expected": {"answer": "Ann met Bob.", "score": 1}, "ctx": [{"t": "Ann", "page": 1}]},
    {"q": "Who else?", "expected": {"score": 1}, "ctx": [{"t": "Ann"}, {"page": 2}]},
    {"q": "Who came?", "expected": {"answer": "Ann came."}, "ctx": [{"t": "Ann"}, {"page": 2}]},
]


def maps(*named: str) -> list[str]:
    """The options that name columns."""
    return [part for one in named for part in ("--map", one)]


def command_in(text: str) -> list[str]:
    """The words of the command that a message tells to run, without the program's name."""
    (line,) = [line for line in text.splitlines() if line.startswith("  workbench ")]
    return shlex.split(line)[1:]


def test_rows_that_lack_a_named_key_are_named_and_come_in_by_the_command_that_is_printed(run: Any) -> None:
    """Options with blanks are quoted; the list in a document is not named again."""
    Path("n 1.json").write_text(json.dumps({"data": {"items": NESTED}}, indent=1))
    named = maps("user_input=q", "reference=expected.answer", "retrieved_contexts=ctx.t")

    code, out, _ = run("--db", "a b.db", "import", "n 1.json", "--rows", "data.items", *named)
    assert (3, True) == (code, "2 new, 1 rejected" in out)
    assert "expected a string: no column expected.answer; there is: q, expected, expected.score, ctx" in out
    assert ": ctx.t, 1 of 2 items)" in out
    rejected = Path("n 1.json.rejected.jsonl")
    rejected.write_text(rejected.read_text().replace('"score"', '"answer": "Bob.", "score"'))
    code, out, _ = run(*command_in(out))
    assert (0, True) == (code, "→ n 1: 1 new; 3 samples now" in out)


def test_a_row_of_a_table_with_named_columns_comes_in_by_the_command_that_is_printed(run: Any) -> None:
    """A list that was put right in the text of its cell is one."""
    Path("a.csv").write_text("ask,gold answer,docs,mine\nq,Ann,c,0.5\nq2,Bob,\"['a', 'b'\",0.4\n")
    named = maps("user_input=ask", "reference=gold answer", "retrieved_contexts=docs")

    _, out, _ = run("import", "a.csv", *named, "--external", "mine=entity")
    rejected = Path("a.csv.rejected.jsonl")
    rejected.write_text(rejected.read_text().replace("'b'\"", "'b']\""))
    code, again, _ = run(*command_in(out))

    assert (0, True) == (code, "1 new; 2 samples now" in again)
    with closing(sqlite3.connect("workbench.db")) as raw:
        assert [('["a","b"]', 0.4)] == raw.execute(
            "SELECT retrieved_contexts, value FROM sample JOIN external_score ON sample_id = id "
            "WHERE user_input = 'q2'"
        ).fetchall()


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("a.json", json.dumps({"run": 7, "data": {"items": NESTED[:1]}}, indent=1)),
        ("b.jsonl", json.dumps(NESTED[0])),
        ("c.csv", "ask,gold answer,docs\nq,Ann,c\n"),
        ("d.jsonl", json.dumps({"id": "1", "input": "q", "passages": [{"text": "c"}],
                                "output": [{"answer": "Ann", "meta": {}}]})),
        ("e.jsonl", json.dumps({"question": "q", "answer": "Ann", "evidence": [{"evidence_text": "c"}]})),
        ("f.json", json.dumps({"meta": {"n": 1}, "results": [{"prompt": "q", "target": "Ann",
                                                              "retrieved_documents": ["c"]}]}, indent=1)),
    ],
)  # fmt: skip
def test_the_first_message_has_the_command_that_reads_other_names(run: Any, name: str, text: str) -> None:
    Path(name).write_text(text)

    code, _, err = run("import", name)
    assert 2 == code
    code, out, _ = run(*command_in(err))
    assert (0, True, False) == (code, "1 new" in out, "no contexts" in out)
