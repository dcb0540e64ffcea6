"""Texts with marked spans: Prodigy, Label Studio, Argilla and doccano."""

from typing import Any

from hypothesis import given, settings, strategies as st

from tests.lists import from_cases
from workbench.formats.readers.annotated import Region, placed
from workbench.formats.rows import Notes


def test_utf16_units_that_are_known_decide_between_two_places_of_the_same_words() -> None:
    """Behind an emoji a mark of the first of two equal letters read as one of the second."""
    ((ours,), _) = placed("😀 aa", [Region(3, 4, "p", "a")], Notes(), in_units=True)
    ((foreign,), _) = placed("😀 aa", [Region(3, 4, "p", "a")], Notes())

    assert [(2, 3), (3, 4)] == [(one.start, one.end) for one in (ours, foreign)]


@from_cases
def test_a_place_is_moved_where_one_fits(text: str, start: int, end: int, words: Any, expected: Any) -> None:
    """Blanks at the edge, collapsed blanks, words that stand once."""
    notes = Notes()
    ((entity,), lost) = placed(text, [Region(start, end, "p", words)], notes)

    assert (entity.start, entity.end, lost) == (*expected, [])
    assert entity.text == text[slice(*expected)]
    assert (notes.seen["moved"], notes.seen["ungrounded"]) == (1, 0)


WORDS = st.lists(
    st.sampled_from(["Ann", "Боб", "😀", "מים", "e\u0301t", "👩‍🚀", "a", "日本"]), min_size=1, max_size=8
)


@settings(max_examples=150, deadline=None)
@given(WORDS, st.data())
def test_every_span_that_a_browser_counted_comes_back(words: list[str], data: st.DataObject) -> None:
    """With its words; whatever stands before it."""
    text = " ".join(words)
    regions, expected = [], []
    for index in data.draw(st.lists(st.integers(0, len(words) - 1), max_size=4, unique=True)):
        start = len(" ".join(words[:index])) + (index > 0)
        end = start + len(words[index])
        first, last = (len(text[:at].encode("utf-16-le")) // 2 for at in (start, end))
        regions.append(Region(first, last, "x", words[index]))
        expected.append((words[index], start, end))
    found, lost = placed(text, regions, Notes())

    assert lost == []
    ours, _ = placed(text, regions, Notes(), in_units=True)  # of a row that we exported the unit is known
    assert expected == [(entity.text, entity.start, entity.end) for entity in ours]
    for entity, (word, start, end) in zip(found, expected, strict=True):
        assert entity.text == word
        if text.count(word) == 1:
            assert (entity.start, entity.end) == (start, end)
        if entity.start is not None:
            assert text[entity.start : entity.end] == word


PLACE, QUOTED = st.integers(-3, 15), st.none() | st.text("ab 😀", max_size=4)
REGION = st.builds(Region, PLACE, PLACE, st.just("x"), QUOTED)


@settings(max_examples=200, deadline=None)
@given(st.text("ab 😀\n", max_size=12), st.lists(REGION, max_size=4))
def test_no_region_is_dropped_and_none_quotes_other_words(text: str, regions: list[Region]) -> None:
    """Each is placed, ungrounded or lost, and counted."""
    notes = Notes()
    found, lost = placed(text, regions, notes)

    assert len(found) + len(lost) == len(regions)
    assert notes.seen["ungrounded"] == sum(entity.start is None for entity in found) + len(lost)
    for entity in found:
        if entity.start is not None:
            assert text[entity.start : entity.end] == entity.text == entity.text.strip() != ""
