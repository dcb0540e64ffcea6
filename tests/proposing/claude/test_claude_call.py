"""One call through the SDK's own transport seam: every way it can end is an answer or a named failure."""

import asyncio
import json
import time
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from typing import Any, get_args

import anthropic
import httpx2
import pytest
from anthropic._error_classes import ERROR_CLASSES
from anthropic._exceptions import new_error
from anthropic.types import StopReason
from anthropic.types.shared.error_type import ErrorType

from tests.lists import from_cases
from tests.proposing.claude.conftest import client_of, every_class, message, replying
from workbench.errors import AccessError, ProposalError
from workbench.model import ProposedEntity
from workbench.proposing.claude import call as calling, clients
from workbench.proposing.claude.answers import CAUSES, SPLIT, AskAnswer, Failure, Usage
from workbench.proposing.claude.asks import Ask, Setup
from workbench.proposing.claude.batches import _AMBIGUOUS
from workbench.proposing.claude.call import call, check_model, failure_of, kind_of_body, retry_after
from workbench.proposing.claude.clients import ModelClient, connect
from workbench.proposing.claude.run import _HOPELESS_KINDS

SERVER = anthropic.InternalServerError
GOOD = json.dumps({"texts": [{"text": 1, "entities": [{"label": "place", "names": ["Agra"]}]}]})


async def failed(client: ModelClient, setup: Setup, ask: Ask, seconds: float = 5) -> Failure:
    """How a call fails."""
    result = (await call(client, setup, ask, seconds)).result
    assert isinstance(result, Failure)
    return result


async def test_an_answer_brings_its_entities_usage_and_model(setup: Setup, ask: Ask) -> None:
    usage: dict[str, Any] = {"input_tokens": 10, "output_tokens": 30, "cache_creation_input_tokens": 700}
    usage |= {"cache_read_input_tokens": 600, "output_tokens_details": {"thinking_tokens": 5}}
    usage["cache_creation"] = {"ephemeral_5m_input_tokens": 500, "ephemeral_1h_input_tokens": 200}
    called = await call(replying(message(GOOD, usage=usage)), setup, ask, 5)

    agra, used = ((ProposedEntity("Agra", "place"),),), Usage(10, 30, 700, 600, 5)
    assert called.result == AskAnswer(agra, used, "claude-haiku-5-5-20261007")
    assert "req_7" == called.headers["request-id"]


async def test_thinking_may_come_before_the_text(setup: Setup, ask: Ask) -> None:
    content = [{"type": "thinking", "thinking": "hm", "signature": "s"}, {"type": "text", "text": GOOD}]

    assert isinstance((await call(replying(message(content=content)), setup, ask, 5)).result, AskAnswer)


async def test_the_request_goes_out_once_with_the_schema_and_the_effort(setup: Setup, ask: Ask) -> None:
    seen: list[dict[str, Any]] = []

    def handler(request: httpx2.Request) -> httpx2.Response:
        seen.append(json.loads(request.content))
        return httpx2.Response(500, json={"type": "error", "error": {"type": "api_error", "message": "no"}})

    await call(client_of(handler), setup, ask, 5)

    (body,) = seen
    told = body["output_config"]
    assert "claude-haiku-5-5" == body["model"]
    assert ("json_schema", "low") == (told["format"]["type"], told["effort"])
    assert not {"temperature", "top_p", "top_k", "stream"} & set(body)


STOPS = {"max_tokens": "cut off", "refusal": "refused", "model_context_window_exceeded": "too long"}
"""What every other stop is called: unfinished."""


@pytest.mark.parametrize("stop", [*get_args(StopReason), "brand_new", None])
async def test_only_end_turn_is_read_and_others_fail_with_usage(setup: Setup, ask: Ask, stop: Any) -> None:
    """The text is good in every case: what stopped early is never taken for an answer."""
    said: Any = message(GOOD, stop=stop)
    result: Any = (await call(replying(said), setup, ask, 5)).result

    assert isinstance(result, AskAnswer) == (stop == "end_turn")
    if stop != "end_turn":
        assert (STOPS.get(stop or "", "unfinished"), Usage(100, 20)) == (result.kind, result.usage)


async def test_a_refusal_says_its_category_and_is_no_empty_set(setup: Setup, ask: Ask) -> None:
    details = {"type": "refusal", "category": "bio", "explanation": "a pathogen"}

    failure = await failed(replying(message(stop="refusal", stop_details=details)), setup, ask)

    assert "refused (bio: a pathogen): review the sample by hand, or leave the text out" == failure.message


