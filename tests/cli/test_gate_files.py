"""`score --threshold` for CI: a JUnit file that readers of the two common schemas take, and Markdown."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from tests.rows import sample, write_rows

HOSTILE = 'a"<b>&]]> `x` | \x1b[31m\u202e\ufffe @team <!--\n# end'


def loaded(run: Any, tmp_path: Path, *more: dict[str, Any]) -> None:
    hostile = sample(HOSTILE, "Gustave Eiffel lived in Paris.", "Paris is large.", user_input="?")
    rows = [hostile, sample("full", "Paris.", "Paris.", user_input="?"), *more]
    assert 0 == run("import", write_rows(tmp_path / "rows.jsonl", rows)).code
    assert 0 == run("propose").code


def checked(path: Path) -> ElementTree.Element:
    """The suite of a file. It has what the schema of Ant's reports asks for, in its order and its types."""
    suite = ElementTree.fromstring(path.read_bytes())
    cases = suite.findall("testcase")

    assert "testsuite" == suite.tag
    assert {"name", "tests", "failures", "errors", "time", "timestamp", "hostname"} == set(suite.attrib)
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d", suite.attrib["timestamp"])
    assert ["properties", *["testcase"] * len(cases), "system-out", "system-err"] == [
        one.tag for one in suite
    ]
    assert str(len(cases)) == suite.attrib["tests"]
    assert str(len(suite.findall("testcase/failure"))) == suite.attrib["failures"]
    for case in cases:
        assert {"name", "classname", "time"} == set(case.attrib)
        assert len(case) <= 1
    for failure in suite.findall("testcase/failure"):
        assert {"message", "type"} == set(failure.attrib)
    return suite


def test_a_gate_that_passes_is_one_test_that_passes(run: Any, tmp_path: Path) -> None:
    loaded(run, tmp_path)
    ended = run("score", "--threshold", "0.5", "--junit", "junit.xml")
    suite = checked(tmp_path / "junit.xml")

    assert 0 == ended.code
    assert [("the mean recall is at least 0.5", None)] == [
        (case.attrib["name"], case.find("failure")) for case in suite.findall("testcase")
    ]
    assert ("workbench.linked", ended.out.strip().splitlines()[0]) == (
        suite.attrib["name"], str(suite.findtext("system-out")).splitlines()[0]
    )  # fmt: skip


def test_a_gate_that_fails_says_why_and_ends_with_1(run: Any, tmp_path: Path) -> None:
    loaded(run, tmp_path)
    ended = run("score", "--threshold", "0.9", "--junit", "junit.xml")
    (case,) = checked(tmp_path / "junit.xml").findall("testcase")
    failure = case.find("failure")

    assert 1 == ended.code
    assert failure is not None
    assert failure.attrib["message"] == ended.out.splitlines()[0]
    assert failure.attrib["message"].startswith("failed: linked mean .7500 over 2 samples")


def test_strict_lists_every_sample_that_is_not_perfect(run: Any, tmp_path: Path) -> None:
    loaded(run, tmp_path)
    ended = run("score", "--strict", "--junit", "junit.xml")
    gate, sample = checked(tmp_path / "junit.xml").findall("testcase")

    assert 1 == ended.code
    assert "every sample is perfect" == gate.attrib["name"]
    assert 'a"<b>&]]> `x` | ␛[31m\ufffd\ufffd @team <!-- # end' == sample.attrib["name"]
    assert [
        "failed: linked: 1 of 2 samples are perfect (0 undefined)",
        f"  below: {sample.attrib['name']}",
    ] == [line.replace("\ufffe", "\ufffd") for line in ended.out.splitlines()]


def test_hostile_names_end_no_element_and_no_code_span(run: Any, tmp_path: Path) -> None:
    loaded(run, tmp_path)
    printed = run("score", "--threshold", "0.9", "--format", "markdown").out
    title, blank, *items = printed.splitlines()

    assert title.startswith("**failed: linked mean .7500 over 2 samples")
    assert "" == blank
    assert ['- below: ``a"<b>&]]> `x` | ␛[31m\ufffd\ufffe @team <!-- # end``'] == items
    assert "\x1b" not in printed


@pytest.mark.parametrize(
    ("options", "told"),
    [
        (("--junit", "junit.xml"), "--junit is for a pass mark"),
        (("--format", "markdown"), "--format is for a pass mark"),
        (("--threshold", "0.5", "--format", "html"), "unknown format 'html'"),
        (("--threshold", "0.5", "--format", "markdown", "--json"), "exclude each other"),
        (("--threshold", "0.5", "--junit", "none/junit.xml"), "--junit none/junit.xml: No such file"),
    ],
)
def test_what_cannot_be_written_is_refused(
    run: Any, tmp_path: Path, options: tuple[str, ...], told: str
) -> None:
    loaded(run, tmp_path)
    ended = run("score", *options)

    assert 2 == ended.code
    assert told in ended.err
    assert not (tmp_path / "junit.xml").exists()
