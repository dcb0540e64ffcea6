"""All tables. `table=True` does not validate: what must hold is a constraint."""

# Without `from __future__ import annotations`: the libraries evaluate each of 300 then (8 ms of every start).

import re
from collections.abc import Iterable
from datetime import UTC, datetime
from typing import Any, NamedTuple

from sqlalchemy import (
    JSON,
    BigInteger,
    CheckConstraint,
    ColumnElement,
    Index,
    Integer,
    MetaData,
    Select,
    Table,
    Text,
    UniqueConstraint,
    and_,
    bindparam,
    case,
    func,
    or_,
    select,
    text,
)
from sqlalchemy.orm import declared_attr
from sqlmodel import AutoString, Field, SQLModel

from workbench.model import KINDS, JsonObject, Kind
from workbench.text.safe import BEGINNING, HASHED

NAMING = {
    "ix": "ix_%(table_name)s_%(column_0_N_name)s",
    "uq": "uq_%(table_name)s_%(column_0_N_name)s",
    "ck": "ck_%(table_name)s_%(constraint_name)s",
    "fk": "fk_%(table_name)s_%(column_0_N_name)s",
    "pk": "pk_%(table_name)s",
}
METADATA = MetaData(naming_convention=NAMING)
BIG = BigInteger().with_variant(Integer, "sqlite")
"""A whole number of 64 bits; SQLite's INTEGER is one, and numbers rows by itself only under that name."""

DISPOSITIONS = ("todo", "started", "verified", "excluded", "skipped")
DECIDED = ("verified", "excluded")


def one_of(column: str, words: Iterable[str]) -> str:
    """The condition that a column holds one of some words, without IN: for three words or more SQLite fills a
    table anew with every row that it checks (80,000 gold units: .37 against .24 s, 10,000 reviews: .08 to .9
    against .03 s).
    """
    return " OR ".join(f"{column} = '{word}'" for word in words)


class Base(SQLModel):
    """Gives every table the metadata with named constraints, which migrations need.

    Nothing is validated, so pydantic builds no validators (30 ms). The `info` of an index is what PostgreSQL
    makes of it: as its options they load that dialect in every start (50 ms).
    """

    metadata = METADATA
    model_config = {"defer_build": True}

    @declared_attr  # type: ignore[arg-type]
    def __tablename__(cls) -> str:  # noqa: N805
        """The name of the class in small letters, as in `review_event` of `ReviewEventRow`."""
        return re.sub("(?<=[a-z])(?=[A-Z])", "_", cls.__name__.removesuffix("Row")).lower()


class Numbered(Base):
    """A table whose rows are numbered."""

    id: int | None = Field(default=None, primary_key=True, sa_type=BIG)


def of(table: str, *, key: bool = False) -> Any:
    """A column that names a row of another table; `key`: it is in the primary key."""
    return Field(foreign_key=f"{table}.id", primary_key=key, sa_type=BIG)


class OfDataset(Numbered):
    """A table of numbered rows of a dataset."""

    dataset_id: int = of("dataset")


EMPTY: Any = JSON(none_as_null=True)
"""A JSON document that may be missing."""


class Dataset(Numbered, table=True):
    """One imported dataset and its settings."""

    __table_args__ = (
        UniqueConstraint("name"),
        CheckConstraint("threshold BETWEEN 0 AND 100", name="threshold"),
        CheckConstraint("blind_share BETWEEN 0 AND 1", name="blind_share"),
        CheckConstraint("show_auto IN ('after', 'always')", name="show_auto"),
        CheckConstraint("external IN ('ask', 'allow', 'never')", name="external"),
        CheckConstraint("overlap_share BETWEEN 0 AND 1", name="overlap_share"),
    )
    name: str
    created_at: datetime
    seed: int = Field(sa_type=BIG)
    blind_share: float = 0.0
    blind_settled: bool = False  # the share is decided: by the person, or by a dataset large enough
    threshold: int = 85
    show_auto: str = "after"
    external: str = "ask"
    policy_version: int = 1
    run_id: int | None = Field(default=None, sa_type=BIG)  # the current run
    calibration_id: int | None = Field(default=None, sa_type=BIG)  # the one that scoring applies
    salt: str | None = None  # of the pseudonyms under which its annotators leave, made by the first export
    # How many people review a sample of the share (the others have one), and for how many minutes a sample
    # is kept for a person who does nothing. 0 people: without assignments.
    overlap: int = 0
    overlap_share: float = 1.0
    lease: int = 15
    # Which samples are for training, and the pass mark. Of a person's copy of them: the dataset they are of,
    # and the person while the copy is in use.
    training: JsonObject | None = Field(default=None, sa_type=EMPTY)
    training_of: int | None = Field(default=None, sa_type=BIG)
    trainee: str | None = None


