"""Examples: verified samples that a prompt shows, their texts fenced, with the answer they should get."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass

from workbench.model import text_hash
from workbench.proposing.claude_fence import Piece, fenced
from workbench.proposing.claude_prompt import Task

LEAD = "Examples that people verified, each text in its tags and after them the answer for all:"


@dataclass(frozen=True, slots=True)
class Example:
    """A verified sample as a prompt shows it, and what figures over its run leave out by.

    `entities` are (name, label); None where that kind is not verified, () where there are none.
    """

    id: str
    group: str | None
    reference_hash: str
    question: str
    text: str
    entities: tuple[tuple[str, str], ...] | None = None
    statements: tuple[str, ...] | None = None


def examples_text(task: Task, examples: Sequence[Example]) -> str:
    """The examples of a task: their texts, numbered, and the answer that all of them should get.

    Texts and answer are fenced by one mark that none of them contains. Empty for verdicts, and when no
    example is verified in what the task asks for.
    """
    pieces: list[Piece] = []
    answers: list[dict[str, object]] = []
    for one in examples:
        number = len(answers) + 1
        if task == "entities" and one.entities is not None:
            pieces.append(Piece("text", number, one.text))
            answers.append({"text": number, "entities": _groups(one.entities)})
        elif task == "statements" and one.statements is not None:
            pieces += [Piece("question", number, one.question), Piece("text", number, one.text)]
            answers.append({"text": number, "statements": list(one.statements)})
    if not answers:
        return ""
    answer = json.dumps({"texts": answers}, ensure_ascii=False, separators=(",", ":"))
    return f"{LEAD}\n{fenced([*pieces, Piece('answer', 1, answer)])}"


def examples_hash(examples: Sequence[Example]) -> str:
    """Equal for examples that show the same."""
    return text_hash(*(examples_text(task, examples) for task in ("entities", "statements")))


def _groups(entities: Sequence[tuple[str, str]]) -> list[dict[str, object]]:
    """Names by label, in order of first place, as an answer lists them."""
    names: dict[str, list[str]] = {}
    for name, label in entities:
        names.setdefault(label, []).append(name)
    return [{"label": label, "names": listed} for label, listed in names.items()]
