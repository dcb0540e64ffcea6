"""Whole sessions, as people have them: text files say what is typed, what is printed and how it ends.

# TITLE          a session, in an empty folder of its own; ann types
@ START          what is there before, by a name of `STARTS`; a number may follow
@ demo, @ hard   the packaged demo; the rows of fixtures/exports.jsonl, which trip readers and writers
@ policy A → B   the next version of the policy says B in place of A
@ service JSON   a local service, with Options of tests/proposing/claude; `asked`: how many requests it got
@ databases      the session goes alike on SQLite and on PostgreSQL
> FILE           a file is written: the lines that follow it, without the `| ` that begins each
+ ID: A, B / A   such a line is a row: a list of places, one context (or more, ` / ` between them) and a
                 proposal of both; ` ; ` and more may follow: `KEY=JSON`, `gold WHO: A found, B/work missing`;
                 `s1..s9` are nine rows, and `#` counts them from 0
* WHO ID: EDITS  what a person does in review, by the names of `EDITS`, with `, ` between them; `next 3`
                 are the next three samples of their queue, of the training where they are in one;
                 `WHO says ID: SORT STATE NOTE`: of its only dispute of that sort;
                 `WHO settles ID`: what others differ in, each unit by `take A WHO` or `neither A`, all
                 that is open by `rest WHO`; `WHO picks ID`: by hand, not in its turn; `WHO: undo` and
                 `redo`. What is refused is shown as standard error
$ COMMAND        what is typed; `ls`, `cat`, `mv`, `unset`, `sqlite3`, behind ` | ` `jq` do what they do;
                 `read`: what import makes of a file here or in fixtures/formats, its rows as native ones;
                 `view QUERY`, `row ID`, `facets`: what the queue shows ann, or `--as WHO`, in the order of
                 the file, or `--by ORDER`; `state ID`: how far a person is with a sample, and what is noted;
                 `seen ID`: what else they see there; `units ID`: its names as the person has them;
                 `whole ID`, `--of "p1 p3"`: all of each unit, with places as `OFFSET WORDS` of the reference
                 and `CONTEXT:OFFSET WORDS` of a context; `doubts ID`: why an accept stops once; `why
                 ID`,
                 `--kind KIND`, `--scorer NAME`: the causes of a difference, unit by unit, how the two of
                 a pair were linked and what would mend it;
                 `settling ID`: while they are settled; `gold`: what stands of each sample; `places ID`: whose
                 they are; `next decide`: the sample that a person is to decide, `next hold`: and holds from
                 now on, `next settle`: to settle, `--after ID`; `sql STATEMENT`: past the program;
                 `export NAME=VALUE`: for what follows
TEXT             standard output, whole: a line `…` stands for lines that are left out, `…` in a line for
                 a part of it
! TEXT           standard error, in the same way
? CODE           the exit code, if it is not 0

A folder of tests replays the text files in it: its `test_sessions.py` is what `replayed` makes of them.
"""

import json
import os
import re
import shlex
import shutil
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from functools import partial
from pathlib import Path
from typing import Any, cast
from urllib.request import urlopen

import pytest

from tests.conftest import FIXTURES, Bench, Run, Wish, accepted, add_text, do, unit_of
from tests.proposing.claude.faults import Faults
from tests.rows import Row, city, dated, gold, lines, met, naming, spelled, town, write_rows
from workbench.errors import WorkbenchError
from workbench.formats.columns import columns_of
from workbench.formats.exports.item import to_text
from workbench.formats.reading import read
from workbench.formats.rows import Notes
from workbench.model import Assessment, Evidence, Kind, Span, Unit
from workbench.reports.units import settled_value
from workbench.reviewing.edits import Comment, Edit, Flag
from workbench.stages import disputes, editing, queue, queue_values
from workbench.stages.desk import open_desk
from workbench.stages.resolve import open_resolution, take, take_rest
from workbench.stages.review import Opened, act, open_sample
from workbench.stages.training import admitted
from workbench.stages.why import Why, explain, fix
from workbench.store.assignments import Held, places
from workbench.store.datasets import find_dataset
from workbench.store.engine import Store, open_store
from workbench.store.gold import Gold, load_gold
from workbench.store.samples import sample_ids
from workbench.text.query import Query, parse


