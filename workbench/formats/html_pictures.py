"""The scatter picture of the report, inline in the page: colours from its style sheet, numbers from us."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from html import escape
from math import sqrt

from workbench.comparing.figures import Row
from workbench.text.figures import many, number

PLAIN = {
    "frame": 'fill="none" stroke="#999"',
    "grid": 'stroke="#ccc" stroke-width=".5"',
    "identity": 'stroke="#777" stroke-dasharray="4 4"',
    "dot": 'fill="#1b6489" fill-opacity=".55"',
}
"""How shapes look where the page's style sheet does not reach a picture, as in some print programs."""

SIDE = 420
"""Width and height of the scatter picture; its frame is `LEFT` in from the left and `BELOW` from below."""
LEFT, ABOVE, BELOW, RIGHT = 52, 14, 44, 18


def scatter(rows: Sequence[Row]) -> str:
    """Verified across, automatic up; a circle for the samples at one place, its area by how many."""
    places = Counter(
        (round(row.verified, 3), round(row.automatic, 3))
        for row in rows
        if row.verified is not None and row.automatic is not None
    )
    width, height = SIDE - LEFT - RIGHT, SIDE - ABOVE - BELOW
    most = max(places.values(), default=1)
    unit = min(4.0, 16 / sqrt(most))

    def x(value: float) -> float:
        return LEFT + value * width

    def y(value: float) -> float:
        return ABOVE + (1 - value) * height

    parts = [_frame(LEFT, ABOVE, width, height)]
    for tenth in range(0, 11, 2):
        value = tenth / 10
        parts.append(_line(x(value), y(0), x(value), y(1), "grid"))
        parts.append(_line(x(0), y(value), x(1), y(value), "grid"))
        parts.append(_text(x(value), y(0) + 16, number(value, 1), "middle"))
        parts.append(_text(x(0) - 8, y(value) + 4, number(value, 1), "end"))
    parts.append(_line(x(0), y(0), x(1), y(1), "identity"))
    for (across, up), count in sorted(places.items(), key=lambda one: (-one[1], one[0])):
        said = f"{many(count, 'sample')}: verified {number(across)}, automatic {number(up)}"
        parts.append(
            f'<circle {_kind("dot")} cx="{x(across):.1f}" cy="{y(up):.1f}" '
            f'r="{max(2.0, unit * sqrt(count)):.1f}">'
            f"<title>{said}</title></circle>"
        )
    parts.append(_text(x(0.5), SIDE - 8, "verified", "middle"))
    parts.append(_text(14, y(0.5), "automatic", "middle", turned=True))
    return _svg(SIDE, SIDE, "Automatic against verified values; both agree on the line", parts)


def _svg(width: int, height: int, title: str, parts: Sequence[str]) -> str:
    return (
        f'<svg class="scatter" viewBox="0 0 {width} {height}" width="{width}" role="img" '
        f'aria-label="{escape(title)}">'
        f"<title>{escape(title)}</title>{''.join(parts)}</svg>"
    )


def _kind(name: str) -> str:
    return f'class="{name}" {PLAIN[name]}'


def _frame(x: float, y: float, width: float, height: float) -> str:
    return f'<rect {_kind("frame")} x="{x}" y="{y}" width="{width}" height="{height}"/>'


def _line(x1: float, y1: float, x2: float, y2: float, kind: str) -> str:
    return f'<line {_kind(kind)} x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}"/>'


def _text(x: float, y: float, text: str, anchor: str, *, turned: bool = False) -> str:
    turn = f' transform="rotate(-90 {x:.1f} {y:.1f})"' if turned else ""
    place = f'x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" font-size="12"'
    return f"<text {place}{turn}>{escape(text)}</text>"
