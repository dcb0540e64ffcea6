"""The report in one page: it parses, loads nothing, says what the screen says; hostile text stays text.

`golden_report.html` next to this file is the whole page for `GOLDEN`, byte for byte.
"""

import json
import re
import shutil
import subprocess
import sys
import zipfile
from collections.abc import Callable
from contextlib import closing
from dataclasses import replace
from datetime import date
from functools import cache
from html.parser import HTMLParser
from itertools import accumulate
from pathlib import Path
from typing import Any, get_args, get_type_hints

import pytest

from tests.conftest import Run
from tests.rows import gold, lines, naming, sample, write_rows
from workbench.comparing import answer_words, words
from workbench.comparing.answer import Answer, Step
from workbench.comparing.figures import Figures
from workbench.comparing.triage import Clue, Quote
from workbench.errors import ExportError
from workbench.formats.exports.folder import write_whole
from workbench.formats.report import LONGEST, plain, report
from workbench.model import Span, Verdict
from workbench.stages.answer import answer
from workbench.stages.import_ import ImportOptions, import_file
from workbench.store.datasets import find_dataset
from workbench.store.engine import open_store
from workbench.text.figures import signed

DAY = date(2026, 11, 22)
ROOT = Path(__file__).parents[2]
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
        self.inside: list[tuple[str, tuple[str, ...]]] = []
        self.tags: list[str] = []
        self.attributes: set[str] = set()
        self.words: list[str] = []
        self.feed(text)
        self.close()

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes |= {name for name, _ in attrs}

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.handle_startendtag(tag, attrs)
        self.open += [tag] if tag != "meta" else []

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.words.append(data)
        self.inside.append((data, tuple(self.open)))

    @property
    def text(self) -> str:
        return " ".join(" ".join(self.words).split())


def row(place: int, name: str = "") -> dict[str, Any]:
    """The machine finds Rome; people find Strauss too, and every third time Petersburg."""
    third = "missing" if place % 3 else "found"
    said = {"Johann Strauss": "found", "Saint Petersburg": third, "Rome": "found", "Oslo": "missing"}
    own = {"user_input": f"question {place}", "gold": gold(said)}
    inside = ("Johan Straus", "Petersberg", "Rome")
    return naming(name or f"s{place:02}", said, inside, also=f" {place}", **own)


def rows(number: int, verified: int | None = None, **more: Any) -> list[dict[str, Any]]:
    """So many of these, of which the first are verified; all unless it is said."""
    made = [{**row(place), **more} for place in range(number)]
    for one in made[slice(number if verified is None else verified, None)]:
        del one["gold"]
    return made


Found = tuple[Answer, Figures]
Marks = tuple[tuple[Span, Verdict], ...]
Answered = Callable[..., Found]


def page_of(found: Found, **options: Any) -> str:
    """The page as gina's colleague gets it."""
    return report(*found, **{"reviewers": ["gina"], "day": DAY, **options})


def text_of(found: Found, **options: Any) -> str:
    return Page(page_of(found, **options)).text


@pytest.fixture(scope="module")
def answered(tmp_path_factory: pytest.TempPathFactory, empty_database: Path) -> Answered:
    """The answer about rows that were put into a database of their own; values that nothing changes."""

    @cache
    def put_lines(text: str, dataset: str, scorer: str) -> Found:
        folder = tmp_path_factory.mktemp("answered")
        (folder / "rows.jsonl").write_text(text, "utf-8")
        options = ImportOptions(dataset=dataset, seed=7, blind=0.0, gold="given")
        with closing(open_store(str(shutil.copy(empty_database, folder / "wb.db")))) as store:
            import_file(store, folder / "rows.jsonl", options, annotator="i")
            return answer(store, find_dataset(store, None), "i", scorer=scorer)

    def put(rows: list[dict[str, Any]], *, dataset: str = "names", scorer: str = "linked") -> Found:
        return put_lines(lines(rows), dataset, scorer)

    return put


def test_the_page_says_what_the_screen_says(answered: Answered) -> None:
    made, found = answered(rows(24))

    text = text_of((made, found))

    assert "24 of 24 samples verified" in text
    facts = [
        *plain(words.estimate_facts(found.estimate)),
        *words.paired_facts(found.paired),
        *words.verdict_facts(found.verdicts, found.chance),
        *words.unit_facts(found.units, found.strict),
    ]
    expected = [" ".join(f"{one.name} {one.value} {one.note}".split()) for one in facts]
    expected += words.estimate_notes(found.estimate, assisted=False)
    assert [] == [line for line in expected if line not in text]
    assert "verified, all 24 .583" in text
    assert "missed match −.333 .000 −.333 32 24 32 without evidence" in text


