"""A policy as TOML: what is written is read back equal, and what is no policy is named."""

from typing import Any

import pytest
from hypothesis import given, strategies as st

from tests.lists import from_cases
from workbench.errors import InputError
from workbench.formats.policy import from_toml, to_toml
from workbench.model import Label, Policy
from workbench.text.safe import clean

TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)
NASTY = st.sampled_from(['"""', "\\", "\x1b[31m", "\r\n", "\u202e", "😀", "\x7f", "'", "#"])
names = st.lists(TEXT.filter(str.strip), min_size=1, max_size=9, unique=True)


@given(names, st.lists(NASTY | TEXT).map("".join), st.data())
def test_a_policy_that_is_written_is_read_back_equal(labels: list[str], guidelines: str, data: Any) -> None:
    policy = Policy(
        version=0,
        labels=tuple(Label(str(number), name) for number, name in enumerate(labels, start=1)),
        guidelines=guidelines,
        kinds=data.draw(st.sampled_from([("entity",), ("statement",), ("statement", "entity")])),
        counted_labels=tuple(data.draw(st.lists(st.sampled_from(labels), unique=True))),
        nested=data.draw(st.sampled_from(["missing", "found"])),
        partial=data.draw(st.sampled_from(["split", "missing"])),
        language=data.draw(st.sampled_from(["", "ru"])),
    )

    assert policy == from_toml(to_toml(policy))


@given(st.lists(NASTY | TEXT).map("".join))
def test_a_written_policy_steers_no_terminal(guidelines: str) -> None:
    text = to_toml(Policy(guidelines=guidelines))

    assert text == clean(text)


@from_cases
def test_what_is_no_policy_is_named(old: str, new: str, said: str) -> None:
    text = to_toml(Policy())
    assert old in text

    with pytest.raises(InputError, match=said):
        from_toml(text.replace(old, new, 1))
