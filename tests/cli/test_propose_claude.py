"""`propose --proposer claude` as a person calls it, against the local service."""

from __future__ import annotations

import json
import os
import signal
import sqlite3
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from tests.proposing.claude.faults import Faults
from tests.proposing.claude.server import Service
from tests.rows import write_rows
from workbench import cli
from workbench.proposing.claude import run as claude_run

Start = Callable[..., Service]
CLAUDE = ("propose", "--proposer", "claude")
PROMPT = "=== entities ===\nFind {{labels}}.\n=== statements ===\nSplit.\n=== verdicts ===\nJudge.\n"


@pytest.fixture
def service(service: Start, monkeypatch: pytest.MonkeyPatch) -> Start:
    """Starts a local service that is asked again at once."""
    monkeypatch.setattr(claude_run.LiveRun, "_backoff", lambda run, attempts: 0.01)
    return service


@pytest.fixture
def loaded(run: Any, tmp_path: Path) -> Any:
    """The command line over three samples."""
    places = (("Oslo", "Norway"), ("Rome", "Italy"), ("Lima", "Peru"))
    rows = [
        {"id": place, "user_input": f"Where is {place}?", "reference": f"{place} lies in {country}.",
         "retrieved_contexts": [f"{place} is old."]}
        for place, country in places
    ]  # fmt: skip
    write_rows(tmp_path / "rows.jsonl", rows)
    assert run("import", "rows.jsonl").code == 0
    return run


def test_a_dry_run_of_claude_sends_nothing(loaded: Any, service: Start, monkeypatch: Any) -> None:
    """Requests, tokens, cost and where to; also without a key."""
    local = service()

    ended = loaded(*CLAUDE, "--dry-run")
    document = loaded(*CLAUDE, "--dry-run", "--json").json

    assert (ended.code, ended.err) == (0, "")
    host = os.environ["ANTHROPIC_BASE_URL"].removeprefix("http://")
    assert "a new run: 3 samples to propose, 0 proposed already" in ended.out
    assert "2 requests · " in ended.out
    assert "(estimated offline)" in ended.out
    assert "about $0.00" in ended.out
    assert f"text would go to {host} (--external ask)" in ended.out
    assert (document["samples"], document["requests"], document["host"]) == (3, 2, host)
    assert 0 < document["cost"] < 0.01
    assert 0 < document["input_tokens"]
    monkeypatch.delenv("ANTHROPIC_API_KEY")
    assert loaded(*CLAUDE, "--dry-run").out == ended.out
    assert local.stats.requests == 0


def test_without_a_terminal_text_leaves_only_when_told(loaded: Any, service: Start) -> None:
    """Exit 2 naming host and volume; --yes for once; --external allow is kept; never beats --yes."""
    local = service()
    host = os.environ["ANTHROPIC_BASE_URL"].removeprefix("http://")

    asked = loaded(*CLAUDE)
    never = loaded(*CLAUDE, "--external", "never", "--yes")

    assert (asked.code, asked.out) == (2, "")
    assert "would send 3 samples (" in asked.err
    assert f"to {host}: say --yes for this time, or --external allow" in asked.err
    assert (never.code, never.out) == (2, "")
    assert "must not leave the machine" in never.err
    assert "expected ask, allow, never" in loaded(*CLAUDE, "--external", "perhaps").err
    assert local.stats.requests == 0
    assert loaded(*CLAUDE, "--external", "allow").code == 0
    assert loaded(*CLAUDE, "--model", "claude-sonnet-5-5").code == 0
    assert local.stats.requests == 4


def test_more_than_the_limit_is_asked_about(loaded: Any, service: Start) -> None:
    """Consent to the text leaving is none to the cost."""
    local = service()

    loaded(*CLAUDE, "--external", "allow", "--max-cost", "0").refuses(
        "this would cost $0.00", "raise --max-cost, or say --yes and it stops before $0.00"
    )
    stopped = loaded(*CLAUDE, "--max-cost", "0", "--yes")
    assert stopped.code == 3
    assert "3 left (--max-cost $0: $0.0000 spent, the next call would cost about $0.00" in stopped.out
    assert local.stats.requests == 0
    assert loaded(*CLAUDE, "--yes").code == 0


