"""Metrics for ragas: `ragas.evaluate` takes them, and so do experiments (`ascore`), with our scores.

    from workbench.ragas import ContextEntityRecall, ContextualRecall
    evaluate(dataset, metrics=[ContextEntityRecall(), ContextualRecall(proposer=llm_factory(...))])

Parameters as in `workbench.api`. Needs ragas (`pip install 'gold-workbench[ragas]'`).
"""

from __future__ import annotations

from typing import Any

from workbench import api
from workbench.errors import to_install

try:
    from ragas.dataset_schema import SingleTurnSample
    from ragas.metrics.base import MetricType, SimpleBaseMetric, SingleTurnMetric
    from ragas.metrics.result import MetricResult
    from ragas.run_config import RunConfig
except ModuleNotFoundError as error:
    raise ModuleNotFoundError(f"{error}: {to_install('ragas')}", name=error.name) from error

__all__ = ["ContextEntityRecall", "ContextualRecall"]


class _RecallMetric(SingleTurnMetric, SimpleBaseMetric):  # type: ignore[misc]
    """One metric for both interfaces of ragas; `recall` is the metric of `workbench.api` under it."""

    recall: api.ContextEntityRecall | api.ContextualRecall
    allowed_values = (0.0, 1.0)

    def init(self, run_config: RunConfig) -> None:
        """Nothing to prepare: a proposer brings its own model."""

    async def ascore(
        self, *, reference: str, retrieved_contexts: list[Any], user_input: str = "", **_others: Any
    ) -> MetricResult:
        """The score and its reason; the value is None when the reference has no units."""
        done = await self.recall.measured(
            {"user_input": user_input, "reference": reference, "retrieved_contexts": retrieved_contexts}
        )
        return MetricResult(done.score, done.reason)

    def score(self, **fields: Any) -> MetricResult:
        """`ascore`, waited for."""
        return api.wait(self.ascore(**fields))

    async def _single_turn_ascore(self, sample: SingleTurnSample, callbacks: Any) -> float:
        """The score as a float: not a number when the reference has no units, which ragas leaves out."""
        result = await self.ascore(**{"user_input": "", **sample.to_dict()})
        return float("nan") if result.value is None else float(result.value)


_COLUMNS = {MetricType.SINGLE_TURN: {"user_input:optional", "reference", "retrieved_contexts"}}


class ContextEntityRecall(_RecallMetric):
    """Entities of the reference that the contexts mention, over all entities of the reference."""

    def __init__(self, name: str = "workbench_recall (entity)", **parameters: Any) -> None:
        super().__init__(_COLUMNS, name)
        self.recall = api.ContextEntityRecall(**parameters)


class ContextualRecall(_RecallMetric):
    """Statements of the reference that the contexts support, over all statements of the reference."""

    def __init__(self, name: str = "workbench_recall (statement)", **parameters: Any) -> None:
        super().__init__(_COLUMNS, name)
        self.recall = api.ContextualRecall(**parameters)
