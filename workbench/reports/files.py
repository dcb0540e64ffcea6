"""What import, export, verify, copy and purge print: counts, what was left out and why, what changed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from workbench.reports import page
from workbench.text.figures import and_more, many, told

if TYPE_CHECKING:
    from workbench.stages.export import ExportReport
    from workbench.stages.import_ import ImportReport
    from workbench.stages.upkeep import DoctorReport, PurgeReport, VerifyReport
    from workbench.store.copying import CopyReport


def export_text(report: ExportReport) -> str:
    """What an export holds."""
    lines = [
        f"{report.path}: {many(report.samples, 'sample')}, {report.proposals:,} with a proposal, "
        f"{report.gold:,} verified"
    ]
    width = max(map(len, report.rows), default=0)
    for name, rows in report.rows.items():
        left = report.left.get(name, {})
        why = "; ".join(f"{number:,} {reason}" for reason, number in sorted(left.items()))
        lines.append(f"  {name.ljust(width)}  {rows:>9,}" + (f"  left out: {why}" if why else ""))
    facts = {
        "splits: " + ", ".join(f"{name} {size:,}" for name, size in report.splits.items()): report.splits,
        f"{many(report.withheld, 'verified sample')} of the holdout left without verdicts; "
        "--holdout writes it, and counts as an opening": report.withheld,
        "the plan and its strata are not in it: where it is imported its reviews give no estimate "
        "(workbench copy takes the plan along)": report.unplanned,
        "the database may only be read, so a purge will not name this export: note yourself where it is": (
            report.unnoted
        ),
        f"manifest sha256 {report.manifest_sha256}": True,
    }
    return page([*lines, *told(facts)])


def verify_text(report: VerifyReport) -> str:
    """Whether an export is as it was written."""
    first = []
    if report.asked not in ("", report.path):
        first = [f"{report.asked}: its manifest is in {report.path}, all of which was checked"]
    if report.passed:
        files = many(report.files, "file has its hash", "files have their hashes")
        rows = many(report.checked, "row was", "rows were")
        looked = "the rows of these formats are not read again"
        if report.checked:
            looked = f"{rows} read" + (", and every span quotes its text" if report.text else "")
            if report.unread:
                looked += f"; the rows of {', '.join(report.unread)} are not read again"
        return page([*first, f"{report.path}: as it was exported; {files}; {looked}"])
    return page([*first, f"{report.path}: not as it was exported", *_found(report)])


def doctor_text(report: DoctorReport) -> str:
    """Whether the rows of a database fit together."""
    if not report.found:
        return page([f"{report.url}: nothing is wrong; {many(report.rows, 'row was', 'rows were')} checked"])
    return page([f"{report.url}: not as it must be", *_found(report)])


def _found(report: DoctorReport | VerifyReport) -> list[str]:
    return [*report.found, *and_more(report.more)]


def copy_text(report: CopyReport) -> str:
    """The rows of every table, and the beginning of their hash."""
    filled = [table for table in report.tables if table.number]
    width = max((len(rows.table) for rows in filled), default=5)
    lines = [f"{'table'.ljust(width)}       rows  sha256"]
    lines += [f"{rows.table.ljust(width)}  {rows.number:>9,}  {rows.sha256[:12]}" for rows in filled]
    rows = sum(rows.number for rows in filled)
    lines.append(f"{many(rows, 'row')} copied to {report.target}; both sides are equal")
    return page(lines)


def purge_plan_text(plan: PurgeReport) -> str:
    """What a purge would remove."""
    lines = [
        f"{many(plan.samples, 'sample')} of {plan.dataset} will lose all text: questions, references, "
        f"contexts, proposals, units, the journal{_before(plan)}. It cannot be undone. Hashes stay."
    ]
    lines += [f"  also in the backup {path}" for path in plan.backups]
    lines += [f"  also in what a cut-off export or import left: {path}" for path in plan.leftovers]
    return page([*lines, *_look(plan)])


def _before(report: PurgeReport) -> str:
    """How many of the named samples were gone already."""
    before = len(report.keys) - report.samples
    return f"; {many(before, 'sample was', 'samples were')} purged before" if before else ""


def _look(report: PurgeReport) -> list[str]:
    stays = [f"  stays in the export {path}: delete it yourself" for path in report.exports]
    return [*stays, *(f"  look yourself: {line}" for line in report.look)]


def purge_text(report: PurgeReport) -> str:
    """What a purge removed, and what is left to do by hand."""
    lines = [f"{many(report.samples, 'sample')} of {report.dataset} purged{_before(report)}"]
    lines += [f"  removed from the backup {path}" for path in report.rewritten]
    paths = [line.partition(": ")[0] for line in report.by_hand]
    lines += [f"  removed {path}" for path in report.leftovers if path not in paths]
    lines += [f"  delete by hand: {line}" for line in report.by_hand]
    shown = ", ".join(report.sharing[:10]) + (" …" if len(report.sharing) > 10 else "")
    facts = {
        f"  the same reference stays in {many(len(report.sharing), 'other sample')}: {shown}": report.sharing,
        "reports (compare --html FILE), and copies with other names or in other places (workbench backup "
        "FILE, file systems, mail), are not known here: delete them yourself": True,
        "the server keeps the bytes until VACUUM FULL has run and its write-ahead log, replicas and "
        "dumps have expired: see to that yourself": not report.copies,
    }
    return page([*lines, *_look(report), *told(facts)])


def import_text(report: ImportReport) -> str:
    """What became of a file's rows, or what would."""
    conflicts = f", {report.conflicts:,} of them in conflict" if report.conflicts else ""
    there = many(report.n_samples, "sample")
    end = f"it would hold {there}; nothing was written" if report.dry else f"{there} now"
    warned = 1 if report.without_contexts else 0  # that there are no contexts stands in front of all
    lines = [f"{report.path} → {report.dataset}: {_counts(report)}{conflicts}; {end}"]
    ends = dict.fromkeys((*report.files[:1], *report.files[-1:]))
    read = f", of {' to '.join(ends)}" if report.files != (report.path,) else ""
    lines += [f"  {line}" for line in (*report.notes[:warned], f"format: {report.format}{read}")]
    lines += [f"  {line}" for line in report.notes[warned:]]
    if report.proposals:
        lines.append(
            f"  {many(report.proposals, 'proposal')} {'to be ' if report.dry else ''}stored as suggestions"
        )
    if report.gold_reviews:
        reviews, units = many(report.gold_reviews, "review"), many(report.gold_units, "unit")
        lines.append(f"  {reviews} with {units} {'to be ' if report.dry else ''}stored as verified")
    if report.gold_ignored:
        number = many(report.gold_ignored, "row has", "rows have")
        lines.append(
            f"  {number} verified units that were not imported: workbench import --gold-if-given takes them"
        )
    if report.blind:
        number = many(report.blind, "sample is", "samples are")
        about = "about " if report.dry else ""  # the import draws them anew
        lines.append(f"  {about}{number} to be reviewed without suggestions (change with --blind SHARE)")
    lines += [f"  {error}" for error in report.errors]
    lines += and_more(report.rejected - len(report.errors), start="  ")
    if report.purged:
        number = many(report.purged, "row is", "rows are")
        lines.append(
            f"  {number} of purged samples: only ids and reasons were put aside, the text is still in "
            f"{report.path}: delete it yourself"
        )
    if report.rejected and not report.rejected_path and not report.dry:
        lines.append("  rejected rows could be put aside nowhere: no folder could be written")
    elif report.rejected > report.purged and not report.dry:
        then = f"fix them there and import that file into {report.dataset}"
        lines.append(f"  rejected rows are in {report.rejected_path}; {then}")
    if report.next and not report.dry:
        lines.append(f"Next: {', then '.join(report.next)}")
    return page(lines)


def _counts(report: ImportReport) -> str:
    """How many rows are new, unchanged, …; what is none is left out."""
    states = ("unchanged", "extended", "updated", "rejected")
    more = [f"{number:,} {state}" for state in states if (number := getattr(report, state))]
    return ", ".join([f"{report.new:,} new", *more])
