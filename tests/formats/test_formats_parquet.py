"""Parquet and Arrow files: the same rows as JSON, bounded in memory, refused when damaged."""

import datetime
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from itertools import accumulate
from pathlib import Path
from typing import Any

import pyarrow as arrow
import pyarrow.parquet as parquet
import pytest

from tests.formats.conftest import load_path
from tests.rows import sample
from workbench.errors import InputError, to_install
from workbench.formats.parquet import dictionary_values
from workbench.formats.reading import read
from workbench.formats.rows import Notes

ROWS = [
    {"question": "q", "contexts": ["a", "it's"], "ground_truth": "r", "context_recall": 0.5, "day": None},
    {"question": "я", "contexts": [], "ground_truth": "", "context_recall": float("nan"), "day": "x"},
]


NAMES = ["id", "user_input", "reference", "retrieved_contexts"]
LARGE_PAGES = {"dictionary_pagesize_limit": 64 << 20, "data_page_size": 64 << 20}


def packed(path: Path, table: arrow.Table, **options: Any) -> Path:
    """As Parquet or, by the name of the file, Arrow: a few kilobytes, whatever they unpack to."""
    if path.suffix == ".parquet":
        parquet.write_table(table, path, **{"compression": "zstd", "store_schema": False, **options})
    else:
        given = arrow.ipc.IpcWriteOptions(compression="zstd")
        with arrow.ipc.new_file(path, table.schema, options=given) as writer:
            writer.write_table(table)
    return path


def saved(path: Path, rows: list[dict[str, Any]] | None = None, **options: Any) -> Path:
    parquet.write_table(arrow.Table.from_pylist(ROWS if rows is None else rows), path, **options)
    return path


@pytest.mark.parametrize("groups", [1, 100])
@pytest.mark.parametrize("dictionary", [True, False])
def test_rows_of_parquet_are_read_like_those_of_json(tmp_path: Path, groups: int, dictionary: bool) -> None:
    """Whatever its groups and encoding; NaN is a metric that failed."""
    path = saved(tmp_path / "a.parquet", row_group_size=groups, use_dictionary=dictionary)
    loaded = load_path(path)
    records = loaded.records

    assert loaded.notes.format == "ragas"
    assert [(r.sample.user_input, r.sample.retrieved_contexts, r.scores) for r in records] == [
        ("q", ("a", "it's"), {"context_recall": "0.5"}),
        ("я", (), {}),
    ]
    assert [r.sample.meta for r in records] == [{}, {"day": "x"}]
    assert loaded.notes.failed == {"context_recall": 1}


def test_missing_contexts_are_an_empty_list_and_said(tmp_path: Path) -> None:
    loaded = load_path(saved(tmp_path / "a.parquet", [{"user_input": "q", "reference": "Rome"}]))

    assert () == loaded.record.sample.retrieved_contexts
    assert loaded.notes.messages()[0].endswith("name it: --map retrieved_contexts=COLUMN")


def test_a_hugging_face_folder_is_read_whole(tmp_path: Path) -> None:
    """All its splits; as Parquet, and as Arrow the way save_to_disk writes it."""
    (tmp_path / "hub" / "data").mkdir(parents=True)
    for name in ("test", "train"):
        rows = [{**ROWS[0], "question": name}]
        saved(tmp_path / "hub" / "data" / f"{name}-00000-of-00001.parquet", rows)
    (tmp_path / "hub" / "README.md").write_text("---\n---\n")
    disk = tmp_path / "disk"
    disk.mkdir()
    (disk / "state.json").write_text("{}")
    (disk / "dataset_info.json").write_text("{}")
    table = arrow.Table.from_pylist(ROWS)
    with arrow.ipc.new_stream(disk / "data-00000-of-00001.arrow", table.schema) as writer:
        writer.write_table(table)

    assert [one.sample.user_input for one in load_path(tmp_path / "hub").records] == ["test", "train"]
    assert [one.sample.user_input for one in load_path(disk).records] == ["q", "я"]


def test_an_arrow_file_is_read(tmp_path: Path) -> None:
    """Beside the stream there is a file format."""
    assert len(load_path(packed(tmp_path / "a.arrow", arrow.Table.from_pylist(ROWS))).rows) == 2


