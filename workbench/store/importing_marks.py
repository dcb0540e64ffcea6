"""What a file says of a review besides its units, as rows of the journal."""

from __future__ import annotations

from sqlmodel import Session

from workbench.model import KINDS, Marks
from workbench.reviewing.edits import Comment, Dispose, Edit, Flag, Open
from workbench.store.journal import events_of
from workbench.store.tables import ReviewRow


def opening_of(marks: Marks, policy_version: int) -> Open:
    """The first row of a review that came with a file."""
    return Open(None, "", 0, policy_version, marks.shown or "import", False, (), off_plan=marks.off_plan)


def marks_edits(marks: Marks) -> list[Edit]:
    """The edits that say what the marks say, in a review that is new."""
    edits: list[Edit] = [
        Dispose(marks.dispositions[kind], (kind,), reason=marks.reasons.get(kind, ""))
        for kind in KINDS
        if kind in marks.dispositions
    ]
    if marks.flag:
        edits.append(Flag(marks.flag))
    return [*edits, *(Comment(text) for text in marks.comments)]


def new_marks(session: Session, review: ReviewRow, marks: Marks) -> list[Edit]:
    """The edits for what a review that is there does not say yet."""
    edits: list[Edit] = [
        Dispose(said, (kind,), reason=marks.reasons.get(kind, ""))
        for kind, said in marks.dispositions.items()
        if said != (review.entity if kind == "entity" else review.statement)
    ]
    if marks.flag and marks.flag != review.flag:
        edits.append(Flag(marks.flag))
    if marks.comments:
        assert review.id is not None
        there = {
            event.edit.text for event in events_of(session, review.id) if isinstance(event.edit, Comment)
        }
        edits += [Comment(text) for text in marks.comments if text not in there]
    return edits


def differing_mark(review: ReviewRow, marks: Marks) -> str | None:
    """A disposition or flag that contradicts what the review says; None when nothing does."""
    for kind, said in marks.dispositions.items():
        before = review.entity if kind == "entity" else review.statement
        if before not in (said, "todo", "skipped"):
            return f"{said}, where it is {before},"
    if marks.flag and review.flag and marks.flag != review.flag:
        return "another flag"
    return None
