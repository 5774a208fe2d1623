"""Defines calls of the API and their options, and encodes ids and values."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, TypedDict
from urllib.parse import quote

import httpx

from ._errors import PartnerCommentaryError


@dataclass(frozen=True)
class RateLimit:
    """The hourly rate limit with the fewest remaining requests."""

    limit: int
    remaining: int
    resets_in_seconds: float


@dataclass(frozen=True)
class ResponseInfo:
    """The information about one response that `on_response` receives. The information never contains the key."""

    method: str
    path: str
    status: int
    request_id: str | None
    #: 1 for the first attempt.
    attempt: int
    duration_seconds: float
    rate_limit: RateLimit | None
    #: True when the service returned the stored response of an earlier call.
    replayed: bool
    headers: httpx.Headers = field(repr=False)


OnResponse = Callable[[ResponseInfo], object]


class RequestOptions(TypedDict, total=False):
    """The options of one call, which override the options of the client."""

    timeout: float
    """Seconds for one attempt until the last byte of the response."""
    max_retries: int
    headers: Mapping[str, str]
    on_response: OnResponse


@dataclass(frozen=True)
class Call:
    """A request to a path below the version prefix. Query and body values that are None are
    omitted.
    """

    method: str
    path: str
    query: Mapping[str, Any] = field(default_factory=dict)
    body: Mapping[str, Any] | None = None
    idempotency_key: str | None = None
    #: Disables retries, because each attempt would repeat the work.
    once: bool = False
    options: RequestOptions | None = None

    @property
    def target(self) -> str:
        query = {name: _text(name, value) for name, value in self.query.items() if value is not None}
        return f"{self.path}?{httpx.QueryParams(query)}" if query else self.path

    @property
    def content(self) -> bytes | None:
        """The body as JSON."""
        if self.body is None:
            return None
        body = {name: _value(name, value) for name, value in self.body.items() if value is not None}
        return json.dumps(body, ensure_ascii=False, allow_nan=False).encode()


@contextmanager
def refuse_unusable_values() -> Iterator[None]:
    """Converts the errors about values that no request can contain, such as NaN in a body."""
    try:
        yield
    except (AttributeError, RecursionError, TypeError, ValueError) as error:
        raise PartnerCommentaryError(f"The request cannot be sent: {error}.") from error


def segment(value: str) -> str:
    """Percent-encodes an id. `.` and `..` are refused, because HTTP libraries remove them and the
    request would reach another operation.
    """
    if not isinstance(value, str) or value in ("", ".", ".."):
        raise PartnerCommentaryError(f"{value!r} is no id.")
    with refuse_unusable_values():
        return quote(value, safe="")


def _value(name: str, value: Any) -> Any:
    if not isinstance(value, datetime):
        return list(value) if isinstance(value, tuple) else value
    if value.tzinfo is None:
        raise PartnerCommentaryError(f"{name} needs a time zone: {value.isoformat()} has none.")
    return value.isoformat()


def _text(name: str, value: Any) -> str:
    if isinstance(value, (list, tuple)):
        return ",".join(_text(name, each) for each in value)
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(_value(name, value))


def checked_number(name: str, value: Any) -> float:
    """Validates a numeric option. With an invalid number, a timer would end immediately or never."""
    is_number = isinstance(value, (int, float)) and not isinstance(value, bool)
    if is_number and value >= 0 and not math.isnan(value):
        return float(value)
    raise PartnerCommentaryError(f"{name} must be a number of at least 0, but is {value!r}.")