def test_dates_decimals_and_nested_columns_go_to_meta(tmp_path: Path) -> None:
    """As JSON has them; bytes are a bad row."""
    at = datetime.datetime(2024, 1, 2, 3, 4, tzinfo=datetime.UTC)
    more = {"day": at.date(), "at": at, "n": {"a": [1]}}
    record = load_path(saved(tmp_path / "a.parquet", [{**ROWS[0], **more}])).record
    pictures = [{**ROWS[0], "image": None}, {**ROWS[0], "image": b"\x00\x01"}]
    bad = load_path(saved(tmp_path / "b.parquet", pictures))

    assert record.sample.meta == {"day": "2024-01-02", "at": "2024-01-02T03:04:00+00:00", "n": {"a": [1]}}
    assert bad.errors == ["2: row: got 2 bytes in a column, expected text"]


def test_a_map_is_read_as_a_list_of_its_pairs(tmp_path: Path) -> None:
    """As Spark writes one; a slice of the rows has its own pairs."""
    tags = arrow.array([[("a", 1)], None] * 200, arrow.map_(arrow.string(), arrow.int64()))
    table = arrow.Table.from_pylist(ROWS * 200).append_column("tags", tags)
    metas = [one.sample.meta for one in load_path(packed(tmp_path / "a.parquet", table)).records]

    assert [{"tags": [["a", 1]]}, {"day": "x"}] * 200 == metas


@pytest.mark.parametrize("twice", ["ground_truth", "mine"])
def test_a_column_that_appears_twice_is_refused(tmp_path: Path, twice: str) -> None:
    """As in a table of text; else the last one would be taken."""
    table = arrow.Table.from_pylist([{**ROWS[0], "mine": "x"}])
    path = packed(tmp_path / "a.parquet", table.append_column(twice, arrow.array(["other"])))

    with pytest.raises(InputError, match=f"a.parquet: column {twice} appears twice"):
        read(path, notes=Notes())


def test_a_damaged_file_is_refused(tmp_path: Path) -> None:
    """Cut anywhere."""
    whole = saved(tmp_path / "a.parquet").read_bytes()
    for cut in range(4, len(whole), 97):
        path = tmp_path / "cut.parquet"
        path.write_bytes(whole[:cut])
        with pytest.raises(InputError, match="a damaged parquet file"):
            read(path, notes=Notes())


def test_a_small_file_that_unpacks_to_hundreds_of_megabytes_is_refused(tmp_path: Path) -> None:
    """By what its own index says, before anything is unpacked."""
    column = arrow.array(["x" * (1 << 20)] * 100)
    table = arrow.table(dict.fromkeys(("user_input", "reference", "retrieved_contexts"), column))
    path = packed(tmp_path / "bomb.parquet", table, use_dictionary=False)

    assert path.stat().st_size < 1 << 20
    with pytest.raises(InputError, match=r"bytes that unpack to 3[0-9]{2},[0-9,]+: no dataset"):
        read(path, notes=Notes())


MEASURED = """
import sys
from pathlib import Path
from workbench.errors import InputError
from workbench.formats.reading import read
from workbench.formats.rows import Notes
import pyarrow.compute, pyarrow.parquet
def highest():  # of this program: ru_maxrss begins with that of the process that started it
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("VmHWM:"))
before = highest()
for name in sys.argv[1:]:
    try:
        print(sum(len(row.raw) for row in read(Path(name), notes=Notes())))
    except InputError as error:
        print(error)
    print(highest() - before >> 10)
    print(pyarrow.default_memory_pool().max_memory() >> 20)
"""


def said_by(script: str, *paths: Path) -> str:
    """What a program prints of some files."""
    command = [sys.executable, "-c", script, *map(str, paths)]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def measured(*paths: Path, arrow_alone: bool = False) -> list[tuple[str, int]]:
    """What reading files in one process says, and the megabytes that it, or Arrow alone, took so far."""
    said = said_by(MEASURED, *paths).splitlines()
    megabytes = [int(number) for number in said[2 if arrow_alone else 1 :: 3]]
    assert min(megabytes) > 0, "nothing was measured"
    return list(zip(said[::3], megabytes, strict=True))


