"""Vector pictures for the report, inline in the page: colours come from its style sheet, numbers from us."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from html import escape
from math import sqrt

from workbench.comparing.bins import bins
from workbench.comparing.figures import Row
from workbench.comparing.totals import CauseTotal
from workbench.comparing.words import cause_gross, many, number, signed

PLAIN = {
    "frame": 'fill="none" stroke="#999"',
    "grid": 'stroke="#ccc" stroke-width=".5"',
    "axis": 'stroke="#777"',
    "identity": 'stroke="#777" stroke-dasharray="4 4"',
    "bias": 'stroke="#8a5a00" stroke-width="2"',
    "dot": 'fill="#1b6489" fill-opacity=".55"',
    "bar": 'fill="#1b6489" fill-opacity=".75"',
    "equal": 'fill="#35702f"',
    "cause": 'fill="#8a5a00"',
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


def histogram(rows: Sequence[Row], bias: float | None) -> str:
    """How many samples have which difference; equal ones are a narrow bar of their own at 0."""
    found = bins(rows)
    if not found:
        return ""
    wide, high = 620, 240
    width, height = wide - LEFT - RIGHT, high - ABOVE - BELOW
    most = max(len(one.samples) for one in found)
    far = max(0.3, *(max(abs(one.low), abs(one.high)) for one in found))

    def x(value: float) -> float:
        return LEFT + (value + far) / (2 * far) * width

    def y(count: float) -> float:
        return ABOVE + (1 - count / most) * height

    parts = [_frame(LEFT, ABOVE, width, height)]
    for one in sorted(found, key=lambda one: one.equal):
        low, end = (x(0) - 4, x(0) + 4) if one.equal else (x(one.low) + 1, x(one.high) - 1)
        what = "equal" if one.equal else f"{signed(one.low, 1)} to {signed(one.high, 1)}"
        count = len(one.samples)
        parts.append(
            f'<rect {_kind("equal" if one.equal else "bar")} x="{low:.1f}" y="{y(count):.1f}" '
            f'width="{end - low:.1f}" height="{y(0) - y(count):.1f}"><title>{what}: {many(count, "sample")}'
            "</title></rect>"
        )
    steps = round(far * 10)
    apart = 2 if steps > 5 else 1
    tenths = range(-(steps // apart) * apart, steps + 1, apart)
    parts += [_text(x(tenth / 10), y(0) + 16, signed(tenth / 10, 1), "middle") for tenth in tenths]
    parts.append(_text(LEFT - 8, y(0) + 4, "0", "end") + _text(LEFT - 8, y(most) + 8, f"{most:,}", "end"))
    if bias is not None:
        parts.append(_line(x(bias), y(0), x(bias), y(most), "bias"))
        parts.append(_text(x(bias), y(0) + 32, f"bias {signed(bias)}", "middle"))
    return _svg(wide, high, "Differences automatic − verified, counted", parts)


def cause_bars(totals: Sequence[CauseTotal]) -> str:
    """Net shares as bars to the left (automatic too low) and to the right, with their numbers."""
    wide, step, middle, reach = 780, 26, 320, 130
    most = max((abs(float(one.share)) for one in totals), default=0.0) or 1.0
    parts = [_line(middle, 4, middle, 8 + step * len(totals), "axis")]
    for place, one in enumerate(totals):
        share, top = float(one.share), 8 + place * step
        size = max(1.0, abs(share) / most * reach) if share else 0.0
        left = middle - size if share < 0 else middle
        parts.append(_text(120, top + 14, one.cause, "end", strong=True))
        parts.append(_text(180, top + 14, signed(share), "end"))
        parts.append(
            f'<rect {_kind("cause")} x="{left:.1f}" y="{top + 2}" width="{size:.1f}" height="{step - 8}"/>'
        )
        parts.append(_text(middle + reach + 16, top + 14, cause_gross(one), "start"))
    return _svg(wide, 14 + step * len(totals), "Net shares of the causes in the bias", parts)


def _svg(width: int, height: int, title: str, parts: Sequence[str]) -> str:
    return (
        f'<svg viewBox="0 0 {width} {height}" width="{width}" role="img" aria-label="{escape(title)}">'
        f"<title>{escape(title)}</title>{''.join(parts)}</svg>"
    )


def _kind(name: str) -> str:
    return f'class="{name}" {PLAIN[name]}'


def _frame(x: float, y: float, width: float, height: float) -> str:
    return f'<rect {_kind("frame")} x="{x}" y="{y}" width="{width}" height="{height}"/>'


def _line(x1: float, y1: float, x2: float, y2: float, kind: str) -> str:
    return f'<line {_kind(kind)} x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}"/>'


def _text(x: float, y: float, text: str, anchor: str, *, turned: bool = False, strong: bool = False) -> str:
    turn = f' transform="rotate(-90 {x:.1f} {y:.1f})"' if turned else ""
    kind = ' class="strong"' if strong else ""
    place = f'x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" font-size="12"'
    return f"<text {place}{turn}{kind}>{escape(text)}</text>"
