"""Every format that import reads. To add one, write a module in `readers` and name it in `READERS`."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from workbench.formats.json_lines import MEMBERS, RawRow
from workbench.formats.readers import annotation_tools, deepeval, native, ragas, ragas_runs, tools, traces
from workbench.formats.rows import FileRow, Notes


def _nobody(row: Mapping[str, Any]) -> bool:
    return False


@dataclass(frozen=True, slots=True)
class Reader:
    """How the rows of one format are read: most formats are `record` and `claims` alone.

    `record` makes the record of an object. `claims`: whether an object has what no other format has.
    `lists` are those of a document that hold rows, each by the keys that lead to it: a document with such a
    list is taken for this format without a look at its rows, so a list of a common name needs `claims`.
    `cells` makes an object of a row of a table, for a format that has tables. `rows` reads the whole stream,
    for a format that spreads a row over several objects. `joins` makes objects of rows of a stream of others,
    before a person's names for columns are looked at. `spans`: what belongs to a text stands in objects
    next to it.
    """

    record: native.Build = native.record_of
    claims: Callable[[Mapping[str, Any]], bool] = _nobody
    lists: frozenset[str] = frozenset()
    cells: Callable[[dict[str, Any]], dict[str, Any]] | None = None
    rows: Callable[[Iterator[RawRow], Path, Notes], Iterator[FileRow]] | None = None
    joins: Callable[[Iterator[RawRow], Path, Notes], Iterator[RawRow]] | None = None
    spans: bool = False


READERS: dict[str, Reader] = {
    "native": Reader(),
    "ragas": Reader(ragas.record_of, cells=ragas.row_of_cells),
    "ragas-annotations": Reader(claims=ragas_runs.is_annotation, rows=ragas_runs.annotation_rows),
    "ragas-traces": Reader(
        claims=ragas_runs.is_trace, rows=ragas_runs.trace_rows, lists=frozenset({MEMBERS})
    ),
    "promptfoo": Reader(tools.promptfoo_record, tools.is_promptfoo),
    "mlflow": Reader(tools.mlflow_record, tools.is_mlflow, cells=tools.cells_opened),
    "langfuse": Reader(tools.langfuse_record, tools.is_langfuse, cells=tools.cells_opened),
    "langsmith": Reader(tools.langsmith_record, tools.is_langsmith, cells=tools.cells_opened),
    "trulens": Reader(tools.trulens_record, tools.is_trulens, cells=tools.cells_opened),
    "traces": Reader(ragas.record_of, traces.is_span, joins=traces.trace_rows),
    "deepeval": Reader(
        deepeval.record_of, deepeval.claims, lists=deepeval.LISTS, cells=deepeval.row_of_cells
    ),
    "prodigy": Reader(annotation_tools.prodigy_record, annotation_tools.is_prodigy, spans=True),
    "label-studio": Reader(
        annotation_tools.label_studio_record, annotation_tools.is_label_studio, spans=True
    ),
    "argilla": Reader(annotation_tools.argilla_record, annotation_tools.is_argilla, spans=True),
    "doccano": Reader(annotation_tools.doccano_record, annotation_tools.is_doccano, spans=True),
}