def sessions(beside: str) -> dict[str, str]:
    """The sessions of all text files in the folder of a file, by the name of theirs and their title."""
    return {
        f"{path.stem}: {title}": told
        for path in sorted(Path(beside).parent.glob("*.txt"))
        if path.name != "cases.txt"
        for title, told in re.findall(r"(?ms)^# (.*?)\n(.*?)(?=^# |\Z)", path.read_text("utf-8"))
    }


def database() -> str:
    return os.environ.get("WORKBENCH_DB", "workbench.db")


def given(rows: Callable[[int], list[Row]], *options: str) -> Callable[[Run, int], None]:
    """So many rows in `data.jsonl`, which were imported."""

    def start(run: Run, number: int) -> None:
        assert 0 == run("import", write_rows("data.jsonl", rows(number)), *options).code

    return start


def taught(run: Run, number: int) -> None:
    """So many samples, all but three of them verified by ann, an owner; and bo, who is to learn."""
    rows = [naming(f"s{at:02}", ["Rome", "Oslo"], ["Rome"], also=f" {at}") for at in range(number)]
    given(lambda _: rows, "--blind", "0", "--seed", "3")(run, number)
    assert [0, 0] == [run("person", "add", *words).code for words in (("ann", "--role", "owner"), ("bo",))]
    reviewed(f"ann s00..s{number - 4:02}: accept")


STARTS: dict[str, Callable[[Run, int], None]] = {
    "verified names": given(lambda number: [spelled(n) for n in range(number)], "--gold", "--blind", "0"),
    "verified dates": given(dated, "--gold", "--blind", "0"),
    "given cities": given(
        lambda number: [
            city(n, gold=gold({"Oslo": "missing"}, "corpus"), reference=f"Oslo. {n}") for n in range(number)
        ],
        "--gold",
    ),
    "cities": given(lambda number: [city(n) for n in range(number)], "--seed", "3", "--blind", "0"),
    "taught": taught,
    "towns": given(lambda number: [town(n) for n in range(number)]),
    "people": given(
        lambda number: [met(n, hidden=bool(n % 2)) for n in range(number)], "--seed", "3", "--blind", "0"
    ),
}


def on_each(told: dict[str, str]) -> list[tuple[str, str]]:
    """The titles of sessions, and each kind of database on which one goes."""
    both = [(title, "postgresql") for title, said in told.items() if "@ databases\n" in said]
    return [(title, "sqlite") for title in told] + both


def each(ids: str) -> list[str]:
    """The ids that `a b s1..s9` names."""
    named: list[str] = []
    for one in ids.split():
        first, _, last = one.partition("..")
        digits = len(first) - len(start := first.rstrip("0123456789"))
        numbers = range(int(first[len(start) :]), int(last[len(start) :]) + 1) if last else []
        named += [f"{start}{number:0{digits}}" for number in numbers] or [one]
    return named


def rows_of(line: str) -> Iterator[Row]:
    """The rows that a line `ID: A, B / A ; KEY=JSON` tells."""
    ids, _, told = line.partition(": ")
    for number, key in enumerate(each(ids)):
        texts, *more = told.replace("#", str(number)).split(" ; ")
        names, *inside = [[one for one in text.split(", ") if one] for text in re.split(r" ?/ ?", texts)]
        row = naming(key, names, inside[0])
        row["retrieved_contexts"] = [", ".join(text) + "." for text in inside]
        row["proposal"]["context_entities"] = inside
        for one in more:
            name, _, value = one.partition("=")
            if name.startswith("gold "):
                who, _, said = name.removeprefix("gold ").partition(":")
                found = re.findall(r"([^,/]+)(/[^,]*)? (\w+)(?:,|$)", said)
                named = [{"text": text.strip(), "label": (label or "/place")[1:], "verdict": verdict}
                         for text, label, verdict in found]  # fmt: skip
                row.setdefault("gold", []).append({"annotator": who, "entities": named})
            else:
                row[name] = json.loads(value)
        yield row


def _add(text: str, label: str = "place", kind: Kind = "entity") -> Wish:
    return partial(add_text, kind=kind, text=text, label=label)


def same(opened: Opened, one: Unit, other: str) -> Edit:
    """Say that another name of the first context is the same thing; `-` takes that back."""
    if other == "-":
        return editing.same_thing(opened, one, None)
    start = opened.sample.retrieved_contexts[0].index(other)
    return editing.same_thing(opened, one, Evidence(0, start, start + len(other)))


