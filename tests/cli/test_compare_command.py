"""`workbench compare` as a person or a script calls it."""

from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from tests.rows import write_rows

Run = Any


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
