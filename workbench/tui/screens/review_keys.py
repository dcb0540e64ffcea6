"""The keys of a review, the most used first; help, key bar and palette are made from them."""

from __future__ import annotations

from textual.binding import Binding, BindingType

from workbench.tui.keys import key

SIGNS = (
    ("✓ ✗ +", "proposed, rejected, added by you"),
    ("! =", "not in the reference; duplicate"),
    ("● 2 equal", "found in context 2 by this rule"),
    ("○ ? ·", "missing, unsure, open"),
)


def _label(digit: int) -> Binding:
    first = digit == 1
    description = "Label of that number" if first else f"Label {digit}"
    return key(
        str(digit),
        f"digit('{digit}')",
        description,
        f"review.label_{digit}",
        "Units",
        "label" if first else "",
    )


REVIEW_KEYS: list[BindingType] = [
    key("a", "accept", "Accept and go on", "review.accept", "Decide", "accept"),
    key("x", "reject", "Reject the unit, or restore it", "review.reject", "Units", "reject"),
    key("n", "add", "New unit", "review.new", "Units", "new"),
    key("m", "match", "Found or missing", "review.match", "Units", "match"),
    *(_label(digit) for digit in range(1, 10)),
    key("l", "labels", "Label from a list", "review.labels", "Units"),
    key("0", "digit('0')", "No units here (or label 0)", "review.none", "Units"),
    key("p", "reason", "Missing: absent, partial, …", "review.reason", "Units"),
    key("M", "unsure", "Unsure whether it is found", "review.unsure", "Units"),
    key("e", "evidence", "Choose the evidence", "review.evidence", "Units"),
    key("&", "merge", "Merge with the next unit", "review.merge", "Units"),
    key("|", "split", "Split at a token", "review.split", "Units"),
    key(
        "full_stop shift+right", "edge('right', True)", "Right edge a token out", "review.right_out", "Units"
    ),
    key(", shift+left", "edge('right', False)", "Right edge a token in", "review.right_in", "Units"),
    key("< shift+up", "edge('left', True)", "Left edge a token out", "review.left_out", "Units"),
    key("> shift+down", "edge('left', False)", "Left edge a token in", "review.left_in", "Units"),
    key("A", "same", "Decide the same in the whole dataset", "review.same", "Units"),
    key("u", "undo", "Undo, wherever it was", "review.undo", "Decide", "undo"),
    key("U", "redo", "Redo", "review.redo", "Decide"),
    key("s", "skip", "Skip for now", "review.skip", "Decide"),
    key("X", "exclude", "Exclude, with a reason", "review.exclude", "Decide"),
    key("f", "flag", "Flag, with a reason", "review.flag", "Decide"),
    key("c", "comment", "Comment", "review.comment", "Decide"),
    key("j down", "move(1)", "Next unit", "review.down", "Moving"),
    key("k up", "move(-1)", "Previous unit", "review.up", "Moving"),
    key("tab", "doubt(1)", "Next doubtful unit", "review.next_doubt", "Moving"),
    key("shift+tab", "doubt(-1)", "Previous doubtful unit", "review.previous_doubt", "Moving"),
    key("] right", "context(1)", "Next context", "review.next_context", "Moving"),
    key("[ left", "context(-1)", "Previous context", "review.previous_context", "Moving"),
    key("}", "mention(1)", "Next context that mentions the unit", "review.next_mention", "Moving"),
    key("{", "mention(-1)", "Context before that mentions it", "review.previous_mention", "Moving"),
    key("# №", "context_number", "Context of a number", "review.context_number", "Moving"),
    key("/ ctrl+f", "find", "Find in reference and contexts", "review.find", "Moving"),
    key("f3", "find_step(1)", "Next place found", "review.find_next", "Moving"),
    key("N shift+f3 f15", "find_step(-1)", "Place found before", "review.find_previous", "Moving"),
    key("space pagedown", "scroll_context(1)", "Scroll the context", "review.page_down", "Moving"),
    key("pageup", "scroll_context(-1)", "Scroll the context back", "review.page_up", "Moving"),
    key("ctrl+d", "scroll_reference(1)", "Scroll the reference", "review.reference_down", "Moving"),
    key("ctrl+u", "scroll_reference(-1)", "Scroll the reference back", "review.reference_up", "Moving"),
    key("t", "kind", "Entities or statements", "review.kind", "View"),
    key("w", "scores", "Why automatic and verified differ", "review.scores", "View"),
    key("C", "compare", "Compare: the truth for all samples, and why", "review.compare", "View"),
    key("g", "guidelines", "Guidelines", "review.guidelines", "View"),
    key("y", "copy", "Copy the unit", "review.copy", "View"),
    key("b", "back", "Back to the queue", "review.back", "View", "queue"),
    key("q", "app.quit", "Quit", "review.quit", "View"),
]
