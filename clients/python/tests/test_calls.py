"""Tests the requests, results and errors of calls."""

from __future__ import annotations

import json
from datetime import datetime, timezone
from typing import Any

import httpx
import pytest
from harness import KEY, Service, ok, refused

from partner_commentary import (
    ApiConnectionError,
    ApiError,
    ApiTimeoutError,
    AsyncPartnerCommentary,
    PartnerCommentary,
    PartnerCommentaryDashboard,
    PartnerCommentaryError,
    ResponseInfo,
    UnexpectedAnswerError,
)


def test_a_call_sends_the_key_json_and_the_version_and_returns_the_data(service: Service) -> None:
    def create(client: Any) -> Any:
        return client.topics.create(content="Who wins?", persona_ids=("a", "b"), metadata={"desk": 1})

    assert service.run(create, ok({"topic_id": "t"})) == {"topic_id": "t"}
    [sent] = service.asked
    assert (sent.method, str(sent.url)) == ("POST", "https://api.example/partner/v1/topics")
    assert json.loads(sent.content) == {"content": "Who wins?", "persona_ids": ["a", "b"], "metadata": {"desk": 1}}
    assert sent.headers["x-api-key"] == KEY
    assert sent.headers["content-type"] == "application/json"
    assert sent.headers["user-agent"].startswith("partner-commentary-python/0.")


def test_a_dashboard_sends_its_token_as_a_bearer_token() -> None:
    asked: list[httpx.Request] = []

    def handle(request: httpx.Request) -> httpx.Response:
        asked.append(request)
        return ok([])

    http = httpx.Client(transport=httpx.MockTransport(handle))
    with PartnerCommentaryDashboard(lambda: "a.b.c", "https://api.example", http_client=http) as dashboard:
        assert dashboard.api_keys.list() == []
    assert (asked[0].headers["authorization"], "x-api-key" in asked[0].headers) == ("Bearer a.b.c", False)


def test_ids_are_escaped_and_query_values_written(service: Service) -> None:
    since = datetime(2026, 1, 30, 12, tzinfo=timezone.utc)
    service.run(lambda client: client.topics.by_reference("a/b ?é"), ok({}))
    service.run(lambda client: client.metrics.performance(from_=since, to="2026-02-01T00:00:00Z"), ok({}))
    assert service.asked[0].url.raw_path == b"/partner/v1/topics/by-reference/a%2Fb%20%3F%C3%A9"
    assert dict(service.asked[1].url.params) == {"from": "2026-01-30T12:00:00+00:00", "to": "2026-02-01T00:00:00Z"}


@pytest.mark.parametrize("wrong", ["", ".", "..", None, 1])
def test_an_id_that_would_reach_another_operation_is_refused(service: Service, wrong: Any) -> None:
    with pytest.raises(PartnerCommentaryError, match="is no id"):
        service.run(lambda client: client.topics.get(wrong), ok({}))
    assert service.asked == []


@pytest.mark.parametrize(
    "values",
    [
        {"content": "\ud800"},
        {"metadata": {"x": float("nan")}},
        {"metadata": {"x": object()}},
        {"idempotency_key": "ü"},
        {"idempotency_key": 5},
        {"options": {"headers": {"x": 5}}},
    ],
)
def test_a_value_that_cannot_be_sent_is_refused(service: Service, values: Any) -> None:
    topic = {"content": "Who wins?", "persona_ids": ["a"], **values}
    with pytest.raises(PartnerCommentaryError, match="^The request cannot be sent: ") as caught:
        service.run(lambda client: client.topics.create(**topic), ok({}))
    assert (service.asked, KEY in repr(caught.value)) == ([], False)


@pytest.mark.parametrize("make", [lambda topics: topics.get("\ud800"), lambda topics: topics.list(cursor="\ud800").page()])
def test_an_id_or_a_query_value_that_cannot_be_sent_is_refused(service: Service, make: Any) -> None:
    with pytest.raises(PartnerCommentaryError, match="^The request cannot be sent: "):
        service.run(lambda client: make(client.topics), ok({}))
    assert service.asked == []


def test_a_time_without_a_zone_is_refused(service: Service) -> None:
    with pytest.raises(PartnerCommentaryError, match="from needs a time zone"):
        service.run(lambda client: client.metrics.performance(from_=datetime(2026, 1, 1)), ok({}))


def test_a_refusal_has_its_code_details_and_request_id_and_no_key(service: Service) -> None:
    answer = refused(403, "not_licensed", {"persona_id": "p"}, {"x-request-id": "r-1"})
    with pytest.raises(ApiError) as caught:
        service.run(lambda client: client.personas.get("p"), answer)
    error = caught.value
    assert (error.status, error.code, error.details, error.request_id) == (403, "not_licensed", {"persona_id": "p"}, "r-1")
    assert str(error) == "It is not_licensed. (not_licensed, request r-1)"
    assert KEY not in repr(error)


