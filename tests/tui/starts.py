"""What is in a database when a walk begins, by name; other tests of screens use it too."""

import random
from collections.abc import Callable
from contextlib import closing
from dataclasses import replace
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any

from sqlalchemy import text

from tests.rows import city, gold, naming, proposal, sample, units, write_rows
from tests.sessions import reviewed
from tests.tui.conftest import ROWS, Row, rows_in
from workbench.formats.policy import to_toml
from workbench.model import Proposal, ProposedEntity
from workbench.proposing.claude.answers import Failure
from workbench.reviewing.documents import proposal_document
from workbench.stages import calibrate, plan, team, training
from workbench.stages.claude import ModelOptions, keep_external, made_by, setup_of
from workbench.stages.figures import figures
from workbench.stages.import_ import ImportOptions, import_file
from workbench.stages.people import Person, add_person
from workbench.stages.policy import change_policy
from workbench.stages.recompute import save_counted
from workbench.store.datasets import find_dataset
from workbench.store.engine import Store, open_store
from workbench.store.runs import add_results, create_run, save_call
from workbench.store.samples import load_samples, sample_ids
from workbench.store.tables import CallRow

Ask = Callable[[str], Any]
Start = Callable[[Ask], Path]


def given(*rows: Row, then: Callable[[Store], object] | None = None, **more: Any) -> Start:
    """Rows in a database; `then` does more with it."""
    return lambda ask: ask("import_rows")(rows, then=then, **more)


def with_another(start: Start) -> Start:
    """And a second dataset of one sample."""

    def put(ask: Ask) -> Path:
        path = start(ask)
        source = write_rows(path.with_name("more.jsonl"), [sample("m1", "r", user_input="q")])
        with closing(open_store(str(path))) as store:
            import_file(store, source, ImportOptions(dataset="more", blind=0.0), annotator="x")
        return path

    return put


def assigned(store: Store, overlap: int = 2) -> None:
    """Each sample is for so many people."""
    team.assign(store, find_dataset(store, None), "ann", overlap, 1.0, None)


def eighty(number: int) -> dict[str, Any]:
    """Two cities, with values of meta that steer what reads markup, and a terminal."""
    meta = {
        "lang": "en" if number % 3 else "ru",
        "[bold]x": "[red]" if number % 2 else "[/bold]",
        "raw": "\x1b[31m\u202e" if number % 2 else "a\nb",
    }
    made = city(number, id=f"s{number:02}", user_input=f"question {number}", meta=meta)
    return made | {"reference": f"{made['reference']} {number}"}


SPELLED = {"Johann Strauss": "Johan Straus", "Saint Petersburg": "Petersberg", "Rome": "Rome", "Oslo": ""}
"""Names and what the contexts have in their place."""


def judged(place: int) -> dict[str, Any]:
    """The machine finds Rome; people find Strauss too, and every third time Petersburg.

    Every fourth sample has no Oslo: its automatic value and its differences are larger.
    """
    said = {
        "Johann Strauss": "found",
        "Saint Petersburg": "missing" if place % 3 else "found",
        "Rome": "missing" if place % 5 == 4 else "found",
        **({} if place % 4 == 0 else {"Oslo": "missing"}),
    }
    own = {"user_input": f"question {place}", "gold": gold(said), "context_entity_recall": 0.5}
    return naming(f"s{place:02}", said, filter(None, SPELLED.values()), also=f" {place}", **own)


def figured(store: Store) -> None:
    """Count what Compare would count before it shows anything."""
    figures(store, find_dataset(store, None))


def compared(gold: int = 24, more: int = 0, lead: str = "", *, column: bool = False) -> Start:
    """`gold` verified samples and `more` that are not; `lead` begins their ids."""
    rows = [judged(place) for place in range(gold + more)]
    for place, one in enumerate(rows):
        one["id"] = lead + one["id"]
        if not column:
            del one["context_entity_recall"]
        if place >= gold:
            del one["gold"]
    return given(*rows, name="names", gold="given", then=figured)


NEAR = {**SPELLED, "Elizabeth Bennett": "Elisabeth Benett"}
"""Of Strauss, Petersburg and Bennett the contexts have what is 82, 69 and 84 alike."""


