"""What the command `import` says: what became of a file's rows, or what would."""

from __future__ import annotations

from typing import TYPE_CHECKING

from workbench.text.figures import many
from workbench.text.safe import clean

if TYPE_CHECKING:
    from workbench.stages.import_ import ImportReport
    from workbench.stages.import_preview import ImportPreview


def import_text(report: ImportReport) -> str:
    """What became of a file's rows."""
    counts = _counts(report, report.rejected)
    lines = [
        f"{report.path} → {report.dataset}: {counts}; {many(report.n_samples, 'sample')} now",
        *_notes(report, f"format: {report.format}"),
    ]
    if report.gold_reviews:
        reviews, units = many(report.gold_reviews, "review"), many(report.gold_units, "unit")
        lines.append(f"  {reviews} with {units} stored as verified")
    if report.gold_ignored:
        number = many(report.gold_ignored, "row has", "rows have")
        lines.append(f"  {number} verified units that were not imported; add --gold")
    if report.blind:
        number = many(report.blind, "sample is", "samples are")
        lines.append(f"  {number} to be reviewed without suggestions (change with --blind SHARE)")
    lines += [f"  {error}" for error in report.errors]
    if report.rejected > len(report.errors):
        lines.append(f"  … and {report.rejected - len(report.errors):,} more")
    if report.purged:
        number = many(report.purged, "row is", "rows are")
        lines.append(
            f"  {number} of purged samples: only ids and reasons were put aside, the text still stands in "
            f"{report.path}: delete it yourself"
        )
    if report.rejected and not report.rejected_path:
        lines.append("  rejected rows could be put aside nowhere: no folder could be written")
    elif report.rejected > report.purged:
        lines.append(
            f"  rejected rows are in {report.rejected_path}; fix them there and import that file "
            f"with --dataset {report.dataset}"
        )
    return clean("\n".join(lines))


def _notes(report: ImportReport | ImportPreview, *lines: str) -> list[str]:
    """The notes behind some lines; that there are no contexts stands in front of all."""
    warned = 1 if report.without_contexts else 0
    said = (*report.notes[:warned], *lines, *report.notes[warned:])
    return [f"  {line}" for line in said]


def _counts(report: ImportReport | ImportPreview, rejected: int) -> str:
    """How many rows were or would be new, unchanged, …; what is none is left out."""
    named = (
        ("new", report.new),
        ("unchanged", report.unchanged),
        ("extended", report.extended),
        ("updated", report.updated),
        ("rejected", rejected),
    )
    return ", ".join(f"{number:,} {name}" for name, number in named if number or name == "new")


def preview_text(preview: ImportPreview) -> str:
    """What an import would do: rows, columns and problems."""
    lines = [
        f"{preview.path}: format {preview.format}, {many(preview.rows, 'row')}: {preview.good:,} good, "
        f"{preview.bad:,} bad; nothing was written",
    ]
    conflicts = f", {preview.conflicts:,} of them in conflict" if preview.conflicts else ""
    width = max((len(name) for name in preview.columns), default=0)
    lines += _notes(
        preview,
        f"into the dataset {preview.dataset}: {many(preview.samples, 'sample')}, "
        f"{preview.proposals:,} with a proposal, {preview.gold:,} verified, {preview.scores:,} with scores",
        f"an import would count {_counts(preview, preview.bad)}{conflicts}",
        *(f"{name.ljust(min(width, 40))}  {said}" for name, said in preview.columns.items()),
    )
    if preview.gold and not preview.takes_gold:
        number = many(preview.gold, "row has", "rows have")
        lines.append(f"  {number} verified units: --gold stores them")
    lines += [f"  {error}" for error in preview.errors]
    if preview.bad > len(preview.errors):
        lines.append(f"  … and {preview.bad - len(preview.errors):,} more")
    return clean("\n".join(lines))