@pytest.mark.parametrize(
    ("answer", "text"),
    [
        (httpx.Response(200, text="<html>"), "text/plain; charset=utf-8 instead of the service's JSON"),
        (httpx.Response(302, headers={"location": "https://else.example/"}), "a redirect to https://else.example/"),
        (httpx.Response(304), "304 Not Modified: the answer to If-None-Match is unchanged"),
        (httpx.Response(404), "Status 404 came with nothing"),
        (httpx.Response(200, json=[1]), "application/json instead of the service's JSON"),
        (httpx.Response(400, json={"success": False}), "application/json instead of the service's JSON"),
    ],
)
def test_an_answer_of_something_else_is_told_apart(service: Service, answer: httpx.Response, text: str) -> None:
    with pytest.raises(UnexpectedAnswerError, match=text):
        service.run(lambda client: client.me.get(), answer)
    assert len(service.asked) == 1


def test_a_connection_that_fails_and_one_that_is_late_are_told_apart(service: Service) -> None:
    with pytest.raises(ApiConnectionError, match=r"No answer from api\.example: broken") as failed:
        service.run(lambda client: client.me.get(), httpx.ConnectError("broken"), max_retries=0)
    assert not isinstance(failed.value, ApiTimeoutError)
    assert failed.value.request_id == service.asked[0].headers["x-request-id"]
    with pytest.raises(ApiTimeoutError, match="No answer within 7 seconds"):
        service.run(lambda client: client.me.get(), httpx.ReadTimeout("late"), max_retries=0, timeout=7)


def test_every_response_is_reported_with_its_rate_limit(service: Service) -> None:
    seen: list[ResponseInfo] = []
    headers = {
        "date": "Fri, 30 Jan 2026 12:00:00 GMT",
        "x-ratelimit-limit": "1000",
        "x-ratelimit-remaining": "999",
        "x-ratelimit-reset": "1769776200",
        "x-request-id": "r-1",
        "idempotency-replayed": "true",
    }
    answers = (refused(503, "internal_error"), ok({}, headers))
    service.run(lambda client: client.me.get(options={"on_response": seen.append}), *answers, on_response=seen.append)
    assert [(each.status, each.attempt, each.path) for each in seen] == [(503, 1, "/me")] * 2 + [(200, 2, "/me")] * 2
    last = seen[-1]
    assert (last.request_id, last.replayed) == ("r-1", True)
    assert last.rate_limit is not None
    assert (last.rate_limit.limit, last.rate_limit.remaining, last.rate_limit.resets_in_seconds) == (1000, 999, 1800)
    assert KEY not in repr(seen)


def test_a_fetched_credential_is_fetched_before_every_attempt(service: Service) -> None:
    keys = iter(["pk_test_old", "pk_test_new"])

    async def fetched() -> str:
        return next(keys)

    given = (lambda: next(keys)) if service.mode == "blocking" else fetched
    service.run(lambda client: client.me.get(), refused(503, "internal_error"), ok({}), api_key=given)
    assert [each.headers["x-api-key"] for each in service.asked] == ["pk_test_old", "pk_test_new"]


@pytest.mark.parametrize("make", [PartnerCommentary, AsyncPartnerCommentary])
@pytest.mark.parametrize(
    ("options", "text"),
    [
        ({"base_url": "api.example"}, "base_url must be the service's address"),
        ({"base_url": None}, "base_url must be the service's address"),
        ({"base_url": "https://a:b@api.example"}, "base_url must have no user"),
        ({"base_url": "https://api.example?x=1"}, "base_url must have no user"),
        ({"api_key": ""}, "api_key is missing or contains an invalid character"),
        ({"api_key": "pk_test_a\n"}, "api_key is missing or contains an invalid character"),
        ({"api_key": None}, "api_key is missing or contains an invalid character"),
        ({"timeout": "1"}, "timeout must be a number of at least 0, but is '1'"),
        ({"max_retries": -1}, "max_retries must be a number of at least 0, but is -1"),
        ({"max_retry_wait": float("nan")}, "max_retry_wait must be a number of at least 0"),
    ],
)
def test_wrong_options_are_refused_at_once(make: Any, options: dict[str, Any], text: str) -> None:
    with pytest.raises(PartnerCommentaryError, match=text):
        make(**{"api_key": KEY, "base_url": "https://api.example", **options})


@pytest.mark.parametrize("base", ["https://api.example/partner/v1", "https://api.example/partner/v1/", "https://api.example/"])
def test_the_prefix_may_be_present(service: Service, base: str) -> None:
    service.run(lambda client: client.me.get(), ok({}), base_url=base)
    assert str(service.asked[0].url) == "https://api.example/partner/v1/me"
