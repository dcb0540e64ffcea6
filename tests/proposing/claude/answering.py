"""What the local service answers: a simple rule reads the fenced texts of a request, nothing else."""

import json
import re
from typing import Any, NamedTuple

WORD = re.compile(r"\w[\w'’-]*")
SENTENCE = re.compile(r"[^.!?。]+[.!?。]?")
NUMBER = re.compile(r"\b\d[\d,.]*\b")


class Read(NamedTuple):
    """A fenced piece as a reader of the message sees it."""

    role: str
    number: int
    text: str


def unfenced(message: str) -> list[Read]:
    """The pieces of a message, which must hold nothing else. Raises ValueError otherwise."""
    opening = re.match(r"<(\w+)-([0-9a-f]+) n=", message)
    if opening is None:
        raise ValueError("the message does not open with a fence")
    pattern = re.compile(rf"<(\w+)-{opening[2]} n=(\d+)>\n(.*?)\n</\1-{opening[2]}>(?:\n|\Z)", re.DOTALL)
    pieces, at = [], 0
    while at < len(message):
        found = pattern.match(message, at)
        if found is None:
            raise ValueError(f"something stands outside the fences at {at}")
        pieces.append(Read(found[1], int(found[2]), found[3]))
        at = found.end()
    return pieces


def answer(request: dict[str, Any]) -> str:
    """The JSON that the model would answer, in the shape that the request's schema asks for."""
    pieces = unfenced(request["messages"][0]["content"])
    shape = request["output_config"]["format"]["schema"]["properties"]
    texts = [piece for piece in pieces if piece.role == "text"]
    if "verdicts" in shape:
        contexts = [piece for piece in pieces if piece.role == "context"]
        said = {"verdicts": [_judge(one, contexts) for one in pieces if one.role == "statement"]}
    elif "entities" in shape["texts"]["items"]["properties"]:
        said = {"texts": [{"text": one.number, "entities": _grouped(one.text)} for one in texts]}
    else:
        said = {"texts": [{"text": one.number, "statements": _sentences(one.text)} for one in texts]}
    return json.dumps(said, ensure_ascii=False, separators=(",", ":"))


def _sentences(text: str) -> list[str]:
    return [part.strip() for part in SENTENCE.findall(text) if part.strip()]


def _words(text: str) -> set[str]:
    return {word.casefold() for word in WORD.findall(text)}


def names(text: str) -> list[str]:
    """Runs of capitalised words, then numbers, each once."""
    found: list[str] = []
    run: list[re.Match[str]] = []
    for word in [*WORD.finditer(text), None]:
        near = word is not None and (not run or text[run[-1].end() : word.start()] == " ")
        if word is not None and word[0][0].isupper() and near:
            run.append(word)
            continue
        if run:
            found.append(text[run[0].start() : run[-1].end()])
        run = [word] if word is not None and word[0][0].isupper() else []
    return list(dict.fromkeys(found + NUMBER.findall(text)))


def _grouped(text: str) -> list[dict[str, Any]]:
    groups: dict[str, list[str]] = {}
    for name in names(text):
        groups.setdefault("number" if name[0].isdigit() else "other", []).append(name)
    return [{"label": label, "names": listed} for label, listed in groups.items()]


def _judge(statement: Read, contexts: list[Read]) -> dict[str, Any]:
    """Found when one context has six tenths of the statement's words."""
    wanted = _words(statement.text)

    def shared(text: str) -> int:
        return len(wanted & _words(text))

    best = max((one for one in contexts if shared(one.text)), key=lambda one: shared(one.text), default=None)
    share = shared(best.text) / len(wanted) if best else 0.0
    quote = max(_sentences(best.text) or [best.text], key=shared) if best else None
    return {
        "statement": statement.number,
        "context": None if best is None else best.number,
        "quote": quote,
        "reason": f"{share:.0%} of its words",
        "verdict": "found" if share >= 0.6 else "partial" if share > 0.2 else "absent",
    }
