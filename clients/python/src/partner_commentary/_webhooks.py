"""Verifies webhook signatures by Standard Webhooks, version 1. Works without a client."""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
import json
import re
import time
from collections.abc import Iterable, Mapping, Sequence
from typing import NoReturn, cast

from ._errors import WebhookVerificationError
from .models import Event

MARKER = "whsec_"


def _refuse(reason: str, message: str) -> NoReturn:
    raise WebhookVerificationError(reason, message)


def _decoded(text: str) -> bytes | None:
    try:
        return base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError):
        return None


def _key(secret: str) -> bytes:
    """Returns the key bytes of a secret. A secret `whsec_…` is decoded from base64, and any other
    secret is used as text.
    """
    key = _decoded(secret[len(MARKER) :]) if secret.startswith(MARKER) else secret.encode()
    return key or _refuse("malformed_secret", "The webhook's secret is empty, or is not base64 after whsec_.")


def _keys(secret: str | Sequence[str]) -> list[bytes]:
    secrets = [secret] if isinstance(secret, str) else list(secret or [])
    if not secrets or not all(isinstance(each, str) for each in secrets):
        _refuse("missing_secret", "The webhook's secret is missing: pass a text or a list of texts.")
    return [_key(each) for each in secrets]


def _header(headers: Iterable[tuple[str, str]], name: str) -> str:
    value = next((value for each, value in headers if each.lower() == name), "")
    return value or _refuse("missing_header", f"The header {name} is missing.")


def verify_webhook(
    body: bytes | str,
    headers: Mapping[str, str],
    secret: str | Sequence[str],
    *,
    tolerance: float = 300,
    now: float | None = None,
) -> Event:
    """Returns the event if its signature is valid, else raises `WebhookVerificationError`.

    `body` must be the raw body, byte for byte. Pass several secrets while you migrate to another
    webhook. An event can arrive more than once: store its `id`. `now` replaces the local clock, in
    seconds since 1970.
    """
    keys = _keys(secret)
    if not isinstance(body, (bytes, str)):
        raise TypeError("verify_webhook needs the raw body, not a parsed object.")
    content = body.encode("utf-8", "replace") if isinstance(body, str) else body
    given = list(headers.items())
    event_id, timestamp = _header(given, "webhook-id"), _header(given, "webhook-timestamp")
    versions = [each.partition(",") for each in _header(given, "webhook-signature").split(" ")]
    signatures = [_decoded(signature) for version, _, signature in versions if version == "v1"]
    if not re.fullmatch(r"[0-9]{1,12}", timestamp):
        _refuse("malformed_header", "webhook-timestamp is not a whole number of seconds.")
    age = (time.time() if now is None else now) - int(timestamp)
    if age > tolerance:
        _refuse("too_old", f"It was signed {age:.0f} seconds ago.")
    if age < -tolerance:
        _refuse("too_new", f"It was signed {-age:.0f} seconds from now: check the clock.")

    signed = f"{event_id}.{timestamp}.".encode() + content
    expected = [hmac.new(key, signed, hashlib.sha256).digest() for key in keys]
    matches = [hmac.compare_digest(each, tag) for each in signatures if each is not None for tag in expected]
    if not any(matches):
        _refuse("wrong_signature", "No signature matches: the secret or the body differs.")
    try:
        return cast(Event, json.loads(content))
    except ValueError:
        _refuse("malformed_body", "The signature is valid, but the body is not JSON.")
