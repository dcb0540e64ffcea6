"""A run under faults and kills: every sample proposed or failed, nothing half, no answer asked again."""

from pathlib import Path

from tests.stages.claude_storm import KIND_OF, weather


def test_a_run_under_faults_and_kills_loses_nothing_and_asks_nothing_twice(tmp_path: Path) -> None:
    """Three in ten requests fail, in every way; the run is killed three times, ended, and retried."""
    storm = weather(tmp_path, samples=120, share=0.3, kills=3, call_seconds=3.0)

    assert storm.wrong == []
    assert (storm.kills, storm.proposed + storm.failed.total()) == (3, 120)
    assert storm.failed
    assert set(storm.failed) <= set(KIND_OF.values())
    assert storm.unheard