def test_a_run_reports_what_it_did(loaded: Any, service: Start) -> None:
    """As text and as one document; the key stands nowhere."""
    service()

    ended = loaded(*CLAUDE, "--yes")
    again = loaded(*CLAUDE, "--yes", "--json")

    assert (ended.code, ended.err) == (0, "")
    assert ended.out.startswith("claude-run-1 (claude-haiku-5-5): 3 proposed, 3 in all\n  2 requests, 0 met")
    assert (again.json["run"], again.json["already"], again.json["requests"]) == ("claude-run-1", 3, 0)
    assert "secret" not in ended.out + again.out
    assert b"secret" not in Path("workbench.db").read_bytes()


@pytest.mark.parametrize(
    ("fault", "failed", "kind", "advice"),
    [
        ("refusal", 1, "refused", "review the sample by hand, or leave the text out"),
        ("max_tokens", 1, "cut off", "raise --max-tokens, then retry the failed samples"),
        ("context_window", 1, "too long", "shorten the text or name a model with a larger context window"),
        ("not json", 1, "not json", "retry the failed samples; name a model with structured outputs"),
        ("html", 3, "not a message", "check the base URL: something else answers there"),
        ("cut", 3, "connection", "check the network and the base URL"),
    ],
)
def test_a_failed_sample_is_named_by_cause_with_advice(
    loaded: Any, service: Start, fault: str, failed: int, kind: str, advice: str
) -> None:
    """Exit 3. What a text may have caused fails it alone; what the service did, all that shared the call."""
    faults = Faults(texts={"Norway": fault})
    service(faults=faults)

    ended = loaded(*CLAUDE, "--yes")

    assert (ended.code, ended.err) == (3, "")
    assert f"  {failed} failed: {kind}: {advice}" in ended.out
    assert f"{3 - failed} proposed, {3 - failed} in all" in ended.out
    faults.texts = {}
    again = loaded(*CLAUDE, "--yes", "--retry-failed", "--json")
    assert (again.code, again.json["proposed"], again.json["failed"], again.json["left"]) == (0, failed, 0, 0)


def test_a_run_that_takes_the_place_of_another_says_the_way_back(loaded: Any, service: Start) -> None:
    """Once: a run that is current already takes nobody's place."""
    service()
    assert loaded("propose").code == 0

    first, again = loaded(*CLAUDE, "--yes"), loaded(*CLAUDE, "--yes")

    said = "the suggestions in use are those of claude-run-1, in the place of rules-run-1"
    assert first.out.splitlines()[-1] == f"{said} (back: workbench propose --run rules-run-1)"
    assert "in the place of" not in again.out


def test_without_a_key_nobody_is_asked_whether_to_send(loaded: Any, service: Start, monkeypatch: Any) -> None:
    """The key is looked for first; one that the environment brings as a header is a key too."""
    local = service()
    monkeypatch.delenv("ANTHROPIC_API_KEY")

    without = loaded(*CLAUDE)
    asked = local.stats.requests
    monkeypatch.setenv("ANTHROPIC_CUSTOM_HEADERS", "Authorization: Bearer sk-secret-key")
    by_header = loaded(*CLAUDE)

    assert (without.code, asked) == (2, 0)
    assert "no key for Claude" in without.err
    assert "would send 3 samples" not in without.err
    assert "would send 3 samples" in by_header.err


def test_without_a_key_it_says_what_to_set(loaded: Any, service: Start, monkeypatch: Any) -> None:
    """Exit 2 before anything is stored; a key that is refused is another message."""
    service(faults=Faults(share=1.0, kinds=["401"]))
    refused = loaded(*CLAUDE, "--yes")
    monkeypatch.delenv("ANTHROPIC_API_KEY")

    ended = loaded(*CLAUDE, "--yes")

    assert (ended.code, ended.out) == (2, "")
    assert ended.err == (
        "workbench: no key for Claude: set ANTHROPIC_API_KEY (or ANTHROPIC_AUTH_TOKEN, ANTHROPIC_PROFILE); "
        "nothing was sent, and --dry-run needs none\n"
    )
    assert refused.code == 3
    assert "check ANTHROPIC_API_KEY (or OPENAI_API_KEY): it is not known" in refused.out
    assert "secret" not in refused.out + refused.err


def test_an_unknown_model_is_bad_usage(loaded: Any, service: Start) -> None:
    service()

    loaded(*CLAUDE, "--yes", "--model", "claude-9").refuses("unknown model 'claude-9'")
    dry = loaded(*CLAUDE, "--dry-run", "--model", "claude-9")
    assert "no price is known for claude-9: give one with --prices FILE, or --max-cost cannot" in dry.out
    assert "claude-run" not in loaded("status").out
    loaded(*CLAUDE, "--yes", "--model", "claude-9", "--max-cost", "2").refuses(
        "--max-cost cannot be kept: no price is known for claude-9"
    )


