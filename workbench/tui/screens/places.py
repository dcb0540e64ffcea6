"""Places in the texts: evidence of a unit, search in the reference and the contexts."""

from __future__ import annotations

from workbench.tui.screens.sample import SampleScreen


class PlacesScreen(SampleScreen):
    """Keys that go to places in the texts, and choose them as evidence."""