def test_the_page_is_well_formed_and_brings_everything_with_it(answered: Answered) -> None:
    page = page_of(answered(rows(24)))

    parsed = Page(page)

    assert [] == parsed.open
    assert not {"script", "link", "img", "iframe", "object", "embed", "base", "form", "a"} & set(parsed.tags)
    assert not {"src", "href", "xlink:href", "style", "action"} & parsed.attributes
    assert [] == [name for name in parsed.attributes if name.startswith("on")]
    assert not re.search(r"url\(|@import|https?:", page)
    assert "default-src 'none'" in page
    assert "prefers-color-scheme: dark" in page
    assert "@media print" in page
    assert [] == [one for one in ("chart causes", "chart counts", "scatter") if f'class="{one}"' not in page]
    dots = [int(count) for count in re.findall(r"<circle [^>]*><title>(\d+) samples?:", page)]
    bars = [int(count) for count in re.findall(r"<rect [^>]*><title>[^<]*: (\d+) samples?</title>", page)]
    assert ([16, 8], 24) == (dots, sum(bars))  # every sample


def test_hostile_text_is_text(answered: Answered) -> None:
    names = [*HOSTILE, *(f"s{place}" for place in range(14))]
    importable = [name for name in names if "\x00" not in name]  # a NUL is refused at the door
    made, found = answered([row(place, name) for place, name in enumerate(importable)], dataset=HOSTILE[0])
    label = next(iter(found.labels.values()))
    causes = dict.fromkeys(HOSTILE, found.causes)
    beside = tuple(replace(found.beside[0], scorer=one) for one in HOSTILE)
    some = (*found.rows, replace(found.rows[0], id=HOSTILE[4]))
    found = replace(found, labels=dict.fromkeys(HOSTILE, label), by_label=causes, by_language=causes)
    found = replace(found, dataset=HOSTILE[1], run=HOSTILE[2], calibration=HOSTILE[3])
    found = replace(found, rows=some, beside=beside, notes=HOSTILE)
    clues = tuple(Clue(one, Quote(1, one, one, one), same=False) for one in HOSTILE)
    marked, ends = "".join(HOSTILE), accumulate(map(len, HOSTILE))
    marks: Marks = tuple((Span(end - len(one), end), "found") for one, end in zip(HOSTILE, ends, strict=True))
    worst = replace(made.worst[0], question=HOSTILE[4], reference=marked, marks=marks, clues=clues)
    made = replace(made, dataset=HOSTILE[1], scorer=HOSTILE[0], imported=True, worst=(worst,) * 3)

    page = page_of((made, found), reviewers=HOSTILE)

    parsed = Page(page)
    plain = Page(page_of(answered([evident(place) for place in range(19)])))
    assert set(plain.tags) == set(parsed.tags)
    assert set(plain.attributes) == set(parsed.attributes)
    assert "<script>alert(1)</script>" in parsed.text
    assert [] == re.findall("[\x00-\x08\x0b-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069]", page)
    assert "␛[31mred" in parsed.text
    parts = ("<script>", "onerror", "</td>", "gnp.exe", "[31mred", "مرحبا")
    outside = {where for said, where in parsed.inside if "bdi" not in where and any(p in said for p in parts)}
    assert {("html", "head", "title")} == outside


def test_no_report_is_written_over_a_file_unasked_nor_in_part(answered: Answered, tmp_path: Path) -> None:
    found, path = answered(rows(12)), tmp_path / "report.html"
    with pytest.raises(ExportError, match="not written"):
        write_whole(tmp_path / "no such folder" / "report.html", report(*found, reviewers=[], day=DAY))
    assert [] == list(tmp_path.glob("**/*.partial"))
    path.write_text("mine", "utf-8")

    with pytest.raises(ExportError, match="is there already; --force"):
        write_whole(path, report(*found, reviewers=[], day=DAY))
    kept = path.read_text("utf-8")
    write_whole(path, report(*found, reviewers=[], day=DAY), force=True)

    assert "mine" == kept
    assert path.read_text("utf-8").startswith("<!DOCTYPE html>")


