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


def test_full_has_every_figure_and_no_list_of_samples(run: Run, demo: str) -> None:
    out = run("--db", demo, "compare", "--full").out
    for part in (
        "demo · context_entity_recall", "counted again from its traces: 13 of 13 samples give the same value",
        "all scorers", "paired, over", "verdicts of the recount", "units:", "causes by language",
    ):  # fmt: skip
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


def test_nothing_is_written_over_a_database(run: Run, demo: str) -> None:
    before = Path("d.db").read_bytes()
    for words in (["compare", "--html", "d.db", "--force"], ["calibrate", "-o", "d.db", "--force"]):
        run("--db", demo, *words).refuses("d.db: is a database")
    assert before == Path("d.db").read_bytes()


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
