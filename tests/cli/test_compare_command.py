"""`workbench compare` as a person or a script calls it."""

from __future__ import annotations

import json
import shutil
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from tests.rows import write_rows

Run = Any


@pytest.fixture
def demo(run: Run, demo_database: Path) -> str:
    """The demo's database in an empty folder."""
    shutil.copy(demo_database, "d.db")
    return "d.db"


def test_the_answer_comes_first_and_statistics_only_when_asked(run: Run, demo: str) -> None:
    out = run("--db", demo, "compare").out
    assert out.startswith(
        "Dataset demo · 50 samples · 13 reviewed · your column: context_entity_recall\n\nYour "
    )
    truth = "Based on 13 reviewed samples, the true mean of the 43 with a score is about"
    assert truth in " ".join(out.split())
    assert "Main cause in the 13 reviewed samples: " in " ".join(out.split())
    assert "  yours − reviewed " in out
    assert max(map(len, out.splitlines())) <= 80
    assert "More: --full" in out
    assert "these samples" not in out
    full = run("--db", demo, "compare", "--full", "--scorer", "linked").out
    assert "  these samples                [.312, .644]  95 % at the planned number\n" in full
    assert "why they differ (they add up to −.079), over the 13 verified samples:" in full


def test_full_has_every_figure_and_no_list_of_samples(run: Run, demo: str) -> None:
    out = run("--db", demo, "compare", "--full").out
    for part in ("all scorers", "paired, over", "verdicts on matched units", "units:", "causes by language"):
        assert part in out
    assert "mona-lisa" not in out


def test_json_causes_add_up_to_the_bias(run: Run, demo: str) -> None:
    figures = json.loads(run("--db", demo, "compare", "--json").out)["figures"]
    assert sum(one["share"] for one in figures["causes"]) == pytest.approx(
        figures["paired"]["bias"], abs=1e-12
    )
    assert 13 == figures["counts"]["imported"]
    assert ("", 13) == (figures["estimate"]["refusal"], figures["estimate"]["n"])
    assert {"value", "interval", "hits", "n"} == set(figures["verdicts"]["tpr"])


def test_an_imported_column_is_compared_too(run: Run, demo: str) -> None:
    out = run("--db", demo, "compare", "--scorer", "context_entity_recall", "--full").out
    assert "demo · context_entity_recall" in out
    assert "counted again from its traces: 13 of 13 samples give the same value" in out


def test_a_page_is_written_once_and_replaced_only_when_told(run: Run, demo: str) -> None:
    assert 0 == run("--db", demo, "compare", "--html", "report.html").code
    page = Path("report.html").read_bytes()
    assert page.startswith(b"<!DOCTYPE html>")
    again = run("--db", demo, "compare", "--html", "report.html")
    assert (2, True) == (again.code, "--force replaces it" in again.err)
    assert 0 == run("--db", demo, "compare", "--html", "report.html", "--force").code
    assert page == Path("report.html").read_bytes()


def test_the_page_to_send_is_about_the_answer_that_is_printed(run: Run, demo: str) -> None:
    printed = run("--db", demo, "compare", "--scorer", "ragas", "--html", "with.html")
    run("--db", demo, "compare", "--scorer", "ragas", "--html", "without.html", "--no-text")

    page, bare = (Path(name).read_text("utf-8") for name in ("with.html", "without.html"))
    truth = "Based on 13 reviewed samples, the true mean of the"
    assert truth in " ".join(printed.out.split())
    assert "Write a page to send" not in printed.out
    assert "Write a page to send" in run("--db", demo, "compare", "--scorer", "ragas").out
    assert f'<p class="lead">{truth}' in page
    assert f'<p class="lead">{truth}' in bare
    assert "Louisiana Purchase" in page
    assert "Louisiana" not in bare


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["--no-text"], "--no-text goes with --html FILE"),
        (["--scorer", "bleu"], "unknown scorer 'bleu'"),
        (["--run", "none"], "none"),
        (["--by", "meta.retriever", "--full"], "--by compares retrievers"),
        (["--html", "no/such/folder/r.html"], "no/such/folder"),
    ],
)
def test_what_cannot_be_done_is_said(run: Run, demo: str, words: list[str], says: str) -> None:
    run("--db", demo, "compare", *words).refuses(says)


def test_nothing_is_written_over_a_database(run: Run, demo: str) -> None:
    before = Path("d.db").read_bytes()
    for words in (["compare", "--html", "d.db", "--force"], ["calibrate", "-o", "d.db", "--force"]):
        run("--db", demo, *words).refuses("d.db: is a database")
    assert before == Path("d.db").read_bytes()


