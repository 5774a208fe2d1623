"""Waits for a topic. Each request waits in the service for a change of the status. If the service
responds immediately instead, the client polls every 30 to 60 seconds, or with a test key every 1 to
2 seconds.
"""

from __future__ import annotations

import random
import re
import time
from collections.abc import Callable
from typing import Any, Literal

from ._answer import is_passing, requested_delay
from ._call import Call, RateLimit, RequestOptions, ResponseInfo, segment
from ._connection import AsyncConnection, Connection
from ._errors import ApiError, PartnerCommentaryError, UnexpectedAnswerError, WaitTimeoutError
from ._exchange import Exchange, Sleep
from .models import TopicDetail, TopicProgress

TWO_DAYS = 48 * 3600.0
LAST_LOOK: RequestOptions = {"max_retries": 0, "timeout": 10}
LONGEST_WAIT = 25
#: The timeout of a waiting request is the requested wait plus this time.
ANSWER_TIME = 10.0
#: The minimum time between two waiting requests, because a stopping service ends each wait immediately.
SHORTEST = 1.0

Until = Literal["completed", "first"]


def pause_for(limit: RateLimit | None) -> float:
    """Returns the pause that spreads the second half of the rate limit evenly, so that polling
    never exhausts it.
    """
    if limit is None or limit.remaining * 2 >= limit.limit:
        return 0.0
    return limit.resets_in_seconds / (limit.remaining + 1)


def _reached(status: TopicProgress, until: Until) -> bool:
    some = until == "first" and any(persona["has_commentary"] for persona in status["personas"])
    return some or status["overall_status"] == "completed"


def has_waited(info: ResponseInfo) -> bool:
    """Returns whether the request waited in the service. Proxies may remove the header, so a
    duration of a second counts too.
    """
    applied = re.match(r"\s*wait\b", info.headers.get("preference-applied", ""), re.IGNORECASE)
    return applied is not None or info.duration_seconds >= SHORTEST


def wait_for(
    connection: Connection | AsyncConnection,
    topic_id: str,
    *,
    until: Until = "completed",
    timeout: float = TWO_DAYS,
    interval: float | None = None,
    on_progress: Callable[[TopicProgress], object] | None = None,
) -> Exchange[TopicDetail]:
    path = f"/topics/{segment(topic_id)}"
    end = time.monotonic() + timeout
    last: TopicProgress | None = None
    limit: RateLimit | None = None
    answer: ResponseInfo | None = None
    #: The tag of `last`.
    tag: str | None = None

    def seen(info: ResponseInfo) -> None:
        nonlocal limit, answer
        limit = info.rate_limit
        answer = info

    def ask(path: str, options: RequestOptions) -> Exchange[Any]:
        given = options.copy()
        given["on_response"] = seen
        envelope = yield from connection.settings.exchange(Call("GET", path, options=given))
        return envelope["data"]

    def until_change(left: float) -> RequestOptions:
        """Returns the headers of a waiting request if a tag is known. Without a tag, the service
        would wait even if the topic is already completed.
        """
        if tag is None:
            return {}
        wait = int(min(LONGEST_WAIT, left))
        if wait < 1:
            return {"headers": {"if-none-match": tag}}
        return {
            "headers": {"if-none-match": tag, "prefer": f"wait={wait}"},
            "timeout": max(connection.settings.timeout, wait + ANSWER_TIME),
        }

    def pause_after(found: TopicProgress | PartnerCommentaryError, known: str | None) -> float:
        """Returns the pause after a poll. With the first tag, the next request can wait in the
        service. The response to that request shows whether the service has waited.
        """
        shortest = interval if interval is not None else 1.0 if connection.is_test else 30.0
        usual = shortest * (1 + random.random())
        if isinstance(found, PartnerCommentaryError):
            return max(usual, requested_delay(found) or 0.0)
        if answer is None or tag is None or (known is not None and not has_waited(answer)):
            return usual
        return min(shortest, SHORTEST) - answer.duration_seconds

    def poll(options: RequestOptions) -> Exchange[TopicProgress | PartnerCommentaryError]:
        """Polls once, and returns a status or a temporary error. After the first status, outages do
        not end the wait.
        """
        nonlocal last, tag
        try:
            status: TopicProgress = yield from ask(f"{path}/status", options)
        except PartnerCommentaryError as error:
            if last is not None and isinstance(error, UnexpectedAnswerError) and error.status == 304:
                return last
            is_limit = isinstance(error, ApiError) and error.status == 429
            if is_passing(error) and (last is not None or is_limit):
                return error
            raise
        if on_progress is not None and status != last:
            on_progress(status)
        last = status
        tag = None if answer is None else answer.headers.get("etag")
        return status

    while True:
        left = end - time.monotonic()
        is_over = left <= 0
        known = tag
        found = yield from poll(LAST_LOOK if is_over else until_change(left))
        if not isinstance(found, PartnerCommentaryError) and _reached(found, until):
            detail: TopicDetail = yield from ask(path, {})
            return detail
        if is_over:
            state = "not seen" if last is None else last["overall_status"]
            raise WaitTimeoutError(
                f"Topic {topic_id} is {state} after {timeout:g} seconds.", topic_id=topic_id, last_status=last
            )
        pause = max(pause_after(found, known), pause_for(limit))
        yield Sleep(max(0.0, min(pause, end - time.monotonic())))
