"""The query language: what a person types, what it means, and what is said when it means nothing."""

from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given, strategies as st

from tests.lists import from_cases, told
from workbench.comparing.causes import CAUSES
from workbench.text import query as queries
from workbench.text.query import Mistake, Query, Term, apply, complete, parse, quoted, toggled

FACETS = {"state": [("todo", 30), ("verified", 20)], "label": [("date", 12), ("place name", 3)]}
FACETS["meta.topic"] = [("art", 7)]


def read(text: str) -> Query:
    query = parse(text)
    assert isinstance(query, Query), query
    return query


def said(text: str) -> Mistake:
    mistake = parse(text)
    assert isinstance(mistake, Mistake)
    return mistake


@from_cases
def test_what_is_typed_becomes_terms(text: str, terms: list[tuple[Any, ...]]) -> None:
    assert [Term(*term) for term in terms] == list(read(text).terms)


@from_cases
def test_a_typed_bound_is_exact(text: str, field: str, negated: bool, sign: Any, number: str) -> None:
    assert (Term(field, (), negated, sign, Fraction(number)),) == read(text).terms


@pytest.mark.parametrize(
    ("text", "better"), [*told(__file__, "mistakes.txt", "(.*) → ?(.*)"), ("x" * (queries.LONGEST + 1), "")]
)
def test_a_mistake_says_where_it_is_and_what_may_have_been_meant(text: str, better: str) -> None:
    """The suggestion in the place of the mistake is a query."""
    mistake = said(text)

    assert 0 <= mistake.start < mistake.end <= len(text)
    assert mistake.message
    if better:
        mended = text[: mistake.start] + mistake.suggestion + text[mistake.end :]
        assert mended == better
        assert isinstance(parse(mended), Query)
        assert mistake.suggestion in str(mistake)
    else:
        assert mistake.suggestion == ""


@given(st.text() | st.text(alphabet=' \t"\\-:,<>=.az09stateisdelta'))
def test_no_text_makes_it_fail(text: str) -> None:
    """Nor does completing at any place of it, or putting a facet in."""
    found = parse(text)
    assert isinstance(found, Query | Mistake)
    for cursor in {0, len(text) // 2, len(text)}:
        for completion in complete(text, cursor, FACETS):
            assert 0 <= completion.start <= completion.end <= len(text)
    assert "state:todo" in toggled(text, "state", "todo") or "state:todo" in text


@given(st.text(min_size=1).filter(lambda text: isinstance(parse(f"label:{quoted(text)}"), Query)))
def test_a_value_survives_being_quoted(value: str) -> None:
    assert read(f"label:{quoted(value)} x").terms[0] == Term("label", (value,))


@from_cases
def test_numbers_are_compared_exactly(text: str, number: str, expected: bool) -> None:
    """A fifth is .2, whatever a float makes of it; two thirds are found as the .67 that is shown."""
    assert bool(read(text).terms[0].compares(Fraction(number))) is expected


@from_cases
def test_what_a_query_does_to_the_plan(text: str, hand_picked: bool, decided: bool) -> None:
    """Whatever looks at what is in a sample picks by hand; some queries bring decided samples only."""
    query = read(text)
    assert (query.hand_picked, query.decided) == (hand_picked, decided)


def shown(text: str, cursor: int | None = None) -> list[tuple[str, int | None]]:
    found = complete(text, len(text) if cursor is None else cursor, FACETS)
    return [(one.shown, one.samples) for one in found]


def test_fields_are_offered_for_the_beginning_of_a_word() -> None:
    assert [name for name, _ in shown("")][:3] == ["state:", "is:", "label:"]
    assert ("delta>", None) in shown("de")
    assert shown("rome me") == [("meta.topic:", None)]
    assert shown("fl") == [("flag:", None)]
    assert shown('"st') == []


def test_values_are_offered_with_their_counts() -> None:
    """Those that begin with what is typed first; states and marks always."""
    assert shown("state:") == [(name, dict(FACETS["state"]).get(name)) for name in queries.STATES]
    assert [name for name, _ in shown("is:")] == list(queries.MARKS)
    assert [name for name, _ in shown("cause:")] == [name for name in CAUSES if name != "rounding"]
    assert shown("label:") == [("date", 12), ("place name", 3)]
    assert shown("label:date,pl") == [("place name", 3)]
    assert shown("label:a") == [("date", 12), ("place name", 3)]
    assert shown('label:"date,') == []  # a comma in quotes parts no values
    assert shown("delta>") == []
    assert shown("lang:") == []


def take(text: str, cursor: int | None = None) -> tuple[str, int]:
    at = len(text) if cursor is None else cursor
    return apply(text, complete(text, at, FACETS)[0])


def test_a_taken_completion_leaves_the_cursor_where_one_types_on() -> None:
    assert take("rome st") == ("rome state:", 11)
    assert take("rome state:t") == ("rome state:todo ", 16)
    assert take("label:date,pl") == ('label:date,"place name" ', 24)
    assert take("label:d rome", 7) == ("label:date rome", 11)
    assert take("-is:fl") == ("-is:flagged ", 12)
    assert apply("ab", queries.Completion(1, 1, "x", "x")) == ("axb", 2)


@from_cases
def test_a_choice_is_put_into_the_query(text: str, choice: tuple[str, str], expected: str) -> None:
    """Another value of the field makes way, the same one is taken out again."""
    assert toggled(text, *choice) == expected
    assert isinstance(parse(expected), Query)


def test_every_field_is_explained() -> None:
    """Each is offered, and an empty one says what belongs there."""
    for field, meaning in queries.FIELDS.items():
        assert meaning
        offered: Any = [one.insert for one in complete(field, len(field), {})]
        assert {f"{field}:", f"{field}>"} & set(offered)
