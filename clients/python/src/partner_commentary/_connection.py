"""Sends requests with one credential, blocking or asynchronously. The module `_exchange` decides
about retries.
"""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable, Mapping
from typing import Any, TypeVar, Union

import anyio
import httpx

from ._answer import Answer
from ._call import Call, OnResponse, checked_number, refuse_unusable_values
from ._errors import ApiConnectionError, ApiTimeoutError, PartnerCommentaryError
from ._exchange import Attempt, Exchange, Settings, Sleep, base_address, checked_credential

Result = TypeVar("Result")
Credential = Union[str, Callable[[], str]]
AsyncCredential = Union[str, Callable[[], Union[str, Awaitable[str]]]]


def settings_of(
    base_url: str,
    timeout: float,
    max_retries: int,
    max_retry_wait: float,
    headers: Mapping[str, str] | None,
    on_response: OnResponse | None,
) -> Settings:
    with refuse_unusable_values():
        shared = httpx.Headers(headers)
    return Settings(
        base_url=base_address(base_url),
        timeout=checked_number("timeout", timeout),
        max_retries=checked_number("max_retries", max_retries),
        max_retry_wait=checked_number("max_retry_wait", max_retry_wait),
        headers=shared,
        on_response=on_response,
    )


class _Failures:
    """Converts errors of httpx to errors of this client, and limits the time of a whole attempt."""

    def __init__(self, attempt: Attempt) -> None:
        self._attempt = attempt
        self._end = time.monotonic() + attempt.timeout

    @property
    def request_id(self) -> str:
        return self._attempt.headers["x-request-id"]

    def late(self) -> ApiTimeoutError:
        return ApiTimeoutError(
            f"No answer within {self._attempt.timeout:g} seconds (request {self.request_id}).",
            request_id=self.request_id,
        )

    def check(self) -> None:
        if time.monotonic() > self._end:
            raise self.late()

    def of(self, error: httpx.HTTPError) -> ApiConnectionError:
        if isinstance(error, httpx.TimeoutException):
            return self.late()
        reason = str(error) or type(error).__name__
        host = httpx.URL(self._attempt.url).host
        return ApiConnectionError(
            f"No answer from {host}: {reason} (request {self.request_id}).", request_id=self.request_id
        )


class _Base:
    def __init__(self, settings: Settings, header: tuple[str, str, str], is_test: bool) -> None:
        self.settings = settings
        #: The option's name, the header's name, and what precedes the credential.
        self._header = header
        #: Whether the credential is a test key. False for a function until the first request.
        self.is_test = is_test

    def _headers(self, attempt: Attempt, secret: object) -> httpx.Headers:
        option, name, scheme = self._header
        checked = checked_credential(option, secret)
        self.is_test = checked.startswith("pk_test_")
        headers = attempt.headers.copy()
        headers[name] = scheme + checked
        return headers


class Connection(_Base):
    def __init__(
        self, settings: Settings, header: tuple[str, str, str], credential: Credential, http: httpx.Client | None
    ) -> None:
        super().__init__(settings, header, isinstance(credential, str) and credential.startswith("pk_test_"))
        if not callable(credential):
            checked_credential(header[0], credential)
        self._credential = credential
        self._http = http or httpx.Client()
        self._is_own = http is None

    def close(self) -> None:
        if self._is_own:
            self._http.close()

    def send(self, call: Call) -> Any:
        return self.run(self.settings.exchange(call))

    def data(self, call: Call) -> Any:
        return self.send(call)["data"]

    def run(self, exchange: Exchange[Result]) -> Result:
        try:
            step = next(exchange)
            while True:
                try:
                    outcome = self._do(step)
                except PartnerCommentaryError as error:
                    step = exchange.throw(error)
                else:
                    step = exchange.send(outcome)
        except StopIteration as stop:
            result: Result = stop.value
            return result

    def _do(self, step: Attempt | Sleep) -> Answer | None:
        if isinstance(step, Attempt):
            return self._attempt(step)
        time.sleep(step.seconds)
        return None

    def _attempt(self, attempt: Attempt) -> Answer:
        secret = self._credential() if callable(self._credential) else self._credential
        headers = self._headers(attempt, secret)
        failures = _Failures(attempt)
        # A redirect could send the key to another server.
        request = self._http.build_request(
            attempt.method, attempt.url, headers=headers, content=attempt.content, timeout=attempt.timeout
        )
        try:
            response = self._http.send(request, stream=True, follow_redirects=False)
            try:
                chunks = []
                for chunk in response.iter_bytes():
                    chunks.append(chunk)
                    failures.check()
            finally:
                response.close()
        except httpx.HTTPError as error:
            raise failures.of(error) from error
        return Answer(response.status_code, response.headers, b"".join(chunks))


class AsyncConnection(_Base):
    def __init__(
        self,
        settings: Settings,
        header: tuple[str, str, str],
        credential: AsyncCredential,
        http: httpx.AsyncClient | None,
    ) -> None:
        super().__init__(settings, header, isinstance(credential, str) and credential.startswith("pk_test_"))
        if not callable(credential):
            checked_credential(header[0], credential)
        self._credential = credential
        self._http = http or httpx.AsyncClient()
        self._is_own = http is None

    async def close(self) -> None:
        if self._is_own:
            await self._http.aclose()

    async def send(self, call: Call) -> Any:
        return await self.run(self.settings.exchange(call))

    async def data(self, call: Call) -> Any:
        return (await self.send(call))["data"]

    async def run(self, exchange: Exchange[Result]) -> Result:
        try:
            step = next(exchange)
            while True:
                try:
                    outcome = await self._do(step)
                except PartnerCommentaryError as error:
                    step = exchange.throw(error)
                else:
                    step = exchange.send(outcome)
        except StopIteration as stop:
            result: Result = stop.value
            return result

    async def _do(self, step: Attempt | Sleep) -> Answer | None:
        if isinstance(step, Attempt):
            return await self._attempt(step)
        await anyio.sleep(step.seconds)
        return None

    async def _attempt(self, attempt: Attempt) -> Answer:
        secret = self._credential() if callable(self._credential) else self._credential
        headers = self._headers(attempt, secret if isinstance(secret, str) else await secret)
        failures = _Failures(attempt)
        request = self._http.build_request(
            attempt.method, attempt.url, headers=headers, content=attempt.content, timeout=attempt.timeout
        )
        try:
            with anyio.fail_after(attempt.timeout):
                response = await self._http.send(request, stream=True, follow_redirects=False)
                try:
                    content = await response.aread()
                finally:
                    await response.aclose()
        except TimeoutError:
            raise failures.late() from None
        except httpx.HTTPError as error:
            raise failures.of(error) from error
        return Answer(response.status_code, response.headers, content)
