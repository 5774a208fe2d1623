"""Polls a topic's status every 30 to 60 seconds, as the service recommends. With a test key it polls
every 1 to 2 seconds. A webhook is faster and costs no requests.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable
from typing import Any, Literal

from ._answer import is_passing, requested_delay
from ._call import Call, RateLimit, RequestOptions, ResponseInfo, segment
from ._connection import AsyncConnection, Connection
from ._errors import ApiError, PartnerCommentaryError, WaitTimeoutError
from ._exchange import Exchange, Sleep
from .models import TopicDetail, TopicProgress

TWO_DAYS = 48 * 3600.0
LAST_LOOK: RequestOptions = {"max_retries": 0, "timeout": 10}

Until = Literal["completed", "first"]


def pause_for(limit: RateLimit | None) -> float:
    """Distributes the second half of the window evenly, so that polling never exhausts it."""
    if limit is None or limit.remaining * 2 >= limit.limit:
        return 0.0
    return limit.resets_in_seconds / (limit.remaining + 1)


def _reached(status: TopicProgress, until: Until) -> bool:
    some = until == "first" and any(persona["has_commentary"] for persona in status["personas"])
    return some or status["overall_status"] == "completed"


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

    def seen(info: ResponseInfo) -> None:
        nonlocal limit
        limit = info.rate_limit

    def ask(path: str, options: RequestOptions) -> Exchange[Any]:
        given = options.copy()
        given["on_response"] = seen
        envelope = yield from connection.settings.exchange(Call("GET", path, options=given))
        return envelope["data"]

    def poll(options: RequestOptions) -> Exchange[TopicProgress | PartnerCommentaryError]:
        """A status, or a temporary error. After the first success, outages do not end the wait."""
        nonlocal last
        try:
            status: TopicProgress = yield from ask(f"{path}/status", options)
        except PartnerCommentaryError as error:
            is_limit = isinstance(error, ApiError) and error.status == 429
            if is_passing(error) and (last is not None or is_limit):
                return error
            raise
        if on_progress is not None and status != last:
            on_progress(status)
        last = status
        return status

    while True:
        left = end - time.monotonic()
        is_over = left <= 0
        found = yield from poll(LAST_LOOK if is_over else {})
        if not isinstance(found, PartnerCommentaryError) and _reached(found, until):
            detail: TopicDetail = yield from ask(path, {})
            return detail
        if is_over:
            state = "not seen" if last is None else last["overall_status"]
            raise WaitTimeoutError(
                f"Topic {topic_id} is {state} after {timeout:g} seconds.", topic_id=topic_id, last_status=last
            )
        asked = requested_delay(found) if isinstance(found, PartnerCommentaryError) else None
        usual = interval if interval is not None else 1.0 if connection.is_test else 30.0
        pause = max(usual * (1 + random.random()), pause_for(limit), asked or 0.0)
        yield Sleep(max(0.0, min(pause, end - time.monotonic())))
