"""Taking records into a dataset, a chunk in one transaction: what is new is added, nothing is overwritten."""

from __future__ import annotations

import uuid
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from sqlalchemy import func, select

from workbench.errors import PurgedError, RowError
from workbench.model import (
    BY,
    KINDS,
    Assessment,
    GoldRecord,
    JsonObject,
    Kind,
    Marks,
    Match,
    Proposal,
    Record,
    Sample,
)
from workbench.reviewing.documents import proposal_document
from workbench.reviewing.edits import IMPORT_ACTION, Accept, Comment, Dispose, Edit, Flag, Named, Open, Put
from workbench.reviewing.fold import carry, fold, gold_units, same_gold
from workbench.store.datasets import DatasetInfo
from workbench.store.engine import Store
from workbench.store.gold import verified_by
from workbench.store.journal import Change, append, folded, journals, new_review, reviews_where
from workbench.store.plans import LATE_RANK, kept_back, plan_of
from workbench.store.runs import create_run
from workbench.store.samples import draw, sample_of
from workbench.store.scores import ScoreColumns, forget_scores
from workbench.store.tables import (
    BLANK_RANK,
    EXTERNAL,
    PROPOSAL,
    PURGED,
    REVIEW,
    RUN,
    SAMPLE,
    ExternalScoreRow,
    ProposalRow,
    Review,
    RunRow,
    SampleRow,
    among,
)

GoldRule = Literal["ignore", "given", "require"]
Outcome = Literal["new", "unchanged", "extended", "updated"]


@dataclass
class Intake:
    """The settings of one import.

    `planned`: the dataset has a plan, so that new samples come after it, `late` of them so far; looked up
    with every chunk.
    `reviews` and `units`: how many reviews got verified gold so far, and of how many units; `proposals`: how
    many came in.
    `before`: the highest number of a sample when the import began, and `met` those of earlier samples that
    rows of the file were for, with `update`: what a second row says otherwise contradicts the file itself.
    `by_text`: rows without an id that met a sample of the same text. `replaced`: samples that got another
    text.
    `columns`: where the numbers of the file go. `action` names its journal rows; `runs` holds, by proposer
    and model, the runs that recorded proposals go into, and grows as new proposers arrive.
    """

    dataset_id: int
    columns: ScoreColumns
    seed: int
    policy_version: int
    gold: GoldRule
    planned: bool = False
    late: int = 0
    reviews: int = 0
    units: int = 0
    proposals: int = 0
    before: int = 0
    met: set[int] = field(default_factory=set)
    by_text: int = 0
    replaced: int = 0
    action: str = field(default_factory=lambda: f"{IMPORT_ACTION}{uuid.uuid4().hex}")
    runs: dict[tuple[str, str], list[int]] = field(default_factory=dict)


BY_EARLIER = "by an earlier row of the file"
"""How the error of a row ends whose number contradicts the file itself."""

ANNOTATORS = "annotators"
"""The model of a run that holds what people marked in another tool."""


def intake(store: Store, info: DatasetInfo, columns: ScoreColumns, gold: GoldRule) -> Intake:
    """How a file goes into a dataset that is there, next to the runs that earlier files brought."""
    runs: dict[tuple[str, str], list[int]] = {}
    for run in store.column(select(RunRow).where(RUN.dataset_id == info.id).order_by(RUN.id)):
        if run.parameters.get("source") == "recorded":
            runs.setdefault((run.proposer, run.model), []).append(run.id)
    before = store.value(select(func.max(SAMPLE.id))) or 0
    return Intake(info.id, columns, info.seed, info.policy.version, gold, before=before, runs=runs)


def purged_names(store: Store, dataset_id: int) -> dict[str, str]:
    """The ids and hashes of all that was purged from a dataset, each with the day."""
    query = select(PURGED.key, PURGED.content_hash, PURGED.at).where(PURGED.dataset_id == dataset_id)
    return {name: at.date().isoformat() for *names, at in store.rows(query) for name in names}


