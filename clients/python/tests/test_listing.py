"""Tests lists and their pages."""

from __future__ import annotations

from typing import Any

import httpx
from harness import Service


def page(ids: list[str], cursor: str | None) -> httpx.Response:
    return httpx.Response(
        200, json={"success": True, "data": [{"id": each} for each in ids], "pagination": {"next_cursor": cursor}}
    )


def test_iteration_follows_the_cursor_with_the_filter_and_without_the_offset(service: Service) -> None:
    def ids(client: Any) -> Any:
        listing = client.topics.list(status="completed", offset=2)
        if service.mode == "blocking":
            return [topic["id"] for topic in listing]

        async def collected() -> list[str]:
            return [topic["id"] async for topic in listing]

        return collected()

    assert service.run(ids, page(["a", "b"], "c1"), page(["c"], None)) == ["a", "b", "c"]
    assert [dict(each.url.params) for each in service.asked] == [
        {"status": "completed", "offset": "2"},
        {"status": "completed", "cursor": "c1"},
    ]


def test_a_page_is_fetched_when_the_iteration_reaches_it(service: Service) -> None:
    def first(client: Any) -> Any:
        listing = client.events.list()
        if service.mode == "blocking":
            return next(iter(listing))["id"]

        async def taken() -> Any:
            async for event in listing:
                return event["id"]

        return taken()

    assert service.run(first, page(["a"], "c1")) == "a"
    assert len(service.asked) == 1


def test_one_page_has_its_pagination(service: Service) -> None:
    found = service.run(lambda client: client.events.list(limit=1).page(), page(["a"], "c1"))
    assert found["pagination"] == {"next_cursor": "c1"}


def test_a_list_that_is_read_forward_continues_after_its_cursor_until_a_page_is_empty(service: Service) -> None:
    def ids(client: Any) -> Any:
        listing = client.events.list(order="asc")
        if service.mode == "blocking":
            return [event["id"] for event in listing]

        async def collected() -> list[str]:
            return [event["id"] async for event in listing]

        return collected()

    assert service.run(ids, page(["a"], "c1"), page(["b"], "c2"), page([], "c2")) == ["a", "b"]
    assert [each.url.params.get("after") for each in service.asked] == [None, "c1", "c2"]
    assert [each.url.params.get("cursor") for each in service.asked] == [None, None, None]