def raised(error_class: type[anthropic.AnthropicError]) -> anthropic.AnthropicError:
    """An error of the class as the SDK makes it."""
    request = httpx2.Request("POST", "http://localhost/v1/messages")
    if issubclass(error_class, anthropic.APIStatusError):
        statuses = {made: key for key, made in ERROR_CLASSES.items()}
        status, code = statuses.get(error_class, (getattr(error_class, "status_code", None), None))
        status = status if isinstance(status, int) else 500 if issubclass(error_class, SERVER) else 418
        error_body = {"error": {"type": "x", "message": "said", "details": {"error_code": code}}}
        return error_class("said", response=httpx2.Response(status, request=request), body=error_body)
    if issubclass(error_class, anthropic.APITimeoutError):
        return error_class(request)
    if issubclass(error_class, anthropic.APIConnectionError):
        return error_class(request=request)
    if issubclass(error_class, anthropic.APIResponseValidationError):
        return error_class(httpx2.Response(200, request=request), None)
    if issubclass(error_class, anthropic.APIError):
        return error_class("said", request, body=None)
    try:
        return error_class("said")
    except TypeError:  # of the tools that nobody here uses: made as unpickling makes them
        return new_error(error_class, "said")


@pytest.mark.parametrize("error_class", every_class(anthropic.AnthropicError), ids=lambda one: one.__name__)
def test_every_error_of_the_sdk_is_one_of_ours_with_what_to_do(error_class: Any) -> None:
    failure = failure_of(raised(error_class))

    assert isinstance(failure.error(), ProposalError)
    assert CAUSES[failure.kind].advice in str(failure.error())


@from_cases
def test_what_the_common_errors_mean(error: str, kind: str) -> None:
    assert kind == failure_of(raised(getattr(anthropic, error))).kind


@pytest.mark.parametrize(
    ("error", "kind"),
    [
        (json.JSONDecodeError("x", "", 0), "not a message"),
        (TimeoutError(), "timeout"),
        (TypeError("Could not resolve authentication method."), "no key"),
        (UnicodeEncodeError("utf-8", "\ud800", 0, 1, "surrogates not allowed"), "bad request"),
        (ValueError("Streaming is required"), "bad request"),
        (DeprecationWarning("The model 'x' is deprecated"), "not found"),
    ],
)
def test_what_errors_that_come_through_the_sdk_mean(error: Exception, kind: str) -> None:
    assert kind == failure_of(error).kind


@pytest.mark.parametrize("code", ["contract_spend_limit_reached", "enforced_spend_limit_reached"])
def test_a_spend_limit_comes_as_a_429_and_is_not_waited_for(code: str) -> None:
    failure = failure_of(raised(ERROR_CLASSES[429, code]))

    assert ("not paid", True) == (failure.kind, failure.stops)


def test_every_error_type_of_a_body_has_a_kind() -> None:
    for error_type in get_args(ErrorType):
        assert kind_of_body(error_type, "said") in CAUSES


def test_every_kind_of_failure_has_a_cause_and_says_what_to_do() -> None:
    kinds = calling._BY_TYPE, calling._BY_STATUS, clients._CLAUDE_STOPS, clients._OPENAI_STOPS
    named = {kind for table in kinds for kind in table.values()} - {""}
    assert named | {*SPLIT, *_HOPELESS_KINDS, *_AMBIGUOUS} <= set(CAUSES)
    for kind in CAUSES:
        assert len(Failure(kind).message) > len(kind) + 10


@pytest.mark.parametrize("error", [TypeError("bug"), KeyError("bug"), ZeroDivisionError()])
def test_a_bug_of_ours_is_no_failure_of_the_service(error: Exception) -> None:
    with pytest.raises(type(error)) as caught:
        failure_of(error)

    assert error is caught.value


@from_cases
async def test_bad_requests_are_told_apart_by_words(setup: Setup, ask: Ask, said: str, kind: str) -> None:
    body = {"type": "error", "error": {"type": "invalid_request_error", "message": said}}

    failure = await failed(replying(body, 400), setup, ask)

    assert (kind, said) == (failure.kind, failure.detail)


ODD = [
    b"", b"null", b"[]", b"123", b'"x"', b"{", b"<html>Sign in</html>", b'{"hello": 1}',
    b'{"type": "message", "content": null, "stop_reason": "end_turn"}',
    b'{"type": "message", "content": "hello", "stop_reason": "end_turn"}',
]  # fmt: skip


@pytest.mark.parametrize("body", ODD, ids=range(len(ODD)))
@pytest.mark.parametrize("kind", ["application/json", "text/html"])
async def test_no_message_under_a_200_is_a_failure(setup: Setup, ask: Ask, body: bytes, kind: str) -> None:
    assert "not a message" == (await failed(replying(body, headers={"content-type": kind}), setup, ask)).kind