def test_of_nine_samples_counts_alone_are_given(answered: Answered) -> None:
    text = text_of(answered(rows(30, verified=9)))

    assert "9 of 30 samples verified" in text
    assert "9 samples, fewer than 10: counts only." in text
    assert "missed match – – – 12 9" in text
    assert "mean Δ" not in text.split("Why they differ")[1].split("Units")[0]


def test_nothing_verified_is_a_page_too(answered: Answered) -> None:
    text = text_of(answered(rows(12, verified=0)))

    assert "0 of 12 samples verified" in text
    assert "No estimate of the mean of all 12 samples: nothing was verified." in text
    assert "Why they differ" not in text


def test_a_long_list_is_cut_and_says_so(answered: Answered) -> None:
    made, found = answered(rows(12))
    many = tuple(replace(found.rows[0], id=f"x{place:03}", delta=-place / 300) for place in range(300))

    page = page_of((made, replace(found, rows=many)))

    assert "300 verified, the 200 with the largest differences." in page
    assert "<bdi>x299</bdi>" in page
    assert "<bdi>x099</bdi>" not in page


def test_the_bars_of_the_causes_are_as_long_as_their_shares(answered: Answered) -> None:
    made, found = answered(rows(24))
    shares = [one.share for one in made.effects]

    page = page_of((made, found)).split("Why the score differs</h2>")[1].split("</section>")[0]

    widths = [float(width) for width in re.findall(r'<rect class="(?:low|high)"[^>]* width="([\d.]+)"', page)]
    reach = max(0, *shares) - min(0, *shares)
    assert [100 * abs(one) / reach for one in shares] == pytest.approx(widths, abs=0.06)
    text = Page(page).text
    assert f"linked − reviewed {signed(found.paired.bias, 2)}" in text
    wanted = [words for words, _, _ in answer_words.effect_rows(made)]
    assert [] == [one for one in wanted if one not in text]


def cities(place: int, score: float, *verdicts: Verdict) -> dict[str, Any]:
    """Three cities, of which the context has Paris and Rome: the score in the file, a person's verdicts."""
    given = sample(f"s{place:02}", f"Paris, Rome and Oslo. {place}", "Paris and Rome.")
    said = dict(zip(("Paris", "Rome", "Oslo"), verdicts, strict=True))
    return {**given, "scores": {"context_entity_recall": score}, "gold": gold(said)}


def test_a_score_without_a_cause_of_a_hundredth_has_no_chart_of_causes(answered: Answered) -> None:
    given = [cities(place, 0.67, "found", "found", "missing") for place in range(12)]

    text = text_of(answered(given, scorer="context_entity_recall"))

    assert "All 12 samples are reviewed: the true mean is .67." in text
    assert "Why the score differs" not in text


def test_units_that_somebody_is_unsure_of_leave_a_range_and_no_95_percent(answered: Answered) -> None:
    third: tuple[Verdict, Verdict] = ("missing", "unsure")
    given = [cities(place, 0.72, "found", "found", third[place % 2]) for place in range(20)]

    text = text_of(answered(given, scorer="context_entity_recall"))

    assert "20 samples: 20 settled (10 with unsure units). The true mean is between .67 and .83." in text
    assert "true mean, a range .67 to .83" in text
    assert "The line is what it can be: .67 to .83." in text
    assert "here .67 to .83" not in text


def test_the_chart_of_samples_counts_those_outside_the_estimate_too(answered: Answered) -> None:
    given = [cities(place, 0.33, "found", "found", "missing") for place in range(12)]
    made, found = answered(given, scorer="context_entity_recall")
    inside, outside = text_of((made, found)), text_of((replace(made, compared=8), found))

    assert "also those outside the estimate" not in inside
    assert "All 12 reviewed samples, also those outside the estimate: 12 samples scored too low" in outside
    assert "not shown" not in outside
    assert "Found by the reviewer, who chose no evidence: Paris Rome" in inside


def evident(place: int) -> dict[str, Any]:
    """As `row`, with a column that is always too low; the gold says where the context has Strauss."""
    made = {**row(place), "scores": {"context_entity_recall": 0.25}}
    made["gold"]["entities"][0]["evidence"] = [{"context": 0, "start": 0, "end": 12}]
    return made