def numbered(texts: list[str], contexts: list[list[int]]) -> arrow.ListArray:
    """Contexts as numbers of some texts: written at once, however much they unpack to."""
    places = arrow.array([0, *accumulate(map(len, contexts))], arrow.int32())
    numbers = arrow.array([number for row in contexts for number in row], arrow.int32())
    return arrow.ListArray.from_arrays(places, arrow.DictionaryArray.from_arrays(numbers, arrow.array(texts)))


def of_contexts(listed: arrow.ListArray) -> arrow.Table:
    plain = [str(row) for row in range(len(listed))]
    return arrow.table([plain, plain, plain, listed], NAMES)


def test_a_dictionary_that_names_one_text_millions_of_times_is_refused(tmp_path: Path) -> None:
    """5 KB hold 4 GB of contexts that way; written out they took 5.3 GB of memory."""
    table = of_contexts(numbered(["x" * 4_100], [[0] * 25_000] * 39))
    paths = [packed(tmp_path / f"bomb.{kind}", table) for kind in ("parquet", "arrow")]
    assert max(path.stat().st_size for path in paths) < 10_000

    for said, memory in measured(*paths):
        assert re.search(r"bytes that unpack to [0-9,]{11,}: no dataset repeats so much", said)
        assert memory < 150


def hollow(path: Path, rows: int, contexts: int) -> Path:
    """Rows and contexts that name one short text each time."""
    listed = numbered(["Rome."], [[0] * contexts] * rows)
    named = arrow.array(["Rome."] * rows).dictionary_encode()
    table = {"retrieved_contexts": listed, "user_input": named, "reference": named}
    return packed(path, arrow.table(table))


@pytest.mark.parametrize("kind", ["parquet", "arrow"])
def test_more_rows_than_bytes_are_no_dataset(tmp_path: Path, kind: str) -> None:
    """As many in a few kilobytes took as long to refuse one by one as real ones to import."""
    path = hollow(tmp_path / f"bomb.{kind}", 300_000, 0)

    with pytest.raises(InputError, match=r"300,000 rows in [0-9,]+ bytes: no dataset has so little"):
        list(read(path, notes=Notes()))


def test_contexts_without_any_text_of_their_own_are_no_dataset(tmp_path: Path) -> None:
    """Millions in one row stay below every limit of bytes."""
    path = hollow(tmp_path / "bomb.parquet", 1, 1_500_000)

    with pytest.raises(InputError, match=r"1,500,000 values of a column in [0-9,]+ bytes"):
        read(path, notes=Notes())


def test_a_small_file_of_many_equal_rows_is_read(tmp_path: Path) -> None:
    assert 10_000 == len(load_path(hollow(tmp_path / "a.parquet", 10_000, 2)).records)


def test_texts_that_repeat_as_those_of_a_dataset_do_come_in_a_few_at_a_time(tmp_path: Path) -> None:
    """200 MB of contexts out of 300 texts: as many characters as were written, in bounded memory."""
    texts = [f"{number:04}" * 250 for number in range(300)]
    contexts = ([texts[(row * 7 + at) % 300] for at in range(50)] for row in range(4_000))
    rows = [sample(f"{n}", "r", *own, user_input="q" * 500 + f"{n}") for n, own in enumerate(contexts)]
    path = saved(tmp_path / "a.parquet", rows, compression="none")
    ((said, memory),) = measured(path)

    assert int(said) > 4_000 * 50 * 1_000
    assert memory < 120


TOWER = "The tower in Paris was completed in 1889 and remains a popular landmark. "


def texts_that_differ(row: int) -> dict[str, Any]:
    """A reader that keeps texts in dictionaries kept all of a group that differ: 50 MB of these."""
    return sample(f"{row}", f"{row} {TOWER * 40}", "c")


def lists_that_differ(row: int) -> dict[str, Any]:
    """Contexts and names that all differ stayed in two dictionaries: 95 MB of these."""
    names = [f"{row} {at}" for at in range(4)]
    proposed = {"proposer": "p", "context_entities": [[{"text": name}] for name in names]}
    return sample(f"{row}", "r", *(f"{name} {TOWER * 10}" for name in names), proposal=proposed)


