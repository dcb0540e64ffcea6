"""Units and entities as most are have a reading of their own, which is twice as fast and says the same."""

from __future__ import annotations

from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from workbench.errors import RowError
from workbench.formats import proposed, units
from workbench.formats.rows import Notes

REFERENCE = "Agra and Agra, \u00c4gra."
CONTEXTS = ["In Agra.", ""]

PLACE: st.SearchStrategy[Any] = st.sampled_from([0, 4, 9, 13, -1, 99, True, 1.0, "0", None])
EVIDENCE: st.SearchStrategy[Any] = st.fixed_dictionaries(
    {}, optional={"context": PLACE, "start": PLACE, "end": PLACE, "text": st.just("Agra")}
)
UNIT: st.SearchStrategy[Any] = st.fixed_dictionaries(
    {"text": st.sampled_from(["Agra"] * 4 + ["", " ", "Rome", 7, None])},
    optional={
        "id": st.sampled_from(["a", "", None, 0, 5]),
        "label": st.sampled_from(["place", "", None, 3]),
        "start": PLACE,
        "end": PLACE,
        "spans": st.just([]),
        "verdict": st.sampled_from(["found", "missing", "unsure", "no", None, ["found"]]),
        "reason": st.sampled_from(["absent", "other entity", "other_entity", "", None, 1, []]),
        "evidence": st.lists(EVIDENCE, max_size=2) | st.sampled_from([None, (), {}, "", 0]),
        "note": st.just("n"),
        "what": st.just(1),
    },
)
USUAL: st.SearchStrategy[Any] = st.sampled_from([("Agra", 0), ("Agra", 9), (" ", 4), ("", 4)]).flatmap(
    lambda at: st.fixed_dictionaries(
        {"text": st.just(at[0]), "start": st.just(at[1]), "end": st.just(at[1] + len(at[0]))},
        optional={
            "id": st.sampled_from(["a", ""]),
            "label": st.sampled_from(["place", ""]),
            "verdict": st.sampled_from(["found", "missing", "unsure"]),
            "reason": st.sampled_from(["absent", "other_entity", None]),
            "evidence": st.lists(
                st.sampled_from([{"context": 0, "start": 3, "end": 7}, {"context": 1, "start": 0, "end": 1}]),
                max_size=2,
            ),
        },
    )
)
ITEM: st.SearchStrategy[Any] = USUAL | UNIT | st.sampled_from(["Agra", None, 3, []])


@settings(max_examples=400, deadline=None)
@given(ITEM, st.sampled_from(["entity", "statement"]))
def test_a_usual_unit_is_what_the_careful_reading_makes_of_it(item: Any, kind: Any) -> None:
    """A unit that is refused, mended or noted is never a usual one."""
    found = units._usual(item, kind, "g1", REFERENCE, CONTEXTS)
    notes = Notes()
    try:
        careful = units._unit(item, kind, "g1", "gold", REFERENCE, CONTEXTS, notes)
    except RowError:
        careful = None

    assert found is None or (found == careful and notes == Notes())


@settings(max_examples=400, deadline=None)
@given(ITEM)
def test_a_usual_entity_is_what_the_careful_reading_makes_of_it(item: Any) -> None:
    found = proposed._usual(item, REFERENCE)
    notes = Notes()
    try:
        careful = proposed._entity(item, "proposal", REFERENCE, notes)
    except RowError:
        careful = None

    assert found is None or (found == careful and notes == Notes())


def test_what_we_export_is_read_the_short_way() -> None:
    """Found with its evidence, and missing with a reason and an empty list of evidence."""
    place = {"text": "Agra", "label": "place", "start": 0, "end": 4}
    evidence = [{"context": 0, "start": 3, "end": 7}]
    for more in (
        {"verdict": "found", "evidence": evidence},
        {"verdict": "missing", "reason": "absent", "evidence": []},
    ):
        assert units._usual({**place, **more}, "entity", "g1", REFERENCE, CONTEXTS) is not None
    assert proposed._usual(place, REFERENCE) is not None
    assert proposed._usual({"text": "Agra", "label": "place"}, REFERENCE) is not None
