"""The sessions of the text files beside this: tests/sessions.py says how they are written."""

from __future__ import annotations

import pytest

from tests.conftest import Run
from tests.sessions import on_each, replay, sessions

TOLD = sessions(__file__)


@pytest.mark.parametrize(("title", "on"), on_each(TOLD))
def test_a_session_goes_as_it_is_told(run: Run, request: pytest.FixtureRequest, title: str) -> None:
    replay(run, request.getfixturevalue, TOLD[title])