def add_chunk(store: Store, intake: Intake, records: Sequence[Record]) -> list[Outcome | RowError]:
    """Store a chunk of records with distinct keys; says for each what happened to it.

    A record that is refused (RowError) changes nothing; the others go in together.
    """
    hashed = [(record, record.sample.content_hash) for record in records]
    keys = [record.sample.id or content for record, content in hashed]
    of_keys = SAMPLE.dataset_id == intake.dataset_id, SAMPLE.key.in_(keys)
    with store.writing():
        intake.planned = plan_of(store, intake.dataset_id) is not None  # made since the last chunk, maybe
        purged = purged_names(store, intake.dataset_id)
        known = {row.key: row for row in store.column(select(SampleRow).where(*of_keys))}
        chunk = _Chunk(store, intake, [row.id for row in known.values()])
        outcomes: list[Outcome | RowError] = []
        for (record, content), key in zip(hashed, keys, strict=True):
            row = known.get(key)
            if day := purged.get(key) or purged.get(content):
                outcomes.append(PurgedError(key, day))
            elif row is None:
                chunk.add_sample(record, key, content)
                outcomes.append("new")
            else:
                outcomes.append(chunk.meet(row, record, content))
        chunk.insert_samples()
        adding = [
            (at, record, content)
            for at, (record, content) in enumerate(hashed)
            if not isinstance(outcomes[at], RowError)
            and (record.proposal or record.scores or (record.gold and intake.gold != "ignore"))
        ]
        ids = dict(store.rows(select(SAMPLE.key, SAMPLE.id).where(*of_keys))) if adding else {}
        for at, record, content in adding:
            if chunk.add(record, content, ids[keys[at]]) and outcomes[at] == "unchanged":
                outcomes[at] = "extended"
        store.insert(ProposalRow, chunk.new_proposals)
        store.insert(ExternalScoreRow, chunk.new_scores)
        append(store, chunk.changes)
        return outcomes


