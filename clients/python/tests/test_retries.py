"""Tests which failures are retried, after which pause, and with which idempotency key."""

from __future__ import annotations

from typing import Any

import httpx
import pytest
from harness import Service, ok, refused

from partner_commentary import ApiError, PartnerCommentaryError


def create(client: Any) -> Any:
    return client.topics.create(content="Who wins the derby?", persona_ids=["a"])


def keys(service: Service) -> set[str]:
    return {each.headers["idempotency-key"] for each in service.asked}


@pytest.mark.parametrize(
    "failure",
    [
        httpx.ConnectError("broken"),
        httpx.ReadTimeout("late"),
        httpx.RemoteProtocolError("cut off"),
        *(refused(status, "internal_error") for status in (408, 429, 500, 502, 503, 504)),
        httpx.Response(502, text="<html>"),
    ],
)
def test_a_temporary_failure_is_tried_again_under_one_idempotency_key(service: Service, failure: Any) -> None:
    assert service.run(create, failure, failure, ok({"topic_id": "t"})) == {"topic_id": "t"}
    assert (len(service.asked), len(keys(service))) == (3, 1)
    assert len({each.headers["x-request-id"] for each in service.asked}) == 3
    first, second = service.pauses
    assert 0 <= first <= 0.5 and 0 <= second <= 1


def test_two_calls_have_two_keys_unless_the_caller_gives_one(service: Service) -> None:
    service.run(create, ok({}))
    service.run(create, ok({}))
    assert len(keys(service)) == 2
    service.asked.clear()
    for _ in range(2):
        service.run(
            lambda client: client.topics.create(content="Who?", persona_ids=["a"], idempotency_key="order-1"), ok({})
        )
    assert keys(service) == {"order-1"}


@pytest.mark.parametrize("status", [400, 401, 403, 404])
def test_a_refusal_is_final(service: Service, status: int) -> None:
    with pytest.raises(ApiError):
        service.run(create, refused(status, "invalid_request"))
    assert (len(service.asked), service.pauses) == (1, [])


def test_three_retries_are_the_limit_unless_told_otherwise(service: Service) -> None:
    cases: list[tuple[dict[str, Any], int]] = [({}, 4), ({"max_retries": 1}, 2), ({"max_retries": 0}, 1)]
    for options, attempts in cases:
        service.asked.clear()
        with pytest.raises(ApiError):
            service.run(create, refused(503, "internal_error"), **options)
        assert len(service.asked) == attempts


def test_options_of_a_call_override_those_of_the_client(service: Service) -> None:
    with pytest.raises(ApiError):
        service.run(lambda client: client.me.get(options={"max_retries": 0}), refused(503, "internal_error"))
    assert len(service.asked) == 1
    with pytest.raises(PartnerCommentaryError, match="timeout must be a number"):
        service.run(lambda client: client.me.get(options={"timeout": -1}), ok({}))


def test_retry_after_is_honoured_as_seconds_as_a_date_and_from_the_details(service: Service) -> None:
    date = {"date": "Fri, 30 Jan 2026 12:00:00 GMT", "retry-after": "Fri, 30 Jan 2026 12:00:20 GMT"}
    for failure, seconds in (
        (refused(429, "rate_limit_exceeded", None, {"retry-after": "7"}), 7),
        (refused(503, "internal_error", None, date), 20),
        (refused(429, "rate_limit_exceeded", {"retry_after": 9}), 9),
    ):
        service.pauses.clear()
        service.run(create, failure, ok({}))
        assert seconds <= service.pauses[0] <= seconds + 1


def test_a_wait_beyond_the_limit_and_a_used_up_quota_end_the_call(service: Service) -> None:
    for failure in (
        refused(429, "rate_limit_exceeded", None, {"retry-after": "61"}),
        refused(429, "rate_limit_exceeded", {"retry_after": 1, "quota": "topics_per_month"}),
    ):
        service.asked.clear()
        with pytest.raises(ApiError):
            service.run(create, failure)
        assert len(service.asked) == 1
    assert service.pauses == []


def test_a_test_of_a_webhook_is_never_repeated(service: Service) -> None:
    with pytest.raises(ApiError):
        service.run(lambda client: client.webhooks.test("w"), refused(503, "internal_error"))
    assert "idempotency-key" not in service.asked[0].headers
    assert len(service.asked) == 1
