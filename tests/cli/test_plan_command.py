"""When a holdout was looked at, as `plan` shows it."""

import time
from datetime import UTC, datetime, timedelta, timezone
from typing import Any

from tests.rows import city, write_rows


def test_a_look_at_the_holdout_has_the_time_of_who_reads_it(run: Any, monkeypatch: Any) -> None:
    assert 0 == run("import", write_rows("data.jsonl", [city(number) for number in range(80)])).code
    assert 0 == run("plan", "--n", "20", "--holdout", ".2", "--yes").code
    before = datetime.now(UTC)
    assert 0 == run("export", "out", "--holdout").code
    with monkeypatch.context() as far:
        far.setenv("TZ", "Asia/Tokyo")
        time.tzset()
        shown = run("plan").out
    time.tzset()

    zone = timezone(timedelta(hours=9))
    assert any(
        f"  {at.astimezone(zone):%Y-%m-%d %H:%M} by ann: export" in shown
        for at in (before, datetime.now(UTC))
    )
