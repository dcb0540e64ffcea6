"""The prompt: a text file of three sections with placeholders, checked when read, rendered for a run."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Literal, get_args

from workbench.errors import InputError
from workbench.proposing.claude_fence import NOTICE

Task = Literal["entities", "statements", "verdicts"]
TASKS: tuple[Task, ...] = get_args(Task)

_SECTION = re.compile(r"^=== *(.*?) *===[ \t]*$", re.MULTILINE)
_PLACEHOLDER = re.compile(r"\{\{\s*(.*?)\s*\}\}")
_ALLOWED: Mapping[Task, frozenset[str]] = {
    "entities": frozenset({"labels", "guidelines", "examples"}),
    "statements": frozenset({"guidelines", "examples"}),
    "verdicts": frozenset({"guidelines"}),
}
_REQUIRED: Mapping[Task, frozenset[str]] = {
    "entities": frozenset({"labels"}),
    "statements": frozenset(),
    "verdicts": frozenset(),
}


@dataclass(frozen=True, slots=True)
class Prompt:
    """A checked template: one section per task in the order of TASKS, and the SHA-256 of the whole text."""

    sections: tuple[str, str, str]
    sha256: str

    def section(self, task: Task) -> str:
        """The template of one task."""
        return self.sections[TASKS.index(task)]

    def shows_examples(self, task: Task) -> bool:
        """Whether a section has a place for examples."""
        return "examples" in _PLACEHOLDER.findall(self.section(task))


@cache
def default_prompt() -> Prompt:
    """The packaged prompt."""
    text = resources.files("workbench.proposing").joinpath("prompts/default.txt").read_text("utf-8")
    return read_prompt(text, "the packaged prompt")


def read_prompt(text: str, name: str) -> Prompt:
    """Check a prompt file's text; `name` stands in messages.

    Raises InputError naming every section and placeholder that is missing, unknown or given twice.
    """
    parts = _SECTION.split(text.replace("\r\n", "\n"))
    names, bodies = parts[1::2], [body.strip() for body in parts[2::2]]
    faults = [f"text before the first section: {parts[0].strip()[:40]!r}"] if parts[0].strip() else []
    faults += [f"unknown section {one!r}" for one in names if one not in TASKS]
    faults += [f"section {one!r} stands there twice" for one in TASKS if names.count(one) > 1]
    faults += [f"section {one!r} is missing" for one in TASKS if one not in names]
    sections = dict(zip(names, bodies, strict=True))
    for task in TASKS:
        faults += _faults(task, sections.get(task, "")) if task in sections else []
    if faults:
        raise InputError(
            f"{name}: {'; '.join(faults)}. Sections open with a line like === entities === and are "
            f"{', '.join(TASKS)}; placeholders are {{{{labels}}}} (in entities only), {{{{guidelines}}}} and "
            "{{examples}} (not in verdicts)"
        )
    digest = hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
    return Prompt((sections["entities"], sections["statements"], sections["verdicts"]), digest)


def _faults(task: Task, body: str) -> list[str]:
    """What is wrong with one section."""
    if not body:
        return [f"section {task!r} is empty"]
    used = set(_PLACEHOLDER.findall(body))
    faults = [f"unknown placeholder {{{{{one}}}}} in {task!r}" for one in sorted(used - _ALLOWED[task])]
    return faults + [
        f"placeholder {{{{{one}}}}} is missing in {task!r}" for one in sorted(_REQUIRED[task] - used)
    ]


def render(
    prompt: Prompt, task: Task, labels: Sequence[str], guidelines: str = "", examples: str = ""
) -> str:
    """The system text of a task: the same for every call of a run, so that it can be cached.

    Ends with our own notice that fenced text is data: a custom template cannot leave it out.
    """
    values = {"labels": ", ".join(labels), "guidelines": guidelines.strip(), "examples": examples}
    body = _PLACEHOLDER.sub(lambda found: values[found[1]], prompt.section(task)).rstrip()
    return f"{body}\n{NOTICE}"
