"""Tests the client with a running service, which hosts/node/test-long/python starts."""

from __future__ import annotations

import os
import time
import uuid
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from threading import Thread
from typing import Any

import anyio
import pytest

from partner_commentary import (
    ApiError,
    AsyncPartnerCommentary,
    PartnerCommentary,
    PartnerCommentaryDashboard,
    ResponseInfo,
    WebhookVerificationError,
    models,
    verify_webhook,
)

pytestmark = pytest.mark.skipif("API_ROOT" not in os.environ, reason="API_ROOT names no running service")

AVERY, DANA, WREN = (f"7e570000-0000-4000-8000-00000000000{number}" for number in (1, 2, 5))


@pytest.fixture
def client() -> Iterator[PartnerCommentary]:
    with PartnerCommentary(os.environ["API_KEY"], os.environ["API_ROOT"]) as made:
        yield made


def content() -> str:
    return f"Who wins the derby on Sunday? {uuid.uuid4()}"


def test_a_topic_is_submitted_waited_for_and_accepted(client: PartnerCommentary) -> None:
    personas = client.personas.list()
    assert AVERY in [persona["id"] for persona in personas]
    metadata = {"desk": "sport", "deep": [1, {"two": None}]}
    topic = client.topics.create(content=content(), persona_ids=[AVERY, DANA], metadata=metadata)
    assert [result["status"] for result in topic["results"]] == ["sent", "sent"]
    detail = client.topics.wait_for(topic["topic_id"], timeout=60)
    assert detail["metadata"] == metadata
    first, second = detail["commentaries"]
    assert first["commentary"] is not None
    assert second["failure"] is not None and second["failure"]["reason"] == "declined"
    accepted = client.topics.approve_commentary(topic["topic_id"], first["commentary"]["id"])
    assert accepted["partner_approved_at"] is not None
    assert [each["type"] for each in client.events.list(limit=3).page()["data"]][0] == "partner.approved"


def test_a_repeated_idempotency_key_submits_once(client: PartnerCommentary) -> None:
    seen: list[ResponseInfo] = []
    text, key = content(), str(uuid.uuid4())
    first, second = (
        client.topics.create(
            content=text, persona_ids=[WREN], idempotency_key=key, options={"on_response": seen.append}
        )
        for _ in range(2)
    )
    assert first == second
    assert [each.replayed for each in seen] == [False, True]
    assert seen[0].rate_limit is not None


def test_lists_are_read_to_their_end(client: PartnerCommentary) -> None:
    topics: list[models.CreateTopic] = [{"content": content(), "persona_ids": [WREN]} for _ in range(5)]
    created = {
        each["topic"]["topic_id"]
        for each in client.topics.create_many(topics=topics)["results"]
        if each["status"] == "created"
    }
    assert len(created) == 5
    listed = [topic["topic_id"] for topic in client.topics.list(limit=2)]
    assert created <= set(listed)
    assert len(listed) == len(set(listed)) == client.topics.list(limit=1).page()["pagination"]["total"]


def test_a_refusal_has_the_code_and_the_details_of_the_service(client: PartnerCommentary) -> None:
    with pytest.raises(ApiError) as caught:
        client.topics.create(content="short", persona_ids=[])
    error = caught.value
    assert (error.status, error.code, error.details["field"]) == (400, "invalid_request", "content")
    assert error.request_id
    with pytest.raises(ApiError, match="unauthorized"):
        PartnerCommentary("pk_test_wrong", os.environ["API_ROOT"]).me.get()


def test_the_asynchronous_client_waits_while_it_advances_a_simulated_creator() -> None:
    async def story() -> Any:
        async with AsyncPartnerCommentary(os.environ["API_KEY"], os.environ["API_ROOT"]) as client:
            topic = await client.topics.create(content=content(), persona_ids=[WREN], external_reference="derby")
            share = topic["results"][0]["share_id"]
            async with anyio.create_task_group() as group:
                found: list[models.TopicDetail] = []

                async def wait() -> None:
                    found.append(await client.topics.wait_for(topic["topic_id"], interval=0.05, timeout=60))

                group.start_soon(wait)
                await client.test.advance(share, action="respond")
                await client.test.advance(share, action="generate")
                await client.test.advance(share, action="approve")
            reference = await client.topics.by_reference("derby")
            listed = [each["topic_id"] async for each in client.topics.list(limit=1)]
            return topic["topic_id"], found[0], reference["topic_id"], listed

    topic_id, detail, referenced, listed = anyio.run(story)
    assert (detail["topic_id"], referenced, listed.count(topic_id)) == (topic_id, topic_id, 1)
    assert detail["commentaries"][0]["status"] == "completed"