class PolicyRow(OfDataset, table=True):
    """An immutable version of what annotators agreed on."""

    __table_args__ = (UniqueConstraint("dataset_id", "version"),)
    version: int
    document: JsonObject = Field(sa_type=JSON)
    annotator: str
    created_at: datetime


HOLDOUT_RANK = 5.0
"""The holdout comes after the plan's samples, whose ranks are below 1."""
BLANK_RANK = 20.0
"""Samples with a blank reference come last of all: no figure and no order of review has them."""


class SampleRow(OfDataset, table=True):
    """One row of a dataset, its text as given."""

    __table_args__ = (
        UniqueConstraint("dataset_id", "key"),
        # with the ids, PostgreSQL reads a million in order from it alone: 1.3 s, not 3 to 10
        Index(None, "dataset_id", "rank", info={"include": ["id"]}),
        Index(None, "reference_hash"),
    )
    key: str
    user_input: str = Field(sa_type=Text)
    reference: str = Field(sa_type=Text)
    retrieved_contexts: list[str] = Field(sa_type=JSON)
    response: str | None = Field(default=None, sa_type=Text)
    alternatives: list[str] | None = Field(default=None, sa_type=EMPTY)
    group_key: str | None = None
    meta: JsonObject | None = Field(default=None, sa_type=EMPTY)
    reference_hash: str
    content_hash: str
    u: float
    blind_u: float
    # A plan sets these before its first verdict: what a sample weighs in the draw (0: it came after the
    # plan), its stratum, its place in the queue, and whether it is kept back.
    rank: float = 0.0
    size: float = 1.0
    stratum: str = ""
    holdout: bool = False


class RunRow(OfDataset, table=True):
    """One proposer over a dataset."""

    __table_args__ = (UniqueConstraint("dataset_id", "name"),)
    name: str
    proposer: str
    model: str = ""
    parameters: JsonObject = Field(sa_type=JSON)
    created_at: datetime


class ProposalRow(Numbered, table=True):
    """What a run said of one sample, as said. `content_hash`: of the text it was said of."""

    __table_args__ = (UniqueConstraint("run_id", "sample_id", "content_hash"), Index(None, "sample_id"))
    run_id: int = of("run")
    sample_id: int = of("sample")
    content_hash: str
    document: JsonObject = Field(sa_type=JSON)
    # the calls whose answers it is made of, None for one that cost no call
    calls: list[int] | None = Field(default=None, sa_type=EMPTY)


class ReviewRow(OfDataset, table=True):
    """One annotator's work on one sample: the head of a journal and where it stands."""

    __table_args__ = (
        UniqueConstraint("sample_id", "annotator"),
        Index(None, "dataset_id", "annotator"),
        CheckConstraint(one_of("entity", DISPOSITIONS), name="entity"),
        CheckConstraint(one_of("statement", DISPOSITIONS), name="statement"),
        CheckConstraint(one_of("origin", ("reviewed", "imported", "adjudicated")), name="origin"),
        CheckConstraint(one_of("shown", ("assisted", "blind", "import")), name="shown"),
    )
    sample_id: int = of("sample")
    annotator: str
    origin: str
    policy_version: int
    shown: str
    seq: int
    entity: str = "todo"
    statement: str = "todo"
    flag: str = ""
    updated_at: datetime
    off_plan: bool = False


class Review(NamedTuple):
    """A row of `review` as a value, its columns in their order; `id` None before it is stored."""

    id: int | None
    dataset_id: int
    sample_id: int
    annotator: str
    origin: str
    policy_version: int
    shown: str
    seq: int
    entity: str
    statement: str
    flag: str
    updated_at: datetime
    off_plan: bool


class ReviewEventRow(Numbered, table=True):
    """The journal. Rows are only ever added."""

    __table_args__ = (
        UniqueConstraint("review_id", "seq"),
        Index(None, "dataset_id", "annotator", "id"),
        Index(None, "action"),
    )
    review_id: int = of("review")
    seq: int
    dataset_id: int = of("dataset")
    annotator: str
    action: str
    op: str
    data: JsonObject = Field(sa_type=JSON)
    at: datetime
    seconds: float | None = None  # the person's active time since the act before, None when unknown
    presses: int | None = None