def test_without_proposals_the_report_names_the_way_to_some(run: Run, tmp_path: Path) -> None:
    row = {"id": "a", "user_input": "q", "reference": "Rome.", "retrieved_contexts": ["Rome."]}
    write_rows("d.jsonl", [row])
    assert 0 == run("import", "d.jsonl").code

    out = run("compare").out

    assert "Nothing is proposed yet: workbench propose, or import FILE with proposals." in out
    assert "There is nothing to check it against." not in out
    twice = run("compare", "--scorer", "linked", "--against", "ragas").out
    assert "no sample has a value of linked: workbench propose\nno sample has a value of ragas: " in twice


def test_the_exact_entries_of_the_json_add_up_to_its_totals(run: Run, tmp_path: Path) -> None:
    rows: list[dict[str, Any]] = []
    for number in range(40):
        names = ["Ann Lee", "Bo Chan", "Cy Diaz"][: 1 + number % 3]
        found = [bool(place or number % 4) for place in range(len(names))]
        gold = [
            {"text": name, "label": "person", "verdict": "found" if there else "missing"}
            for name, there in zip(names, found, strict=True)
        ]
        rows.append({
            "id": f"s{number}", "user_input": "Who?", "reference": " met ".join(names) + ".",
            "retrieved_contexts": ["Ann Lee and Diaz came."], "gold": {"annotator": "zoe", "entities": gold},
            "scores": {"context_entity_recall": round(number % 7 / 7, 3)},
        })  # fmt: skip
    path = tmp_path / "rows.jsonl"
    write_rows(path, rows)
    assert 0 == run("import", path, "--gold", "--blind", "0.4", "--seed", "5").code
    assert 0 == run("propose", "--proposer", "rules").code

    figures = run("compare", "--json").json["figures"]
    listed = figures["rows"]
    assert 0 < len(listed) < 40 == figures["paired"]["n"]
    for one in listed:
        assert one["delta"] == pytest.approx(sum(part["share"] for part in one["shares"]), abs=1e-12)
    exact = figures["exact"]
    assert [one["id"] for one in listed] == [one["id"] for one in exact["rows"]]
    for one in (exact, *exact["rows"]):
        shares = sum(Fraction(part["share"]) for part in one["shares"])
        assert Fraction(one["value"]) - Fraction(one["verified"]) == shares
    assert Fraction(exact["value"]) == sum(
        Fraction(str(one["scores"]["context_entity_recall"])) for one in rows
    )
    bias = sum(Fraction(part["share"]) for part in exact["shares"]) / 40
    assert figures["paired"]["bias"] == pytest.approx(float(bias), abs=1e-12)
    assert figures["paired"]["bias"] == pytest.approx(
        sum(cause["share"] for cause in figures["causes"]), abs=1e-12
    )
    units = {cause["cause"]: cause["units"] for cause in figures["causes"] if cause["units"]}
    counted: dict[str, int] = {}
    for part in exact["shares"]:
        counted[part["cause"]] = counted.get(part["cause"], 0) + part["units"]
    assert units == {cause: count for cause, count in counted.items() if count}


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("diff", ".", "now"), ".: no manifest.json: not an export"),
        (
            ("diff", "nothing", "now"),
            "'nothing' is neither the folder of an export nor a time: give a day, as",
        ),
        (("diff", "now", "2026-13-01"), "'2026-13-01' is neither the folder of an export nor a time"),
        (("compare", "--against", "lniked"), "unknown scorer 'lniked'; there is: ragas, "),
        (("compare", "--since", "today"), "--since 'today': give a day or a time, as 2026-11-23"),
        (("compare", "--since", "2026-01-01", "--against", "ragas"), "say one of them"),
        (("compare", "--against", "ragas", "--full"), "they go with --scorer, --run and --json"),
        (("compare", "--against", "ragas", "--by", "group"), "--by compares retrievers"),
    ],
)
def test_what_is_no_version_or_scorer_is_refused(run: Run, demo: str, words: Any, message: str) -> None:
    run("--db", demo, *words).refuses(message)


def test_a_diff_of_a_version_with_itself_is_empty_and_no_failure(run: Run, demo: str) -> None:
    ended = run("--db", demo, "diff", "now", "now", "--json")

    assert (0, [], {}) == (ended.code, ended.json["changes"], ended.json["by"])
    assert "no verified unit changed" in run("--db", demo, "diff", "now", "now").out
