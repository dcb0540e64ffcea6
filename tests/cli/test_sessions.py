"""The sessions of the text files beside this: tests/sessions.py says how they are written."""

from tests.sessions import replayed

test_a_session_goes_as_it_is_told = replayed(__file__)
