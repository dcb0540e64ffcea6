"""`score --threshold` for CI: a JUnit file that readers of the two common schemas take, and Markdown."""

import re
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

from tests.lists import from_cases
from tests.rows import sample, write_rows

HOSTILE = 'a"<b>&]]> `x` | \x1b[31m\u202e\ufffe @team <!--\n# end'


def loaded(run: Any, *rows: dict[str, Any], propose: bool = True) -> None:
    """Rows in a database; without any these two, the first of which has a name that is hostile."""
    hostile = sample(HOSTILE, "Gustave Eiffel lived in Paris.", "Paris is large.", user_input="?")
    usual = hostile, sample("full", "Paris.", "Paris.", user_input="?")
    assert 0 == run("import", write_rows("rows.jsonl", rows or usual)).code
    assert not propose or 0 == run("propose").code


def checked(path: Path) -> ElementTree.Element:
    """The suite of a file. It has what the schema of Ant's reports asks for, in its order and its types."""
    suite = ElementTree.fromstring(path.read_bytes())
    cases = suite.findall("testcase")

    assert "testsuite" == suite.tag
    assert {"name", "tests", "failures", "errors", "skipped", "time", "timestamp", "hostname"} == set(
        suite.attrib
    )
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d", suite.attrib["timestamp"])
    assert ["properties", *["testcase"] * len(cases), "system-out", "system-err"] == [
        one.tag for one in suite
    ]
    assert str(len(cases)) == suite.attrib["tests"]
    assert str(len(suite.findall("testcase/failure"))) == suite.attrib["failures"]
    assert str(len(suite.findall("testcase/skipped"))) == suite.attrib["skipped"]
    for case in cases:
        assert {"name", "classname", "time"} == set(case.attrib)
        assert len(case) <= 1
    for failure in suite.findall("testcase/failure"):
        assert {"message", "type"} == set(failure.attrib)
    return suite


def test_strict_lists_every_sample_that_is_not_perfect(run: Any, tmp_path: Path) -> None:
    loaded(run)
    ended = run("score", "--strict", "--junit", "junit.xml")
    gate, complete, sample = checked(tmp_path / "junit.xml").findall("testcase")

    assert 1 == ended.code
    assert ("every sample is perfect", 1) == (gate.attrib["name"], len(gate))
    assert ("every sample has a value", 0) == (complete.attrib["name"], len(complete))
    assert 'a"<b>&]]> `x` | ␛[31m\ufffd\ufffd @team <!-- # end' == sample.attrib["name"]
    assert [
        "failed: name matching (linked): 1 of 2 samples are perfect (0 undefined)",
        f"  not perfect: {sample.attrib['name']}",
    ] == [line.replace("\ufffe", "\ufffd") for line in ended.out.splitlines()]


def test_strict_tells_a_sample_without_a_value_from_one_that_is_not_perfect(run: Any, tmp_path: Path) -> None:
    loaded(run, sample("full", "Paris.", "Paris.", user_input="?"))
    run(
        "import",
        write_rows("late.jsonl", [sample("late", "Oslo.", "Oslo.", user_input="?")]),
        "--dataset",
        "rows",
    )

    assert 1 == run("score", "--strict", "--junit", "junit.xml").code
    told = {case.attrib["name"]: len(case) for case in checked(tmp_path / "junit.xml").findall("testcase")}
    assert {"every sample is perfect": 0, "every sample has a value": 1} == told


def test_hostile_names_end_no_element_and_no_code_span(run: Any, tmp_path: Path) -> None:
    loaded(run)
    printed = run("score", "--threshold", "0.9", "--format", "markdown").out
    title, blank, *items = printed.splitlines()

    assert title.startswith("**failed: name matching (linked) mean .7500 over 2 samples")
    assert "" == blank
    assert ['- below .9000: ``a"<b>&]]> `x` | ␛[31m\ufffd\ufffe @team <!-- # end``'] == items
    assert "\x1b" not in printed


def scored(key: str, reference: str, recall: float | None, **more: Any) -> dict[str, Any]:
    return sample(key, reference, "Paris is large.", context_entity_recall=recall, user_input=key, **more)


@from_cases
def test_a_perfect_score_of_ragas_is_perfect_and_no_mean_belies_the_verdict(
    run: Any, tmp_path: Path, recall: float, options: tuple[str, ...], told: str
) -> None:
    loaded(run, scored("a", "Paris.", recall), scored("b", "Oslo.", recall), propose=False)
    ended = run("score", "--metric", "context_entity_recall", *options, "--junit", "gate.xml")

    said = told.format("context_entity_recall")
    assert (said.startswith("failed"), said) == (ended.code == 1, ended.out[: len(said)])
    assert ("<failure" in (tmp_path / "gate.xml").read_text()) == said.startswith("failed")
