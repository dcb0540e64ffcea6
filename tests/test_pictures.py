"""README's pictures: what a viewer does with them."""

import re
from html import unescape
from pathlib import Path

import pytest
from rich.cells import cell_len

PICTURES = sorted(Path(__file__).parents[1].joinpath("docs", "pictures").glob("*.svg"))
TEXT = re.compile(r'textLength="([^"]*)"[^>]*>([^<\n]+)<')
CELL = 12.2


@pytest.mark.parametrize("path", PICTURES, ids=lambda path: path.stem)
def test_a_picture_gives_wide_characters_two_cells(path: Path) -> None:
    """A viewer squeezes a text into its length: by characters instead of cells, scripts overlap."""
    texts = TEXT.findall(path.read_text("utf-8"))

    assert texts
    for length, text in texts:
        assert cell_len(unescape(text)) * CELL == pytest.approx(float(length), rel=1e-4), text