def alike(place: int) -> dict[str, Any]:
    """At 85 a sample finds Rome only; people find what is 82 alike, and sometimes what is 69 alike."""
    said = {
        "Johann Strauss": "found",
        "Elizabeth Bennett": "found" if place % 3 else "missing",
        "Saint Petersburg": "missing" if place % 4 else "found",
        "Rome": "found",
        "Oslo": "missing",
    }
    inside = [NEAR.get(name, name) for name in said if name != "Oslo"]
    own = {"user_input": f"question {place}", "gold": gold(said)}
    return naming(f"s{place:02}", said, inside, also=f" {place}", **own)


def matched(store: Store) -> None:
    """Count what Calibrate would count before it shows anything; one set of samples is left to it."""
    chunk = calibrate.next_uncounted(store, find_dataset(store, None).id)
    assert chunk is not None
    save_counted(store, chunk)


def calibrated(gold: int = 24, more: int = 6, *, unkept: bool = False) -> Start:
    """`gold` verified samples and `more` that are not. `unkept`: nobody keeps the last name."""
    rows = [alike(place) for place in range(gold + more)]
    for one in rows[gold:]:
        del one["gold"]
    for one in rows if unkept else []:
        one["proposal"]["reference_entities"][-1]["label"] = "date"
        one.get("gold", {"entities": [0]})["entities"].pop()
    return given(*rows, name="names", gold="given", then=matched if gold == 24 else None)


def after(*told: str) -> Start:
    """The cities, after what people did."""

    def review(store: Store) -> None:
        for one in told:
            reviewed(one, store)

    return given(*ROWS, then=review)


def planned(number: int) -> Start:
    """Eighty samples of ten groups, and a plan of so many reviews."""

    def make(store: Store) -> None:
        info = find_dataset(store, None)
        plan.make(store, info, plan.draft(store, info, plan.Wish(number), "ann"))

    return given(*map(eighty, range(80)), then=make)


TOWER, SCHILLER = ROWS[0], ROWS[5]
LONG = " ".join(f"Sentence {number} says nothing of note." for number in range(400))
CAFE = "The cafe CAFÉ again; built from 1887 to 1889, near the Seine."
MORE = [f"{LONG} At the end the Café of the Eiffel Tower. {LONG}", "Nothing here.", CAFE]
FIVE = {**TOWER, "retrieved_contexts": TOWER["retrieved_contexts"] + MORE}
OF_FIVE = [*TOWER["proposal"]["context_entities"], [], [], []]
FIVE["proposal"] = {**TOWER["proposal"], "context_entities": OF_FIVE}
DIED = [
    {"text": "Schiller died in 1805.", "start": 0, "end": 39, "verdict": "missing"},
    {"text": "He died in Weimar.", "start": 40, "end": len(SCHILLER["reference"]), "verdict": "missing"},
]
CLAIM = "The tower was built by the company of Gustave Eiffel for the World's Fair of 1889 in Paris."
REASON = f"{'The first sentence says so. ' * 12}The end of it."
IN_WEIMAR = {"text": SCHILLER["reference"], "verdict": "found", "context": 0}
IN_WEIMAR["quote"] = "Goethe lebte in Weimar"
CLAIMED = proposal(["Paris"], [], statements=[{"text": CLAIM, "verdict": "yes", "reason": REASON}])


PLACES, NESTED, CHURCH = rows_in("pictured.jsonl")
LEFT_OUT = {"tower": "Seine", "nevsky": "Огюст Монферран", "changcheng": "明长城", "nil": "مصر"}
"""A name of each script, to be added."""


def unnamed(row: Row) -> Row:
    """A sample without these."""
    if "proposal" not in row:
        return row
    named = [unit for unit in row["proposal"]["reference_entities"] if unit["text"] not in LEFT_OUT.values()]
    return row | {"proposal": row["proposal"] | {"reference_entities": named}}


def large() -> Row:
    """The tower with a hundred contexts of 40 KB, of made-up words in Latin letters with some accents."""
    chance = random.Random(11)
    words = ["".join(chance.choices("abcdeéfghiklmnoprstuvwz", k=chance.randint(2, 9))) for _ in range(4_000)]

    def prose() -> str:
        sentences = [" ".join(chance.choices(words, k=12)).capitalize() + "." for _ in range(300)]
        return " ".join(chance.choices(sentences, k=650))[:40_000]

    contexts = [prose() for _ in range(100)]
    inside = " The Eiffel Tower in Paris, by Gustave Eiffel. "
    contexts[57] = contexts[57][:20_000] + inside + contexts[57][20_000:]
    contexts[90] = "The Universities of Lyon and of Paris. " + contexts[90]
    named = [units(["Paris"]) if number == 57 else [] for number in range(100)]
    given = {**TOWER["proposal"], "context_entities": named}
    return {**TOWER, "retrieved_contexts": contexts, "proposal": given}


