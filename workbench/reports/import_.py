"""What the command `import` says: what became of a file's rows, or what would."""

from __future__ import annotations

from typing import TYPE_CHECKING

from workbench.text.figures import many
from workbench.text.safe import clean

if TYPE_CHECKING:
    from workbench.stages.import_ import ImportReport


def import_text(report: ImportReport) -> str:
    """What became of a file's rows, or what would."""
    conflicts = f", {report.conflicts:,} of them in conflict" if report.dry and report.conflicts else ""
    end = "nothing was written" if report.dry else f"{many(report.n_samples, 'sample')} now"
    width = min(max(map(len, report.becomes), default=0), 40)
    warned = 1 if report.without_contexts else 0  # that there are no contexts stands in front of all
    lines = [f"{report.path} → {report.dataset}: {_counts(report)}{conflicts}; {end}"]
    lines += [f"  {line}" for line in (*report.notes[:warned], f"format: {report.format}")]
    lines += [f"  {name.ljust(width)}  {what}" for name, what in report.becomes.items()]
    lines += [f"  {line}" for line in report.notes[warned:]]
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
            f"  {number} of purged samples: only ids and reasons were put aside, the text is still in "
            f"{report.path}: delete it yourself"
        )
    if report.rejected and not report.rejected_path and not report.dry:
        lines.append("  rejected rows could be put aside nowhere: no folder could be written")
    elif report.rejected > report.purged and not report.dry:
        then = f", then\n  {report.again}" if report.again else f" and import that file into {report.dataset}"
        lines.append(f"  rejected rows are in {report.rejected_path}; fix them there{then}")
    return clean("\n".join(lines))


def _counts(report: ImportReport) -> str:
    """How many rows are new, unchanged, …; what is none is left out."""
    named = (
        ("new", report.new),
        ("unchanged", report.unchanged),
        ("extended", report.extended),
        ("updated", report.updated),
        ("rejected", report.rejected),
    )
    return ", ".join(f"{number:,} {name}" for name, number in named if number or name == "new")
