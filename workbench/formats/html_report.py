"""The figures of a dataset as one page to send to a colleague: no scripts, nothing from elsewhere, no text.

Ids, labels and names of a dataset are hostile: they are made visible (`clean`), escaped, and isolated so
that their direction does not turn what stands beside them. Equal figures give equal bytes.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape
from pathlib import Path

from workbench.comparing import words
from workbench.comparing.bins import bins
from workbench.comparing.figures import Figures, Row
from workbench.comparing.totals import CauseTotal
from workbench.comparing.words import FEWEST, Fact, number, signed
from workbench.formats.aside import write_whole
from workbench.formats.html_pictures import cause_bars, histogram, scatter
from workbench.text.safe import clean

LISTED = 200
"""Samples that the page lists, those with the largest differences."""

STYLE = """
:root { --paper: #fbfaf8; --ink: #24272d; --dim: #5b6270; --rule: #d9d5cd; --accent: #1b6489;
  --good: #35702f; --warn: #8a5a00; }
@media (prefers-color-scheme: dark) { :root { --paper: #14161b; --ink: #d6dae1; --dim: #97a0b0;
  --rule: #343a45; --accent: #7fb2d6; --good: #8fbf83; --warn: #e2b36b; } }
@media print { :root { --paper: #fff; --ink: #000; --dim: #444; --rule: #bbb; --accent: #1b6489;
  --good: #35702f; --warn: #8a5a00; } h2 { break-after: avoid; } svg, tr { break-inside: avoid; } }
* { box-sizing: border-box; }
body { margin: 0 auto; padding: 2rem 1.2rem 4rem; max-width: 60rem; background: var(--paper);
  color: var(--ink); font: 15px/1.5 system-ui, -apple-system, "Segoe UI", Roboto, sans-serif; }
h1 { font-size: 1.5rem; margin: 0; }
h2 { font-size: 1.1rem; margin: 2.4rem 0 .6rem; padding-top: .6rem; border-top: 1px solid var(--rule); }
h3 { font-size: 1rem; margin: 1.2rem 0 .3rem; }
p { margin: .4rem 0; } .dim, td.note, caption { color: var(--dim); }
p.headline { font-size: 1.2rem; color: var(--accent); margin: .2rem 0 0; }
.wide { overflow-x: auto; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; }
th, td { text-align: left; padding: .15rem 1.2rem .15rem 0; vertical-align: top; font-weight: normal; }
thead th { color: var(--dim); white-space: nowrap; border-bottom: 1px solid var(--rule); }
td.n, th.n { text-align: right; } td.value { font-weight: 600; white-space: nowrap; }
tr.main td.value { color: var(--accent); font-size: 1.15em; }
ul { margin: .6rem 0; padding-left: 1.2rem; } .beside { display: flex; flex-wrap: wrap; gap: 1rem 2.5rem; }
svg { max-width: 100%; height: auto; } svg text { fill: var(--dim); font-size: 12px; }
svg text.strong { fill: var(--ink); } svg .frame { fill: none; stroke: var(--rule); }
svg .grid { stroke: var(--rule); stroke-width: .5; } svg .axis { stroke: var(--dim); }
svg .identity { stroke: var(--dim); stroke-dasharray: 4 4; }
svg .dot { fill: var(--accent); fill-opacity: .55; stroke: var(--accent); stroke-width: .5; }
svg .bar { fill: var(--accent); fill-opacity: .75; } svg .equal { fill: var(--good); }
svg .cause { fill: var(--warn); } svg .bias { stroke: var(--warn); stroke-width: 2; }
"""

POLICY = "default-src 'none'; style-src 'unsafe-inline'"
"""Nothing may be loaded or run, whatever got into the page."""


def write_report(path: Path, found: Figures, *, force: bool = False) -> None:
    """Write the page, whole or not at all.

    Raises ExportError when something stands there (unless `force`), a database, or the disk refuses.
    """
    write_whole(path, report(found), force=force)


def report(found: Figures) -> str:
    """The whole page."""
    title = safe(f"Compare · {found.dataset}")
    parts = (_head, _estimate, _why, _paired, _units, _cuts, _rest)
    body = "\n".join(line for part in parts for line in part(found))
    return (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{POLICY}">\n'
        '<meta name="color-scheme" content="light dark">\n'
        f"<title>{title}</title>\n<style>{STYLE}</style>\n</head>\n<body>\n{body}\n</body>\n</html>\n"
    )


def safe(text: str) -> str:
    """Text of a dataset or of ours as it may stand in the page, on one line."""
    return escape(clean(text).replace("\n", " ").replace("\t", " "), quote=True)


def own(text: str) -> str:
    """A name that the dataset gave, isolated from the direction of what surrounds it."""
    return f"<bdi>{safe(text)}</bdi>"


def _head(found: Figures) -> list[str]:
    run = f"run {own(found.run)}" if found.run else "no run"
    fitted = f" (calibration {own(found.calibration)})" if found.calibration else ""
    kind = "entities" if found.kind == "entity" else "statements"
    verified = words.headline(words.verified_samples(found.counts), found.counts.total)
    set_up = f"{own(found.scorer)} over {kind} · {run} · match threshold {found.threshold}{fitted}"
    return [
        f"<h1>{own(found.dataset)}: automatic against verified</h1>",
        f'<p class="headline">{safe(verified)}</p>',
        f'<p class="dim">{set_up}</p>',
    ]


def _estimate(found: Figures) -> list[str]:
    facts = words.estimate_facts(found.estimate, assisted=found.assisted)
    strong = words.estimate_label(found.estimate)
    if found.estimate.refusal:
        facts += words.same_facts(found.rows, found.paired)
        strong = "bias"
    notes = [
        *words.estimate_notes(found.estimate, assisted=found.assisted),
        *(words.paired_notes(found.paired) if found.estimate.refusal else []),
        *found.notes,
        *words.reproducible_lines(found.reproducible),
        *words.count_lines(found.counts),
    ]
    return ["<h2>The truth for all samples</h2>", fact_table(facts, strong=strong), bullets(notes)]


def _why(found: Figures) -> list[str]:
    lines = ["<h2>Why they differ</h2>"]
    if not found.causes:
        return [*lines, *(f"<p>{safe(line)}</p>" for line in words.no_cause_lines(found))]
    lines.append(_net(found))
    if found.causes[0].n >= FEWEST:
        lines.append(f'<div class="wide">{cause_bars(found.causes)}</div>')
    lines.append(cause_table(found.causes))
    return lines


def _cuts(found: Figures) -> list[str]:
    lines = []
    for name, cut in (("label", found.by_label), ("language", found.by_language)):
        if cut:
            lines += [f"<h2>Causes by {name}</h2>", _cut_table(name, cut)]
    return lines


def _net(found: Figures) -> str:
    n = found.causes[0].n
    if n < FEWEST:
        return f"<p>{safe(words.many(n, 'sample'))}, fewer than {FEWEST}: counts only.</p>"
    bias = signed(found.paired.bias)
    return f"<p>Net shares of each cause; over all causes they add up to the bias {bias} (n = {n:,}).</p>"


def cause_table(totals: Sequence[CauseTotal]) -> str:
    """Causes with net share, gross shares, units, samples and finer parts."""
    rows = [
        (
            safe(one.cause), words.cause_share(one), _gross(one, above=True), _gross(one, above=False),
            f"{one.units:,}", f"{one.samples:,}", safe(words.cause_parts(one)),
        )
        for one in totals
    ]  # fmt: skip
    return table(
        ("cause", "net share", "raised", "lowered", "units", "samples", "of these"), rows, texts=(0, 6)
    )


def _gross(one: CauseTotal, *, above: bool) -> str:
    return signed(one.raised if above else one.lowered) if one.n >= FEWEST else words.UNDEFINED


def _cut_table(name: str, cut: Mapping[str, Sequence[CauseTotal]]) -> str:
    every = sorted(
        ((key, one) for key, totals in cut.items() for one in totals),
        key=lambda one: (-abs(one[1].share), one[0]),
    )
    rows = [
        (own(key), safe(one.cause), words.cause_share(one), f"{one.units:,}", f"{one.samples:,}")
        for key, one in every
    ]
    return table((name, "cause", "net share", "units", "samples"), rows, texts=(0, 1))


def _paired(found: Figures) -> list[str]:
    if not found.paired.n:
        return []
    counted = [
        ("equal" if one.equal else f"{signed(one.low, 1)} to {signed(one.high, 1)}", f"{len(one.samples):,}")
        for one in bins(found.rows)
    ]
    facts = fact_table(words.paired_facts(found.paired))
    picture = f'<div class="wide">{histogram(found.rows, found.paired.bias)}</div>'
    return [
        f"<h2>{words.many(found.paired.n, 'sample')}, automatic and verified</h2>",
        '<p class="dim">Δ = automatic − verified. A circle is the samples at one place; on the dashed line '
        "both agree.</p>",
        f'<div class="beside">{scatter(found.rows)}<div>{facts}</div></div>',
        "<h3>Differences</h3>",
        f'<div class="beside">{picture}<div>{table(("Δ", "samples"), counted, texts=(0,))}</div></div>',
    ]


def _units(found: Figures) -> list[str]:
    lines = []
    if found.verdicts.n:
        lines += ["<h2>Verdicts on units that both have</h2>", _crossed(found)]
        lines.append(fact_table(words.verdict_facts(found.verdicts, found.chance)))
    if found.labels:
        lines += ["<h2>Units</h2>", fact_table(words.unit_facts(found.units, found.strict))]
        rows = [(own(name), *map(safe, cells)) for name, *cells in words.label_rows(found.labels)]
        lines += ["<h3>By label</h3>", table(words.LABEL_HEAD, rows, texts=(0,))]
    return lines


def _crossed(found: Figures) -> str:
    one = found.verdicts
    rows = [
        ("found by the person", f"{one.both_found:,}", f"{one.only_human:,}"),
        ("missing for the person", f"{one.only_machine:,}", f"{one.both_missing:,}"),
    ]
    return table(("", "found by the machine", "missing for the machine"), rows, texts=(0,))


def _rest(found: Figures) -> list[str]:
    lines = []
    arms = found.arms
    if arms.blind.n or arms.assisted.n:
        facts = words.arms_facts(arms, found.paired, found.without_fast, found.counts.fast)
        lines += ["<h2>How they were reviewed</h2>", fact_table(facts)]
    if any(one.n for one in found.beside):
        lines += ["<h2>All scorers, over the samples verified in their kind</h2>", _beside(found)]
    if not found.rows:
        return lines
    rows = sorted(found.rows, key=_largest)
    more = f", the {LISTED} with the largest differences" if len(rows) > LISTED else ""
    return [
        *lines,
        f'<h2>Samples</h2><p class="dim">{len(rows):,} verified{more}.</p>',
        _samples(rows[:LISTED]),
    ]


def _beside(found: Figures) -> str:
    few = words.UNDEFINED
    rows = [
        (
            own(one.scorer), f"{one.n:,}", f"{one.undefined:,}",
            *((number(one.automatic), number(one.verified), signed(one.delta), number(one.mae))
              if one.n >= FEWEST else [few] * 4),
            f"{one.equal:,}",
        )
        for one in found.beside
        if one.n
    ]  # fmt: skip
    head = ("scorer", "n", "undefined", "automatic", "verified", "Δ", "|Δ|", "equal")
    return table(head, rows, texts=(0,))


def _samples(rows: Sequence[Row]) -> str:
    cells = [
        (own(row.id), number(row.automatic), number(row.verified), signed(row.delta), safe(row.cause))
        for row in rows
    ]
    return table(("sample", "automatic", "verified", "Δ", "main cause"), cells, texts=(0, 4))


def _largest(row: Row) -> tuple[bool, float, str]:
    return row.delta is None, -abs(row.delta or 0.0), row.id


# Parts of a page.


def fact_table(facts: Sequence[Fact], *, strong: str = "") -> str:
    """Facts as rows: name, value, note."""
    rows = "".join(_fact(fact, main=fact.name == strong) for fact in facts)
    return f'<div class="wide"><table><tbody>{rows}</tbody></table></div>'


def _fact(fact: Fact, *, main: bool) -> str:
    note = own(fact.note) if fact.note else ""
    cells = f'<td>{safe(fact.name)}</td><td class="value">{safe(fact.value)}</td><td class="note">{note}</td>'
    return f'<tr class="main">{cells}</tr>' if main else f"<tr>{cells}</tr>"


def table(head: Sequence[str], rows: Sequence[Sequence[str]], *, texts: Sequence[int]) -> str:
    """A table of cells that are safe already; columns that are not `texts` are numbers."""

    def cell(tag: str, place: int, text: str) -> str:
        return f"<{tag}>{text}</{tag}>" if place in texts else f'<{tag} class="n">{text}</{tag}>'

    top = "".join(cell("th", place, safe(text)) for place, text in enumerate(head))
    lines = "".join(
        f"<tr>{''.join(cell('td', place, text) for place, text in enumerate(row))}</tr>" for row in rows
    )
    return f'<div class="wide"><table><thead><tr>{top}</tr></thead><tbody>{lines}</tbody></table></div>'


def bullets(lines: Sequence[str]) -> str:
    """Sentences as a list."""
    return f"<ul>{''.join(f'<li>{safe(line)}</li>' for line in lines)}</ul>" if lines else ""
