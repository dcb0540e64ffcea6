"""Which action undo and redo mean: the newest effective one, read backwards from the newest row."""

from __future__ import annotations

from collections.abc import Iterable

from workbench.reviewing.edits import Open, Redo, Undo


def newest_effective(rows: Iterable[tuple[str, object]]) -> str | None:
    """The action that undo takes back, None when there is none.

    `rows` are (action, edit) pairs of one annotator in one dataset, newest first; they are read only
    as far as needed. Opening rows carry no act of a person and are passed over.
    """
    done: dict[str, bool] = {}
    for action, edit in rows:
        if isinstance(edit, Undo):
            done.setdefault(edit.action, False)
        elif isinstance(edit, Redo):
            done.setdefault(edit.action, True)
        elif not isinstance(edit, Open) and done.get(action, True):
            return action
    return None


def newest_undone(rows: Iterable[tuple[str, object]]) -> str | None:
    """The action that redo restores, None when a new edit came since.

    `rows` as in `newest_effective`.
    """
    redone: set[str] = set()
    seen: set[str] = set()
    for action, edit in rows:
        if action in seen:
            continue  # one act over several samples writes one row in each of their journals
        seen.add(action)
        if isinstance(edit, Redo):
            redone.add(edit.action)
        elif isinstance(edit, Undo):
            if edit.action not in redone:
                return edit.action
            # this undo was answered by its redo; an older undo of the same action counts again
            redone.discard(edit.action)
        elif not isinstance(edit, Open):
            return None
    return None