@pytest.mark.parametrize(
    "body", [b"[1]", b'"s"', b'{"error": "s"}', b'{"error": {"type": 5, "message": {}}}', b""]
)
@pytest.mark.parametrize(
    ("status", "kind"), [(400, "bad request"), (500, "server error"), (429, "rate limited")]
)
async def test_an_error_has_any_body(setup: Setup, ask: Ask, body: bytes, status: int, kind: str) -> None:
    assert kind == (await failed(replying(body, status), setup, ask)).kind


async def test_an_error_under_status_200_is_told_by_its_type(setup: Setup, ask: Ask) -> None:
    response = httpx2.Response(200, request=httpx2.Request("POST", "http://localhost"))
    body = {"error": {"type": "overloaded_error", "message": "busy"}}

    assert "overloaded" == failure_of(anthropic.APIStatusError("busy", response=response, body=body)).kind


async def test_what_the_service_says_cannot_steer_a_terminal_or_fill_it(setup: Setup, ask: Ask) -> None:
    body = {"type": "error", "error": {"type": "api_error", "message": "\x1b[2J\n" + "long " * 1000}}

    failure = await failed(replying(body, 500), setup, ask)

    assert "\x1b" not in failure.message
    assert len(failure.detail) <= 240


async def test_a_lone_surrogate_cannot_be_sent_and_says_so(setup: Setup) -> None:
    from workbench.proposing.claude.prompt import FencedText

    ask = Ask("entities", ("0" * 32,), 1, (FencedText("text", 1, "\ud800"),))

    assert "bad request" == (await failed(replying(message(GOOD)), setup, ask)).kind


async def test_no_key_is_told_before_anything_is_sent(setup: Setup, ask: Ask) -> None:
    async with connect(5) as client:
        failure = await failed(client, setup, ask)

    assert ("no key", True) == (failure.kind, failure.stops)
    assert isinstance(failure.error(), AccessError)


async def test_the_environment_names_the_service_and_key(setup: Setup, monkeypatch: Any) -> None:
    monkeypatch.setenv("ANTHROPIC_BASE_URL", "http://127.0.0.1:9")
    monkeypatch.setenv("ANTHROPIC_API_KEY", "sk-secret")

    async with connect(5) as client:
        url = client.sdk.base_url
        assert ("127.0.0.1", 9, 0) == (url.host, url.port, client.sdk.max_retries)
        failure = await failed(client, setup, Ask("entities", ("0" * 32,), 1, ()))
        assert "connection" == failure.kind
        assert "sk-secret" not in repr(failure)


async def test_a_call_ends_at_its_time_limit(setup: Setup, ask: Ask) -> None:
    async def hang(request: httpx2.Request) -> httpx2.Response:
        await asyncio.Event().wait()
        raise AssertionError

    assert "timeout" == (await failed(client_of(hang), setup, ask, 0.2)).kind


@from_cases
def test_how_long_the_service_asks_to_wait(headers: dict[str, str], seconds: float | None) -> None:
    assert seconds == retry_after(headers)


@pytest.mark.skipif(not hasattr(time, "tzset"), reason="the zone of a process cannot be set here")
def test_a_date_without_a_zone_is_that_of_greenwich(monkeypatch: pytest.MonkeyPatch) -> None:
    """Wherever the program runs."""
    monkeypatch.setenv("TZ", "Asia/Tokyo")
    time.tzset()
    try:
        date = format_datetime(datetime.now(UTC) + timedelta(minutes=5)).replace("+0000", "-0000")
        assert 200 < (retry_after({"retry-after": date}) or 0) <= 300
    finally:
        monkeypatch.undo()
        time.tzset()


async def test_a_retired_model_is_told_before_paying_and_the_end_of_a_deprecated_one() -> None:
    async def checked(lifecycle: str) -> tuple[str, ...]:
        told = {"id": "m", "type": "model", "display_name": "M", "created_at": "2026-01-01T00:00:00Z"}
        told |= {"lifecycle": lifecycle, "retires_at": "2026-11-30T00:00:00Z"}
        return await check_model(replying(told), Setup())

    with pytest.raises(AccessError, match="retired"):
        await checked("retired")
    assert () == await checked("active")
    said = "model 'claude-haiku-5-5' is deprecated and will be retired on 2026-11-30"
    assert (said,) == await checked("deprecated")


@pytest.mark.parametrize(("body", "status"), [({"detail": "no such page"}, 404), (b"<html>", 200), ({}, 500)])
async def test_a_service_that_does_not_describe_its_models_is_believed(body: Any, status: int) -> None:
    assert () == await check_model(replying(body, status), Setup())


@pytest.mark.parametrize(
    ("status", "error_type"),
    [(404, "not_found_error"), (401, "authentication_error"), (403, "permission_error")],
)
async def test_an_unknown_model_or_key_is_told_before_paying(status: int, error_type: str) -> None:
    body = {"type": "error", "error": {"type": error_type, "message": "no"}}

    with pytest.raises(AccessError):
        await check_model(replying(body, status), Setup())