class _Chunk:
    """What the database holds of the chunk's earlier samples, and what the chunk adds next to samples."""

    def __init__(self, store: Store, intake: Intake, ids: Sequence[int]) -> None:
        self.store, self.intake = store, intake
        self.proposals: dict[tuple[int, str], dict[int, dict[str, Any]]] = {}
        self.scores: dict[tuple[int, str], ExternalScoreRow] = {}
        self.reviews: dict[tuple[int, str], Review] = {}
        self.verified: dict[tuple[int, str, Kind], Assessment] = {}
        self.new_samples: list[dict[str, Any]] = []
        self.new_proposals: list[dict[str, Any]] = []
        self.new_scores: list[dict[str, Any]] = []
        self.changes: list[Change] = []
        if not ids:
            return
        for row in store.column(select(ProposalRow).where(among(PROPOSAL.sample_id, ids))):
            self.proposals.setdefault((row.sample_id, row.content_hash), {})[row.run_id] = row.document
        for score in store.column(select(ExternalScoreRow).where(among(EXTERNAL.sample_id, ids))):
            self.scores[score.sample_id, score.column] = score
        self._read_reviews(ids)
        for kind in KINDS if intake.gold != "ignore" and self.reviews else ():
            for sample_id, reviews in verified_by(store, ids, kind).items():
                for verified in reviews:
                    self.verified[sample_id, verified.annotator, kind] = verified.assessment

    def _read_reviews(self, ids: Sequence[int]) -> list[Review]:
        """The reviews of some samples as they are now."""
        reviews = reviews_where(self.store, among(REVIEW.sample_id, ids))
        self.reviews |= {(review.sample_id, review.annotator): review for review in reviews}
        return reviews

    def add_sample(self, record: Record, key: str, content: str) -> None:
        """A sample that is not there."""
        sample = record.sample
        drawn, blind_u = draw(self.intake.seed, key)
        u = drawn if record.u is None else record.u  # it keeps the place it had in another database
        self.new_samples.append(
            {
                "dataset_id": self.intake.dataset_id,
                "key": key,
                **{name: getattr(sample, name) for name in _SAME},
                "alternatives": list(sample.alternatives) or None,
                "group_key": sample.group,
                "meta": dict(sample.meta) or None,
                "content_hash": content,
                "u": u,
                "blind_u": blind_u,
                "rank": BLANK_RANK + u if sample.blank else u,
            }
        )

    def insert_samples(self) -> None:
        """Store new samples; those that come after the plan outside of it.

        A group or reference of the holdout keeps its new samples with it: nothing stands on both sides.
        """
        intake = self.intake
        rows = [row for row in self.new_samples if row["rank"] < BLANK_RANK]
        if intake.planned and rows:
            groups = {row["group_key"] for row in rows if row["group_key"] is not None}
            hashes = {row["reference_hash"] for row in rows}
            back = kept_back(self.store, intake.dataset_id, groups, hashes)
            for row in rows:
                row["rank"], row["size"] = LATE_RANK + row["u"], 0.0
                row["holdout"] = row["group_key"] in back or row["reference_hash"] in back
            intake.late += len(rows)
        self.store.insert(SampleRow, self.new_samples)

    def meet(self, row: SampleRow, record: Record, content: str) -> Outcome | RowError:
        """A record whose id is there already: add what is missing, refuse what differs unless told to update.

        Another retriever than the sample's, and another text than an earlier row of the file has, are refused
        in any case: they would take that one's place. What the record brings next to the sample is not added
        yet.
        """
        intake, sample, number = self.intake, record.sample, row.id or 0
        of_file = number > intake.before or number in intake.met
        if intake.columns.update:
            intake.met.add(number)
        meta = row.meta or {}
        held = meta.get("retriever")
        if held is not None and sample.meta.get("retriever", held) != held:
            expected = "that of its sample; give the rows of another retriever other ids, or none"
            return RowError("meta.retriever", f"another retriever for id {row.key!r}", expected)
        changed, refusal = "", None
        if content == row.content_hash:
            refusal = self.refuse(record, number, of_file=of_file)
            if refusal is not None and not intake.columns.update:
                return refusal
        else:
            texts = ("user_input", "reference")
            changed = next((n for n in texts if getattr(row, n) != getattr(sample, n)), "retrieved_contexts")
            # the external scores of a sample whose text changed are gone
            self.scores = {key: score for key, score in self.scores.items() if key[0] != number}
            if not record.contexts_given and row.retrieved_contexts:
                expected = "its contexts: a row without any does not take away those that are stored"
                return RowError("retrieved_contexts", f"nothing for id {row.key!r}", expected)
            if of_file:
                return RowError("id", f"{row.key!r} again, with another text", "one text for each id")
        given = {
            "response": sample.response,
            "group_key": sample.group,
            "alternatives": list(sample.alternatives) or None,
            "meta": {**meta, **sample.meta} or None,  # a key that the row does not name stays
        }
        differing = [name for name, value in given.items() if value not in (None, getattr(row, name))]
        clashing = [changed] if changed else []
        clashing += [name for name in differing if name != "meta" and getattr(row, name) is not None]
        clashing += [f"meta.{key}" for key, value in meta.items() if sample.meta.get(key, value) != value]
        if clashing and not intake.columns.update:
            name = "group" if clashing[0] == "group_key" else clashing[0]
            thing = name if name in ("group", "alternatives") else "value" if "." in name else "text"
            got = f"{'other' if thing == 'alternatives' else 'another'} {thing} for id {row.key!r}"
            where = "of an earlier row of the file" if of_file else "stored before (--update replaces it)"
            return RowError(name, got, f"the {thing} {where}")
        if changed and (reviewed := self._replace_text(row, sample, content, changed)) is not None:
            return reviewed
        for name in differing:
            setattr(row, name, given[name])
        return "updated" if clashing or refusal else "extended" if differing else "unchanged"

    def _replace_text(self, row: SampleRow, sample: Sample, content: str, changed: str) -> RowError | None:
        assert row.id is not None
        reviews = self._read_reviews([row.id])
        if changed != "retrieved_contexts" and reviews:
            got = f"another text for id {row.key!r}, which is reviewed"
            return RowError(changed, got, "a new id: gold belongs to its text")
        before, replaced = list(row.retrieved_contexts), row.content_hash
        for name in ("user_input", "reference", "reference_hash"):
            setattr(row, name, getattr(sample, name))
        if sample.blank != (row.rank >= BLANK_RANK):
            late = self.intake.planned and not sample.blank
            row.rank = row.u + (BLANK_RANK if sample.blank else LATE_RANK if late else 0)
            row.size = 0.0 if late else 1.0
        row.retrieved_contexts, row.content_hash = list(sample.retrieved_contexts), content
        self.intake.replaced += 1
        # they are of the old text
        forget_scores(self.store, SAMPLE.id == row.id, external=True)
        append(self.store, [self._stale(review, row, before, replaced) for review in reviews])
        self._read_reviews([row.id])
        return None

    def _stale(self, review: Review, row: SampleRow, before: Sequence[str], replaced: str) -> Change:
        """Keep the units of a review whose contexts changed; its verdicts must be decided again."""
        assert review.id is not None
        state = folded(self.store, [review.id])[review.id]
        edits: list[Edit] = []
        for kind in KINDS:
            kind_state = state.of(kind)
            units = kind_state.assessment.units
            if units:
                # what does not count loses its verdict too: it may be restored, with evidence in the old text
                aside = (replace(unit, match=Match()) for unit in units if not unit.counted)
                edits.append(Put("match", kind, (*carry(units, before, row.retrieved_contexts), *aside)))
            if kind_state.disposition == "excluded":  # a decision about the reference, which stands
                edits.append(Dispose("excluded", (kind,), kind_state.reason, replaced))
            else:  # written without units too: acts before it, also undone ones, quote the old text
                edits.append(Dispose("todo", (kind,), "contexts changed", replaced))
        return Change(review, lambda: sample_of(row), self._named(edits))

    def refuse(self, record: Record, sample_id: int, *, of_file: bool) -> RowError | None:
        """Why this row may not go in without --update: another number or other gold than stored.

        `of_file`: it was an earlier row of the same file that said so.
        """
        replaces = BY_EARLIER if of_file else "before (--update replaces it)"
        of_run = replaces if self.intake.columns.repaired else BY_EARLIER
        for column, digits in record.scores.items():
            score = self.scores.get((sample_id, self.intake.columns.place(column)))
            if score is not None and score.value != float(digits):
                return RowError(f"scores.{column}", digits, f"{score.digits} as stored {of_run}")
        for gold in record.gold if self.intake.gold != "ignore" else ():
            review = self.reviews.get((sample_id, gold.annotator))
            if review is None:
                continue
            differing = ""
            for kind, disposition in gold.marks.dispositions.items():
                if getattr(review, kind) not in (disposition, "todo", "skipped"):
                    differing = differing or f"{disposition}, where it is {getattr(review, kind)},"
            if gold.marks.flag and review.flag and gold.marks.flag != review.flag:
                differing = differing or "another flag"
            if differing:
                got = f"{differing} of annotator {gold.annotator!r}"
                return RowError("gold.disposition", got, f"what was stored {replaces}")
            if self.new_kinds(review, gold, differing=True):
                got = f"other gold of annotator {gold.annotator!r}"
                return RowError("gold", got, f"the gold stored {replaces}")
        return None

    def new_kinds(self, review: Review, gold: GoldRecord, *, differing: bool) -> set[Kind]:
        """The kinds of this gold that the review does not say yet, or does not settle as this does.

        With `differing` only contradicted ones. Edits on their way and an exclusion are decisions too: gold
        contradicts them. The review's row and its gold say what its journal folds to, and are read for a
        whole chunk at once.
        """
        kinds: set[Kind] = set()
        for assessment in assessments_of(gold):
            disposition = getattr(review, assessment.kind)
            if disposition == "verified":
                before = self.verified[review.sample_id, review.annotator, assessment.kind]
                settles = gold.marks.adjudicated and review.origin != "adjudicated"
                if not same_gold(before, assessment) or (settles and not differing):
                    kinds.add(assessment.kind)
            elif not differing or disposition in ("started", "excluded"):
                kinds.add(assessment.kind)
        return kinds

    def add(self, record: Record, content: str, sample_id: int) -> bool:
        """Add what a record brings beside its sample; whether any of it is new."""
        new = [self._add_proposal(sample_id, content, proposal) for proposal in record.proposals]
        new += [self._add_score(sample_id, column, digits) for column, digits in record.scores.items()]
        if self.intake.gold != "ignore":
            new += [self._add_gold(sample_id, record.sample, gold) for gold in record.gold]
        return any(new)

    def _add_proposal(self, sample_id: int, content: str, proposal: Proposal) -> bool:
        document = proposal_document(proposal)
        have = self.proposals.setdefault((sample_id, content), {})
        if document in have.values():
            return False
        # what people marked shares runs, so that samples that were divided among them are in one; a second
        # person's marks of one sample go into the next
        key = proposal.proposer, ANNOTATORS if proposal.model.startswith(BY) else proposal.model
        runs = self.intake.runs.setdefault(key, [])
        run_id = next((run for run in runs if run not in have), None)
        if run_id is None:
            run_id = create_run(self.store, self.intake.dataset_id, *key, {"source": "recorded"})
            runs.append(run_id)
        have[run_id] = document
        self.intake.proposals += 1
        self.new_proposals.append(
            {"run_id": run_id, "sample_id": sample_id, "content_hash": content, "document": document}
        )
        return True

    def _add_score(self, sample_id: int, column: str, digits: str) -> bool:
        columns, value = self.intake.columns, float(digits)
        name, runs = columns.place(column), columns.runs(column)
        before = {run: self.scores[sample_id, run].value for run in runs if (sample_id, run) in self.scores}
        columns.shares[column] |= before.keys()
        columns.differs[column] |= {run for run, other in before.items() if other != value}
        score = self.scores.get((sample_id, name))
        if score is None:
            columns.begin(self.store, column)
            self.new_scores.append({"sample_id": sample_id, "column": name, "value": value, "digits": digits})
        elif score.value != value:
            score.value, score.digits = value, digits
        else:
            return False
        return value not in before.values()

    def _add_gold(self, sample_id: int, sample: Sample, gold: GoldRecord) -> bool:
        intake, marks, review = self.intake, gold.marks, self.reviews.get((sample_id, gold.annotator))
        given = [] if sample.blank else assessments_of(gold)  # there is nothing to verify
        edits, fresh = list[Edit](), review is None
        if review is None:
            shown = marks.shown or "import"
            opening = Open(None, "", 0, intake.policy_version, shown, False, (), off_plan=marks.off_plan)
            origin = "adjudicated" if marks.adjudicated else "imported"
            review = new_review(intake.dataset_id, sample_id, gold.annotator, opening, origin)
            edits.append(opening)
        else:
            kinds = self.new_kinds(review, gold, differing=False)
            given = [assessment for assessment in given if assessment.kind in kinds]
        edits += (Accept(assessment, adjudicated=marks.adjudicated) for assessment in given)
        edits += mark_edits(self.store, review, marks)
        if all(isinstance(edit, Open) for edit in edits):
            return False
        intake.units += sum(len(gold_units(assessment.units)) for assessment in given)
        intake.reviews += bool(given)
        effort, before = (gold.effort, fold(())) if fresh else (None, None)
        self.changes.append(Change(review, lambda: sample, self._named(edits), effort, before, by=gold.by))
        return True

    def _named(self, edits: Iterable[Edit]) -> list[Named]:
        return [(self.intake.action, edit) for edit in edits]


