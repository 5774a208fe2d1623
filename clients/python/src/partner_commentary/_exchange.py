"""Implements retries as a generator that yields requests and pauses, so that the blocking and the
asynchronous client share the code.
"""

from __future__ import annotations

import random
import re
import time
import uuid
from collections.abc import Generator
from dataclasses import dataclass
from typing import Any, TypeVar, Union

import httpx

from ._answer import Answer, rate_limit_of, read, retry_delay
from ._call import Call, OnResponse, ResponseInfo, checked_number, refuse_unusable_values
from ._errors import PartnerCommentaryError
from ._version import version

PREFIX = "/partner/v1"


@dataclass(frozen=True)
class Attempt:
    """Asks the connection to send this request once and to return an `Answer`. The connection adds
    the credential.
    """

    method: str
    url: str
    headers: httpx.Headers
    content: bytes | None
    timeout: float


@dataclass(frozen=True)
class Sleep:
    seconds: float


Result = TypeVar("Result")
Exchange = Generator[Union[Attempt, Sleep], Any, Result]


@dataclass(frozen=True)
class Settings:
    """The options of a client."""

    base_url: str
    timeout: float
    max_retries: float
    max_retry_wait: float
    headers: httpx.Headers
    on_response: OnResponse | None

    def exchange(self, call: Call) -> Exchange[Any]:
        """Sends a call, with retries if needed, and returns the complete body of the successful
        response.
        """
        options = call.options or {}
        retries = 0.0 if call.once else checked_number("max_retries", options.get("max_retries", self.max_retries))
        timeout = checked_number("timeout", options.get("timeout", self.timeout))
        with refuse_unusable_values():
            headers, url, content = self._headers(call), self.base_url + call.target, call.content
        attempt = 1
        while True:
            request_id = headers.get("x-request-id") or str(uuid.uuid4())
            sent = httpx.Headers({**headers, "x-request-id": request_id})
            start = time.monotonic()
            try:
                answer: Answer = yield Attempt(call.method, url, sent, content, timeout)
                self._report(call, attempt, time.monotonic() - start, answer)
                return read(answer)
            except PartnerCommentaryError as error:
                wait = None if attempt > retries else retry_delay(error, attempt, self.max_retry_wait, random.random())
                if wait is None:
                    raise
            yield Sleep(wait)
            attempt += 1

    def _headers(self, call: Call) -> httpx.Headers:
        own = {"accept": "application/json", "user-agent": f"partner-commentary-python/{version}"}
        if call.body is not None:
            own["content-type"] = "application/json"
        if call.method == "POST" and not call.once:
            own["idempotency-key"] = call.idempotency_key or str(uuid.uuid4())
        return httpx.Headers({**self.headers, **httpx.Headers((call.options or {}).get("headers")), **own})

    def _report(self, call: Call, attempt: int, duration: float, answer: Answer) -> None:
        info = ResponseInfo(
            method=call.method,
            path=call.target,
            status=answer.status,
            request_id=answer.request_id,
            attempt=attempt,
            duration_seconds=duration,
            rate_limit=rate_limit_of(answer.headers),
            replayed=answer.headers.get("idempotency-replayed") == "true",
            headers=answer.headers,
        )
        for listener in (self.on_response, (call.options or {}).get("on_response")):
            if listener is not None:
                listener(info)


def base_address(given: str) -> str:
    """`{api_root}` with the version prefix, which may already be present."""
    try:
        url = httpx.URL(given)
    except (TypeError, httpx.InvalidURL):
        url = httpx.URL("")
    if url.scheme not in ("http", "https") or not url.host:
        raise PartnerCommentaryError("base_url must be the service's address, such as https://api.example.com.")
    if url.userinfo or url.query or url.fragment:
        raise PartnerCommentaryError("base_url must have no user, password, query or fragment.")
    address = str(url).rstrip("/")
    return address if address.endswith(PREFIX) else address + PREFIX


def checked_credential(option: str, secret: object) -> str:
    """The error of an HTTP library would contain the credential."""
    if isinstance(secret, str) and re.fullmatch(r"[\x21-\x7e]+", secret):
        return secret
    raise PartnerCommentaryError(f"{option} is missing or contains an invalid character.")
