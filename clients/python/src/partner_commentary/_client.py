"""The clients: blocking and asynchronous, for partners' servers and for dashboards."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from datetime import datetime
from types import TracebackType
from typing import Literal, TypeVar

import httpx

from ._call import OnResponse
from ._connection import AsyncConnection, AsyncCredential, Connection, Credential, settings_of
from ._following import Follower
from ._resources import (
    AsyncDashboardResources,
    AsyncEventsResource,
    AsyncPartnerResources,
    AsyncTopicsResource,
    DashboardResources,
    EventsResource,
    PartnerResources,
    TopicsResource,
)
from ._waiting import TWO_DAYS, Until, wait_for
from .models import Event, TopicDetail, TopicProgress

API_KEY = ("api_key", "x-api-key", "")
TOKEN = ("token", "authorization", "Bearer ")
Sync = TypeVar("Sync", bound="_Blocking")
Async = TypeVar("Async", bound="_Asynchronous")
OnProgress = Callable[[TopicProgress], object]
EventType = Literal["creator.approved", "partner.approved", "commentary.failed", "media.ready", "topic.completed"]


class Topics(TopicsResource):
    def wait_for(
        self,
        id: str,
        *,
        until: Until = "completed",
        timeout: float = TWO_DAYS,
        interval: float | None = None,
        on_progress: OnProgress | None = None,
    ) -> TopicDetail:
        """Waits until no further commentary will come, or until the first commentary is ready.

        Requests wait in the service for a change. If the service responds without waiting, each pause
        is a random time between `interval` and twice `interval`, in seconds. `interval` is 30 by
        default, or 1 with a key that begins with `pk_test_`. Raises `WaitTimeoutError` after `timeout` seconds.
        """
        exchange = wait_for(
            self._connection, id, until=until, timeout=timeout, interval=interval, on_progress=on_progress
        )
        return self._connection.run(exchange)


class AsyncTopics(AsyncTopicsResource):
    async def wait_for(
        self,
        id: str,
        *,
        until: Until = "completed",
        timeout: float = TWO_DAYS,
        interval: float | None = None,
        on_progress: OnProgress | None = None,
    ) -> TopicDetail:
        """Works like `Topics.wait_for`."""
        exchange = wait_for(
            self._connection, id, until=until, timeout=timeout, interval=interval, on_progress=on_progress
        )
        return await self._connection.run(exchange)


class Events(EventsResource):
    def follow(
        self,
        *,
        after: str | None = None,
        type: EventType | None = None,
        since: str | datetime | None = None,
        interval: float | None = None,
    ) -> Iterator[Event]:
        """Iterates over events in the order in which the service stored them, without an end.

        To resume, pass the id of the last event that you handled as `after`. Without `after`, the first
        event is the oldest event of the last 30 days. Requests wait in the service. If the service
        responds without waiting, and after an outage, each pause is a random time between `interval` and
        twice `interval`, in seconds. `interval` is 30 by default, or 1 with a key that begins with
        `pk_test_`. Errors that are not temporary end the iteration.
        """
        follower = Follower(self._connection, {"after": after, "type": type, "since": since}, interval)
        while True:
            yield from self._connection.run(follower.page())


class AsyncEvents(AsyncEventsResource):
    async def follow(
        self,
        *,
        after: str | None = None,
        type: EventType | None = None,
        since: str | datetime | None = None,
        interval: float | None = None,
    ) -> AsyncIterator[Event]:
        """Works like `Events.follow`."""
        follower = Follower(self._connection, {"after": after, "type": type, "since": since}, interval)
        while True:
            for event in await self._connection.run(follower.page()):
                yield event


class _Blocking:
    _connection: Connection

    def close(self) -> None:
        """Closes idle connections, unless you passed your own `http_client`."""
        self._connection.close()

    def __enter__(self: Sync) -> Sync:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


class _Asynchronous:
    _connection: AsyncConnection

    async def close(self) -> None:
        """Closes idle connections, unless you passed your own `http_client`."""
        await self._connection.close()

    async def __aenter__(self: Async) -> Async:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()


class PartnerCommentary(_Blocking, PartnerResources):
    """The client for a partner's server. Create one instance and reuse it, from any thread."""

    def __init__(
        self,
        api_key: Credential,
        base_url: str,
        *,
        timeout: float = 30,
        max_retries: int = 3,
        max_retry_wait: float = 60,
        headers: Mapping[str, str] | None = None,
        on_response: OnResponse | None = None,
        http_client: httpx.Client | None = None,
    ) -> None:
        settings = settings_of(base_url, timeout, max_retries, max_retry_wait, headers, on_response)
        self._connection = Connection(settings, API_KEY, api_key, http_client)
        PartnerResources.__init__(self, self._connection)
        self.topics: Topics = Topics(self._connection)
        self.events: Events = Events(self._connection)


class AsyncPartnerCommentary(_Asynchronous, AsyncPartnerResources):
    """The client for a partner's server on asyncio or trio. Create one instance and reuse it."""

    def __init__(
        self,
        api_key: AsyncCredential,
        base_url: str,
        *,
        timeout: float = 30,
        max_retries: int = 3,
        max_retry_wait: float = 60,
        headers: Mapping[str, str] | None = None,
        on_response: OnResponse | None = None,
        http_client: httpx.AsyncClient | None = None,
    ) -> None:
        settings = settings_of(base_url, timeout, max_retries, max_retry_wait, headers, on_response)
        self._connection = AsyncConnection(settings, API_KEY, api_key, http_client)
        AsyncPartnerResources.__init__(self, self._connection)
        self.topics: AsyncTopics = AsyncTopics(self._connection)
        self.events: AsyncEvents = AsyncEvents(self._connection)


class PartnerCommentaryDashboard(_Blocking, DashboardResources):
    """Manages API keys with the dashboard's token."""

    def __init__(
        self,
        token: Credential,
        base_url: str,
        *,
        timeout: float = 30,
        max_retries: int = 3,
        max_retry_wait: float = 60,
        headers: Mapping[str, str] | None = None,
        on_response: OnResponse | None = None,
        http_client: httpx.Client | None = None,
    ) -> None:
        settings = settings_of(base_url, timeout, max_retries, max_retry_wait, headers, on_response)
        self._connection = Connection(settings, TOKEN, token, http_client)
        DashboardResources.__init__(self, self._connection)


class AsyncPartnerCommentaryDashboard(_Asynchronous, AsyncDashboardResources):
    """Manages API keys with the dashboard's token, on asyncio or trio."""

    def __init__(
        self,
        token: AsyncCredential,
        base_url: str,
        *,
        timeout: float = 30,
        max_retries: int = 3,
        max_retry_wait: float = 60,
        headers: Mapping[str, str] | None = None,
        on_response: OnResponse | None = None,
        http_client: httpx.AsyncClient | None = None,
    ) -> None:
        settings = settings_of(base_url, timeout, max_retries, max_retry_wait, headers, on_response)
        self._connection = AsyncConnection(settings, TOKEN, token, http_client)
        AsyncDashboardResources.__init__(self, self._connection)
