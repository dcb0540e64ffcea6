"""Claude by the clients that Anthropic's SDK has for Bedrock and Vertex, against the local service."""

import sys
from typing import Any

import anthropic
import pytest

from tests.lists import from_cases
from tests.proposing.claude.faults import Faults
from tests.proposing.claude.server import Options, running
from workbench.errors import AccessError, UsageError
from workbench.proposing.claude.answers import AskAnswer
from workbench.proposing.claude.asks import Ask, Setup
from workbench.proposing.claude.call import call, check_key, check_model
from workbench.proposing.claude.clients import ClaudeClient, connect, host

BEDROCK, VERTEX = Setup("anthropic.claude-haiku-5-5"), Setup("claude-haiku-5-5@20261007")


async def test_bedrock_is_asked_by_configuration(ask: Ask, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WORKBENCH_CLAUDE", "bedrock")
    monkeypatch.setenv("AWS_REGION", "eu-central-1")
    monkeypatch.setenv("AWS_BEARER_TOKEN_BEDROCK", "secret")
    assert "bedrock-runtime.eu-central-1.amazonaws.com" == host()
    check_key()
    with running(Options(faults=Faults(script=["", "529", "refusal"]))) as (state, url):
        monkeypatch.setenv("ANTHROPIC_BEDROCK_BASE_URL", url)
        async with connect(5) as client:
            assert () == await check_model(client, BEDROCK)
            results: Any = [(await call(client, BEDROCK, ask, 5)).result for _ in range(3)]

    assert (AskAnswer, True) == (type(results[0]), results[0].usage is not None)
    assert ["overloaded", "refused"] == [one.kind for one in results[1:]]
    assert {"bedrock": 3} == dict(state.stats.clouds)


async def test_vertex_is_asked_in_its_own_form(ask: Ask) -> None:
    with running(Options(faults=Faults(script=["", "429"]))) as (state, url):
        sdk = anthropic.AsyncAnthropicVertex(
            region="europe-west1", project_id="p", access_token="t", base_url=f"{url}/v1", max_retries=0
        )
        async with ClaudeClient(sdk) as client:
            assert () == await check_model(client, VERTEX)
            results: Any = [(await call(client, VERTEX, ask, 5)).result for _ in range(2)]

    assert (AskAnswer, "rate limited") == (type(results[0]), results[1].kind)
    assert {"vertex": 2} == dict(state.stats.clouds)


@from_cases
def test_what_a_cloud_needs_is_named(cloud: str, says: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for package in ("boto3", "google.auth"):
        monkeypatch.setitem(sys.modules, package, None)
    monkeypatch.setenv("WORKBENCH_CLAUDE", cloud)

    with pytest.raises(AccessError, match=says):
        check_key()


def test_a_region_that_is_not_set_is_told_before_anything_is_sent(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WORKBENCH_CLAUDE", "bedrock")
    monkeypatch.setenv("AWS_BEARER_TOKEN_BEDROCK", "secret")

    with pytest.raises(AccessError, match="AWS_REGION"):
        host()


def test_another_cloud_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WORKBENCH_CLAUDE", "azure")

    with pytest.raises(UsageError, match="got 'azure', expected bedrock or vertex"):
        check_key()
