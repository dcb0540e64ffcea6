"""OpenAI's chat completions in terms of the Messages API, so that one local service speaks both."""

from typing import Any

CODES = {
    401: "invalid_api_key", 402: "insufficient_quota", 404: "model_not_found", 413: "context_length_exceeded",
    429: "rate_limit_exceeded",
}  # fmt: skip
STOPS = {"end_turn": "stop", "max_tokens": "length", "pause_turn": "tool_calls", "refusal": "stop"}


def as_messages(request: dict[str, Any]) -> dict[str, Any]:
    """The request as the Messages API gets it. Raises KeyError for one without a strict schema."""
    system, *messages = request["messages"]
    form = request["response_format"]["json_schema"]
    assert form["strict"] is True
    return {
        "model": request["model"],
        "max_tokens": request.get("max_completion_tokens") or request["max_tokens"],
        "system": [{"type": "text", "text": system["content"]}],
        "messages": messages,
        "output_config": {"format": {"type": "json_schema", "schema": form["schema"]}},
    }


def as_completion(message: dict[str, Any]) -> dict[str, Any]:
    """A message as a chat completion; a body that is no message stays as it is."""
    if message.get("type") != "message":
        return message
    usage = message["usage"]
    text = "".join(block["text"] for block in message["content"] if block["type"] == "text")
    said = {"content": text, "refusal": None}
    if message["stop_reason"] == "refusal":
        said = {"content": None, "refusal": "I cannot help with that."}
    choice = {"finish_reason": STOPS[message["stop_reason"]], "message": {"role": "assistant", **said}}
    head = {"id": message["id"], "object": "chat.completion", "created": 1, "model": message["model"]}
    return {**head, "choices": [{"index": 0, **choice}], "usage": usage and as_usage(usage)}


def as_usage(usage: dict[str, Any]) -> dict[str, Any]:
    """The tokens of a completion; those of the cache are part of the prompt."""
    written, read = usage["cache_creation_input_tokens"], usage["cache_read_input_tokens"]
    prompt = usage["input_tokens"] + written + read
    return {
        "prompt_tokens": prompt,
        "completion_tokens": usage["output_tokens"],
        "total_tokens": prompt + usage["output_tokens"],
        "prompt_tokens_details": {"cached_tokens": read},
        "completion_tokens_details": {"reasoning_tokens": usage["output_tokens_details"]["thinking_tokens"]},
    }


def as_error(status: int, body: dict[str, Any]) -> dict[str, Any]:
    """An error as OpenAI words it."""
    said = body["error"]["message"]
    code = "insufficient_quota" if "credit balance" in said else CODES.get(status)
    code = "context_length_exceeded" if "context length" in said else code
    return {"error": {"message": said, "type": "invalid_request_error", "param": None, "code": code}}
