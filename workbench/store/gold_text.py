"""Units and accepts as JSON text, for imports, which write every unit twice: in the journal and as gold.

The text is what encoding `unit_document` and `edit_document` gives, at an eighth of the time (a unit: .8
against 6.5 µs); a test holds the two together.
"""

from __future__ import annotations

from collections.abc import Iterable
from json.encoder import encode_basestring as quoted

from workbench.model import Assessment, Unit


def unit_text(unit: Unit) -> str:
    """`unit_document` as JSON."""
    match, spans = unit.match, unit.spans
    text = f'{{"id":{quoted(unit.id)},"text":{quoted(unit.text)}'
    if unit.label:
        text += f',"label":{quoted(unit.label)}'
    if spans:
        text += f',"start":{spans[0].start},"end":{spans[0].end}'
        if len(spans) > 1:
            further = ",".join([f'{{"start":{span.start},"end":{span.end}}}' for span in spans[1:]])
            text += f',"spans":[{further}]'
    if match.verdict:
        text += f',"verdict":"{match.verdict}"'
    if match.reason:
        text += f',"reason":"{match.reason}"'
    if match.evidence:
        places = [f'{{"context":{e.context},"start":{e.start},"end":{e.end}}}' for e in match.evidence]
        text += f',"evidence":[{",".join(places)}]'
    if match.similarity:
        text += f',"similarity":{match.similarity}'
    if match.rule:
        text += f',"rule":{quoted(match.rule)}'
    if match.nested:
        text += ',"nested":true'
    if match.note:
        text += f',"note":{quoted(match.note)}'
    text += f',"origin":"{unit.origin}"'
    if unit.rejected:
        text += ',"rejected":true'
    if unit.duplicate_of:
        text += f',"duplicate_of":{quoted(unit.duplicate_of)}'
    if unit.original_label:
        text += f',"original_label":{quoted(unit.original_label)}'
    if unit.proposed:
        text += f',"proposed":{quoted(unit.proposed)}'
    return text + "}"


def accept_text(assessment: Assessment, units: Iterable[str]) -> str:
    """The data of a plain accept as JSON, with the texts of its units."""
    return (
        f'{{"assessment":{{"kind":"{assessment.kind}","source":{quoted(assessment.source)},'
        f'"units":[{",".join(units)}]}},"fast":false,"policy":0}}'
    )