def claiming(*statements: Row) -> Row:
    """Schiller's sample with statements."""
    return {**SCHILLER, "proposal": {**SCHILLER["proposal"], "statements": list(statements)}}


def india(name: str, reference: str, *units: tuple[str, str]) -> Row:
    """A sample whose one context is its reference."""
    named = [{"text": text, "label": label} for text, label in units]
    given = {"proposer": "claude", "reference_entities": named, "context_entities": [named]}
    return sample(name, reference, reference, user_input=f"What of {name}?", proposal=given)


INDIA = [
    india("agra", "Agra is an Indian city.", ("Agra", "place"), ("Indian", "other")),
    india("delhi", "Delhi is the Indian capital.", ("Delhi", "place"), ("Indian", "place")),
    india("ganges", "The Ganges is an INDIAN river.", ("Ganges", "place"), ("INDIAN", "other")),
    india("goa", "Goa lies on the Indian Ocean.", ("Goa", "place"), ("Indian Ocean", "place")),
    india("lima", "Lima is in Peru.", ("Lima", "place")),
]  # fmt: skip


def in_training(mark: float) -> Start:
    """Schiller is known, the owner took his day of death out; bo is an annotator in training."""

    def train(store: Store) -> None:
        reviewed('ann schiller: reject "9. Mai 1805", accept', store)
        for name, role in (("ann", "owner"), ("bo", "annotator")):
            add_person(store, "ann", Person(name, role, adjudicator=False, disabled=False))
        training.begin(store, find_dataset(store, None), "ann", "id:schiller", mark)

    return given(*ROWS, then=train)


def with_service(start: Start, *, key: bool = True) -> Start:
    """And a local service that answers in the place of Claude, with a key for it or without."""

    def put(ask: Ask) -> Path:
        ask("service")()
        if not key:
            ask("monkeypatch").delenv("ANTHROPIC_API_KEY")
        return start(ask)

    return put


def change_guidelines(store: Store) -> None:
    info = find_dataset(store, None)
    change_policy(store, info, to_toml(info.policy).replace("Missing: it is not", "Missing: nowhere"), "lead")


def under_an_older_policy(store: Store) -> None:
    """Schiller was verified before the guidelines were changed."""
    reviewed("ann schiller: reject Weimar, accept", store)
    change_guidelines(store)


def in_every_state(store: Store) -> None:
    """Two samples verified, one each skipped, excluded, flagged and begun; then the policy was changed."""
    for told in (
        'schiller: toggle "Friedrich Schiller", accept',
        'tower: reject "Eiffel Tower", accept',
        "nil: skip",
        "genji: exclude broken",
        "emoji: flag odd, reject #1",
    ):
        reviewed(f"ann {told}", store)
    change_guidelines(store)
    with store.writing() as session:  # what it took differs from run to run
        session.execute(text("UPDATE review_event SET seconds = 7.1, presses = 2 WHERE op != 'open'"))


def begun_by_strata(store: Store) -> None:
    """A plan of one day, of which five samples are verified."""
    info = find_dataset(store, None)
    drafted = plan.draft(store, info, plan.Wish(20, "stratified", "meta.lang", holdout=0.2), "ann")
    made = replace(drafted.plan, created_at=datetime(2026, 11, 21, 12, tzinfo=UTC))
    plan.make(store, info, replace(drafted, plan=made))
    reviewed("ann next 5: accept", store)


NAMED = {
    "tower": ["Eiffel Tower", "Paris", "1889", "Seine"],
    "nil": ["نهر النيل", "مصر"],
    "schiller": ["Friedrich Schiller", "Weimar"],
    "genji": ["源氏物語", "紫式部"],
}
FAILED = {"nevsky": Failure("refused"), "changcheng": Failure("cut off")}
FAILED["emoji"] = Failure("refused", "the text of [bold]a policy[/bold]")