def test_a_change_answers_a_waiting_request() -> None:
    async def story() -> float:
        async with AsyncPartnerCommentary(os.environ["API_KEY"], os.environ["API_ROOT"]) as client:
            topic = await client.topics.create(content=content(), persona_ids=[WREN])
            share = topic["results"][0]["share_id"]
            start = time.monotonic()
            async with anyio.create_task_group() as group:
                group.start_soon(lambda: client.topics.wait_for(topic["topic_id"], interval=60))
                await anyio.sleep(2)
                await client.test.advance(share, action="decline")
            return time.monotonic() - start

    # Polling would see the change after 60 seconds.
    assert anyio.run(story) < 40


def test_followed_events_come_once_and_a_waiting_request_gets_the_next(client: PartnerCommentary) -> None:
    def decline() -> str:
        topic = client.topics.create(content=content(), persona_ids=[WREN])
        client.test.advance(topic["results"][0]["share_id"], action="decline")
        return topic["topic_id"]

    declined = [decline() for _ in range(3)]
    # Each decline also completes its topic.
    last = list(client.events.list(order="asc"))[-6:]
    following = client.events.follow(after=last[0]["id"])
    assert [next(following)["id"] for _ in last[1:]] == [each["id"] for each in last[1:]]
    assert [each["data"]["topic_id"] for each in last] == [topic_id for topic_id in declined for _ in range(2)]
    assert [each["type"] for each in last] == ["commentary.failed", "topic.completed"] * 3

    async def story() -> tuple[str, list[models.Event], float]:
        async with AsyncPartnerCommentary(os.environ["API_KEY"], os.environ["API_ROOT"]) as other:
            found: list[models.Event] = []
            start = time.monotonic()
            async with anyio.create_task_group() as group:

                async def follow() -> None:
                    async for event in other.events.follow(after=last[-1]["id"], interval=60):
                        found.append(event)
                        return

                group.start_soon(follow)
                await anyio.sleep(1)
                topic_id = await anyio.to_thread.run_sync(decline)
            return topic_id, found, time.monotonic() - start

    topic_id, found, elapsed = anyio.run(story)
    assert [each["data"]["topic_id"] for each in found] == [topic_id]
    # Polling would see the event after 60 seconds.
    assert elapsed < 40


class Receiver:
    """A webhook receiver that stores each event and verifies its signature."""

    def __init__(self) -> None:
        self.secret = ""
        self.events: list[Any] = []
        receiver = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["content-length"]))
                try:
                    receiver.events.append(verify_webhook(body, dict(self.headers), receiver.secret))
                    self.send_response(204)
                except WebhookVerificationError:
                    self.send_response(400)
                self.end_headers()

            def log_message(self, format: str, *args: Any) -> None:
                pass

        self.server = HTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_port}/hook"
        Thread(target=self.server.serve_forever, daemon=True).start()


def test_a_delivery_of_the_service_verifies(client: PartnerCommentary) -> None:
    receiver = Receiver()
    webhook = client.webhooks.create(url=receiver.url, events=["creator.approved"])
    refused = client.webhooks.test(webhook["id"])
    assert (refused["success"], refused["response_code"]) == (False, 400)
    receiver.secret = webhook["secret"]
    tested = client.webhooks.test(webhook["id"])
    assert tested["success"]
    assert receiver.events[0]["id"] == tested["test_event_id"]
    assert client.webhooks.delete(webhook["id"])["deleted"]
    receiver.server.shutdown()


def test_a_dashboard_makes_changes_rotates_and_revokes_a_key() -> None:
    with PartnerCommentaryDashboard(os.environ["TOKEN"], os.environ["API_ROOT"]) as dashboard:
        key = dashboard.api_keys.create(name="Backend", scopes=["topics:read"])
        assert dashboard.api_keys.update(key["id"], name="Editorial")["name"] == "Editorial"
        rotated = dashboard.api_keys.rotate(key["id"], grace_period_seconds=0)
        assert dashboard.api_keys.revoke(rotated["id"])["revoked_at"]
        assert {each["id"] for each in dashboard.api_keys.list()} >= {key["id"], rotated["id"]}