class GoldUnitRow(OfDataset, table=True):
    """One verified unit with its match: written at accept, removed by undoing it."""

    __table_args__ = (
        Index(None, "sample_id", "kind"),
        Index(None, "review_id", "kind"),
        Index(
            "ix_gold_unit_alias", "dataset_id",
            sqlite_where=text("alias IS NOT NULL"), info={"where": "alias IS NOT NULL"},
        ),
        CheckConstraint("kind IN ('entity', 'statement')", name="kind"),
        CheckConstraint(one_of("verdict", ("found", "missing", "unsure")), name="verdict"),
    )  # fmt: skip
    sample_id: int = of("sample")
    review_id: int = of("review")
    annotator: str
    kind: str
    position: int
    unit: str
    text: str = Field(sa_type=Text)
    label: str = ""
    start: int | None = None
    end: int | None = None
    verdict: str
    reason: str | None = None
    rule: str = ""
    alias: str | None = Field(default=None, sa_type=Text)  # words of a context that name the same thing
    document: JsonObject = Field(sa_type=JSON)


class CountedRow(Base, table=True):
    """One sample matched once under one matcher: a byte a unit, enough for every threshold."""

    sample_id: int = of("sample", key=True)
    run_id: int = of("run", key=True)
    matcher: str = Field(primary_key=True)
    linked: bytes | None = None
    presence: bytes | None = None
    tallies: JsonObject = Field(sa_type=JSON)
    taught: str = ""  # which aliases it was matched with
    doubt: float | None = None  # how many verdicts are likely to be wrong


class ScoreRow(Base, table=True):
    """One materialised automatic value."""

    __table_args__ = (Index(None, "run_id", "scorer"),)
    sample_id: int = of("sample", key=True)
    run_id: int = of("run", key=True)
    scorer: str = Field(primary_key=True)
    matcher: str = Field(primary_key=True)
    threshold: int = Field(primary_key=True)
    found: int
    missing: int
    unsure: int
    value: float | None = None


class ExternalScoreRow(Base, table=True):
    """A number that came with a file; `digits` as written there."""

    sample_id: int = of("sample", key=True)
    column: str = Field(primary_key=True)
    value: float
    digits: str


class ScoreColumnRow(Base, table=True):
    """A column of numbers of a dataset, and when a file brought it. A second run of a metric is a column
    of its own, named after its day.
    """

    dataset_id: int = of("dataset", key=True)
    column: str = Field(primary_key=True)
    at: datetime


class CalibrationRow(OfDataset, table=True):
    """A calibration as saved: its document names the samples whose gold it saw. Never changed."""

    __table_args__ = (UniqueConstraint("dataset_id", "name"),)
    name: str
    document: JsonObject = Field(sa_type=JSON)
    annotator: str


class CallRow(Numbered, table=True):
    """One request to a service: answered, or failed. `keys` name what was asked; see `answer`."""

    __table_args__ = (Index(None, "run_id", "failure"),)
    run_id: int = of("run")
    task: str
    keys: list[str] = Field(sa_type=JSON)
    model: str = ""  # as the service named it
    failure: str = ""  # its kind; empty for an answer
    detail: str = Field(default="", sa_type=Text)
    usage: JsonObject | None = Field(default=None, sa_type=EMPTY)
    batch: str = ""
    at: datetime = Field(default_factory=lambda: datetime.now(UTC))


class AnswerRow(Base, table=True):
    """What was paid for: one part of an answer, under the hash of all it depends on."""

    __table_args__ = (Index(None, "call_id"),)
    key: str = Field(primary_key=True)
    call_id: int = of("call")
    task: str
    document: list[Any] = Field(sa_type=JSON)


class FailedRow(Base, table=True):
    """A sample that a run could not speak of, and why; gone when it does."""

    run_id: int = of("run", key=True)
    sample_id: int = of("sample", key=True)
    content_hash: str
    failure: str
    message: str = Field(sa_type=Text)


class BatchRow(Base, table=True):
    """A batch that was submitted: its asks by id, kept before anything is waited for."""

    __table_args__ = (Index(None, "run_id"),)
    id: str = Field(primary_key=True)
    run_id: int = of("run")
    asks: list[Any] = Field(sa_type=JSON)
    fetched: bool = False
    submitted_at: datetime