def spot(words: str) -> tuple[int, int]:
    """Where `OFFSET WORDS` begin and end."""
    start, _, text = words.partition(" ")
    return int(start), int(start) + len(text)


def choose(opened: Opened, one: Unit, *places: str) -> Edit:
    """The evidence of a unit: places in contexts, as `CONTEXT:OFFSET WORDS`."""
    parts = [place.partition(":") for place in places]
    return editing.set_evidence(
        opened, one, tuple(Evidence(int(context), *spot(words)) for context, _, words in parts)
    )


def side_of(opened: Opened, who: str) -> int:
    assert opened.over is not None
    return opened.over.people["entity"].index(who)


def named(which: str) -> str | int:
    """A unit by its text, or by its place, as `#2`."""
    return int(which[1:]) - 1 if which[0] == "#" else which


def merge(opened: Opened, one: Unit, other: str = "") -> Edit:
    """Make one unit of two, or of one and the next."""
    if other:
        return editing.merge(opened, one, unit_of(opened, named(other)))
    return editing.merge(opened, one, editing.next_counted(opened.units(one.kind), one))


def unit(change: Callable[..., Any]) -> Callable[..., Wish]:
    """An edit of the unit that is named."""
    return lambda which, *more: do(named(which), change, *more)


EDITS: dict[str, Callable[..., Any]] = {
    "accept": accepted,
    "take": unit(lambda opened, one, who: take(opened, one, side_of(opened, who))),
    "neither": unit(lambda opened, one: take(opened, one, -1)),
    "rest": lambda who: lambda opened: take_rest(opened, "entity", side_of(opened, who)),
    "accept-fast": partial(accepted, fast=True),
    "add": _add,
    "comment": Comment,
    "evidence": unit(choose),
    "exclude": editing.exclude,
    "flag": Flag,
    "merge": unit(merge),
    "reason": unit(editing.next_reason),
    "reject": unit(editing.reject),
    "relabel": unit(editing.relabel),
    "same": unit(same),
    "skip": lambda: editing.skip,
    "span": unit(lambda opened, one, words: editing.set_span(opened, one, Span(*spot(words)))),
    "split": unit(lambda opened, one, word: editing.split(opened, one, opened.sample.reference.index(word))),
    "toggle": unit(editing.toggle),
    "unsure": unit(editing.unsure),
}


def edits_of(opened: Opened, wishes: list[list[str]]) -> Iterator[Any]:
    """What words ask for; `turn missing` turns all names round that are missing."""
    for name, *given in wishes:
        if name == "turn":
            units = opened.state.entity.assessment.units
            yield from (do(at, editing.toggle) for at, one in enumerate(units) if one.match.verdict in given)
        else:
            yield EDITS[name](*given)


def reviewed(told: str, store: Store | None = None) -> None:
    """Do what a line `WHO ID: EDIT WORDS, EDIT WORDS` says; `undo` and `redo` are of no sample."""
    words, _, edits = told.partition(": ")
    who, _, ids = words.partition(" ")
    how = next((one for one in ("settles ", "picks ", "says ") if ids.startswith(one)), "")
    ids = ids.removeprefix(how)
    bench = Bench(Path(), store or open_store(database()))
    try:
        if edits in ("undo", "redo"):
            getattr(bench, edits)(who)
        if how == "says ":
            sort, state, note = shlex.split(edits)
            listed = disputes.disputes(bench.store, bench.info(), who).disputes
            (one,) = (one for one in listed if one.id == ids and sort in (one.sort, one.between))
            disputes.set_state(bench.store, one, cast(Any, state), note, who)
            return
        wishes = [shlex.split(one) for one in re.split(r", (?=[a-z])", edits)]
        many = int(ids.removeprefix("next ")) if ids.startswith("next ") else 0
        info = admitted(open_desk(bench.store, None, who)).info if many else bench.info()
        for key in [""] * many or each(ids):
            if many:
                number = queue.take_next(bench.store, info.id, who) or 0
                number = number or queue.next_sample(bench.store, info, who) or 0
            else:
                number = bench.id(key)
            if how == "settles ":
                opened = open_resolution(bench.store, number, who, info.id)
            else:
                opened = open_sample(bench.store, number, who, off_plan=how == "picks ")
            for one in edits_of(opened, wishes):
                opened = act(bench.store, opened, one(opened) if callable(one) else one)
    finally:
        if store is None:
            bench.store.close()


