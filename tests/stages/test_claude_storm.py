"""A run under faults and kills: every sample proposed or failed, nothing half, no answer asked again."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest

from tests.stages.claude_storm import KIND_OF, weather
from workbench.proposing.claude.answers import AskAnswer, Usage
from workbench.proposing.claude.asks import Ask
from workbench.stages import claude_book
from workbench.stages.claude_book import Book, Feed
from workbench.stages.claude_setup import ClaudeOptions, run_of, setup_of
from workbench.store import calls
from workbench.store.engine import Store


def test_a_run_under_faults_and_kills_loses_nothing_and_asks_nothing_again_that_is_stored(
    tmp_path: Path,
) -> None:
    """Three in ten requests fail, in every way; the run is killed three times, ended, and retried."""
    storm = weather(tmp_path, samples=120, share=0.3, kills=3, call_seconds=3.0)

    assert storm.wrong == []
    assert (storm.kills, storm.proposed + storm.failed.total()) == (3, 120)
    assert storm.failed
    assert set(storm.failed) <= set(KIND_OF.values())
    assert storm.unheard


def test_a_shared_text_answered_while_the_next_window_is_looked_up_is_not_waited_for(
    bench: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The answer is stored just after the second window found it missing; the run ends all the same."""
    bench.load([{"id": n, "user_input": "q?", "reference": "Oslo.", "retrieved_contexts": []} for n in "ab"])
    info = bench.info()
    setup = setup_of(bench.store, info, ClaudeOptions())
    run = run_of(bench.store, info, setup, "ann")
    book = Book(bench.store, run.id, setup, ("entity",))
    feed = Feed(book, [bench.id("a"), bench.id("b")])
    asked: list[Ask] = []
    look_up = calls.known_keys

    def and_then_answered(store: Store, keys: Iterable[str]) -> set[str]:
        found = look_up(store, keys)
        for ask in asked:
            book.save(store, ask, AskAnswer(((),), Usage(), setup.model, "req_1", "end_turn"))
            feed.settled(ask.keys)
        return found

    monkeypatch.setattr(claude_book, "WINDOW", 1)
    monkeypatch.setattr(calls, "known_keys", and_then_answered)

    async def run_out() -> None:
        async with asyncio.timeout(10):
            async for ask in feed.asks():
                asked.append(ask)  # noqa: PERF401 - the feed sees each before it goes on

    asyncio.run(run_out())

    assert len(asked) == 1
    assert bench.query("SELECT count(*) FROM proposal WHERE run_id = ?", run.id) == [(2,)]
