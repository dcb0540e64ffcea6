"""Rows that people labelled, and figures over them with their intervals."""

import json
import random
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, TypeVar

from workbench.comparing import intervals

Row = dict[str, Any]
Item = TypeVar("Item")


def rows_of(path: Path) -> list[Row]:
    return [json.loads(line) for line in path.read_text("utf-8").splitlines() if line]


def bootstrapped(items: Sequence[Item], figure: Callable[[Sequence[Item]], float], form: str = ".3f") -> str:
    """A figure with its 95 % bootstrap interval over documents (1,000 resamples, seed 0)."""
    rng = random.Random(0)
    drawn = sorted(figure(rng.choices(items, k=len(items))) for _ in range(1000))
    return f"{figure(items):{form}} [{drawn[25]:{form}}, {drawn[974]:{form}}]"


def wilson(hits: int, n: int) -> str:
    """A share with its Wilson score interval; a dash of none."""
    if not n:
        return "–"
    found = intervals.wilson(hits, n)
    return f"{hits / n:.3f} [{found.low:.3f}, {found.high:.3f}]"
