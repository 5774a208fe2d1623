"""Tests requests of `wait_for` that wait in the service, with `Prefer: wait` and entity tags."""

from __future__ import annotations

from typing import Any

import httpx
import pytest
from harness import Service, ok, refused

from partner_commentary import WaitTimeoutError

APPLIED = {"preference-applied": "wait"}
DETAIL = ok({"topic_id": "t"})


def status(overall: str, tag: str | None, headers: dict[str, str] | None = None) -> httpx.Response:
    shown = {**({} if tag is None else {"etag": tag}), **(headers or {})}
    return ok({"overall_status": overall, "personas": [{"has_commentary": False}]}, shown)


def unchanged(headers: dict[str, str] | None = None) -> httpx.Response:
    return httpx.Response(304, headers={"etag": '"0"', **(headers or {})})


def wait(**options: Any) -> Any:
    return lambda client: client.topics.wait_for("t", **options)


def sent(service: Service) -> list[tuple[str | None, str | None]]:
    return [(each.headers.get("prefer"), each.headers.get("if-none-match")) for each in service.asked]


@pytest.fixture
def clock(service: Service, monkeypatch: pytest.MonkeyPatch) -> Service:
    """Simulates time. Time passes only in pauses and in waiting requests. A waiting request takes
    as long as its `Prefer` header says.
    """
    spent = 0.0

    def handle(request: httpx.Request, usual: Any = service._handle) -> httpx.Response:
        nonlocal spent
        answer: httpx.Response = usual(request)
        if "x-waited" in answer.headers:
            spent += float(request.headers["prefer"].removeprefix("wait="))
        return answer

    monkeypatch.setattr(service, "_handle", handle)
    monkeypatch.setattr("partner_commentary._waiting.time.monotonic", lambda: spent + sum(service.pauses))
    return service


WAITED = {"x-waited": "1"}


def test_requests_wait_with_the_last_tag_and_follow_at_once(clock: Service) -> None:
    answers = (
        status("pending", '"0"'),
        unchanged({**APPLIED, **WAITED}),
        status("partial", '"1"', {**APPLIED, **WAITED}),
        unchanged(WAITED),
        status("completed", '"2"', {**APPLIED, **WAITED}),
        DETAIL,
    )
    seen: list[str] = []
    call = wait(on_progress=lambda each: seen.append(each["overall_status"]))
    assert clock.run(call, *answers) == {"topic_id": "t"}
    assert seen == ["pending", "partial", "completed"]
    assert sent(clock) == [
        (None, None),
        ("wait=25", '"0"'),
        ("wait=25", '"0"'),
        ("wait=25", '"1"'),
        ("wait=25", '"1"'),
        (None, None),
    ]
    assert clock.pauses == [1, 0, 0, 0]


def test_a_service_that_answers_at_once_is_polled_at_the_usual_interval(clock: Service) -> None:
    answers = (status("pending", '"0"'), *[unchanged()] * 5, status("completed", '"1"'), DETAIL)
    clock.run(wait(), *answers, api_key="pk_live_a")
    assert clock.pauses[0] == 1
    assert len(clock.pauses) == 6
    assert all(30 <= pause <= 60 for pause in clock.pauses[1:])


def test_a_service_without_tags_gets_neither_header(clock: Service) -> None:
    clock.run(wait(), status("pending", None), status("completed", None), DETAIL, api_key="pk_live_a")
    assert sent(clock) == [(None, None)] * 3
    assert clock.pauses[0] >= 30


def test_a_stopping_service_that_claims_to_have_waited_gets_one_request_a_second(clock: Service) -> None:
    with pytest.raises(WaitTimeoutError):
        answers = (status("pending", '"0"'), *[unchanged(APPLIED)] * 9, status("pending", '"0"'))
        clock.run(wait(timeout=10), *answers)
    assert clock.pauses == [1] * 10


def test_the_deadline_ends_a_series_of_304_and_no_wait_is_longer_than_the_rest(clock: Service) -> None:
    waited = [unchanged({**APPLIED, **WAITED})] * 3
    with pytest.raises(WaitTimeoutError, match="Topic t is pending after 60.5 seconds"):
        answers = (status("pending", '"0"'), *waited, unchanged(), status("pending", '"0"'))
        clock.run(wait(timeout=60.5), *answers, api_key="pk_live_a")
    assert [prefer for prefer, _ in sent(clock)] == [None, "wait=25", "wait=25", "wait=9", None, None]
    assert clock.pauses == [1, 0, 0, 0, 0.5]


@pytest.mark.parametrize(("usual", "expected"), [(1, 35), (30, 35), (90, 90)])
def test_the_timeout_of_a_request_exceeds_its_wait(clock: Service, usual: float, expected: float) -> None:
    answers = (status("pending", '"0"'), status("completed", '"1"', {**APPLIED, **WAITED}), DETAIL)
    clock.run(wait(), *answers, timeout=usual)
    limits = [each.extensions["timeout"]["read"] for each in clock.asked]
    assert limits == [usual, expected, usual]


def test_an_outage_is_followed_by_the_usual_pause_and_the_same_tag(clock: Service) -> None:
    outage = refused(503, "internal_error")
    answers = (status("pending", '"0"'), outage, status("completed", '"1"', APPLIED), DETAIL)
    clock.run(wait(), *answers, api_key="pk_live_a", max_retries=0)
    assert sent(clock)[1:3] == [("wait=25", '"0"')] * 2
    assert 30 <= clock.pauses[1] <= 60
