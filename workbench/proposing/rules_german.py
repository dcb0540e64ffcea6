"""German writes every noun with a capital: a run is a name only with evidence of its own."""

from __future__ import annotations

from collections.abc import Iterator

from workbench.proposing.rules_runs import Reading, Run


def german(reading: Reading, run: Run) -> Iterator[Run]:
    """The parts of a run that are names."""
    yield run