def test_a_group_of_rows_takes_no_more_memory_than_a_part_of_it(tmp_path: Path) -> None:
    """In megabytes of Arrow, of the whole process until then."""
    groups = (texts_that_differ, 15_000, 25), (lists_that_differ, 6_000, 45)
    for row, n, _ in groups:
        rows = [row(number) for number in range(n)]
        for size in (1_000, n):
            saved(tmp_path / f"{n}-{size}.parquet", rows, row_group_size=size)

    found = measured(*(tmp_path / f"{n}-{n}.parquet" for _, n, _ in groups), arrow_alone=True)

    for (_, n, most), (said, memory) in zip(groups, found, strict=True):
        part = read(tmp_path / f"{n}-1000.parquet", notes=Notes())
        assert (n, int(said)) == (n, sum(len(row.raw) for row in part))
        assert memory < most, n


def fewer_values(path: Path, rows: int) -> Path:
    """Rows that name one text of 9 MB, in a file whose index says that its columns have 10 values."""
    named = arrow.array([0] * 20 + [1] * (rows - 20), arrow.int32())
    references = arrow.DictionaryArray.from_arrays(named, arrow.array(["a", "x" * 9_000_000]))
    questions = arrow.array(["q"] * rows).dictionary_encode()
    packed(path, arrow.table({"reference": references, "user_input": questions}), **LARGE_PAGES)
    return miscounted(path, rows, 10)


def miscounted(path: Path, written: int, told: int) -> Path:
    """A file whose index says another number of values of its columns."""
    data = path.read_bytes()
    end = len(data) - 8 - int.from_bytes(data[-8:-4], "little")
    number, other = (b"\x16" + bytes(varint(2 * one)) + b"\x16" for one in (written, told))
    assert number in data[end:-8]
    lying = data[end:-8].replace(number, other)
    path.write_bytes(data[:end] + lying + len(lying).to_bytes(4, "little") + b"PAR1")
    return path


def varint(number: int) -> Iterator[int]:
    """A number as the index of a Parquet file writes it."""
    while number > 127:
        yield number & 127 | 128
        number >>= 7
    yield number


def late(path: Path) -> Path:
    """The first rows differ and are written out; of the rest each names one long text of the dictionary."""
    contexts = [list(range(row * 20, row * 20 + 20)) for row in range(2_000)]
    texts = [f"{row} {at}" for row in range(2_000) for at in range(20)]
    return packed(path, of_contexts(numbered([*texts, "x" * 4_100], contexts + [[len(texts)] * 25_000] * 39)))


def dense(path: Path, rows: int, times: int, size: int) -> Path:
    """Ordinary rows, in the middle of which each of some names one long text many times."""
    texts = [f"{row} " + "A tower in Paris. " * 100 for row in range(8_000)]
    contexts = [[row] for row in range(8_000)]
    contexts[4_000 : 4_000 + rows] = [[8_000] * times] * rows
    contexts[20] = [8_000]
    return packed(path, of_contexts(numbered([*texts, "x" * size], contexts)), **LARGE_PAGES)


def test_the_dense_file_without_dense_rows_is_written_out_in_part(tmp_path: Path) -> None:
    assert 8_000 == len(load_path(dense(tmp_path / "a.parquet", 0, 0, 10)).records)


def fewer_values_of_a_list(path: Path) -> Path:
    """A list of a million times one text, of which the index says that it has 8,192 values."""
    part = parquet.read_metadata(dense(path, 1, 1_000_000, 5_000)).row_group(0).column(3)
    miscounted(path, part.num_values, 8_192)
    assert 8_192 == parquet.read_metadata(path).row_group(0).column(3).num_values
    return path


def concealed(path: Path) -> Path:
    """An index that says that all texts are written out: they took 2 GB."""
    with_dictionary, without = b"\x35\x00\x06\x10", b"\x35\x00\x06\x06"
    path.write_bytes(dense(path, 1, 400_000, 5_000).read_bytes().replace(with_dictionary, without))
    assert "RLE_DICTIONARY" not in parquet.read_metadata(path).row_group(0).column(3).encodings
    return path