def test_a_prompt_file_may_begin_with_the_mark_that_the_editor_of_windows_writes(loaded: Any) -> None:
    Path("mine.txt").write_text(PROMPT, "utf-8-sig")

    assert loaded(*CLAUDE, "--dry-run", "--prompt", "mine.txt").code == 0


@pytest.mark.parametrize("option", ["--prompt", "--prices"])
def test_a_file_without_an_end_is_not_read_for_ever(loaded: Any, option: str) -> None:
    Path("long.txt").write_text("#" * 1_000_001)

    ended = loaded(*CLAUDE, "--dry-run", option, "long.txt")

    assert ended.code == 2
    assert ended.err == "workbench: long.txt: more than 1,000,000 bytes: name a smaller file\n"


def test_examples_are_named_before_and_after(loaded: Any, service: Start) -> None:
    """The plan names them; a report says when there were fewer; compare leaves them out."""
    service()
    gold = {"annotator": "gina", "entities": [{"text": "Oslo", "label": "place", "verdict": "found"}]}
    row = json.loads(Path("rows.jsonl").read_text("utf-8").splitlines()[0])
    write_rows("gold.jsonl", [{**row, "gold": gold}])
    assert loaded("import", "gold.jsonl", "--gold", "--dataset", "rows").code == 0

    plan = loaded(*CLAUDE, "--dry-run", "--examples", "2")
    ended = loaded(*CLAUDE, "--yes", "--examples", "2")
    answered, compared = loaded("compare"), loaded("compare", "--full")
    gated = loaded("score", "--threshold", "0.4")

    assert "the prompt shows 1 verified sample: Oslo" in plan.out
    assert plan.out.startswith("note: asked for 2 examples, there are 1")
    assert ended.out.startswith("note: asked for 2 examples, there are 1")
    assert answered.out.startswith("Dataset rows · 2 samples")
    assert "Not among the 0 samples compared here: 1 shown in the prompt" in answered.out
    assert "of 3 samples" not in answered.out
    assert "Review all 2 samples (" in answered.out
    assert "nothing is verified yet besides what this run was shown" in compared.out
    assert "samples: 1 left out: the run was shown their verified units" in compared.out
    left_out = "left out of automatic figures: 1 sample that was an example of this run, with their groups: 1"
    assert gated.out.startswith("passed: name matching (linked) mean .5000 over 2 samples")
    assert f"\n{left_out}\n" in gated.out


OPENAI = ("propose", "--proposer", "openai", "--model", "claude-haiku-5-5")


def test_any_service_like_openais_is_asked_as_claude_is(loaded: Any, service: Any, monkeypatch: Any) -> None:
    """Consent names its host; no text is asked twice; another address is another run."""
    local = service()
    url = os.environ["OPENAI_BASE_URL"]
    monkeypatch.delenv("OPENAI_BASE_URL")
    host = url.removeprefix("http://").removesuffix("/v1")

    plan = loaded(*OPENAI, "--base-url", url, "--dry-run").out
    asked = loaded(*OPENAI, "--base-url", url)
    ended = loaded(*OPENAI, "--base-url", url, "--yes", "--json").json
    again = loaded(*OPENAI, "--base-url", f"{url}/", "--yes", "--json").json

    assert f"text would go to {host} (--external ask)" in plan
    assumed = "note: thinking is assumed to take 0 tokens a call, and a model may think more; once it has "
    assert [assumed + "answered here, the mean of its answers is taken"] == [
        line for line in plan.splitlines() if "thinking" in line
    ]
    assert (asked.code, asked.out) == (2, "")
    assert f" tokens, estimated) to {host}: say --yes" in asked.err
    assert (ended["run"], ended["proposed"], ended["requests"]) == ("openai-run-1", 3, 2)
    assert (again["run"], again["requests"], local.stats.requests) == ("openai-run-1", 0, 2)
    assert "openai-run-1 (current)" in loaded("status").out
    assert [] == loaded(*OPENAI, "--base-url", url, "--dry-run", "--json").json["notes"]
    elsewhere = loaded(*OPENAI, "--base-url", "http://127.0.0.1:9/v1", "--dry-run", "--json").json
    assert (elsewhere["run"], elsewhere["samples"]) == ("", 3)


