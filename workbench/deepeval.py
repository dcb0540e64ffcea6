"""Metrics for deepeval's `evaluate` and `assert_test`: real subclasses of its BaseMetric, with our scores.

    from workbench.deepeval import ContextEntityRecallMetric, ContextualRecallMetric
    evaluate(test_cases, [ContextualRecallMetric(proposer=GPTModel("gpt-4.1"))])

Parameters as in `workbench.api`. Needs deepeval (`pip install 'gold-workbench[deepeval]'`).
"""

from __future__ import annotations

from typing import Any

from workbench import api
from workbench.errors import to_install

try:
    from deepeval.metrics import BaseMetric
    from deepeval.metrics.utils import prepare_measure
    from deepeval.test_case import LLMTestCase, SingleTurnParams
except ModuleNotFoundError as error:
    raise ModuleNotFoundError(f"{error}: {to_install('deepeval')}", name=error.name) from error

__all__ = ["ContextEntityRecallMetric", "ContextualRecallMetric"]

_NEEDED = [SingleTurnParams.INPUT, SingleTurnParams.RETRIEVAL_CONTEXT, SingleTurnParams.EXPECTED_OUTPUT]


class ContextEntityRecallMetric(api.ContextEntityRecall, BaseMetric):  # type: ignore[misc]
    """Entities of the expected output that the retrieval context mentions, over all entities of it."""

    _required_params = _NEEDED
    title = "Workbench Recall (entity)"

    def measure(  # type: ignore[override]
        self, test_case: LLMTestCase, *_args: Any, **_options: Any
    ) -> float | None:
        """The score; None when the expected output has no units, which never passes."""
        prepare_measure(self, test_case)
        return super().measure(test_case)

    async def a_measure(  # type: ignore[override]
        self, test_case: LLMTestCase, *_args: Any, **_options: Any
    ) -> float | None:
        """`measure` next to the event loop."""
        prepare_measure(self, test_case)
        return await super().a_measure(test_case)

    @property
    def __name__(self) -> str:
        return self.title


class ContextualRecallMetric(api.ContextualRecall, ContextEntityRecallMetric):
    """Statements of the expected output that the retrieval context supports, over all statements of it."""

    title = "Workbench Recall (statement)"
