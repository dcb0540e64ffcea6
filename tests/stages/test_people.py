"""Who may do what: owners, annotators, nobody who is not named; and who is in training."""

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from functools import partial
from threading import Barrier
from typing import Any

import pytest
from sqlalchemy import select

from tests.conftest import accepted, do, verify
from tests.rows import naming
from workbench.errors import ConflictError, UsageError
from workbench.formats.policy import to_toml
from workbench.reports.team import lesson_text, trainee_line
from workbench.reviewing.edits import Flag
from workbench.stages import claude, disputes, editing, queue, team, training, upkeep
from workbench.stages.agree import agree
from workbench.stages.desk import Desk, open_desk
from workbench.stages.figures import figures
from workbench.stages.people import disable, new_token
from workbench.stages.policy import change_policy, versions
from workbench.stages.review import act, open_sample
from workbench.stages.upkeep import doctor
from workbench.store.engine import Store, open_store
from workbench.store.exports import salt_of
from workbench.store.tables import DATASET


@pytest.fixture
def three(bench: Any) -> Any:
    """A dataset with an owner, an annotator, and an annotator who adjudicates."""
    bench.load([naming(f"s{n}", ["Rome"], ["Rome"], also=f" {n}") for n in range(12)])
    bench.people(ann="owner", bo="annotator", cy="adjudicator")
    return bench


@pytest.mark.parametrize("who", ["bo is an annotator", "cy is an adjudicator"])
def test_what_no_command_asks_about_is_for_owners_too(three: Any, who: str) -> None:
    """All else is tried by the commands."""
    for deed, attempt in (
        ("choose the run", lambda: claude.make_current(three.store, three.info(), "p-run-1", who[:2])),
        ("give people tokens", lambda: new_token(three.store, who[:2], "bo")),
    ):
        with pytest.raises(UsageError, match=f"{who} and may not {deed}: that is for owners"):
            attempt()


@pytest.mark.databases
def test_two_first_exports_at_the_same_time_give_a_person_one_pseudonym(three: Any) -> None:
    salts: list[bytes] = []
    three.meanwhile(*[lambda store: salts.append(salt_of(store, 1))] * 2)

    assert [salt_of(three.store, 1)] * 2 == salts


@pytest.mark.databases
def test_two_owners_who_disable_each_other_leave_one(three: Any) -> None:
    three.people(dee="owner")

    with pytest.raises(UsageError, match=r"dee is disabled|you must be an owner yourself"):
        three.meanwhile(partial(disable, by="ann", name="dee"), partial(disable, by="dee", name="ann"))
    assert [("ann",)] == three.query("SELECT name FROM person WHERE role = 'owner' AND NOT disabled")


@pytest.mark.databases
def test_a_disabled_person_in_an_open_window_decides_nothing_more_and_gets_no_sample(three: Any) -> None:
    team.assign(three.store, three.info(), "ann", 1, 1.0, None)
    number = queue.take_next(three.store, three.info().id, "bo")
    assert number is not None
    opened = open_sample(three.store, number, "bo")
    opened = act(three.store, opened, Flag("look"))
    disable(three.store, "ann", "bo")

    for attempt in (
        lambda: act(three.store, opened, editing.accept(opened, "entity")),
        lambda: editing.apply(three.store, "bo", []),
        lambda: queue.take_next(three.store, three.info().id, "bo"),
        lambda: disputes.audit(three.store, number, "bo"),
        lambda: three.undo("bo"),
    ):
        with pytest.raises(UsageError, match="bo is disabled"):
            attempt()
    assert [("todo", "look")] == three.query("SELECT entity, flag FROM review WHERE annotator = 'bo'")
    assert [] == three.query("SELECT id FROM assignment WHERE annotator = 'bo'")


# Training: samples with known answers come first, and what is decided of them counts nowhere else.


def teach(bench: Any) -> None:
    """Fifteen samples of Rome and Oslo; the owner verified twelve, and all that bo decides comes after."""
    bench.load([naming(f"s{n:02}", ["Rome", "Oslo"], ["Rome"], also=f" {n}") for n in range(15)], blind=0)
    bench.people(ann="owner", bo="annotator")
    for n in range(12):
        bench.verify(f"s{n:02}")


@pytest.fixture
def taught(filled_by: Any) -> Any:
    return filled_by(teach)


def begin(bench: Any, text: str = "", mark: float = 0.8) -> training.Training:
    return training.begin(bench.store, bench.info(), "ann", text, mark)


def sits_down(bench: Any, name: str) -> Any:
    """The desk of a person who opens the program."""
    return training.admitted(open_desk(bench.store, None, name))


def decide(desk: Desk, *, wrong: bool = False) -> int:
    """Decide the next sample of a desk; `wrong` says the other verdict of its first unit, and no second."""
    number = queue.next_sample(desk.store, desk.info, desk.annotator)
    assert number is not None
    verify(desk.store, number, desk.annotator, toggle=[0] if wrong else [], reject=[1] if wrong else [])
    return number


