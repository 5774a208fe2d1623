"""Parses responses into results or errors, and reads the rate-limit and retry headers."""

from __future__ import annotations

import json
import time
from dataclasses import dataclass
from email.utils import parsedate_to_datetime
from typing import Any

import httpx

from ._call import RateLimit
from ._errors import ApiConnectionError, ApiError, UnexpectedAnswerError

#: Statuses of temporary failures of the service or of a proxy.
PASSING = frozenset({408, 429, 500, 502, 503, 504})

FIRST_PAUSE = 0.5
LONGEST_PAUSE = 8.0


@dataclass(frozen=True)
class Answer:
    status: int
    headers: httpx.Headers
    content: bytes

    @property
    def request_id(self) -> str | None:
        found: str | None = self.headers.get("x-request-id")
        return found


def _unexpected(answer: Answer) -> UnexpectedAnswerError:
    if 300 <= answer.status < 400:
        said = f"a redirect to {answer.headers.get('location', 'elsewhere')}, which is not followed with a key"
    elif not answer.content:
        said = "nothing"
    else:
        said = f"{answer.headers.get('content-type', 'something without a type')} instead of the service's JSON"
    message = f"Status {answer.status} came with {said}."
    if answer.status == 304:
        message = "304 Not Modified: the answer to If-None-Match is unchanged."
    return UnexpectedAnswerError(
        message,
        status=answer.status,
        request_id=answer.request_id,
        headers=answer.headers,
        excerpt=answer.content.decode("utf-8", "replace")[:500],
    )


def read(answer: Answer) -> Any:
    """Returns the complete body of a successful response, without validating the fields."""
    try:
        body = json.loads(answer.content)
    except ValueError:
        raise _unexpected(answer) from None
    if not isinstance(body, dict) or not isinstance(body.get("success"), bool):
        raise _unexpected(answer)
    if 200 <= answer.status < 300:
        return body
    error = body.get("error")
    if not isinstance(error, dict) or not isinstance(error.get("code"), str):
        raise _unexpected(answer)
    raise ApiError(
        str(error.get("message", error["code"])),
        status=answer.status,
        code=error["code"],
        details=error.get("details"),
        request_id=answer.request_id,
        headers=answer.headers,
    )


def _server_now(headers: httpx.Headers) -> float:
    """Returns the server's time, so that a wrong local clock has no effect."""
    return _date(headers.get("date", "")) or time.time()


def _date(text: str) -> float | None:
    try:
        return parsedate_to_datetime(text).timestamp()
    except (TypeError, ValueError):
        return None


def rate_limit_of(headers: httpx.Headers) -> RateLimit | None:
    try:
        limit, remaining, reset = (int(headers[f"x-ratelimit-{name}"]) for name in ("limit", "remaining", "reset"))
    except (KeyError, ValueError):
        return None
    return RateLimit(limit, remaining, max(0.0, reset - _server_now(headers)))


def requested_delay(error: Exception) -> float | None:
    """Returns the delay in seconds that the service requested by `Retry-After` or in the error
    details, or None.
    """
    if not isinstance(error, (ApiError, UnexpectedAnswerError)):
        return None
    text = error.headers.get("retry-after", "").strip()
    if text.isascii() and text.isdigit():
        return float(text)
    date = _date(text)
    if date is not None:
        return max(0.0, date - _server_now(error.headers))
    details = error.details if isinstance(error, ApiError) else None
    seconds = details.get("retry_after") if isinstance(details, dict) else None
    return float(seconds) if isinstance(seconds, (int, float)) else None


def is_passing(error: Exception) -> bool:
    """Returns whether another attempt may succeed. A used-up monthly quota is not temporary."""
    if isinstance(error, ApiConnectionError):
        return True
    if not isinstance(error, (ApiError, UnexpectedAnswerError)) or error.status not in PASSING:
        return False
    details = error.details if isinstance(error, ApiError) else None
    return not (isinstance(details, dict) and "quota" in details)


def retry_delay(error: Exception, attempt: int, longest: float, random: float) -> float | None:
    """Returns the seconds until the next attempt, or None if the call must not be retried."""
    if not is_passing(error):
        return None
    asked = requested_delay(error)
    if asked is None:
        return min(longest, random * min(LONGEST_PAUSE, FIRST_PAUSE * 2.0 ** (attempt - 1)))
    # A random part, so that callers do not retry simultaneously.
    return None if asked > longest else asked + random * min(1.0, asked)