def with_runs(store: Store) -> None:
    """Beside the recorded run one of Claude with failures and costs, and one by rules; all of one day."""
    info = find_dataset(store, None)
    set_up = made_by(setup_of(store, info, ModelOptions()), info.policy.kinds)
    run = create_run(store, info.id, *set_up)
    create_run(store, info.id, "rules", "rules-1", {"source": "rules"})
    ids = list(sample_ids(store, info.id).values())
    rows = {
        one.sample.id: {"run_id": run, "sample_id": one.sample_id, "content_hash": one.sample.content_hash}
        for one in load_samples(store, ids, None)
    }
    proposals = []
    for key, names in NAMED.items():
        made = Proposal("claude", reference_entities=tuple(ProposedEntity(name, "other") for name in names))
        proposals.append(rows[key] | {"document": proposal_document(made)})
    failed = [rows[key] | {"failure": one.kind, "message": one.message} for key, one in FAILED.items()]
    add_results(store, proposals, failed)
    usage = {"input": 41_200, "output": 9_300, "cache_read": 12_000}
    save_call(store, CallRow(run_id=run, task="entities", keys=["a"], usage=usage), {"a": []})
    with store.writing() as session:
        session.execute(text("UPDATE run SET created_at = '2026-11-02 09:30:00'"))


def at_a_service(start: Start) -> Start:
    """The service of the program has a name that is the same every time."""

    def put(ask: Ask) -> Path:
        ask("monkeypatch").setenv("ANTHROPIC_BASE_URL", "https://llm.example")
        return start(ask)

    return put


def of_long_names(store: Store) -> None:
    """A run of a proposer and a model with long names."""
    made_by = "our-team-extraction-pipeline-production", "meta-llama/Llama-3.3-70B-Instruct-Turbo"
    create_run(store, find_dataset(store, None).id, *made_by, {})


def stay_here(store: Store) -> None:
    keep_external(store, find_dataset(store, None), "never", "ann")


def given_to_bo(store: Store) -> None:
    assigned(store)
    team.give(store, find_dataset(store, None), "ann", "bo", "id:tower")


def given_to_both(store: Store) -> None:
    assigned(store)
    for who in ("ann", "bo"):
        team.give(store, find_dataset(store, None), "ann", who, "state:todo")


def retrieved(key: str, retriever: str) -> Row:
    return {**TOWER, "id": key, "meta": {"retriever": retriever}}


