"""The report in one page: it parses, loads nothing, says what the screen says; hostile text stays text."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Callable
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

from workbench.comparing import words
from workbench.errors import ExportError
from workbench.formats.html_report import report, write_report
from workbench.stages.figures import Figures, figures
from workbench.stages.import_ import ImportOptions, import_file
from workbench.store.datasets import find_dataset
from workbench.store.engine import open_store

HOSTILE = (
    "<script>alert(1)</script>",
    "\"><img src=x onerror='alert(1)'>",
    "</td></table><h1>&amp;",
    "abc\u202egnp.exe\u2066",
    "\x1b[31mred\x07\x00\x9b",
    "مرحبا",
)


class Page(HTMLParser):
    """Collects tags, their attributes and the text, and complains about tags that do not close in order."""

    def __init__(self, text: str) -> None:
        super().__init__(convert_charrefs=True)
        self.open: list[str] = []
        self.tags: list[str] = []
        self.attributes: set[str] = set()
        self.words: list[str] = []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes |= {name for name, _ in attrs}
        if tag != "meta":
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes |= {name for name, _ in attrs}

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.words.append(data)

    @property
    def text(self) -> str:
        return " ".join(" ".join(self.words).split())


def row(place: int, name: str = "") -> dict[str, Any]:
    """The machine finds Rome; people find Strauss too, and every third time Petersburg."""
    said = {
        "Johann Strauss": "found",
        "Saint Petersburg": "missing" if place % 3 else "found",
        "Rome": "found",
        "Oslo": "missing",
    }
    inside = ["Johan Straus", "Petersberg", "Rome"]
    return {
        "id": name or f"s{place:02}",
        "user_input": f"question {place}",
        "reference": ", ".join(said) + ".",
        "retrieved_contexts": [", ".join(inside) + f". {place}"],
        "proposal": {
            "proposer": "p",
            "reference_entities": [{"text": one, "label": "place"} for one in said],
            "context_entities": [inside],
        },
        "gold": {
            "annotator": "gina",
            "entities": [{"text": one, "label": "place", "verdict": two} for one, two in said.items()],
        },
    }


@pytest.fixture
def figured(tmp_path: Path, empty_database: Path) -> Callable[..., Figures]:
    """The figures of rows that were put into a database of their own."""

    def put(rows: list[dict[str, Any]], *, dataset: str = "names") -> Figures:
        database, source = tmp_path / "wb.db", tmp_path / "rows.jsonl"
        shutil.copy(empty_database, database)
        source.write_text("".join(json.dumps(one) + "\n" for one in rows), "utf-8")
        store = open_store(str(database))
        options = ImportOptions(dataset=dataset, seed=7, blind=0.0, gold="given")
        import_file(store, source, options, annotator="i")
        found = figures(store, find_dataset(store, None), scorer="linked")
        store.close()
        return found

    return put


def test_the_page_says_what_the_screen_says(figured: Callable[..., Figures]) -> None:
    found = figured([row(place) for place in range(24)])

    text = Page(report(found)).text

    assert "24 of 24 samples verified" in text
    facts = [
        *words.estimate_facts(found.estimate),
        *words.paired_facts(found.paired),
        *words.verdict_facts(found.verdicts, found.chance),
        *words.unit_facts(found.units, found.strict),
    ]
    expected = [" ".join(f"{one.name} {one.value} {one.note}".split()) for one in facts]
    assert [] == [line for line in expected if line not in text]
    assert [] == [note for note in words.estimate_notes(found.estimate, assisted=False) if note not in text]
    assert "verified, all 24 .583" in text
    assert "missed match −.333 .000 −.333 32 24 32 without evidence" in text


def test_the_page_is_well_formed_and_brings_everything_with_it(figured: Callable[..., Figures]) -> None:
    page = report(figured([row(place) for place in range(24)]))

    parsed = Page(page)

    assert [] == parsed.open
    assert not {"script", "link", "img", "iframe", "object", "embed", "base", "form", "a"} & set(parsed.tags)
    assert not {"src", "href", "xlink:href", "style", "action"} & parsed.attributes
    assert [] == [name for name in parsed.attributes if name.startswith("on")]
    assert not re.search(r"url\(|@import|https?:", page)
    assert "default-src 'none'" in page
    assert "prefers-color-scheme: dark" in page
    assert "@media print" in page
    assert 3 == parsed.tags.count("svg")


def test_hostile_text_is_text(figured: Callable[..., Figures]) -> None:
    names = [*HOSTILE, *(f"s{place}" for place in range(14))]
    importable = [name for name in names if "\x00" not in name]  # a NUL is refused at the door
    found = figured([row(place, name) for place, name in enumerate(importable)], dataset=HOSTILE[0])
    label = next(iter(found.labels.values()))
    found = replace(
        found,
        dataset=HOSTILE[1],
        run=HOSTILE[2],
        calibration=HOSTILE[3],
        labels=dict.fromkeys(HOSTILE, label),
        by_label=dict.fromkeys(HOSTILE, found.causes),
        by_language=dict.fromkeys(HOSTILE, found.causes),
        rows=(*found.rows, replace(found.rows[0], id=HOSTILE[4], cause=HOSTILE[0])),
        notes=HOSTILE,
    )

    page = report(found)

    parsed = Page(page)
    plain = Page(report(figured([row(place) for place in range(19)])))
    assert set(plain.tags) == set(parsed.tags)
    assert set(plain.attributes) == set(parsed.attributes)
    assert "<script>alert(1)</script>" in parsed.text
    assert [] == re.findall("[\x00-\x08\x0b-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069]", page)
    assert "␛[31mred" in parsed.text


def test_equal_figures_give_equal_bytes(figured: Callable[..., Figures], tmp_path: Path) -> None:
    rows = [row(place) for place in range(24)]
    first, second = figured(rows), figured(rows)

    write_report(tmp_path / "one.html", first)
    write_report(tmp_path / "two.html", second)

    assert (tmp_path / "one.html").read_bytes() == (tmp_path / "two.html").read_bytes()


def test_a_report_is_never_written_over_another_file_unasked(
    figured: Callable[..., Figures], tmp_path: Path
) -> None:
    found, path = figured([row(place) for place in range(12)]), tmp_path / "report.html"
    path.write_text("mine", "utf-8")

    with pytest.raises(ExportError, match="is there already; --force"):
        write_report(path, found)
    kept = path.read_text("utf-8")
    write_report(path, found, force=True)

    assert "mine" == kept
    assert path.read_text("utf-8").startswith("<!DOCTYPE html>")


def test_a_disk_that_refuses_is_said_and_nothing_is_left(
    figured: Callable[..., Figures], tmp_path: Path
) -> None:
    found = figured([row(place) for place in range(12)])

    with pytest.raises(ExportError, match="not written"):
        write_report(tmp_path / "no such folder" / "report.html", found)

    assert [] == list(tmp_path.glob("**/*.partial"))


def test_pictures_hold_every_sample(figured: Callable[..., Figures]) -> None:
    page = report(figured([row(place) for place in range(24)]))

    dots = [int(count) for count in re.findall(r"<circle [^>]*><title>(\d+) samples?:", page)]
    bars = [int(count) for count in re.findall(r"<rect [^>]*><title>[^<]*: (\d+) samples?</title>", page)]

    assert [16, 8] == dots
    assert 24 == sum(bars)


def test_of_nine_samples_counts_alone_are_given(figured: Callable[..., Figures]) -> None:
    rows = [row(place) for place in range(30)]
    for one in rows[9:]:
        del one["gold"]

    page = report(figured(rows))

    text = Page(page).text
    assert "9 of 30 samples verified" in text
    assert "9 samples, fewer than 10: counts only." in text
    assert "missed match – – – 12 9" in text
    assert "bias" not in text.split("Why they differ")[1].split("Units")[0]


def test_nothing_verified_is_a_page_too(figured: Callable[..., Figures]) -> None:
    rows = [row(place) for place in range(12)]
    for one in rows:
        del one["gold"]

    text = Page(report(figured(rows))).text

    assert "0 of 12 samples verified" in text
    assert "No estimate for all 12: nothing was verified." in text


def test_a_long_list_is_cut_and_says_so(figured: Callable[..., Figures]) -> None:
    found = figured([row(place) for place in range(12)])
    many = tuple(replace(found.rows[0], id=f"x{place:03}", delta=-place / 300) for place in range(300))

    page = report(replace(found, rows=many))

    assert "300 verified, the 200 with the largest differences." in page
    assert "<bdi>x299</bdi>" in page
    assert "<bdi>x099</bdi>" not in page