def test_who_passed_is_told_once(taught: Any) -> None:
    begin(taught, "id:s01")
    decide(sits_down(taught, "bo"))

    line = "You passed the training: units 1.00, verdicts 1.00. These are the samples to review."
    assert line == trainee_line(sits_down(taught, "bo").trainee)
    assert sits_down(taught, "bo").trainee is None


@pytest.mark.databases
def test_a_change_of_the_policy_reaches_those_who_are_in_training(taught: Any) -> None:
    begin(taught, "id:s01")
    decide(sits_down(taught, "bo"))
    policy = replace(taught.info().policy, kinds=("entity", "statement"), guidelines="Claims too.")
    change_policy(taught.store, taught.info(), to_toml(policy), "ann")
    taught.act("s01", accepted("statement"))

    desk = sits_down(taught, "bo")

    assert ("entity", "statement") == desk.info.kinds
    assert "Claims too." == desk.info.policy.guidelines.strip()
    assert "Training: 0 of 1 sample decided" in trainee_line(desk.trainee)
    number = queue.next_sample(desk.store, desk.info, "bo")
    verify(desk.store, number or 0, "bo", kind="statement")
    assert "data" == sits_down(taught, "bo").info.name


def test_after_each_sample_a_person_learns_what_differs(taught: Any) -> None:
    begin(taught)
    desk = sits_down(taught, "bo")
    number = decide(desk, wrong=True)
    expected = [
        "1 entity unit is the same, of your 1 and 2 of the known answer.",
        "≠ Rome: you say missing, the known answer says found",
        "− Oslo: you have no such entity",
    ]
    told = training.lessons(desk.store, desk.info, desk.annotator, number)
    assert expected == lesson_text(told).splitlines()
    assert () == training.lessons(taught.store, taught.info(), "ann", taught.id("s01"))


def test_the_known_answer_is_not_to_be_seen_before(taught: Any) -> None:
    """What is shown is the suggestion, not what the owner made of it, and nobody's copy shows another's."""
    taught.act("s01", do(0, editing.reject))
    taught.people(cy="annotator")
    begin(taught, "id:s01")
    for name in ("bo", "cy"):
        desk = sits_down(taught, name)
        number = queue.next_sample(desk.store, desk.info, name)
        shown = open_sample(desk.store, number or 0, name).state.entity.assessment
        assert ["Rome", "Oslo"] == [unit.text for unit in shown.units if unit.counted]
        assert "verified" not in shown.source
        decide(desk)


@pytest.mark.databases
def test_training_counts_nowhere_else(taught: Any) -> None:
    before = figures(taught.store, taught.info()), agree(taught.store, taught.info(), "ann")
    team.assign(taught.store, taught.info(), "ann", 2, 1.0, None)
    begin(taught)
    desk = sits_down(taught, "bo")
    for _ in range(10):
        decide(desk, wrong=True)

    assert before == (figures(taught.store, taught.info()), agree(taught.store, taught.info(), "ann"))
    assert ["data"] == [one.info.name for one in upkeep.status(taught.store, "ann").datasets]
    assert () == doctor(taught.store, lambda _done: None).found


@pytest.mark.databases
def test_a_person_who_comes_in_several_windows_at_once_has_one_copy(taught: Any) -> None:
    begin(taught)
    stores = [open_store(taught.store.url) for _ in range(4)]
    start = Barrier(len(stores))

    def sit(store: Store) -> int:
        start.wait()
        return training.admitted(open_desk(store, None, "bo")).info.id

    with ThreadPoolExecutor(len(stores)) as pool:
        assert 1 == len(set(pool.map(sit, stores)))
    for store in stores:
        store.close()


@pytest.mark.databases
def test_who_has_a_copy_waits_for_no_writer(taught: Any) -> None:
    begin(taught)
    copy = sits_down(taught, "bo").info
    other = open_store(taught.store.url)
    with taught.store.writing() as session:
        session.execute(select(DATASET.id).with_for_update())
        assert copy == training.admitted(open_desk(other, None, "bo")).info
    other.close()


@pytest.mark.databases
def test_who_passes_in_two_windows_at_once_has_passed(taught: Any) -> None:
    begin(taught, "id:s01", 0.9)
    info = taught.info()

    taught.meanwhile(*[lambda store: training.let_pass(store, info, "ann", "bo")] * 2)

    assert "data" == sits_down(taught, "bo").info.name


@pytest.mark.databases
def test_two_who_change_a_policy_at_once_make_two_versions(taught: Any) -> None:
    info = taught.info()
    first, second = (to_toml(replace(info.policy, language=language)) for language in ("de", "ru"))

    taught.meanwhile(
        lambda store: change_policy(store, info, first, "ann"),
        lambda store: change_policy(store, info, second, "ann"),
    )

    assert ["", "de", "ru"] == [one.policy.language for one in versions(taught.store, info.id)]


def test_a_file_that_is_called_as_a_copy_for_training_is_told_so(taught: Any) -> None:
    """No list of datasets shows the copy."""
    begin(taught, "id:s01")
    name = sits_down(taught, "bo").info.name

    with pytest.raises(ConflictError, match="the name 'data · training of bo' is taken: give another one"):
        taught.load([naming("t", ["Rome"], ["Rome"])], dataset=name)