class PlanRow(OfDataset, table=True):
    """The one plan of a dataset: which samples are reviewed in which order, drawn before any verdict.

    `population`: the samples outside the holdout at the time. `parameters`: strata and the like.
    """

    __table_args__ = (
        UniqueConstraint("dataset_id"),
        CheckConstraint("design IN ('simple', 'stratified')", name="design"),
    )
    design: str
    kind: str
    planned_n: int
    population: int
    parameters: JsonObject = Field(sa_type=JSON)
    annotator: str
    created_at: datetime


class HoldoutOpeningRow(OfDataset, table=True):
    """One look at the samples kept back. Rows are only ever added."""

    __table_args__ = (Index(None, "dataset_id"),)
    purpose: str
    annotator: str
    at: datetime


class DisputeRow(Base, table=True):
    """What became of a dispute; one without a row is open. `between`: who disagrees, as `linked~verified`."""

    __table_args__ = (CheckConstraint("state IN ('open', 'explained', 'fixed')", name="state"),)
    sample_id: int = of("sample", key=True)
    kind: Kind = Field(primary_key=True, sa_type=AutoString)
    between: str = Field(primary_key=True)
    state: str
    note: str = Field(default="", sa_type=Text)
    annotator: str
    at: datetime


class PurgedRow(OfDataset, table=True):
    """A sample whose text was removed: what is left of it are hashes."""

    __table_args__ = (Index(None, "dataset_id"),)
    key: str
    reference_hash: str
    content_hash: str
    annotator: str
    at: datetime


class ExportLogRow(OfDataset, table=True):
    """One finished export. `held`: the ids of the samples whose texts it holds (see `export_log`)."""

    path: str
    manifest_sha256: str
    annotator: str
    created_at: datetime
    held: list[str] = Field(sa_type=JSON)
    whole: bool


ROLES = ("owner", "annotator")


class PersonRow(Base, table=True):
    """Somebody who works in this database, by the name on their reviews; without rows all are owners."""

    __table_args__ = (CheckConstraint(one_of("role", ROLES), name="role"),)
    name: str = Field(primary_key=True)
    role: str
    adjudicator: bool = False
    disabled: bool = False
    token: str = ""  # SHA-256 of what they log in with to the pages of `serve`; empty for nothing


class SessionRow(Base, table=True):
    """Somebody who logged in to the pages of `serve`. `key`: SHA-256 of what their browser sends; `until`
    counts seconds since 1970. A person who is disabled has none.
    """

    key: str = Field(primary_key=True)
    person: str
    until: float


class PassedRow(Base, table=True):
    """Somebody who is trained for a dataset; `by` the owner who let them pass, else by their own name."""

    dataset_id: int = of("dataset", key=True)
    annotator: str = Field(primary_key=True)
    by: str


class AssignmentRow(OfDataset, table=True):
    """One place at one sample: whose it is, until when, and whether they decided.

    `until` counts seconds since 1970 by the database's clock; a place with a name and without `until` was
    given by that name and does not run out. `rank` is the sample's. `extra`: decided by somebody whose place
    had run out, beyond the places that the sample has.
    """

    __table_args__ = (
        UniqueConstraint("sample_id", "slot"),
        UniqueConstraint("sample_id", "annotator"),
        Index(
            "ix_assignment_open", "dataset_id", "rank", "slot",
            sqlite_where=text("done = 0"), info={"where": "NOT done"},
        ),
        Index(
            "ix_assignment_own", "dataset_id", "annotator", "rank",
            sqlite_where=text("done = 0"), info={"where": "NOT done"},
        ),
    )  # fmt: skip
    sample_id: int = of("sample")
    slot: int
    rank: float
    annotator: str | None = None
    until: float | None = None
    done: bool = False
    extra: bool = False


def table_of(rows: type[SQLModel]) -> Table:
    """The table of a class of rows, for statements without its objects."""
    return METADATA.tables[str(rows.__tablename__)]


