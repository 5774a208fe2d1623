"""Tests the timeout of one attempt with real sockets."""

from __future__ import annotations

import time
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any

import anyio
import pytest

from partner_commentary import ApiTimeoutError, AsyncPartnerCommentary, PartnerCommentary


class Trickle(BaseHTTPRequestHandler):
    """Sends a byte every 50 ms, so that no single read exceeds the timeout."""

    def do_GET(self) -> None:
        self.send_response(200)
        self.send_header("content-length", "1000")
        self.end_headers()
        try:
            for _ in range(1000):
                self.wfile.write(b" ")
                time.sleep(0.05)
        except OSError:
            pass

    def log_message(self, format: str, *args: Any) -> None:
        pass


@pytest.fixture
def address() -> Iterator[str]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), Trickle)
    server.daemon_threads = True
    Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()


def test_a_response_that_trickles_ends_at_the_timeout(address: str) -> None:
    start = time.monotonic()
    with PartnerCommentary("pk_test_a", address, timeout=0.3, max_retries=0) as client:
        with pytest.raises(ApiTimeoutError, match="No answer within 0.3 seconds"):
            client.me.get()
    assert time.monotonic() - start < 10


def test_a_response_that_trickles_ends_at_the_timeout_of_the_asynchronous_client(address: str) -> None:
    async def ask() -> None:
        async with AsyncPartnerCommentary("pk_test_a", address, timeout=0.3, max_retries=0) as client:
            await client.me.get()

    start = time.monotonic()
    with pytest.raises(ApiTimeoutError, match="No answer within 0.3 seconds"):
        anyio.run(ask)
    assert time.monotonic() - start < 10
