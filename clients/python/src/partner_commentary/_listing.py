"""Lists in pages: iterate over all items, over pages, or take one page."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from typing import Any, Generic, TypeVar

Item = TypeVar("Item")
Page = TypeVar("Page")


def _parts(page: Any) -> tuple[list[Any], str | None]:
    return page["data"], page["pagination"]["next_cursor"]


class Listing(Generic[Item, Page]):
    """`for item in listing` fetches a page when the iteration reaches it."""

    def __init__(self, fetch: Callable[[str | None], Page]) -> None:
        self._fetch = fetch

    def page(self) -> Page:
        """The first page."""
        return self._fetch(None)

    def pages(self) -> Iterator[Page]:
        cursor: str | None = None
        while True:
            page = self._fetch(cursor)
            yield page
            items, cursor = _parts(page)
            # A list that is read forward has a cursor on its last page too.
            if cursor is None or not items:
                return

    def __iter__(self) -> Iterator[Item]:
        for page in self.pages():
            yield from _parts(page)[0]


class AsyncListing(Generic[Item, Page]):
    """`async for item in listing` fetches a page when the iteration reaches it."""

    def __init__(self, fetch: Callable[[str | None], Awaitable[Page]]) -> None:
        self._fetch = fetch

    async def page(self) -> Page:
        """The first page."""
        return await self._fetch(None)

    async def pages(self) -> AsyncIterator[Page]:
        cursor: str | None = None
        while True:
            page = await self._fetch(cursor)
            yield page
            items, cursor = _parts(page)
            # A list that is read forward has a cursor on its last page too.
            if cursor is None or not items:
                return

    async def __aiter__(self) -> AsyncIterator[Item]:
        async for page in self.pages():
            for item in _parts(page)[0]:
                yield item
