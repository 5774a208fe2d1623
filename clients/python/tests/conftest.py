from __future__ import annotations

import pytest
from harness import Service


@pytest.fixture(params=["blocking", "asynchronous"])
def service(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Service:
    return Service(request.param, monkeypatch)
