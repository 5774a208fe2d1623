"""Follows events until the caller stops. Each request waits in the service for the next event."""

from __future__ import annotations

import random
from collections.abc import Mapping
from typing import Any

from ._answer import is_passing, requested_delay
from ._call import Call, RequestOptions, ResponseInfo
from ._connection import AsyncConnection, Connection
from ._errors import PartnerCommentaryError
from ._exchange import Exchange, Sleep
from ._waiting import ANSWER_TIME, LONGEST_WAIT, SHORTEST, has_waited, pause_for
from .models import Event, EventList

PAGE_SIZE = 100


class Follower:
    """The position in the events, and when the next request may start."""

    def __init__(
        self, connection: Connection | AsyncConnection, query: Mapping[str, Any], interval: float | None
    ) -> None:
        self._connection = connection
        self._query = {"order": "asc", "limit": PAGE_SIZE, **query}
        self._interval = interval
        self._is_connected = False
        self._answer: ResponseInfo | None = None
        self._pause = 0.0

    def page(self) -> Exchange[list[Event]]:
        """Returns the next events, possibly none. After the first page, an outage causes only a
        pause.
        """
        if self._pause > 0:
            yield Sleep(self._pause)
        settings = self._connection.settings
        options: RequestOptions = {
            "headers": {"prefer": f"wait={LONGEST_WAIT}"},
            "timeout": max(settings.timeout, LONGEST_WAIT + ANSWER_TIME),
            "on_response": self._seen,
        }
        try:
            page: EventList = yield from settings.exchange(Call("GET", "/events", query=self._query, options=options))
        except PartnerCommentaryError as error:
            if not (self._is_connected and is_passing(error)):
                raise
            self._set_pause(max(self._usual(), requested_delay(error) or 0.0))
            return []
        self._is_connected = True
        self._query["after"] = page["pagination"]["next_cursor"]
        self._set_pause(self._pause_after(len(page["data"])))
        return page["data"]

    def _seen(self, info: ResponseInfo) -> None:
        self._answer = info

    def _usual(self) -> float:
        shortest = self._interval if self._interval is not None else 1.0 if self._connection.is_test else 30.0
        return shortest * (1 + random.random())

    def _pause_after(self, found: int) -> float:
        """Returns the pause before the next request: none after a full page, because more events
        may follow.
        """
        if found == PAGE_SIZE:
            return 0.0
        if self._answer is None or (found == 0 and not has_waited(self._answer)):
            return self._usual()
        return SHORTEST - self._answer.duration_seconds

    def _set_pause(self, pause: float) -> None:
        self._pause = max(pause, pause_for(self._answer.rate_limit if self._answer else None))
