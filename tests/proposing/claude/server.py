"""A local service that speaks the Messages, token counting, Models and Batches APIs, over real HTTP.

It has OpenAI's form too (/v1/chat/completions), with the same faults, and takes Claude's calls as Bedrock
(/model/…/invoke) and Vertex (/projects/…:rawPredict) get them.

By hand: `python -m tests.proposing.claude.server --port 8765 --rate 10 --latency 0.5 --fault-share 0.1`,
then `ANTHROPIC_BASE_URL=http://127.0.0.1:8765 ANTHROPIC_API_KEY=test workbench …`; /stats tells what it did.
"""

import asyncio
import contextlib
import json
import math
import random
import re
import threading
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any, NamedTuple
from urllib.parse import unquote

from tests.benchmarks.harness import options
from tests.proposing.claude import answering, openai_form
from tests.proposing.claude.faults import ERRORS, UNPAID, Bucket, Faults

MODELS = ("claude-haiku-5-5", "claude-sonnet-5-5", "claude-haiku-4-5", "local-model")


@dataclass
class Options:
    """How the service behaves. `rate` and `bucket` are requests, `tokens` and `token_bucket` input tokens.

    `latency` is the mean seconds of an answer; none comes before `hold` is set. Without `headers` the limits
    are not named. A batch ends `batch_seconds` after it was made; `batch_faults` of its rows are errored,
    expired or canceled; with `no_batches` its path is not known.
    Models are described unless `describes` is off: then the path is not known, as at a gateway.
    An answer has `thinking` tokens too, and costs `answer_times` what is in it, up to the request's limit.
    """

    rate: float | None = None
    bucket: float = 50
    tokens: float | None = None
    token_bucket: float = 50_000
    headers: bool = True
    latency: float = 0.0
    hold: threading.Event | None = None
    faults: Faults = field(default_factory=Faults)
    batch_seconds: float = 0.0
    batch_faults: float = 0.0
    no_batches: bool = False
    slow_seconds: float = 30.0
    thinking: int = 0
    answer_times: int = 1
    retry_after: str | None = None
    keep_bodies: bool = True
    describes: bool = True


class Reply(NamedTuple):
    """A response: `cut` drops the connection in the middle of it."""

    status: int
    body: bytes
    headers: dict[str, str] = {}  # noqa: RUF012
    kind: str = "application/json"
    cut: bool = False


NO_ANSWERS = {
    "502 html": Reply(502, b"<html><h1>Bad Gateway</h1></html>", {}, "text/html"),
    "html": Reply(200, b"<html><h1>Sign in to the network</h1></html>", {}, "text/html"),
    "foreign": Reply(200, b'{"hello": "world"}'),
    "malformed": Reply(200, b'{"id": "msg_1", "content": [{"ty'),
}


@dataclass
class Stats:
    """What the service did. `paid` counts answers by the texts that were asked about.

    `sent` counts the answers to messages that have left.
    """

    requests: int = 0
    sent: int = 0
    statuses: Counter[int] = field(default_factory=Counter)
    paid: Counter[str] = field(default_factory=Counter)
    times: list[float] = field(default_factory=list)
    bodies: list[dict[str, Any]] = field(default_factory=list)
    clouds: Counter[str] = field(default_factory=Counter)
    at_once: int = 0
    most_at_once: int = 0


