"""Every way in which the SDK fails, as one of our kinds."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping

from workbench.proposing.claude_results import Failure, FailureKind
from workbench.text.safe import clean

DETAIL = 240  # characters kept of what the service said

_BY_CODE: Mapping[str, FailureKind] = {
    "contract_spend_limit_reached": "not paid",
    "enforced_spend_limit_reached": "not paid",
    "linked_organization_billing_unavailable": "not paid",
    "linked_organization_spend_limit_reached": "not paid",
    "user_profile_billing_not_authorized": "not paid",
    "user_profile_not_billable": "not paid",
    "organization_on_hold": "not allowed",
}
_BY_TYPE: Mapping[str, FailureKind] = {
    "authentication_error": "key refused",
    "billing_error": "not paid",
    "permission_error": "not allowed",
    "not_found_error": "unknown model",
    "rate_limit_error": "rate limited",
    "timeout_error": "timeout",
    "api_error": "server error",
    "overloaded_error": "overloaded",
}
"""What the body says where the status does not: a row of a batch, an error under status 200."""
_BY_STATUS: Mapping[int, FailureKind] = {
    401: "key refused",
    402: "not paid",
    403: "not allowed",
    404: "unknown model",
    407: "connection",
    408: "timeout",
    409: "server error",
    413: "too long",
    429: "rate limited",
    499: "connection",
    504: "timeout",
    529: "overloaded",
}
# The service reports both of these as plain 400s; only its words tell them apart.
_NOT_PAID = re.compile(r"credit balance|usage limits?\b|spend limit", re.IGNORECASE)
_TOO_LONG = re.compile(r"prompt is too long|context (?:window|length|limit)|too many tokens", re.IGNORECASE)


def failure_of(error: Exception) -> Failure | None:
    """The failure that an exception of a call means; None for one that is a bug of ours.

    Besides the SDK's own: TypeError and CredentialsError (no credentials), JSONDecodeError (a body that
    is no JSON), TimeoutError (our own limit), UnicodeEncodeError and other ValueErrors (a request that
    cannot be sent) and DeprecationWarning (where warnings are errors).
    """
    kind = _kind(error)
    if kind is None:
        return None
    said = _text(getattr(error, "api_message", None)) or str(error)
    if kind == "connection" and error.__cause__ is not None:
        said = f"{said} {error.__cause__}"
    return Failure(kind, detail(said), request_id=_text(getattr(error, "request_id", None)))


def kind_of_body(error_type: str, said: str, code: str = "") -> FailureKind:
    """The kind of an error body: of a batch's row, or under a status that says nothing."""
    if code in _BY_CODE:
        return _BY_CODE[code]
    if _NOT_PAID.search(said):
        return "not paid"
    return _BY_TYPE.get(error_type) or ("too long" if _TOO_LONG.search(said) else "bad request")


def detail(said: str) -> str:
    """What the service said, on one line, short and without anything that could steer a terminal."""
    line = " ".join(clean(said).split())
    return line if len(line) <= DETAIL else f"{line[: DETAIL - 1]}…"


def _kind(error: Exception) -> FailureKind | None:
    import anthropic
    import httpx2

    if isinstance(error, anthropic.APIStatusError):
        return _kind_of_status(error)
    if isinstance(error, anthropic.APITimeoutError | TimeoutError | httpx2.TimeoutException):
        return "timeout"
    if isinstance(error, anthropic.APIConnectionError | httpx2.TransportError):
        return "connection"
    if isinstance(error, anthropic.CredentialsError):
        return "no key"
    if isinstance(error, anthropic.AnthropicError):
        return "not a message" if isinstance(error, anthropic.APIError) else "server error"
    if isinstance(error, json.JSONDecodeError | httpx2.DecodingError):
        return "not a message"
    if isinstance(error, TypeError) and "authentication" in str(error):
        return "no key"
    if isinstance(error, DeprecationWarning):
        return "unknown model"
    return "bad request" if isinstance(error, ValueError) else None


def _kind_of_status(error: object) -> FailureKind:
    """By the stable code first, then by the status, then by what the body says."""
    status, said = getattr(error, "status_code", 0), _text(getattr(error, "api_message", None))
    code, error_type = _text(getattr(error, "error_code", None)), _text(getattr(error, "type", None))
    if code in _BY_CODE:
        return _BY_CODE[code]
    if status in _BY_STATUS:
        return _BY_STATUS[status]
    if status >= 500:
        return "server error"
    if status < 400:
        return kind_of_body(error_type, said, code) if error_type else "not a message"
    return kind_of_body(error_type, said, code)


def _text(value: object) -> str:
    """A field of an error body, which may hold anything."""
    return value if isinstance(value, str) else ""