Asset = Callable[[str], Any]


def replay(run: Run, asset: Asset, session: str) -> None:
    """Do what a session says, in the current folder, with fixtures by their names; compare what is shown."""
    for step in re.split(r"(?m)^(?=[@>*$] )", session.strip())[1:]:
        first, _, rest = step.partition("\n")
        told, printed = rest.rstrip(), done(run, asset, step)
        if printed is not None:
            assert told == (told if re.fullmatch(pattern(told), f"{printed}\n") else printed), first


def replayed(beside: str) -> Callable[..., None]:
    """The test that replays each session of the text files beside it."""
    told = sessions(beside)

    @pytest.mark.parametrize(("title", "on"), on_each(told))
    def test(run: Run, request: pytest.FixtureRequest, title: str) -> None:
        replay(run, request.getfixturevalue, told[title])

    return test


def done(run: Run, asset: Asset, step: str) -> str | None:
    """Do a step of a session; what it shows, None where a file is written."""
    first, *told = step.splitlines()
    sign, words = first[:1], first[2:]
    if words.startswith("export "):
        asset("monkeypatch").setenv(*shlex.split(words)[1].split("=", 1))
        return ""
    if sign == "$":
        return shown(run, words)
    if sign == ">":
        Path(words).parent.mkdir(exist_ok=True)
        text = [lines(rows_of(one[2:])) if one[0] == "+" else f"{one[2:]}\n" for one in told if one]
        Path(words).write_text("".join(text), "utf-8")
    elif sign == "*":
        try:
            reviewed(words)
        except WorkbenchError as error:
            return f"! {error}"
    elif words == "demo":
        shutil.copy(asset("demo_database"), "workbench.db")
    elif words.startswith("policy "):
        before, after = words.removeprefix("policy ").split(" → ")
        policy = run("policy", "show").out
        assert before in policy, policy
        Path("policy.toml").write_text(policy.replace(before, after), "utf-8")
        assert 0 == run("policy", "edit", "--file", "policy.toml").code
    elif words.startswith("service"):
        options = json.loads(words.removeprefix("service") or "{}")
        asset("service")(**options | {"faults": Faults(**options.get("faults", {}))})
    elif words == "hard":
        assert 0 == run("import", FIXTURES / "exports.jsonl", "--dataset", "hard", "--gold-if-given").code
    elif words != "databases":
        name, _, number = words.rpartition(" ")
        STARTS[name](run, int(number))
    return None if sign == ">" else ""


def pattern(told: str) -> str:
    left_out = {"…": r"(?:(?![!?] ).*\n)*", "! …": r"(?:! .*\n)*"}
    return "".join(
        left_out.get(line, re.escape(line).replace("…", ".*") + r"\n") for line in told.split("\n")
    )


def shown(run: Run, words: str) -> str:
    """Everything that a command shows, as sessions write it."""
    name, *arguments = shlex.split(os.path.expandvars(words))
    query = arguments[arguments.index("|") + 1 :] if "|" in arguments else []
    if name == "ls":
        said = sorted(path.name for path in Path().iterdir())
    elif name == "cat":
        said = Path(*arguments).read_text("utf-8").splitlines()
    elif name == "read":
        said = made_of(*arguments)
    elif name in (*OF_A_SAMPLE, "view", "row", "facets", "gold", "why", "settling", "next", "places"):
        try:
            said = in_queue(name, *arguments)
        except WorkbenchError as error:
            said = [f"! {error}"]
    elif name == "sql":
        with closing(open_store(database())) as store:
            bench = Bench(Path(), store)
            asks = arguments[0].startswith("SELECT")
            rows = bench.query(*arguments) if asks else []
            bench.change(*arguments[asks:])
        said = ["|".join(str(int(one) if one in (True, False) else one) for one in row) for row in rows]
    elif name == "mv":
        shutil.move(arguments[0], arguments[1])
        said = []
    elif name == "unset":
        del os.environ[arguments[0]]
        said = []
    elif name == "asked":
        with urlopen(f"{os.environ['ANTHROPIC_BASE_URL']}/stats") as answer:
            said = [str(json.load(answer)["requests"])]
    elif name == "sqlite3":
        with closing(sqlite3.connect(arguments[0])) as raw:
            said = ["|".join(map(str, row)) for row in raw.execute(arguments[1])]
            raw.commit()
    else:
        ended = run(*arguments[: arguments.index("|")] if query else arguments)
        out = [json.dumps(one, ensure_ascii=False) for one in jq(ended.json, query[-1])] if query else []
        said = out or ended.out.splitlines()
        said += [f"! {line}" for line in ended.err.splitlines()] + [f"? {ended.code}"] * (ended.code != 0)
    return "\n".join(line.rstrip() for line in said).rstrip()


