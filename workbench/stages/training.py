"""Training: a person decides samples with known answers, and gets the others when they have passed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from workbench.comparing.agreement import Overlap, overlaps
from workbench.comparing.links import Link, links
from workbench.errors import UsageError
from workbench.matching.units import language_of
from workbench.model import Assessment, Kind, Unit
from workbench.reviewing.fold import resolve
from workbench.stages.people import Trainee, check, follows, is_trained, needs_training
from workbench.stages.queue_values import searched
from workbench.store import queue, training
from workbench.store.datasets import DatasetInfo, dataset_info
from workbench.store.engine import Store
from workbench.store.exports import annotators
from workbench.store.gold import several, verified_by
from workbench.store.people import people
from workbench.store.samples import dataset_of, load_sample, load_samples

if TYPE_CHECKING:
    from workbench.stages.desk import Desk

MOST = 10
"""Samples that each person is trained with."""

Known = Mapping[str, tuple[str, Mapping[Kind, Assessment]]]
"""The known answers by sample, with its language, and kind."""


@dataclass(frozen=True)
class Lesson:
    """What a person decided of one kind of a training sample, held against the known answer.

    `same` are units of both, the person's first; `missed` has the known answer alone, `added` the person.
    """

    kind: Kind
    same: tuple[Link, ...]
    missed: tuple[Unit, ...]
    added: tuple[Unit, ...]

    @property
    def known(self) -> list[Unit]:
        """The units of the known answer."""
        return [*(link.verified for link in self.same), *self.missed]

    @property
    def overlap(self) -> Overlap:
        """How many units are the same, of those of the person and of the known answer."""
        both = len(self.same)
        return Overlap(both, both + len(self.added), both + len(self.missed))

    @property
    def verdicts(self) -> int:
        """How many units of both have one verdict."""
        return sum(link.automatic.match.verdict == link.verified.match.verdict for link in self.same)


@dataclass(frozen=True)
class Training:
    """The training of a dataset: how many samples, the pass mark, and everybody who is or was trained."""

    samples: int
    mark: float
    people: tuple[Trainee, ...]


def begin(store: Store, info: DatasetInfo, by: str, text: str, mark: float) -> Training:
    """Train annotators with samples of a filter whose answers are known. Raises UsageError.

    Who has finished samples passes by the word of `by`.
    """
    check(store, by, "assign samples")
    ids = searched(store, info, by, text)
    named = people(store)
    if not named:
        raise UsageError("nobody is named, so nobody can be trained: workbench person add NAME --role owner")
    owners = {person.name for person in named if person.role == "owner"}
    candidates = training.candidates(store, info, ids, owners)
    if twice := several(store, info, ids=candidates):
        asked = replace(info, training={"samples": twice})
        keys, known = training.samples_of(store, asked), _known(store, asked)
        open_ = {number for number, key in keys.items() if key not in known}
        candidates = [number for number in candidates if number not in open_]
    if not candidates:
        raise UsageError(
            f"{text or 'this dataset'}: no sample has a known answer: one that was adjudicated, came with "
            "the file, or that an owner verified"
        )
    learners = {person.name for person in named if needs_training(person)}
    with store.writing():
        for name in learners - training.passed(store, info.id).keys():
            if queue.progress(store, info, name).mine:
                training.let_pass(store, info.id, name, by)
        training.begin(store, info, candidates[:MOST], mark)
    return progress(store, dataset_info(store, info.id), by)


def end(store: Store, info: DatasetInfo, by: str) -> None:
    """Train nobody any more. Raises UsageError."""
    check(store, by, "assign samples")
    training.begin(store, info, (), 0.0)


def let_pass(store: Store, info: DatasetInfo, by: str, name: str) -> Training:
    """Give a person the samples of a dataset whatever they decided. Raises UsageError."""
    check(store, by, "assign samples")
    check(store, name, "review")
    if not people(store) and name not in training.copies(store, info.id) | annotators(store, info.id):
        raise UsageError(f"{name}: nobody of that name reviews or is in training here")
    training.let_pass(store, info.id, name, by)
    return progress(store, info, by)


def progress(store: Store, info: DatasetInfo, viewer: str) -> Training:
    """How far the people are whose work `viewer` may see. Owners and adjudicators need no training."""
    with store.snapshot():
        copies, passed = training.copies(store, info.id), training.passed(store, info.id)
        everybody = people(store)
        named = {person.name for person in everybody if needs_training(person)}
        known = _known(store, info)
        every = [
            _standing(store, info, name, copies.get(name), passed.get(name, ""), known)
            for name in sorted(named | copies.keys() | passed.keys())
            if follows(everybody, viewer, name)
        ]
    return Training(len(known), info.training["pass"] if info.training else 0.0, tuple(every))


def standing(store: Store, info: DatasetInfo, annotator: str) -> Trainee | None:
    """How far a person came, also who is done with the training; None for who decided nothing there.

    `info` is their training or what they are trained for.
    """
    root = dataset_info(store, info.training_of or info.id)
    everybody = progress(store, root, annotator).people if root.training else ()
    one = next((one for one in everybody if one.name == annotator and one.decided), None)
    return replace(one, by=one.by or annotator) if one and one.reaches else one


def admitted(desk: Desk) -> Desk:
    """The desk of who is trained: until they pass, over their training samples; with how far they are.

    The same one for who needs no training, and who had passed before.
    """
    store, info, annotator = desk.store, desk.info, desk.annotator
    if not is_trained(store, info, annotator) or not (known := _known(store, info)):
        return desk  # the samples of a training may be purged
    copy_id = training.copies(store, info.id).get(annotator)
    # a snapshot that was begun before knows nothing of a copy that is made now
    with store.snapshot() if copy_id else store.writing():
        own_copy = dataset_info(store, copy_id or training.copy_for(store, info, annotator))
        trainee = _standing(store, info, annotator, own_copy.id, "", known)
    if not trainee.reaches:
        return replace(desk, info=own_copy, trainee=trainee)
    training.let_pass(store, info.id, annotator, annotator)
    return replace(desk, trainee=replace(trainee, by=annotator))


def lessons(store: Store, info: DatasetInfo, annotator: str, sample_id: int) -> tuple[Lesson, ...]:
    """How what a person decided of a training sample differs from the known answer, by kind; () elsewhere.

    `info` is their training or, once they have passed, what they were trained for.
    """
    root = info.training_of or info.id
    with store.snapshot():
        copy_id = training.copies(store, root).get(annotator)
        if copy_id is None or dataset_of(store, sample_id) != copy_id:
            return ()
        sample = load_sample(store, sample_id, None).sample
        decisions = training.answers(store, copy_id).get(sample.id)
        known = _known(store, dataset_info(store, root)).get(sample.id)
        if decisions is None or known is None:
            return ()
        lang, answers = known
        return tuple(_lesson(decisions[kind], answers[kind], lang) for kind in answers if kind in decisions)


def _lesson(assessment: Assessment, known: Assessment, lang: str) -> Lesson:
    same, added, missed = links(assessment, known, based=False, lang=lang)
    return Lesson(known.kind, same, tuple(missed), tuple(added))


def _known(store: Store, info: DatasetInfo) -> Known:
    """The answers of the training samples as they stand: adjudicated, from the file, or an owner's.

    Where these differ and nobody settled it, nothing is known.
    """
    keys = training.samples_of(store, info)
    owners = {person.name for person in people(store) if person.role == "owner"}
    answers: dict[str, dict[Kind, Assessment]] = {}
    for kind in info.kinds:
        for number, each in verified_by(store, keys, kind).items():
            own = [review for review in each if review.origin != "reviewed" or review.annotator in owners]
            if own and (known := resolve(own, info.policy.counted_labels)):
                answers.setdefault(keys[number], {})[kind] = known.assessment
    samples = {sample.sample.id: sample.sample for sample in load_samples(store, keys, None)}
    return {
        key: (language_of(samples[key], info.policy), each)
        for key, each in answers.items()
        if each.keys() >= {*info.kinds}
    }


def _standing(
    store: Store, info: DatasetInfo, name: str, copy_id: int | None, by: str, known: Known
) -> Trainee:
    answers = training.answers(store, copy_id) if copy_id is not None else {}
    own_lessons: Sequence[Lesson] = [
        _lesson(answers[key][kind], each[kind], lang)
        for key, (lang, each) in known.items()
        for kind in info.kinds
        if key in answers
    ]
    decided = sum(key in answers for key in known)
    both = sum(len(lesson.same) for lesson in own_lessons)
    f1 = overlaps([lesson.overlap for lesson in own_lessons]).micro.f1 if own_lessons else None
    verdicts = sum(lesson.verdicts for lesson in own_lessons) / both if both else None
    mark = info.training["pass"] if info.training else 0.0
    return Trainee(name, decided, len(known), mark, f1, verdicts, by)
