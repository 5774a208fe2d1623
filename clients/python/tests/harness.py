"""Runs the clients with scripted responses. Every test runs with the blocking and the asynchronous
client.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Union

import anyio
import httpx
import pytest

from partner_commentary import AsyncPartnerCommentary, PartnerCommentary

KEY = "pk_test_secretsecretsecret"
Answer = Union[httpx.Response, Exception]


def ok(data: Any, headers: dict[str, str] | None = None) -> httpx.Response:
    return httpx.Response(200, json={"success": True, "data": data}, headers=headers)


def refused(
    status: int, code: str, details: Any = None, headers: dict[str, str] | None = None
) -> httpx.Response:
    error = {"code": code, "message": f"It is {code}.", "details": details}
    return httpx.Response(status, json={"success": False, "error": error}, headers=headers)


class Service:
    """A service with scripted answers, the last of which repeats. `pauses` contains the seconds of
    each pause of the client.
    """

    def __init__(self, mode: str, monkeypatch: pytest.MonkeyPatch) -> None:
        self.mode = mode
        self.asked: list[httpx.Request] = []
        self.pauses: list[float] = []
        self.answers: list[Answer] = []
        self._earlier = 0

        async def sleep(seconds: float) -> None:
            self.pauses.append(seconds)

        monkeypatch.setattr("anyio.sleep", sleep)
        monkeypatch.setattr("time.sleep", self.pauses.append)

    def _handle(self, request: httpx.Request) -> httpx.Response:
        answer = self.answers[min(len(self.asked) - self._earlier, len(self.answers) - 1)]
        self.asked.append(request)
        if isinstance(answer, Exception):
            raise answer
        return httpx.Response(answer.status_code, headers=answer.headers, content=answer.content)

    def run(self, action: Callable[[Any], Any], *answers: Answer, **options: Any) -> Any:
        self.answers = list(answers)
        self._earlier = len(self.asked)
        given: dict[str, Any] = {"api_key": KEY, "base_url": "https://api.example", **options}
        transport = httpx.MockTransport(self._handle)
        if self.mode == "blocking":
            with PartnerCommentary(**given, http_client=httpx.Client(transport=transport)) as client:
                return action(client)

        async def main() -> Any:
            http = httpx.AsyncClient(transport=transport)
            async with AsyncPartnerCommentary(**given, http_client=http) as client:
                return await action(client)

        return anyio.run(main)