def units_text(assessment: Assessment) -> str:
    """Each unit with its verdict: `out` when it is none, `open` while nobody decided."""
    verdicts = [(one, "out" if one.rejected else one.match.verdict or "open") for one in assessment.units]
    return ", ".join(f"{one.text}{f'/{one.label}' * (one.label != 'place')} {said}" for one, said in verdicts)


def state_text(opened: Opened) -> str:
    """How far a person is with the entities of a sample, and what is noted there."""
    now = opened.state
    return ", ".join(filter(None, (now.entity.disposition, now.entity.reason, now.flag, *now.comments)))


def seen_text(opened: Opened) -> str:
    """What else a person sees of a sample than its units."""
    said = ["without suggestions"] * opened.blind + ["to match again"] * opened.rematch
    said += [settled_value(opened, kind) for kind in opened.settled if kind == "entity"]
    said += ["automatic values"] * bool(opened.automatic)
    said += ["a verified value"] * ("entity" in opened.standing)
    return ", ".join([*said, *(f"beside {one.annotator}" for one in opened.others.get("entity", ()))])


def place_text(held: Held | None) -> str:
    if held is None:
        return "free"
    how = "decided" if held.done else "given" if held.until is None else "held"
    return f"{held.annotator} {how}{' too late' * held.extra}"


def whole_text(opened: Opened, one: Unit) -> str:
    """All of a unit; what a unit usually is goes without saying."""
    match, sample = one.match, opened.sample
    verdict = [match.verdict or "open", match.reason, f"by {match.rule}" * bool(match.rule)]
    said = [
        f"{one.id} {one.text}{f'/{one.label}' * bool(one.label)}",
        " ".join(filter(None, verdict)),
        f"{match.similarity} alike" * bool(match.similarity),
        "nested" * match.nested,
        match.note,
        one.origin.replace("proposed", ""),
        "rejected" * one.rejected,
        f"is {one.duplicate_of}" * bool(one.duplicate_of),
        f"labelled {one.original_label}" * bool(one.original_label),
        f"proposed as {one.proposed}" * bool(one.proposed),
        *(f"at {span.start} {span.of(sample.reference)}" for span in one.spans),
        *(f"in {at.context}:{at.start} {at.of(sample.retrieved_contexts)}" for at in match.evidence),
    ]
    return " · ".join(filter(None, said))


def doubts_text(opened: Opened, kind: Kind) -> list[str]:
    """Why an accept stops once, and the unit at which a person begins to look."""
    units = opened.units(kind)
    first = units[editing.least_certain(units, opened.sample.retrieved_contexts)].id
    return [*editing.doubts(opened, kind), f"look at {first} first"]


OF_A_SAMPLE: dict[str, Callable[[Opened], list[str]]] = {
    "doubts": lambda opened: [one for kind in opened.dataset.kinds for one in doubts_text(opened, kind)],
    "seen": lambda opened: [seen_text(opened)],
    "state": lambda opened: [state_text(opened)],
    "units": lambda opened: [units_text(opened.state.entity.assessment)],
    "whole": lambda opened: [
        whole_text(opened, one) for kind in opened.dataset.kinds for one in opened.units(kind)
    ],
}


def why_text(found: Why) -> list[str]:
    """The values of both sides and whose they are, and of each pair of units what set the sides apart."""
    recall, value = found.automatic.recall, found.value
    number = f" ({value})" if value not in (recall, recall and float(recall)) else ""
    whose = f" ({found.whose})" * bool(found.whose)
    automatic = f"{found.source} {found.digits or f'{recall}{number}'}"
    said = [f"{automatic}, {found.verified_by}{whose} {found.verified.recall}: {found.delta}"]
    for one in found.rows:
        pair = " | ".join(side.text if side else "–" for side in (one.automatic, one.verified))
        cause = [f"{one.cause} {one.part}".strip(), str(one.share), fix(one, found)] if one.cause else []
        said.append(" · ".join(filter(None, [pair, one.rule, *cause])))
    return said


