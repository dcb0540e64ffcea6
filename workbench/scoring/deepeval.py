"""deepeval's contextual recall, digit for digit, from a judge's raw reply.

Source: deepeval 4.3.1, `metrics/contextual_recall` and `metrics/utils.trimAndLoadJson`. It is here to
reproduce a number that deepeval reported. Its rule for verdicts it does not know (they leave numerator and
denominator) is deepeval's, not ours: see `contextual_recall`.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass

from workbench.errors import ProposalError

_LEADING_WORD = re.compile(r"[a-z]+")
_TRAILING_COMMA = re.compile(r",\s*([\]}])")


@dataclass(frozen=True, slots=True)
class DeepEvalScore:
    """What deepeval reports: `success` is None without a threshold, `n_verdicts` the verdicts it kept."""

    score: float
    success: bool | None
    n_verdicts: int


def verdicts_of(reply: str) -> list[str]:
    """The verdict strings of a judge's reply, as written.

    Raises ProposalError when the reply holds no JSON object with a list of verdicts.
    """
    start, end = reply.find("{"), reply.rfind("}") + 1
    try:
        if start < 0 or not end:
            raise ValueError("no object")
        document = json.loads(_TRAILING_COMMA.sub(r"\1", reply[start:end]))
        return [str(item["verdict"]) for item in document["verdicts"]]
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        raise ProposalError(
            "the judge's reply is not JSON with a list of verdicts; run it again or take another model"
        ) from error


def recall(verdicts: list[str], *, threshold: float | None = 0.5, strict: bool = False) -> DeepEvalScore:
    """yes / (yes + no) over the verdicts deepeval knows; 0 when it keeps none.

    `strict` sets the threshold to 1 and the score to 0 below it.
    """
    words = [_LEADING_WORD.match(verdict.strip().lower()) for verdict in verdicts]
    known = [word.group() for word in words if word and word.group() in ("yes", "no")]
    score: float = known.count("yes") / len(known) if known else 0
    limit = 1.0 if strict else threshold
    if strict and score < 1:
        score = 0
    return DeepEvalScore(score, None if limit is None else score >= limit, len(known))
