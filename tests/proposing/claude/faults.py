"""How the local service misbehaves: by script, by what stands in a text, or by chance."""

import random
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

UNPAID = ("429", "529", "500", "502 html", "html", "foreign", "malformed", "slow", "cut", "503")
PAID = ("refusal", "max_tokens", "context_window", "not json", "schema", "pause_turn")
FATAL = ("401", "402", "403", "404", "400", "413", "credit")
PARTLY = ("left out", "no usage", "empty")
ALL = (*UNPAID, *PAID, *PARTLY, *FATAL)

ERRORS: Mapping[str, tuple[int, str, str]] = {
    "400": (400, "invalid_request_error", "messages: something is off"),
    "401": (401, "authentication_error", "invalid API key"),
    "402": (402, "billing_error", "payment required"),
    "403": (403, "permission_error", "not for this key"),
    "404": (404, "not_found_error", "model: no-such-model"),
    "413": (413, "invalid_request_error", "request too large"),
    "credit": (400, "invalid_request_error", "Your credit balance is too low to access the API"),
    "429": (429, "rate_limit_error", "number of requests exceeds your limit"),
    "500": (500, "api_error", "internal server error"),
    "503": (503, "api_error", "unavailable"),
    "529": (529, "overloaded_error", "overloaded"),
}


@dataclass
class Faults:
    """Which fault the next request meets: the script first, then the texts, then chance.

    `script` holds one name per request, "" for none. `texts` maps a string to the fault of every request
    that carries it. `share` of the other requests draws one of `kinds`.
    """

    script: list[str] = field(default_factory=list)
    texts: Mapping[str, str] = field(default_factory=dict)
    share: float = 0.0
    kinds: Sequence[str] = UNPAID
    seed: int = 0
    met: Counter[str] = field(default_factory=Counter)

    def __post_init__(self) -> None:
        self._chance = random.Random(self.seed)

    def draw(self, request: dict[str, Any]) -> str:
        """The name of the fault, "" for none."""
        name = self._draw(str(request.get("messages", "")))
        if name:
            self.met[name] += 1
        return name

    def _draw(self, text: str) -> str:
        if self.script:
            return self.script.pop(0)
        for marker, name in self.texts.items():
            if marker in text:
                return name
        return self._chance.choice(list(self.kinds)) if self._chance.random() < self.share else ""


@dataclass
class Bucket:
    """A token bucket: `rate` a second, at most `size` at once; nothing is limited without a rate."""

    rate: float | None
    size: float
    level: float = -1.0
    at: float = 0.0

    def take(self, now: float, amount: float) -> float:
        """0 when the amount is there and taken, else the seconds until it is."""
        if self.rate is None:
            return 0.0
        level = self.size if self.level < 0 else min(self.size, self.level + (now - self.at) * self.rate)
        self.at, self.level = now, level
        if level >= min(amount, self.size):
            self.level -= amount
            return 0.0
        return (min(amount, self.size) - level) / self.rate