_SAME = "user_input", "reference", "reference_hash", "retrieved_contexts", "response"
"""What is called the same in a sample and in its row."""


def assessments_of(gold: GoldRecord) -> list[Assessment]:
    """What gold says, one assessment for each kind that it has."""
    source = f"imported from {gold.annotator}"
    return [Assessment(kind, source, units) for kind, units in gold.units.items()]


def mark_edits(store: Store, review: Review, marks: Marks) -> Iterator[Edit]:
    """The edits for what a review does not say yet."""
    for kind in KINDS:
        disposition = marks.dispositions.get(kind)
        if disposition not in (None, getattr(review, kind)):
            yield Dispose(disposition, (kind,), reason=marks.reasons.get(kind, ""))
    if marks.flag and marks.flag != review.flag:
        yield Flag(marks.flag)
    there = set()
    if marks.comments and review.id is not None:
        rows = journals(store, [review.id])[review.id]
        there = {edit.text for _, edit in rows if isinstance(edit, Comment)}
    yield from (Comment(text) for text in marks.comments if text not in there)


def samples_of_text(
    store: Store, intake: Intake, samples: Collection[Sample]
) -> dict[str, list[tuple[str, JsonObject, str | None]]]:
    """The samples that the dataset held before the import, by content hash: of those with the text of one of
    these that has no id of its own. Each by its id, and by what tells it from others: meta and response.
    """
    nameless = [one for one in samples if one.id in ("", one.content_hash)] if intake.before else []
    query = select(SAMPLE.content_hash, SAMPLE.key, SAMPLE.meta, SAMPLE.response).where(
        SAMPLE.dataset_id == intake.dataset_id,
        SAMPLE.reference_hash.in_({sample.reference_hash for sample in nameless}),  # has an index
        SAMPLE.content_hash.in_({sample.content_hash for sample in nameless}),
        SAMPLE.id <= intake.before,
    )
    there: dict[str, list[tuple[str, JsonObject, str | None]]] = {}
    for content, key, meta, response in store.rows(query.order_by(SAMPLE.id)) if nameless else ():
        there.setdefault(content, []).append((key, meta or {}, response))
    return there
