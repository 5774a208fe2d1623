"""Tests `wait_for`: poll intervals, the end of the wait, and outages."""

from __future__ import annotations

from typing import Any

import httpx
import pytest
from harness import Service, ok, refused

from partner_commentary import ApiError, WaitTimeoutError


def status(overall: str, has_commentary: bool = False, headers: dict[str, str] | None = None) -> httpx.Response:
    return ok({"overall_status": overall, "personas": [{"has_commentary": has_commentary}]}, headers)


DETAIL = ok({"topic_id": "t"})


def wait(**options: Any) -> Any:
    return lambda client: client.topics.wait_for("t", **options)


def test_it_polls_until_nothing_more_will_come_and_returns_the_topic(service: Service) -> None:
    seen: list[str] = []
    answers = (status("pending"), status("pending"), status("partial", True), status("completed"), DETAIL)
    found = service.run(wait(on_progress=lambda each: seen.append(each["overall_status"])), *answers)
    assert found == {"topic_id": "t"}
    assert seen == ["pending", "partial", "completed"]
    assert [each.url.path.rsplit("/", 1)[1] for each in service.asked] == ["status"] * 4 + ["t"]


def test_it_ends_at_the_first_commentary_where_asked_to(service: Service) -> None:
    assert service.run(wait(until="first"), status("partial", True), DETAIL) == {"topic_id": "t"}


@pytest.mark.parametrize(("key", "interval", "usual"), [("pk_live_a", None, 30), ("pk_test_a", None, 1), ("pk_live_a", 5, 5)])
def test_pauses_are_the_interval_to_twice_that(service: Service, key: str, interval: Any, usual: float) -> None:
    service.run(wait(interval=interval), *[status("pending")] * 20, status("completed"), DETAIL, api_key=key)
    assert all(usual <= pause <= 2 * usual for pause in service.pauses)
    assert len({*service.pauses}) > 1


def test_pauses_grow_when_half_of_the_rate_limit_is_used(service: Service) -> None:
    headers = {
        "date": "Fri, 30 Jan 2026 12:00:00 GMT",
        "x-ratelimit-limit": "1000",
        "x-ratelimit-remaining": "9",
        "x-ratelimit-reset": "1769776200",
    }
    service.run(wait(), status("pending", headers=headers), status("completed"), DETAIL)
    assert service.pauses == [180]


def test_an_outage_after_the_first_status_is_ridden_out(service: Service) -> None:
    outage = refused(503, "internal_error", None, {"retry-after": "70"})
    service.run(wait(), status("pending"), outage, status("completed"), DETAIL)
    assert service.pauses[-1] == 70
    with pytest.raises(ApiError):
        service.asked.clear()
        service.run(wait(), outage)


def test_a_refusal_ends_it(service: Service) -> None:
    with pytest.raises(ApiError):
        service.run(wait(), status("pending"), refused(404, "not_found"))
    assert len(service.asked) == 2


def test_after_the_timeout_it_looks_once_more_and_raises_what_it_saw(service: Service) -> None:
    with pytest.raises(WaitTimeoutError, match="Topic t is pending after 0 seconds") as caught:
        service.run(wait(timeout=0), status("pending"))
    assert caught.value.last_status is not None
    assert service.run(wait(timeout=0), status("completed"), DETAIL) == {"topic_id": "t"}
