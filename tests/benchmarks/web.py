"""The pages of one server: its memory, and how long an accept with the next page takes, next to the desk's.

    python -m tests.benchmarks.web [--people 16] [--seconds 10]

The desk is what the terminal app waits for, without its painting: the same accept, and opening the next
sample.
"""

import asyncio
import re
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import httpx2 as httpx

from tests.benchmarks.harness import PROGRAM, options, quantile, served
from tests.rows import naming, write_rows
from tests.web.conftest import Visitor, fields_of
from workbench.stages import intents, people
from workbench.stages.desk import open_desk
from workbench.stages.import_ import ImportOptions, import_file
from workbench.stages.people import Person, add_person
from workbench.store.engine import Store, open_store

SAMPLES = 4_000


def memory(pid: int) -> float:
    """Megabytes that a process has to itself, and its part of what it shares."""
    found = re.search(r"^Pss:\s+(\d+)", Path(f"/proc/{pid}/smaps_rollup").read_text(), re.MULTILINE)
    assert found
    return int(found.group(1)) / 1024


async def at_desk(store: Store, name: str, seconds: float) -> list[float]:
    """What one person at a terminal waits for."""
    desk = open_desk(store, None, name)
    number = await desk.next()
    assert number is not None
    opened = await intents.open_sample(desk, number)
    times, until = [], time.monotonic() + seconds
    while time.monotonic() < until:
        begun = time.perf_counter()
        fresh, _ = await intents.act(desk, opened, intents.accept(opened, desk.info.kinds[0], fast=False))
        following = await intents.open_next(desk, fresh.sample_id)
        times.append(time.perf_counter() - begun)
        assert following is not None
        opened = following
    return times


def on_pages(url: str, tokens: dict[str, str], seconds: float) -> list[float]:
    """What people wait for who press accept as fast as the pages come."""
    times: list[float] = []
    until = time.monotonic() + seconds

    def review(name: str) -> None:
        with httpx.Client(base_url=url, headers={"origin": url}, follow_redirects=True, timeout=60) as client:
            one = Visitor(client)
            one.page = client.post("/login", data={"name": name, "token": tokens[name]})
            while time.monotonic() < until:
                form = {**fields_of(one.page.text), "do": "accept", "sure": "1"}
                begun = time.perf_counter()
                one.page = client.post("/act", data=form)
                if one.page.status_code == 200:
                    times.append(time.perf_counter() - begun)
                else:  # faster than a session may be
                    time.sleep(0.2)
                    one.get("/next")

    with ThreadPoolExecutor(len(tokens)) as pool:
        list(pool.map(review, tokens))
    return times


def main() -> None:
    asked = options(__doc__, people=16, seconds=10.0)
    with tempfile.TemporaryDirectory() as folder:
        rows = [naming(f"s{number}", ["Agra", "India"], ["Agra"]) for number in range(SAMPLES)]
        store = open_store(f"{folder}/workbench.db")
        importing = ImportOptions(blind=0.0)
        import_file(store, write_rows(f"{folder}/data.jsonl", rows), importing, annotator="p0")
        names = [f"p{number}" for number in range(asked.people)]
        for name in names:
            add_person(store, "p0", Person(name, "owner", adjudicator=False, disabled=False))
        tokens = {name: people.new_token(store, "p0", name) for name in names}
        desk = asyncio.run(at_desk(store, "p0", asked.seconds))
        words = f"--db {folder}/workbench.db serve --port 0 --log {folder}/log"
        with served(*PROGRAM, *words.split()) as (url, pid):
            one = on_pages(url, {"p0": tokens["p0"]}, asked.seconds)
            alone = memory(pid)
            all_ = on_pages(url, tokens, asked.seconds)
            together = memory(pid)
        store.close()
    print("accept and the next sample        median      p95  number")
    shown = {"desk, 1 person": desk, "pages, 1 person": one, f"pages, {asked.people} people": all_}
    for name, times in shown.items():
        median, p95 = (1000 * quantile(share, times) for share in (0.5, 0.95))
        print(f"{name:<30} {median:7.1f} ms {p95:6.1f} ms  {len(times):,}")
    print(f"memory of the server: {alone:.0f} MB with one person, {together:.0f} MB with {asked.people}")


if __name__ == "__main__":
    main()