def test_a_text_that_is_named_again_and_again_is_refused_whatever_the_index_says(tmp_path: Path) -> None:
    """In megabytes of Arrow: the pages and the first rows tell what a dictionary unpacks to."""
    bombs: list[tuple[int, Callable[[Path], Path]]] = [
        (50, late),
        (100, lambda path: fewer_values(path, 9_991)),
        (150, lambda path: dense(path, 1, 1_000_000, 1_000_000)),
        (150, lambda path: dense(path, 400, 2_500, 100_000)),
        (150, lambda path: dense(path, 1, 10_000, 12_000)),
        (150, fewer_values_of_a_list),
        (150, concealed),
    ]
    paths = [made(tmp_path / f"{number}.parquet") for number, (_, made) in enumerate(bombs)]

    found = measured(*paths, arrow_alone=True)

    for (most, _), (said, memory) in zip(bombs, found, strict=True):
        assert re.search(r"that unpacks? to [0-9,]{9,}", said)
        assert memory < most


@pytest.mark.parametrize("version", ["1.0", "2.0"])
def test_pages_tell_how_many_values_are_numbers_of_a_dictionary(tmp_path: Path, version: Any) -> None:
    """All of few texts, some of many; none without a dictionary; damaged headers raise nothing."""
    many = arrow.table({"c": [[f"{row} {at}" for at in range(9)] for row in range(1_000)]})
    few = arrow.table({"c": [["a", "b"]] * 1_000})

    def told(table: arrow.Table, **options: Any) -> tuple[Path, Any]:
        path = tmp_path / "a.parquet"
        parquet.write_table(table, path, data_page_version=version, **options)
        return path, parquet.read_metadata(path).row_group(0).column(0)

    assert dictionary_values(*told(few)) == 2_000
    assert dictionary_values(*told(many, use_dictionary=False)) == 0
    assert 0 < (dictionary_values(*told(many, dictionary_pagesize_limit=10_000)) or 0) < 9_000
    path, part = told(few, compression="none")
    whole = path.read_bytes()
    for at in range(4, 4 + part.total_compressed_size):
        for value in (0, 0x15, 0x1C, 0x80, 0xFF):
            path.write_bytes(whole[:at] + bytes([value]) + whole[at + 1 :])
            assert dictionary_values(path, part) in (None, 0, 2_000)


def test_a_column_of_values_that_cannot_be_held_is_named(tmp_path: Path) -> None:
    """Nothing is damaged."""
    took = arrow.array([1_234_567], arrow.duration("ns"))
    table = arrow.Table.from_pylist(ROWS[:1]).append_column("took", took)
    path = packed(tmp_path / "a.parquet", table, store_schema=True)

    said = r"a\.parquet: column took of type duration\[ns\]: its values cannot"
    with pytest.raises(InputError, match=said):
        read(path, notes=Notes())


def test_nothing_and_nan_are_both_a_metric_that_failed(tmp_path: Path) -> None:
    """As in JSON: three are nothing, one is NaN."""
    numbers = [None, 0.5, None, float("nan"), None]
    rows = [{**ROWS[0], "context_recall": one, "mine": one} for one in numbers]
    notes = load_path(saved(tmp_path / "a.parquet", rows)).notes

    assert notes.failed["context_recall"] == 4
    assert notes.scores == {"context_recall": 1, "mine": 1}


def test_without_pyarrow_the_message_says_what_to_install(tmp_path: Path) -> None:
    """Nothing else of the program needs it."""
    path = saved(tmp_path / "a.parquet")
    script = (
        "import sys\nsys.modules['pyarrow'] = None\n"
        "from pathlib import Path\nfrom workbench.formats.reading import read\n"
        "from workbench.formats.rows import Notes\n"
        "from workbench.errors import UsageError\n"
        "try:\n    read(Path(sys.argv[1]), notes=Notes())\nexcept UsageError as error:\n    print(error)\n"
    )

    needs = f"{path}: Parquet and Arrow files need the package pyarrow: {to_install('parquet')}\n"
    assert needs == said_by(script, path)