HASH = "0123456789abcdef" * 2
WITHOUT: Row = {"retrieved_contexts": []}
SCORE = {"scores": {"context_entity_recall": 0.3333}}
SAW = [f"{one} wrote that the Eiffel Tower is the tower which {'many ' * 30}see." for one in "ABC"]
TOWERS = {"proposer": "p", "reference_entities": units(["Eiffel Towers"])}
OF_THE_OCEAN = "All cities of the Indian Ocean here.", ("Indian Ocean", "place")
STARTS: dict[str, Start] = {
    "nothing": lambda ask: ask("tmp_path") / "new.db",
    "no dataset": lambda ask: ask("empty_database"),
    "cities": given(*ROWS),
    "schiller alone": given(ROWS[5]),
    "a question alone": given(
        {"user_input": "Who was it that led the expedition?", "reference": "Amundsen.", **WITHOUT}
    ),
    "cities without suggestions": given(*ROWS, blind=1.0),
    "tower without suggestions": given(TOWER, blind=1.0),
    "nevsky and its cathedral": given(
        {**ROWS[1], "reference": ROWS[1]["reference"] + " Рядом с Исаакиевским собором стоит дом Лобанова."}
    ),
    "tower with five contexts": given(FIVE),
    "a tower with a blank reference": given({**TOWER, "reference": "  ", "proposal": None}),
    "a long id": given({**TOWER, "id": f"a-very-long-identifier/{'x' * 100}/the-end-of-it-0042"}),
    "a tower of 4 MB": lambda ask: given(large(), ROWS[1])(ask),
    "towers that A, B and C saw": given(sample("tower", TOWER["reference"], *SAW, proposal=TOWERS)),
    "names and statements": given(ROWS[4], claiming(IN_WEIMAR), kinds=("entity", "statement")),
    "statements": given(claiming(*DIED), kinds=("statement",)),
    "Bolivia": given(*rows_in("bolivia.jsonl")),
    "cities for two people each": given(*ROWS, then=assigned),
    "cities for one person each": given(*ROWS, then=partial(assigned, overlap=1)),
    "cities and a run of long names": given(*ROWS, then=of_long_names),
    "cities for two people, the tower for bo": given(*ROWS, then=given_to_bo),
    "cities for ann and bo": given(*ROWS, then=given_to_both),
    "cities and an older policy": given(*ROWS, then=under_an_older_policy),
    "cities under a long name": given(*ROWS, name="retrieval-evaluation-of-the-second-quarter"),
    "cities and another dataset": with_another(given(*ROWS)),
    "cities in every state": given(*ROWS, then=in_every_state),
    "cities that two decided": after(
        "ada tower nevsky changcheng nil genji schiller emoji bare: accept",
        'bob tower: reject "Gustave Eiffel", accept',
        "bob emoji: reject Zoë, accept",
        "bob schiller: relabel Weimar other, accept",
        "bob nevsky changcheng nil genji bare: accept",
    ),
    "cities and runs": at_a_service(given(*ROWS, then=with_runs)),
    "cities with names to add": given(*map(unnamed, ROWS)),
    "a tower for statements": given(
        {**TOWER, "proposal": {**TOWER["proposal"], "statements": []}}, kinds=("statement",)
    ),
    "names that nest, cross and touch": given(NESTED),
    "a tower with places to choose": given(PLACES, ROWS[1]),
    "a church in two statements": given(
        CHURCH, kinds=("statement",), then=partial(reviewed, "ann kirche: toggle #1, accept statement")
    ),
    "eighty samples and a plan by strata, begun": given(*map(eighty, range(80)), then=begun_by_strata),
    "eighty samples": given(*map(eighty, range(80))),
    "eighty samples and a plan of 4": planned(4),
    "eighty samples and a plan of 10": planned(10),
    "eighty samples and a plan of 20": planned(20),
    "a claim": given(
        sample("claims", CLAIM, "Nothing of it.", proposal=CLAIMED), kinds=("entity", "statement")
    ),
    "names verified in the file": compared(),
    "names verified in the file, with a column": compared(column=True),
    "names verified in the file, of long ids": compared(lead="Who wrote the policy that everybody reads? "),
    "names of ids that steer a terminal": compared(lead="\x1b[31m[bold]\u202e"),
    "names with a column, none verified": compared(0, 12, column=True),
    "nine names verified of thirty-nine": compared(9, 30),
    "fourteen names verified of thirty-four": compared(14, 20),
    "fourteen names with a column verified of thirty-four": compared(14, 20, column=True),
    "names to calibrate": calibrated(),
    "three names to calibrate": calibrated(3, 9),
    "names whose dates nobody keeps": calibrated(unkept=True),
    "three names whose dates nobody keeps": calibrated(3, unkept=True),
    "bare": given({"id": "a", "user_input": "q", "reference": "Rome.", "retrieved_contexts": []}),
    "India": given(*INDIA),
    "all of India": given(*(india(f"s{n}", *OF_THE_OCEAN) for n in range(30))),
    "India without suggestions": given(*INDIA, blind=1.0),
    "India without ids": given(INDIA[0], {**INDIA[1], "id": f"{7:032x}"}),
    "a tower by two retrievers": given(retrieved("0" * 32, "bm25"), retrieved(f"{1:032x}", "dense")),
    "a tower twice by one retriever": given(retrieved("a" * 32, "bm25"), retrieved("b" * 32, "bm25")),
    "a score of the file": given({**TOWER, "id": HASH, **SCORE}, *({**row, **SCORE} for row in ROWS[1:])),
    "a score of a sample without a question": given(
        {**TOWER, "id": HASH, "user_input": "", **SCORE["scores"]}, *ROWS[1:]
    ),
    "bo in training, the mark .5": in_training(0.5),
    "bo in training, the mark .9": in_training(0.9),
    "cities and a service": with_service(given(*ROWS)),
    "cities and a service without a key": with_service(given(*ROWS), key=False),
    "cities that stay here and a service": with_service(given(*ROWS, then=stay_here)),
    "demo": lambda ask: ask("demo"),
    "demo and another dataset": with_another(lambda ask: ask("demo")),
}