def gold_text(found: Gold) -> str:
    """The origin of what stands, and its units."""
    return f"{found.origin}: {units_text(found.assessment) if found.assessment else '–'}"


def in_queue(what: str, words: str = "", *options: str) -> list[str]:
    given: dict[str, Any] = dict(zip(options[::2], options[1::2], strict=True))
    who = given.get("--as", "ann")
    with closing(open_store(database())) as store:
        info = find_dataset(store, None)
        ids = sample_ids(store, info.id)
        if what == "facets":
            facets = sorted(queue.facets(store, info, who).items())
            return [f"{name}: {', '.join(f'{one} {many}' for one, many in sorted(v))}" for name, v in facets]
        if what == "view":
            query = parse(words)
            assert isinstance(query, Query), query
            keys = {number: key for key, number in ids.items()}
            view = queue_values.queue_ids(store, info, who, query, given.get("--by", "file"))
            return [" ".join(keys[number] for number in view)]
        if what == "gold":
            found = load_gold(store, info.id, "entity")
            return [f"{key} {gold_text(found[number])}" for key, number in ids.items() if number in found]
        if what in OF_A_SAMPLE:
            told, only = OF_A_SAMPLE[what](open_sample(store, ids[words], who)), given.get("--of", "").split()
            return [one for one in told if not only or one.split()[0] in only]
        if what == "why":
            kind = given.get("--kind", "entity")
            return why_text(explain(store, ids[words], who, kind=kind, scorer=given.get("--scorer")))
        if what == "settling":
            return [units_text(open_resolution(store, ids[words], who, info.id).state.entity.assessment)]
        if what == "places":
            return [", ".join(map(place_text, places(store, [ids[words]])[ids[words]]))]
        if what == "next":
            find = queue.next_to_settle if words == "settle" else queue.next_sample
            number = find(store, info, who, ids.get(given.get("--after", "")))
            if words == "hold":
                number = number or queue.take_next(store, info.id, who)
            return [key for key, one in ids.items() if one == number]
        row = queue.queue_rows(store, info, who, [ids[words]], queue_values.count_now)[ids[words]]
        tallies = {"auto": row.automatic, "verified": row.verified}
        said = [row.question, *(f"{name} {one.recall}" for name, one in tallies.items() if one)]
        said += ["" if row.delta is None else f"Δ {row.delta}", *(f"by {name}" for name in row.annotators)]
        if row.delta is not None:
            said += queue_values.main_causes(store, info, who, [ids[words]]).values()
        said += ["differs"] * row.differs + ["stale"] * row.stale + ["to match again"] * row.rematch
        return [" · ".join(one for one in [*said, row.flag] if one)]


def made_of(name: str, *options: str) -> list[str]:
    """What `read` shows of a file. An id that is the hash of the row's texts is left out."""
    given: dict[str, list[str]] = {"--format": [], "--map": [], "--external": [], "--rows": [""]}
    for option, value in zip(options[::2], options[1::2], strict=True):
        given[option].append(value)
    notes, path = Notes(), Path(name) if Path(name).exists() else FIXTURES / "formats" / name
    try:
        columns = columns_of(given["--map"], given["--external"], given["--rows"][-1])
        rows = list(read(path, format="".join(given["--format"]) or None, notes=notes, columns=columns))
    except WorkbenchError as error:
        return [f"! {error}"]
    said = [
        f"! {row.error}"
        if row.record is None
        else to_text(row.record).replace(f'"id": "{row.record.sample.content_hash}", ', "", 1)
        for row in rows
    ]
    return [notes.format, *said, *(f"  {message}" for message in notes.messages())]


def jq(value: Any, query: str) -> list[Any]:
    """What jq finds for paths and lists of them, as `.samples[] | [.id, .delta]`."""
    found = [value]
    for part in query.split(" | "):
        if part.startswith("["):
            found = [[one for path in part[1:-1].split(", ") for one in jq(each, path)] for each in found]
            continue
        if part == "length":
            found = list(map(len, found))
            continue
        for name in re.findall(r"[\w~-]+|\[\]", part):
            if name == "[]":
                found = [one for each in found for one in (each.values() if isinstance(each, dict) else each)]
            else:
                found = [each[int(name) if isinstance(each, list) else name] for each in found]
    return found
