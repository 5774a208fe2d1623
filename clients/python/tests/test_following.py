"""Tests `events.follow`: the position of each request, the pauses, and outages."""

from __future__ import annotations

from typing import Any

import httpx
import pytest
from harness import Service, refused

from partner_commentary import ApiConnectionError, ApiError

APPLIED = {"preference-applied": "wait"}


def page(ids: list[str], cursor: str, headers: dict[str, str] | None = None) -> httpx.Response:
    body = {"success": True, "data": [{"id": each} for each in ids], "pagination": {"next_cursor": cursor}}
    return httpx.Response(200, json=body, headers=headers)


def take(count: int, **options: Any) -> Any:
    """The ids of the first events."""

    def action(client: Any) -> Any:
        events = client.events.follow(**options)
        if not hasattr(events, "__aiter__"):
            return [next(events)["id"] for _ in range(count)]

        async def taken() -> list[str]:
            return [(await events.__anext__())["id"] for _ in range(count)]

        return taken()

    return action


def sent(service: Service) -> list[dict[str, str]]:
    return [dict(each.url.params) for each in service.asked]


def test_each_request_goes_on_after_the_page_before_with_the_filter_and_waits(service: Service) -> None:
    answers = (page(["a", "b"], "c1"), page([], "c1", APPLIED), page(["c"], "c2"))
    assert service.run(take(3, type="creator.approved", since="2026-01-30"), *answers) == ["a", "b", "c"]
    fixed = {"order": "asc", "limit": "100", "type": "creator.approved", "since": "2026-01-30"}
    assert sent(service) == [fixed, {**fixed, "after": "c1"}, {**fixed, "after": "c1"}]
    assert {each.headers["prefer"] for each in service.asked} == {"wait=25"}
    assert {each.extensions["timeout"]["read"] for each in service.asked} == {35}


def test_it_resumes_after_the_given_event(service: Service) -> None:
    assert service.run(take(1, after="evt_1"), page(["evt_2"], "evt_2")) == ["evt_2"]
    assert sent(service) == [{"order": "asc", "limit": "100", "after": "evt_1"}]


def test_a_full_page_is_followed_at_once_and_others_by_at_most_one_request_a_second(service: Service) -> None:
    full = [str(number) for number in range(100)]
    answers = (page(full, "c1"), page(["a"], "c2"), page([], "c2", APPLIED), page(["b"], "c3"))
    assert service.run(take(102), *answers) == [*full, "a", "b"]
    assert service.pauses == [pytest.approx(1, abs=0.5)] * 2


@pytest.mark.parametrize(("key", "interval", "usual"), [("pk_live_a", None, 30), ("pk_test_a", None, 1), ("pk_live_a", 5, 5)])
def test_a_service_that_does_not_wait_is_asked_at_the_interval(
    service: Service, key: str, interval: Any, usual: float
) -> None:
    service.run(take(1, interval=interval), *[page([], "c1")] * 20, page(["a"], "c2"), api_key=key)
    assert all(usual <= pause <= 2 * usual for pause in service.pauses)
    assert len({*service.pauses}) > 1


def test_pauses_grow_when_half_of_the_rate_limit_is_used(service: Service) -> None:
    headers = {
        "date": "Fri, 30 Jan 2026 12:00:00 GMT",
        "x-ratelimit-limit": "1000",
        "x-ratelimit-remaining": "9",
        "x-ratelimit-reset": "1769776200",
    }
    assert service.run(take(2), page(["a"], "c1", headers), page(["b"], "c2")) == ["a", "b"]
    assert service.pauses == [180]


def test_an_outage_after_the_first_page_is_ridden_out_without_a_gap_or_a_repeat(service: Service) -> None:
    limited = refused(429, "rate_limit_exceeded", None, {"retry-after": "170"})
    broken = httpx.ConnectError("refused")
    answers = (page(["a"], "c1"), broken, limited, page(["b"], "c2"))
    assert service.run(take(2), *answers, max_retries=0) == ["a", "b"]
    assert [each.get("after") for each in sent(service)] == [None, "c1", "c1", "c1"]
    assert 1 <= service.pauses[1] <= 2
    assert service.pauses[2] == 170


def test_an_outage_before_the_first_page_and_a_refusal_end_it(service: Service) -> None:
    with pytest.raises(ApiConnectionError):
        service.run(take(1), httpx.ConnectError("refused"), max_retries=0)
    with pytest.raises(ApiError, match="key_revoked"):
        service.run(take(2), page(["a"], "c1"), refused(401, "key_revoked"))
