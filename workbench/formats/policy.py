"""A policy as TOML that a person edits."""

from __future__ import annotations

import json
import re
from typing import Any

from workbench.errors import InputError
from workbench.model import FOUND_IF, KINDS, JsonObject, Label, Policy
from workbench.settings import toml_table
from workbench.text.lists import sections
from workbench.text.safe import clean

_HEAD = sections(__name__)["head"]
_KEYS = {"kinds", "counted_labels", *FOUND_IF, "partial", "language", "guidelines", "labels"}
_LANGUAGE = re.compile(r"[a-z]{2}|")


def to_toml(policy: Policy) -> str:
    """The policy as commented TOML; reading it back gives an equal policy."""
    guidelines = "".join(map(_escaped, policy.guidelines.replace("\\", "\\\\").replace('"""', '\\"\\"\\"')))
    labels = "\n".join(f'"{label.key}" = {_quoted(label.name)}' for label in policy.labels)
    found_if = "".join(f'{name} = "{getattr(policy, name)}"\n' for name in FOUND_IF)
    return (
        f"{_HEAD}\n"
        f"kinds = {json.dumps(list(policy.kinds))}\n"
        f"counted_labels = [{', '.join(map(_quoted, policy.counted_labels))}]\n"
        f"{found_if}"
        f"partial = {json.dumps(policy.partial)}\n"
        f"language = {json.dumps(policy.language)}\n"
        f'guidelines = """\n{guidelines}"""\n\n'
        f"[labels]  # key on the keyboard = name\n{labels}\n"
    )


def from_toml(text: str) -> Policy:
    """The policy of a TOML text, version 0. Raises InputError that names the field and what it should be."""
    try:
        document = toml_table(text)
    except ValueError as error:
        raise InputError(f"policy: {error}") from error
    unknown = sorted(set(document) - _KEYS)
    if unknown:
        raise InputError(f"policy: unknown {unknown[0]!r}; there is: {', '.join(sorted(_KEYS))}")
    missing = sorted(_KEYS - set(document))
    if missing:
        raise InputError(f"policy: {missing[0]!r} is missing")
    labels = _labels(document["labels"])
    names = [label.name for label in labels]
    kinds = _strings(document, "kinds")
    if not kinds or len(set(kinds)) != len(kinds) or any(kind not in KINDS for kind in kinds):
        raise InputError(f'policy: kinds: got {kinds}, expected "entity", "statement" or both')
    counted = _strings(document, "counted_labels")
    for name in counted:
        if name not in names:
            raise InputError(
                f"policy: counted_labels: {name!r} is not a label of the policy {', '.join(names)}"
            )
    for name in (*FOUND_IF, "partial"):
        words = ("split", "missing") if name == "partial" else ("missing", "found")
        if document[name] not in words:
            raise InputError(f'policy: {name}: expected "{words[0]}" or "{words[1]}"')
    language = document["language"]
    if not isinstance(language, str) or not _LANGUAGE.fullmatch(language):
        raise InputError('policy: language: expected two letters such as "ru", or "" to detect it')
    if not isinstance(document["guidelines"], str):
        raise InputError("policy: guidelines: expected a text")
    return Policy(
        version=0,
        labels=labels,
        guidelines=document["guidelines"],
        kinds=tuple(kind for kind in kinds if kind in KINDS),
        counted_labels=tuple(counted),
        **{name: document[name] for name in FOUND_IF},
        partial=document["partial"],
        language=language,
    )


def _quoted(text: str) -> str:
    return "".join(map(_escaped, json.dumps(text, ensure_ascii=False)))


def _escaped(char: str) -> str:
    """A character as TOML takes it: what steers a terminal or has no place in a text is an escape."""
    if char in "\n\t" or clean(char) == char:
        return char
    return f"\\u{ord(char):04x}" if char <= "\uffff" else f"\\U{ord(char):08x}"


def _strings(document: JsonObject, name: str) -> list[str]:
    value = document[name]
    if not isinstance(value, list) or any(not isinstance(item, str) for item in value):
        raise InputError(f"policy: {name}: expected a list of strings")
    return value


def _labels(value: Any) -> tuple[Label, ...]:
    if not isinstance(value, dict) or not value:
        raise InputError("policy: labels: expected a table of key = name, with at least one")
    for key, name in value.items():
        if not (len(key) == 1 and key in "123456789"):
            raise InputError(f"policy: labels: key {key!r}, expected one digit from 1 to 9")
        if not isinstance(name, str) or not name.strip():
            raise InputError(f"policy: labels: {key}: expected a name")
        if list(value.values()).count(name) > 1:
            raise InputError(f"policy: labels: {name!r} stands under two keys")
    return tuple(Label(key, name) for key, name in sorted(value.items()))
