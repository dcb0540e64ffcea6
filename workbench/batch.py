"""Automatic values as a pure function of Arrow record batches: no database, no network, no clock, no key.

One batch of samples goes in, one batch of scores comes out, row by row in the same order. So it runs wherever
Arrow batches run: in a loop, in Dask, in Ray Data (`map_batches`), in Spark (`mapInArrow`). It needs pyarrow,
the extra `parquet`.

>>> import pyarrow
>>> from workbench import batch
>>> rows = [{
...     "user_input": "Who designed the tower in Paris?",
...     "reference": "Gustave Eiffel designed the tower in Paris in 1889.",
...     "retrieved_contexts": ["The tower in Paris was completed in 1889."],
... }]
>>> scored = batch.score(pyarrow.RecordBatch.from_pylist(rows))
>>> scored.to_pylist()[0]["presence"], scored.to_pylist()[0]["presence_units"]
(0.6666666666666666, 3)
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

from workbench.errors import RowError
from workbench.model import Policy
from workbench.scoring.names import SCORERS
from workbench.stages.corpus import DEFAULT_POLICY, schema, scored
from workbench.stages.measure import check_counting, record_of, rows_of

if TYPE_CHECKING:
    import pyarrow

    Batch = TypeVar("Batch", pyarrow.RecordBatch, pyarrow.Table)

__all__ = ["SCORERS", "schema", "score"]


def score(batch: Batch, *, policy: Policy = DEFAULT_POLICY, match_threshold: int = 85) -> Batch:
    """The scores of a record batch or a table, as one of the same type with the columns of `schema()`.

    The columns that are read have the names of ragas or deepeval: `user_input`, `reference`,
    `retrieved_contexts` (a list of strings), and if they are there `id`, `group`, `meta` and `proposal`, a
    recorded proposal in Workbench's own format. Rows without a proposal get one of the rules.

    A row that cannot be scored is never dropped and never raises: its `error` names the field, what was there
    and what is expected, and its scores are null. A score without units is null as well, with 0 units.

    Raises UsageError for another value of a parameter, InputError for a column that appears twice, or has
    values that Python cannot hold.
    """
    check_counting(policy, match_threshold)
    rows = []
    for row in rows_of(batch):
        try:
            record = record_of({name: value for name, value in row.items() if value is not None})
            rows.append(scored(record, policy, match_threshold))
        except RowError as error:
            rows.append({"error": str(error)})
    return type(batch).from_pylist(rows, schema=schema())
