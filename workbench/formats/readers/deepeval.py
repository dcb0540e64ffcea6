"""deepeval: goldens and test cases as JSON, JSON Lines and CSV, and the results of a test run.

The log of Contextual Recall has a verdict and a reason for each statement, in order, and does not quote the
statement. The reference is cut into as many parts as there are verdicts; where no way of cutting it gives
that number, the statements stand without a place.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

from workbench.errors import RowError
from workbench.formats.columns import FIELD_OF, LEFT_OUT, NAMES, as_contexts, is_number, number_cell
from workbench.formats.json_lines import parse
from workbench.formats.readers import ragas
from workbench.formats.rows import OBJECT, Notes, rest_of, shown, wrong
from workbench.model import JsonObject, Proposal, ProposedStatement, Record, Span
from workbench.text.tokens import sentences

# Under which names runs hold their test cases, and these what their metrics said; the last are older.
LISTS = frozenset(
    f"{outer}{name}"
    for outer in ("", "testRunData.")
    for name in ("testCases", "conversationalTestCases", "test_results")
)
LINK = "testRunLink"
_METRICS = ("metricsData", "metrics_data", "metricsMetadata")
_TELLING = frozenset({"expected_output", "expectedOutput", "actual_output", "actualOutput", *_METRICS}) | {
    "retrieval_context", "retrievalContext", "additional_metadata", "additionalMetadata",
}  # fmt: skip
# Of Langfuse and TruLens, which have an `input` too.
_OTHERS = frozenset({"datasetId", "dataset_id", "datasetName", "sourceTraceId", "record_id"})
PROPOSER = "deepeval"
_METADATA = ("additional_metadata", "additionalMetadata", "metadata")
_SOURCE = re.compile(r"deepeval_source=(?P<source>.*?),deepeval_context=(?P<context>.*)", re.DOTALL)
_TABLE = re.compile(r"^[\s:-]*$|^\s*\n|\n\s*$")


def claims(row: JsonObject) -> bool:
    """Whether a row, or the header of a table, is a golden, a test case or a conversation."""
    if "scenario" in row and "input" not in row:
        return True
    return "input" in row and not _TELLING.isdisjoint(row) and _OTHERS.isdisjoint(row)


def record_of(row: JsonObject, notes: Notes) -> Record:
    """The record of a golden or a test case. Raises RowError."""
    if row.get("scenario") or row.get("turns") is not None or row.get("conversational") is True:
        got = "a conversation"
        raise RowError("scenario", got, "a single turn: conversations are not scored by recall")
    fields: JsonObject = {}
    meta: JsonObject = {}
    contexts: Any = None
    for name, value in row.items():
        if value is None or value == [] or value == {}:
            continue
        if FIELD_OF.get(name) == "retrieved_contexts":
            contexts, fields[name] = value, _contexts(value, name, notes)
        elif name in (*_METADATA, "custom_column_key_values") and type(value) is dict:
            meta |= value
        elif name in LEFT_OUT["deepeval"]:
            notes.ignored[name] += 1
        elif name not in (*_METRICS, "_error"):
            fields[name] = value
    if contexts is None and any(row.get(name) == [] for name in NAMES["retrieved_contexts"]):
        fields["retrieval_context"] = []
    scores, recall = _metrics(row, notes)
    if type(given := fields.pop("scores", {})) is dict:
        scores |= given
    else:
        meta["scores"] = given
    if scores:
        fields["scores"] = scores
    exported = meta.pop(OBJECT, None)
    if exported is not None:
        exported = parse(exported) if type(exported) is str else exported
        fields = _as_exported(fields, contexts, exported)
    return _judged(ragas.record_of(fields, notes, exported=exported, meta=meta), recall, notes)


def _judged(record: Record, recall: JsonObject, notes: Notes) -> Record:
    """The record with the verdicts that were counted for its Contextual Recall as a further proposal."""
    sample = record.sample
    log = recall.get("verboseLogs", recall.get("verbose_logs"))
    statements = judged_statements(log, sample.reference, sample.retrieved_contexts, notes)
    if statements is None:
        if recall:
            notes.counted[f"{CONTEXTUAL_RECALL}: its verdicts are not in verboseLogs"] += 1
        return record
    notes.counted[f"{CONTEXTUAL_RECALL}: the judge's verdicts came in as statements"] += 1
    found = sum(statement.verdict == "found" for statement in statements)
    given = found / len(statements) if statements else 0.0  # as deepeval counts it
    if abs(given - recall["score"]) > 1e-6:
        strict = recall.get("strictMode", recall.get("strict_mode")) is True
        why = " (strict mode makes it 0 or 1)" if strict else ""
        notes.counted[f"{CONTEXTUAL_RECALL}: its verdicts do not add up to the score{why}"] += 1
    model = recall.get("evaluationModel", recall.get("evaluation_model"))
    proposal = Proposal(PROPOSER, model if type(model) is str else "", statements=statements)
    return replace(record, proposals=(*record.proposals, proposal))


def _as_exported(fields: JsonObject, contexts: Any, exported: Any) -> JsonObject:
    """The fields of a row without what the native row in it says too.

    `contexts` as they were given: a CSV file joins them by bars, and one that has a bar is cut there.
    """
    if type(exported) is not dict:
        return fields
    mine, again = exported.get("retrieved_contexts"), set()
    if fields.get("name") == exported.get("id"):
        again.add("name")
    if type(mine) is list and all(type(context) is str for context in mine):
        blank = not contexts and not any(context.strip() for context in mine)
        if blank or contexts == mine or contexts == "|".join(mine):
            again.update(NAMES["retrieved_contexts"])
    return rest_of(fields, again)


def row_of_cells(cells: JsonObject) -> JsonObject:
    """A row of a table as the JSON row it stands for: contexts may be joined by |."""
    joined = {
        name: cell
        for name, cell in cells.items()
        if name in NAMES["retrieved_contexts"] and type(cell) is str and not cell.startswith("[")
    }
    row = ragas.row_of_cells(rest_of(cells, joined))
    return row | {name: cell for name, cell in joined.items() if cell.strip()}


def _contexts(value: Any, name: str, notes: Notes) -> list[Any]:
    """Contexts as texts: a list, a list of {context, source}, or texts joined by | (how files of deepeval
    are written, without a mark for the bars inside)."""
    if type(value) is str:
        pieces = value.split("|")
        if len(pieces) > 2 and any(_TABLE.search(piece) for piece in pieces):
            notes.counted["contexts joined by | that look like a table cut in pieces: check them"] += 1
        value = [piece for piece in pieces if piece.strip()] if len(pieces) > 1 else pieces
    return [
        match["context"] if type(text) is str and (match := _SOURCE.fullmatch(text)) else text
        for text in as_contexts(value, name)
    ]


def _metrics(row: JsonObject, notes: Notes) -> tuple[JsonObject, JsonObject]:
    """The score of each metric of a test run, None for one that failed, and the Contextual Recall whole.

    Of several metrics with one name the first one that has a score is read.
    """
    key = next((name for name in _METRICS if row.get(name) is not None), _METRICS[0])
    given = row.get(key) or []
    if type(given) is not list or not all(type(metric) is dict for metric in given):
        raise wrong(key, given, "a list of objects with name and score")
    scores: JsonObject = {}
    recall: JsonObject = {}
    for index, metric in enumerate(given):
        name, score = metric.get("name", metric.get("metric")), metric.get("score")
        if type(name) is not str or not name:
            raise wrong(f"{key}[{index}].name", name, "a string")
        if (score := number_cell(score, name)) is None or metric.get("error"):
            scores.setdefault(name, None)
        elif not is_number(score):
            raise wrong(f"{key}[{index}].score", score, "a number or null")
        elif scores.get(name) is not None:
            notes.counted[f"several metrics {shown(name)}, of which the first one is read"] += 1
        else:
            scores[name] = score
            recall = metric if name == CONTEXTUAL_RECALL else recall
    if given:
        notes.counted["left out of the metrics: threshold, success, reason, cost"] += 1
    return scores, recall


CONTEXTUAL_RECALL = "Contextual Recall"

_HEAD = re.compile(r"(?:^|\n)Verdicts:\s*(?=\[)")
_WHOLE = re.compile(r"(?!)")
_LINES = re.compile(r"\n+")
_CLAUSES = re.compile(r"(?<=[.!?;])\s+|(?<=[。！？；])|\n+")
_AND = r"(?:[\s,()&]|and|or|\d+(?:st|nd|rd|th))*"
_NODE = re.compile(
    rf"(\d+)(?:st|nd|rd|th)\b{_AND}nodes?\b|\bnodes?\s+(\d+)|第\s*(\d+)\s*个?节点", re.IGNORECASE
)
_QUOTED = re.compile(r"(?<!\w)'(.+?)'(?!\w)|\"(.+?)\"|“(.+?)”|‘(.+?)’|「(.+?)」|«(.+?)»", re.DOTALL)
_ELLIPSIS = re.compile(r"\.{3}|…")
_SHORTEST = 3  # characters of a quote that tells one context from another
_LOOKED_AT = 2_000  # characters of a reason in which contexts and quotes are looked for


def judged_statements(
    log: Any, reference: str, contexts: Sequence[str], notes: Notes
) -> tuple[ProposedStatement, ...] | None:
    """The statements that a log has verdicts for; None for a log without a list of verdicts.

    As deepeval counts, "yes" is found and any other word is missing.
    """
    verdicts = _verdicts(log)
    if verdicts is None:
        return None
    parts = _parts(reference, len(verdicts))
    if verdicts and parts is None:
        notes.counted[
            f"{CONTEXTUAL_RECALL}: not as many verdicts as sentences, its statements have no place"
        ] += 1
    statements = []
    for number, verdict in enumerate(verdicts, start=1):
        word, reason = _string(verdict.get("verdict")), _string(verdict.get("reason"))
        yes = word.strip().lower() == "yes"
        if not yes and word.strip().lower() != "no":
            reason = f"{shown(word)}: {reason}"
        context, quote = _pointed(reason[:_LOOKED_AT], contexts, notes)
        span = parts[number - 1] if parts else None
        statements.append(
            ProposedStatement(
                text=span.of(reference) if span else f"verdict {number} of {len(verdicts)}",
                verdict="found" if yes else "missing",
                context=context,
                quote=quote if yes else None,
                reason=reason or None,
                start=span.start if span else None,
                end=span.end if span else None,
            )
        )
    return tuple(statements)


def _verdicts(log: Any) -> list[JsonObject] | None:
    head = _HEAD.search(log) if type(log) is str else None
    if head is None:
        return None
    try:
        verdicts, _ = json.JSONDecoder().raw_decode(log, head.end())
    except (ValueError, RecursionError):
        return None
    return verdicts if all(type(verdict) is dict for verdict in verdicts) else None


def _string(value: Any) -> str:
    """A text of the log without what no database could hold: escapes of the log were not looked at yet."""
    if type(value) is not str:
        return ""
    return value.replace("\x00", "\N{REPLACEMENT CHARACTER}").encode("utf-8", "replace").decode()


def _parts(reference: str, number: int) -> list[Span] | None:
    """The reference as a number of parts: whole, by sentences, lines, or clauses."""
    ways = (_cut(reference, _WHOLE), sentences(reference), _cut(reference, _LINES), _cut(reference, _CLAUSES))
    return next((spans for spans in ways if len(spans) == number), None)


def _cut(text: str, between: re.Pattern[str]) -> list[Span]:
    """What stands between the separators, without white space and semicolons at the edges."""
    edges = [0, *(edge for match in between.finditer(text) for edge in match.span()), len(text)]
    spans = []
    for start, end in zip(edges[::2], edges[1::2], strict=True):
        piece = text[start:end].rstrip(" \t\r\n;；")
        left = len(piece) - len(piece.lstrip())
        if piece[left:]:
            spans.append(Span(start + left, start + len(piece)))
    return spans


def _pointed(reason: str, contexts: Sequence[str], notes: Notes) -> tuple[int | None, str | None]:
    """The context that a reason names or quotes, from 0, and the longest quote that stands there."""
    named = _named(reason)
    if named is not None and not 0 <= named < len(contexts):
        notes.example("dropped", f"node {named + 1:,}, of {len(contexts):,}")
        named = None
    places = range(len(contexts)) if named is None else [named]
    for quote in sorted(set(_quotes(reason)), key=lambda text: (-len(text), text)):
        for index in places:
            if quote in contexts[index]:
                return index, quote
    return named, None


def _named(reason: str) -> int | None:
    node = _NODE.search(reason)
    return int(next(filter(None, node.groups()))[:6]) - 1 if node else None


def _quotes(reason: str) -> Iterator[str]:
    for match in _QUOTED.finditer(reason):
        for part in _ELLIPSIS.split(next(filter(None, match.groups()), "")):
            if len(part.strip()) >= _SHORTEST:
                yield part.strip()