def test_overlapping_units_and_a_long_reference_break_nothing(answered: Answered) -> None:
    made, found = answered(rows(12))
    first: Marks = ((Span(4, 10), "found"), (Span(0, 5), "missing"))
    marks: Marks = (*first, (Span(1, 3), "found"), (Span(4000, 4005), "found"))
    worst = replace(made.worst[0], reference="abcdefghij" * 500, marks=marks)

    page = page_of((replace(made, worst=(worst,)), found))

    shown = Page(page.split("<blockquote>")[1].split("</blockquote>")[0])
    assert [] == shown.open
    assert "abcde○" + ("abcdefghij" * 500)[5:LONGEST] + "…" == "".join(shown.words)


def test_without_text_no_word_of_any_sample_is_in_the_page(answered: Answered) -> None:
    given = rows(24, verified=5, scores={"context_entity_recall": 0.0})
    made, found = answered(given, scorer="context_entity_recall")
    names = ("user_input", "reference", "retrieved_contexts")
    said = [(*(one[name] for name in names), one["proposal"]["context_entities"]) for one in given]
    texts = set(re.findall(r"\w{4,}", json.dumps(said)))

    page, with_text = (text_of((made, found), text=text) for text in (False, True))

    assert made.worst
    assert made.triage.shown
    assert {"question", "Strauss", "Johan", "Petersberg"} <= set(re.findall(r"\w+", with_text)) & texts
    assert set() == set(re.findall(r"\w+", page)) & texts
    assert f"{made.worst[0].id} yours .00, reviewed" in page
    assert f"{made.triage.shown[0].id} {answer_words.reason(made.triage.shown[0].suspicion, made)}" in page


def test_suspicions_stand_where_nothing_is_verified_yet(answered: Answered) -> None:
    given = rows(24, verified=0, scores={"context_entity_recall": 0.0, "context_recall": 0.5})
    made, found = answered(given, scorer="context_entity_recall")
    whats = get_args(get_type_hints(Step)["what"])
    steps = tuple(Step(what, samples=2, scorer="linked", order="o", sure=False) for what in whats)

    page = page_of((replace(made, steps=steps, reviews=("statement",), withheld=2), found), reviewers=[])
    text = Page(page).text

    assert "Reviewers nobody yet" in text
    assert "shown (2 more wait for a review without suggestions)" in text
    assert "Check these first question" in text
    assert "The text says: Rome , context 1:" in text
    assert "The samples with the largest effect" not in text
    assert "Another recall column is <bdi>context_recall</bdi>." in page
    assert "Settle 2 samples on which reviewers differ." in text
    assert [] == re.findall("workbench|--scorer", text)  # the reader has none


def test_the_page_of_a_calibrated_dataset_names_no_command(run: Run) -> None:
    write_rows("data.jsonl", rows(12))
    for begin in "import data.jsonl --gold --blind 0", "calibrate --save may":
        assert 0 == run(*begin.split()).code
    for setting, said in (
        ("score --match-threshold 76 --save", "it is set by hand: these samples chose it"),
        ("calibrate --use may", "Calibration may saw the verified units of 12 samples"),
    ):
        assert 0 == run(*setting.split()).code
        assert 0 == run("compare", "--scorer", "linked", "--html", f"{setting}.html").code
        text = Page(Path(f"{setting}.html").read_text("utf-8")).text
        assert (True, False) == (said in text, "workbench " in text), setting


GOLDEN = [evident(place) for place in range(12)]


def test_the_page_is_the_golden_one_byte_for_byte(answered: Answered, tmp_path: Path) -> None:
    path = tmp_path / "golden_report.html"

    found = answered(GOLDEN, scorer="context_entity_recall")
    write_whole(path, report(*found, reviewers=["gina", "ann"], day=DAY))

    golden = Path(__file__).with_name(path.name)
    assert golden.read_bytes() == path.read_bytes(), f"look at {path}; if it is right, copy it to {golden}"


def test_the_wheel_has_the_template_and_its_style(tmp_path: Path) -> None:
    call = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(tmp_path)]
    subprocess.run(call, cwd=ROOT, check=True, capture_output=True)

    names = set(zipfile.ZipFile(next(tmp_path.glob("*.whl"))).namelist())

    assert {f"workbench/formats/report/{name}" for name in ("report.html", "style.css")} <= names