# The columns of the tables, for queries.
DATASET = table_of(Dataset).c
POLICY = table_of(PolicyRow).c
SAMPLE = table_of(SampleRow).c
TWIN = table_of(SampleRow).alias("twin").c  # another one, or the same again
RUN = table_of(RunRow).c
PROPOSAL = table_of(ProposalRow).c
REVIEW = table_of(ReviewRow).c
EVENT = table_of(ReviewEventRow).c
UNIT = table_of(GoldUnitRow).c
COUNTED = table_of(CountedRow).c
SCORE = table_of(ScoreRow).c
EXTERNAL = table_of(ExternalScoreRow).c
COLUMN = table_of(ScoreColumnRow).c
CALIBRATION = table_of(CalibrationRow).c
CALL = table_of(CallRow).c
ANSWER = table_of(AnswerRow).c
FAILED = table_of(FailedRow).c
BATCH = table_of(BatchRow).c
PLAN = table_of(PlanRow).c
OPENING = table_of(HoldoutOpeningRow).c
DISPUTE = table_of(DisputeRow).c
PURGED = table_of(PurgedRow).c
EXPORT = table_of(ExportLogRow).c
PERSON = table_of(PersonRow).c
PASSED = table_of(PassedRow).c
SESSION = table_of(SessionRow).c
PLACE = table_of(AssignmentRow).c


RETRIEVER, _OTHER = (func.coalesce(of.meta["retriever"].as_string(), "") for of in (SAMPLE, TWIN))
_SAME = TWIN.reference_hash == SAMPLE.reference_hash, TWIN.dataset_id + 0 == SAMPLE.dataset_id
_TWIN = select(TWIN.id).where(TWIN.id != SAMPLE.id, *_SAME).exists()
_ALIKE = select(TWIN.id).where(TWIN.id != SAMPLE.id, *_SAME, _OTHER == RETRIEVER).exists()
_HASHED = func.length(SAMPLE.key) >= HASHED  # asked first: it is cheap, and each twin of the other is read
_NUMBER = case((and_(_HASHED, _ALIKE), " " + func.substr(SAMPLE.key, 1, 4)), else_="")
TOLD_BY = case((and_(SAMPLE.user_input != "", RETRIEVER != "", _TWIN), RETRIEVER + _NUMBER + ": "), else_="")
"""What stands before a question in lists: the retriever where samples have one question and reference, and
the beginning of an id that is not shown where they have that in common too."""
QUESTION = TOLD_BY + func.substr(SAMPLE.user_input, 1, BEGINNING)


def among(column: ColumnElement[Any], numbers: Iterable[int] | str) -> ColumnElement[bool]:
    """Whether a column holds one of some numbers, however many: a statement takes 32,766 parameters only, so
    they are written into it. Or one of those that the parameter of that name is given.
    """
    if isinstance(numbers, str):
        return column.in_(bindparam(numbers, expanding=True, literal_execute=True))
    return column.in_(bindparam(None, list(numbers), expanding=True, literal_execute=True))


def stands_in(*states: str, kinds: Iterable[Kind] = KINDS, review: Any = REVIEW) -> ColumnElement[bool]:
    """Whether a review stands in one of these states, in some of these kinds."""
    return or_(*(review[kind].in_(states) for kind in kinds))


def rank_of(sample_id: Any) -> Any:
    """The place in the queue of a sample, given by its number or a column."""
    return select(SAMPLE.rank).where(SAMPLE.id == sample_id).scalar_subquery()


def in_force(dataset_id: Any) -> tuple[ColumnElement[bool], ...]:
    """What joins a dataset and its policy of today to the dataset's number."""
    return DATASET.id == dataset_id, POLICY.dataset_id == DATASET.id, POLICY.version == DATASET.policy_version


def is_blind(share: Any) -> ColumnElement[bool]:
    """Whether a sample is reviewed blind; `share` is the dataset's, a number or a column."""
    return or_(SAMPLE.holdout, SAMPLE.blind_u < share)


def contains(text: Any, piece: str) -> ColumnElement[bool]:
    """Whether a text holds a piece, in any case and script.

    The database lowers both: a server lowers `İ` and the last `Σ` of a word to other letters than Python.
    """
    signs = re.sub("[/%_]", r"/\g<0>", piece)
    return func.lower(text).contains(func.lower(signs), escape="/")


def samples_of(dataset_id: Any, *terms: ColumnElement[bool]) -> Select[Any]:
    """The numbers of the samples of a dataset of which some terms are true."""
    return select(SAMPLE.id).where(SAMPLE.dataset_id == dataset_id, *terms)


def proposed_by(run_id: Any) -> ColumnElement[bool]:
    """What joins a sample and the proposal of a run for its present text."""
    return and_(
        PROPOSAL.sample_id == SAMPLE.id,
        PROPOSAL.run_id == run_id,
        PROPOSAL.content_hash == SAMPLE.content_hash,
    )
