"""Rows of files as tests write them: a sample, what a proposer names, and what a person verified."""

import json
from collections.abc import Collection, Iterable, Mapping
from pathlib import Path
from typing import Any

Row = dict[str, Any]


def sample(key: str, reference: str, *contexts: str, **more: Any) -> Row:
    """A sample with a question of its own."""
    given = {"id": key, "user_input": f"question {key}", "reference": reference}
    return {**given, "retrieved_contexts": list(contexts), **more}


def units(names: Iterable[str], label: str = "place") -> list[Row]:
    return [{"text": name, "label": label} for name in names]


def proposal(names: Iterable[str], *contexts: Iterable[str | Row], proposer: str = "p", **more: Any) -> Row:
    """Places that a proposer named in the reference and in each context."""
    listed = [list(one) for one in contexts]
    return {"proposer": proposer, "reference_entities": units(names), "context_entities": listed, **more}


def gold(verdicts: Mapping[str, str], annotator: str = "gina", label: str = "place") -> Row:
    """What a person said of some names."""
    listed = [{"text": name, "label": label, "verdict": said} for name, said in verdicts.items()]
    return {"annotator": annotator, "entities": listed}


def naming(key: str, names: Collection[str], inside: Iterable[str], *, also: str = "", **more: Any) -> Row:
    """A sample that is a list of places, `inside` the one context, with a proposal of both."""
    inside = list(inside)
    row = sample(key, ", ".join(names) + ".", ", ".join(inside) + "." + also)
    return {**row, "proposal": proposal(names, inside), **more}


CITIES = ["Rome", "Oslo", "Bern", "Riga", "Kyiv", "Lima", "Cairo", "Quito"]


def city(number: int, **more: Any) -> Row:
    """Two cities, found or not; every fourth sample has one under a near name."""
    near, second = number % 4 == 0, CITIES[(number + 3) % 8]
    first, seen = ("Kathmandu", "Katmandu") if near else (CITIES[number % 8],) * 2
    marks = {"group": f"g{number % 10}", "meta": {"lang": "en" if number % 3 else "ru"}}
    return naming(f"s{number:03}", [first, second], [seen, second], also=f" {number}", **marks | more)


def met(number: int, *, hidden: bool) -> Row:
    """Two people and a city, all in the text; `hidden`: the people by their last names only, scored 0."""
    city = CITIES[number % 6]
    people = ("Walther", "Meyer") if hidden else ("Anna Walther", "Karl Meyer")
    context = f"In {city} it rained when {people[0]} came. Later {people[1]} came too."
    made = sample(f"s{number:02}", f"Anna Walther and Karl Meyer met in {city}.", context)
    return made | {"scores": {"context_entity_recall": 0.0 if hidden else 1.0}}


def town(number: int) -> Row:
    """A sentence without a proposal, with its own words in the context."""
    return sample(str(number), f"Town{number} lies in Land{number}.", f"Town{number} is old.")


SAID = {"Johann Strauss": "found", "Rome": "found", "Oslo": "missing"}
"""In the contexts: Johan Straus, 82 alike, Rome and not Oslo. At 85 one of three is found."""


def spelled(place: int) -> Row:
    return naming(f"s{place:02}", SAID, ["Johan Straus", "Rome"], gold=gold(SAID))


DATED = {"Rome": "found", "Oslo": "missing"}
"""What people keep of a proposal that has a date too."""


def dated(number: int) -> list[Row]:
    """Samples whose proposed dates nobody keeps: .333 by the score, .5 by people."""
    rows = [naming(f"s{place:02}", [*DATED, "1631"], ["Rome"], gold=gold(DATED)) for place in range(number)]
    for one in rows:
        one["proposal"]["reference_entities"][2]["label"] = "date"
    return rows


def lines(rows: Iterable[Row | str]) -> str:
    """Rows as JSON lines; a string is a line as it is."""
    return "".join(
        (row if isinstance(row, str) else json.dumps(row, ensure_ascii=False)) + "\n" for row in rows
    )


def write_rows(path: Path | str, rows: Iterable[Row | str]) -> Path:
    path = Path(path)
    path.write_text(lines(rows), "utf-8", newline="\n")
    return path