class Service:
    """The state of the service and its endpoints."""

    def __init__(self, options: Options) -> None:
        self.options, self.stats = options, Stats()
        self.batches: dict[str, dict[str, Any]] = {}
        self.open: dict[asyncio.Task[None], asyncio.StreamWriter] = {}
        self._calls = Bucket(options.rate, options.bucket)
        self._tokens = Bucket(options.tokens, options.token_bucket)
        self._chance = random.Random(0)
        self._cached: set[str] = set()

    async def handle(self, method: str, path: str, headers: dict[str, str], body: bytes) -> Reply:
        """One request to one endpoint."""
        if path == "/stats":
            return _json(200, self.summary())
        if not (headers.get("authorization", "") or headers.get("x-api-key", "")).strip():
            return error("401")
        if path.startswith("/v1/models/"):
            return self._model(path.rsplit("/", 1)[1])
        if path.startswith("/v1/messages/batches"):
            return self._batch(method, path.split("?")[0], body, headers.get("host", ""))
        request = json.loads(body)
        if path.startswith("/v1/messages/count_tokens"):
            return _json(200, {"input_tokens": tokens(request)})
        if path == "/v1/chat/completions":
            return completed(await self._message(openai_form.as_messages(request)))
        if cloud := re.match(r"/model/([^/]+)/invoke$|.*/anthropic/models/([^:/]+):rawPredict$", path):
            self.stats.clouds["bedrock" if cloud[1] else "vertex"] += bool(request.pop("anthropic_version"))
            request["model"] = unquote(cloud[1] or cloud[2]).partition("@")[0].removeprefix("anthropic.")
        return await self._message(request)

    def summary(self) -> dict[str, Any]:
        """The counts, for whoever runs the service in another process."""
        stats, twice = self.stats, sum(count > 1 for count in self.stats.paid.values())
        statuses = {str(status): count for status, count in stats.statuses.items()}
        counts = {"requests": stats.requests, "statuses": statuses, "faults": dict(self.options.faults.met)}
        paid = {"texts_paid": len(stats.paid), "texts_paid_twice": twice}
        return {**counts, **paid, "most_at_once": stats.most_at_once, "batches": len(self.batches)}

    async def _message(self, request: dict[str, Any]) -> Reply:
        stats, now = self.stats, time.monotonic()
        stats.requests += 1
        stats.times.append(now)
        if self.options.keep_bodies:
            stats.bodies.append(request)
        stats.at_once += 1
        stats.most_at_once = max(stats.most_at_once, stats.at_once)
        try:
            reply = await self._answered(request, now)
        finally:
            stats.at_once -= 1
        stats.statuses[reply.status] += 1
        return reply

    async def _answered(self, request: dict[str, Any], now: float) -> Reply:
        wait = self._calls.take(now, 1) or self._tokens.take(now, tokens(request))
        if wait > 0:
            return error("429", {**self._limits(), "retry-after": str(math.ceil(wait))})
        fault = self.options.faults.draw(request)
        if fault == "slow":
            await asyncio.sleep(self.options.slow_seconds)
        if fault in ERRORS:
            extra = {"retry-after": self.options.retry_after or "0"} if fault == "429" else {}
            return error(fault, extra)
        while self.options.hold is not None and not self.options.hold.is_set():
            await asyncio.sleep(0.02)
        if self.options.latency:
            await asyncio.sleep(self.options.latency * self._chance.uniform(0.7, 1.5))
        if fault in NO_ANSWERS:
            return NO_ANSWERS[fault]
        if request.get("model") not in MODELS:
            return error("404")
        message = self.message(request, fault)
        return _json(200, message, self._limits())._replace(cut=fault == "cut")

    def message(self, request: dict[str, Any], fault: str = "") -> dict[str, Any]:
        """A message as the API makes it, paid for."""
        text, stop, details = answering.answer(request), "end_turn", None
        match fault:
            case "left out":
                text = json.dumps({what: listed[:-1] for what, listed in json.loads(text).items()})
            case "empty":
                text = json.dumps({"texts": [{**one, "entities": []} for one in json.loads(text)["texts"]]})
            case "refusal":
                text, stop = "", "refusal"
                details = {"type": "refusal", "category": "bio", "explanation": "no"}
            case "max_tokens" | "pause_turn":
                text, stop = text[: len(text) // 2], fault
            case "context_window":
                text, stop = "", "model_context_window_exceeded"
            case "not json":
                text = "Here are the entities: Paris."
            case "schema":
                text = json.dumps({"texts": [{"text": 99, "entities": []}], "verdicts": []})
        if fault != "cut":
            for piece in answering.unfenced(request["messages"][0]["content"]):
                self.stats.paid[piece.text] += piece.role == "text"
        content = [{"type": "thinking", "thinking": "", "signature": "x"}, {"type": "text", "text": text}]
        head = {"id": f"msg_{self.stats.requests}", "type": "message", "role": "assistant"}
        said = {"model": f"{request['model']}-20261007", "content": content if text else []}
        end = {"stop_reason": stop, "stop_sequence": None, "stop_details": details}
        return {**head, **said, **end, "usage": None if fault == "no usage" else self._usage(request, text)}

    def _usage(self, request: dict[str, Any], text: str) -> dict[str, Any]:
        """The first call of a long enough stable part writes the cache, the others read it."""
        stable = json.dumps([request["system"], request["output_config"]])
        size = len(stable) // 4 if len(stable) // 4 >= 512 else 0
        written = size if stable not in self._cached else 0
        self._cached.add(stable)
        answered = max(1, len(text) // 4) * self.options.answer_times
        return {
            "input_tokens": tokens(request) - size,
            "cache_creation_input_tokens": written,
            "cache_read_input_tokens": size - written,
            "cache_creation": {"ephemeral_5m_input_tokens": written, "ephemeral_1h_input_tokens": 0},
            "output_tokens": min(request["max_tokens"], self.options.thinking + answered),
            "output_tokens_details": {"thinking_tokens": self.options.thinking},
            "service_tier": "standard",
        }

    def _limits(self) -> dict[str, str]:
        if not self.options.headers:
            return {}
        listed = {"requests": self._calls, "input-tokens": self._tokens}
        return {
            f"anthropic-ratelimit-{name}-{what}": str(value)
            for name, bucket in listed.items()
            if bucket.rate is not None
            for what, value in (("limit", round(bucket.rate * 60)), ("remaining", max(0, int(bucket.level))))
        }

    def _model(self, name: str) -> Reply:
        if not self.options.describes:
            said = {"type": "not_found_error", "message": f"/v1/models/{name}"}
            return _json(404, {"type": "error", "error": said})
        if name not in MODELS:
            return error("404")
        old, yes = name == "claude-haiku-4-5", {"supported": True}
        effort = {"supported": not old, "low": yes, "medium": yes, "high": yes, "max": yes}
        can = {"batch": yes, "structured_outputs": yes, "effort": effort}
        told = {"id": name, "type": "model", "display_name": name, "max_tokens": 64_000, "capabilities": can}
        ends = {"lifecycle": "deprecated", "retires_at": "2027-01-31T00:00:00Z"}
        goes_on = {"lifecycle": "active", "retires_at": None}
        return _json(200, {**told, "created_at": "2026-10-07T00:00:00Z", **(ends if old else goes_on)})

    def _batch(self, method: str, path: str, body: bytes, host: str) -> Reply:
        if self.options.no_batches:
            return error("404")
        parts = path.removeprefix("/v1/messages/batches").strip("/").split("/")
        if parts == [""]:
            if method == "GET":
                listed = [self._described(one, host) for one in reversed(self.batches.values())]
                return _json(200, {"data": listed, "has_more": False, "first_id": None, "last_id": None})
            fault = self.options.faults.draw({})
            if fault in ERRORS:
                return error(fault)
            batch = {"id": f"msgbatch_{len(self.batches) + 1:04}", "at": time.time(), "canceled": False}
            self.batches[str(batch["id"])] = {**batch, "requests": json.loads(body)["requests"], "rows": None}
            reply = _json(200, self._described(self.batches[str(batch["id"])], host))
            return reply._replace(cut=fault == "cut")
        found = self.batches.get(parts[0])
        if found is None:
            return error("404")
        if parts[1:] == ["cancel"]:
            found["canceled"] = True
        if parts[1:] != ["results"]:
            return _json(200, self._described(found, host))
        lines = [json.dumps(row) + "\n" for row in reversed(self._rows(found))]
        fault = self.options.faults.draw({})
        if fault == "malformed":
            lines[0] = lines[0][:20] + "\n"
        return Reply(200, "".join(lines).encode(), {}, "application/x-jsonl")._replace(cut=fault == "cut")

    def _described(self, batch: dict[str, Any], host: str) -> dict[str, Any]:
        ended = batch["canceled"] or time.time() >= batch["at"] + self.options.batch_seconds
        counts = Counter(row["result"]["type"] for row in self._rows(batch)) if ended else Counter[str]()
        at = datetime.fromtimestamp(batch["at"], UTC)
        told = {name: counts[name] for name in ("succeeded", "errored", "canceled", "expired")}
        told["processing"] = 0 if ended else len(batch["requests"])
        url = f"http://{host}/v1/messages/batches/{batch['id']}/results"
        times = {"created_at": at.isoformat(), "expires_at": (at + timedelta(hours=24)).isoformat()}
        state: dict[str, Any] = {"processing_status": "ended", "ended_at": at.isoformat(), "results_url": url}
        if not ended:
            state = {"processing_status": "in_progress", "ended_at": None, "results_url": None}
        return {"id": batch["id"], "type": "message_batch", "request_counts": told, **times, **state}

    def _rows(self, batch: dict[str, Any]) -> Any:
        """The rows, answered once: asking again gives the same."""
        if batch["rows"] is None:
            batch["rows"] = [
                {"custom_id": one["custom_id"], "result": self._row(one["params"], batch["canceled"])}
                for one in batch["requests"]
            ]
        return batch["rows"]

    def _row(self, request: dict[str, Any], canceled: bool) -> dict[str, Any]:
        if canceled:
            return {"type": "canceled"}
        if self._chance.random() < self.options.batch_faults:
            kind = self._chance.choice(["expired", "canceled", "overloaded_error", "invalid_request_error"])
            if kind in {"expired", "canceled"}:
                return {"type": kind}
            said = {"type": "error", "error": {"type": kind, "message": "no"}, "request_id": "req_1"}
            return {"type": "errored", "error": said}
        fault = self.options.faults.draw(request)
        return {"type": "succeeded", "message": self.message(request, fault)}


def tokens(request: dict[str, Any]) -> int:
    """A token count by length: four characters each."""
    return len(json.dumps([request.get(name) for name in ("system", "messages", "output_config")])) // 4


def error(name: str, headers: dict[str, str] | None = None) -> Reply:
    """An error reply in the API's shape."""
    status, kind, said = ERRORS[name]
    body = {"type": "error", "error": {"type": kind, "message": said}, "request_id": "req_e"}
    return _json(status, body, headers or {})


def completed(reply: Reply) -> Reply:
    """A reply in OpenAI's form; what is no JSON stays as it is."""
    try:
        body = json.loads(reply.body)
    except ValueError:
        return reply
    status = reply.status
    if body.get("stop_reason") == "model_context_window_exceeded":
        status, body = 400, {"error": {"message": "This model's maximum context length is 8192 tokens"}}
    made = openai_form.as_completion(body) if status == 200 else openai_form.as_error(status, body)
    headers = {name: value for name, value in reply.headers.items() if name == "retry-after"}
    return _json(status, made, headers)._replace(cut=reply.cut)


def _json(status: int, body: Any, headers: dict[str, str] | None = None) -> Reply:
    return Reply(status, json.dumps(body, ensure_ascii=False).encode(), headers or {})


async def _connection(service: Service, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """Requests of one connection, one after another, until either side closes it."""
    with contextlib.suppress(ConnectionError, asyncio.IncompleteReadError, asyncio.CancelledError):
        while True:
            head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
            method, path, _ = head[0].split(" ")
            named = (line.partition(":") for line in head[1:] if line)
            headers = {name.lower(): value.strip() for name, _, value in named}
            body = await reader.readexactly(int(headers.get("content-length", "0")))
            reply = await service.handle(method, path, headers, body)
            told = {"content-type": reply.kind, "content-length": str(len(reply.body))}
            told |= {"request-id": f"req_{service.stats.requests}", **reply.headers}
            text = "".join(f"{name}: {value}\r\n" for name, value in told.items())
            sent = reply.body[: len(reply.body) // 2] if reply.cut else reply.body
            writer.write(f"HTTP/1.1 {reply.status} X\r\n{text}\r\n".encode() + sent)
            await writer.drain()
            service.stats.sent += path.startswith("/v1/messages")
            if reply.cut:
                break
    writer.close()
    with contextlib.suppress(ConnectionError):
        await writer.wait_closed()


async def start(service: Service, port: int = 0) -> tuple[asyncio.Server, str]:
    """Listen on this machine only; the server and its base URL."""

    def accepted(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.create_task(_connection(service, reader, writer))
        service.open[task] = writer
        task.add_done_callback(service.open.pop)

    # A backlog of 1,000: with the default of 100 a run with 256 calls at once waits for retransmissions.
    server = await asyncio.start_server(accepted, "127.0.0.1", port, backlog=1000, limit=2**26)
    return server, f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"


async def stop(service: Service, server: asyncio.Server) -> None:
    """Stop listening and close every connection: none is left to the garbage collector.

    asyncio loses a connection that it is accepting when the server closes (or when that task is cancelled),
    and a task that is cancelled before its first step closes nothing: accept first, close past the tasks.
    """
    while accepting := asyncio.all_tasks() - {asyncio.current_task()} - set(service.open):
        await asyncio.wait(accepting)
    server.close()
    for task, writer in service.open.items():
        writer.transport.abort()
        task.cancel()
    await asyncio.gather(*service.open, return_exceptions=True)


@contextlib.contextmanager
def running(options: Options) -> Iterator[tuple[Service, str]]:
    """The service in a thread of its own, with its base URL, for as long as the block lasts."""
    service, ready = Service(options), threading.Event()
    started: list[tuple[str, asyncio.AbstractEventLoop, asyncio.Event]] = []

    async def serve() -> None:
        server, url = await start(service)
        end = asyncio.Event()
        started.append((url, asyncio.get_running_loop(), end))
        ready.set()
        await end.wait()
        await stop(service, server)

    thread = threading.Thread(target=lambda: asyncio.run(serve()))
    thread.start()
    ready.wait(600)
    url, loop, end = started[0]
    try:
        yield service, url
    finally:
        loop.call_soon_threadsafe(end.set)
        thread.join(600)
        assert not thread.is_alive()
        assert not service.open


def main() -> None:
    """Run by hand until Ctrl-C; a rate of 0 is no limit."""
    own = vars(
        options(
            __doc__, port=8765, rate=0.0, bucket=50.0, tokens=0.0, latency=0.5, batch_seconds=5.0,
            no_headers=False, fault_share=0.0, faults=",".join(UNPAID),
        )
    )  # fmt: skip
    port, headers = own.pop("port"), not own.pop("no_headers")
    faults = Faults(share=own.pop("fault_share"), kinds=own.pop("faults").split(","))
    limits: dict[str, Any] = {name: own.pop(name) or None for name in ("rate", "tokens")}
    service = Service(Options(**own, **limits, headers=headers, faults=faults))

    async def serve() -> None:
        server, url = await start(service, port)
        print(f"ANTHROPIC_BASE_URL={url} ANTHROPIC_API_KEY=test", flush=True)
        async with server:
            await server.serve_forever()

    with contextlib.suppress(KeyboardInterrupt):
        asyncio.run(serve())


if __name__ == "__main__":
    main()
