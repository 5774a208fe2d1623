"""Tests webhook verification according to Standard Webhooks."""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
from typing import Any

import pytest

from partner_commentary import WebhookVerificationError, verify_webhook

SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLjsw"
RAW = "a raw secret of 32 or more characters"
BODY = json.dumps({"id": "evt_1", "type": "creator.approved", "data": {"content": "Überall ✓"}}, ensure_ascii=False)
NOW = 1_769_774_400


def signature(body: str = BODY, secret: str = SECRET, at: int = NOW, event_id: str = "evt_1") -> str:
    key = base64.b64decode(secret[6:]) if secret.startswith("whsec_") else secret.encode()
    tag = hmac.new(key, f"{event_id}.{at}.{body}".encode(), hashlib.sha256).digest()
    return f"v1,{base64.b64encode(tag).decode()}"


def headers(**changes: Any) -> dict[str, str]:
    given = {"Webhook-Id": "evt_1", "Webhook-Timestamp": str(NOW), "Webhook-Signature": signature(), **changes}
    return {name: value for name, value in given.items() if value is not None}


def verified(body: Any = BODY, given: Any = None, secret: Any = SECRET, now: float = NOW) -> Any:
    return verify_webhook(body, given or headers(), secret, now=now)


def test_a_signature_of_the_reference_library_verifies() -> None:
    given = {
        "webhook-id": "msg_p5jXN8AQM9LWM0D4loKWxJek",
        "webhook-timestamp": "1614265330",
        "webhook-signature": "v1,R7DYExxRixSTi1vZcloeLsf7A45e2rxhLYxvJ+eRxgk=",
    }
    found: object = verify_webhook('{"test": 2432232314}', given, SECRET, now=1614265330)
    assert found == {"test": 2432232314}


def test_text_and_bytes_secrets_of_both_kinds_and_several_secrets_verify() -> None:
    assert verified() == verified(BODY.encode()) == json.loads(BODY)
    raw = headers(**{"Webhook-Signature": signature(secret=RAW)})
    assert verified(given=raw, secret=RAW) == verified(given=raw, secret=[SECRET, RAW]) == json.loads(BODY)


def test_one_valid_signature_among_others_is_enough() -> None:
    several = f"v1a,x v1,AAAA v1,!! {signature()}"
    assert verified(given=headers(**{"Webhook-Signature": several}))["id"] == "evt_1"


@pytest.mark.parametrize(
    ("reason", "changes"),
    [
        ("missing_header", {"given": headers(**{"Webhook-Id": None})}),
        ("missing_header", {"given": headers(**{"Webhook-Signature": ""})}),
        ("malformed_header", {"given": headers(**{"Webhook-Timestamp": "1.5"})}),
        ("malformed_header", {"given": headers(**{"Webhook-Timestamp": "٣"})}),
        ("too_old", {"now": NOW + 301}),
        ("too_new", {"now": NOW - 301}),
        ("wrong_signature", {"body": BODY + " "}),
        ("wrong_signature", {"given": headers(**{"Webhook-Id": "evt_2"})}),
        ("wrong_signature", {"secret": RAW}),
        ("wrong_signature", {"given": headers(**{"Webhook-Signature": signature().replace("v1,", "v2,")})}),
        ("missing_secret", {"secret": None}),
        ("missing_secret", {"secret": []}),
        ("missing_secret", {"secret": [SECRET, None]}),
        ("malformed_secret", {"secret": "whsec_!"}),
        ("malformed_secret", {"secret": "", "given": {"host": "a"}}),
        ("malformed_body", {"body": "no", "given": headers(**{"Webhook-Signature": signature("no")})}),
    ],
)
def test_everything_else_is_refused_with_its_reason(reason: str, changes: dict[str, Any]) -> None:
    with pytest.raises(WebhookVerificationError) as caught:
        verified(**changes)
    assert caught.value.reason == reason


def test_the_limits_of_the_tolerance_are_accepted() -> None:
    assert verified(now=NOW + 300) == verified(now=NOW - 300)


def test_a_parsed_body_is_refused() -> None:
    with pytest.raises(TypeError, match="needs the raw body"):
        verified(body={"id": "evt_1"})