def begun(
    folder: Path, rows: list[dict[str, Any]], so_far: Callable[[], bool], *options: str, **opened: Any
) -> subprocess.Popen[bytes]:
    """A process that proposes for some rows, and has come so far."""
    write_rows(folder / "rows.jsonl", rows)
    program = [sys.executable, "-m", "workbench.cli", "--db", str(folder / "w.db")]
    assert 0 == cli._run([*program[3:], "import", str(folder / "rows.jsonl")])
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, **opened}
    process = subprocess.Popen([*program, *CLAUDE, "--yes", *options], **pipes)
    end = time.monotonic() + 60
    while not so_far():
        assert time.monotonic() < end
        assert process.poll() is None
        time.sleep(0.02)
    return process


@pytest.mark.skipif(os.name == "nt", reason="signals of POSIX")
def test_a_second_ctrl_c_drops_the_calls_and_ends_with_one_line(tmp_path: Path, service: Start) -> None:
    """Exit 3 and no traceback; the database can be used at once."""
    local = service(faults=Faults(share=1.0, kinds=["slow"]), slow_seconds=60)
    row = {"id": "1", "user_input": "q?", "reference": "Oslo lies in Norway.", "retrieved_contexts": []}
    process = begun(tmp_path, [row], lambda: local.stats.requests > 0)

    process.send_signal(signal.SIGINT)
    time.sleep(0.5)
    assert process.poll() is None
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=60)

    assert (3, b"") == (process.returncode, out)
    assert err.startswith(b"workbench: stopped: the calls under way were dropped and may have been paid")
    assert 1 == err.count(b"\n")


@pytest.mark.skipif(os.name == "nt", reason="signals of POSIX")
def test_a_signal_ends_it_softly_with_a_report(tmp_path: Path, service: Start) -> None:
    """Exit 3: what came is stored and said, what is left is said too; the next start asks only for that.

    SIGTERM is of `timeout` or of a service that is stopped. The first Ctrl-C does the same: see above.
    """
    local = service(latency=1.0)
    rows = [
        {"id": str(n), "user_input": "q?", "reference": f"Town{n} lies in Land{n}. " + "It is old. " * 500,
         "retrieved_contexts": []}
        for n in range(80)
    ]  # fmt: skip
    process = begun(tmp_path, rows, lambda: local.stats.statuses[200] >= 5, "--json")

    process.send_signal(signal.SIGTERM)
    out, err = process.communicate(timeout=60)

    document = json.loads(out)
    assert (process.returncode, err) == (3, b"")
    assert document["proposed"] >= 5
    assert document["proposed"] + document["left"] == 80
    assert document["left"] > 0
    assert document["stopped"]
    assert document["proposed"] == local.stats.statuses[200] == len(local.stats.bodies)


@pytest.mark.skipif(os.name == "nt", reason="signals of POSIX")
def test_a_closed_terminal_ends_a_run_softly(tmp_path: Path, service: Start) -> None:
    """What is under way is waited for and stored, though SIGHUP comes twice and nothing can be shown."""
    hold = threading.Event()
    local = service(hold=hold)
    row = {"id": "1", "user_input": "q?", "reference": "Oslo lies in Norway.", "retrieved_contexts": []}
    master, terminal = os.openpty()
    process = begun(
        tmp_path, [row], lambda: local.stats.requests > 0,
        stderr=terminal, preexec_fn=lambda: os.login_tty(os.dup(terminal)),
    )  # fmt: skip
    os.close(terminal)
    os.close(master)  # the first SIGHUP
    time.sleep(0.3)
    assert process.poll() is None
    process.send_signal(signal.SIGHUP)
    time.sleep(0.3)
    hold.set()
    process.communicate(timeout=60)

    with closing(sqlite3.connect(tmp_path / "w.db")) as raw:
        assert raw.execute("SELECT count(*) FROM proposal").fetchall() == [(1,)]
    assert local.stats.statuses[200] == 1


def test_a_person_at_a_terminal_is_asked(loaded: Any, service: Start, monkeypatch: Any) -> None:
    """No is an answer: nothing is sent."""
    import io

    local = service()
    monkeypatch.setattr(sys.modules["workbench.cli.propose"], "on_terminal", lambda: True)
    monkeypatch.setattr(sys, "stdin", io.StringIO("n\n"))

    ended = loaded(*CLAUDE)

    assert (ended.code, ended.out.strip()) == (2, "")
    assert "3 samples to propose" in ended.err
    assert "Send it?" in ended.err
    assert ended.err.endswith("workbench: nothing was sent\n")
    assert local.stats.requests == 0
