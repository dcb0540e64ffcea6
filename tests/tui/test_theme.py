"""The themes can be read: contrast by the formula of WCAG 2."""

from __future__ import annotations

import pytest
from textual.color import Color
from textual.theme import Theme

from workbench.tui.theme import DARK, LIGHT


def ratio(one: str, other: str) -> float:
    """The contrast ratio of two opaque colours, 1 to 21."""

    def luminance(color: Color) -> float:
        parts = [c / 255 for c in (color.r, color.g, color.b)]
        linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in parts]
        return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]

    light, dark = sorted((luminance(Color.parse(one)), luminance(Color.parse(other))), reverse=True)
    return (light + 0.05) / (dark + 0.05)


def mixed(color: str, over: str, share: float) -> str:
    """A colour laid over another one with an opacity."""
    return Color.parse(over).blend(Color.parse(color), share).hex


@pytest.mark.parametrize("theme", [DARK, LIGHT], ids=lambda theme: theme.name)
def test_text_and_signals_can_be_read(theme: Theme) -> None:
    """Text 7:1, dimmed text, signals and marked text 4.5:1."""
    back, front, accent = theme.background or "", theme.foreground or "", theme.accent or ""
    assert ratio(front, back) >= 7
    assert ratio(front, theme.panel or "") >= 7
    assert ratio(mixed(front, back, 0.68), back) >= 4.5
    assert ratio(mixed(front, theme.panel or "", 0.68), theme.panel or "") >= 4.5
    for signal in (theme.success, theme.warning, theme.error, accent):
        assert ratio(signal or "", back) >= 4.5
    for signal, share in ((theme.success, 0.38), (theme.warning, 0.40), (accent, 0.36)):
        assert ratio(front, mixed(signal or "", back, share)) >= 4.5
    assert ratio(back, accent) >= 4.5
