"""The errors of this client. No message contains the API key."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import httpx

    from .models import TopicProgress


class PartnerCommentaryError(Exception):
    """The base class of every error of this client."""


class ApiError(PartnerCommentaryError):
    """The service rejected the request. `code` identifies the error and determines the type of
    `details`.
    """

    def __init__(
        self,
        message: str,
        *,
        status: int,
        code: str,
        details: Any,
        request_id: str | None,
        headers: httpx.Headers,
    ) -> None:
        super().__init__(message)
        self.message = message
        self.status = status
        self.code = code
        self.details = details
        self.request_id = request_id
        self.headers = headers

    def __str__(self) -> str:
        return f"{self.message} ({self.code}, request {self.request_id})"


class ApiConnectionError(PartnerCommentaryError):
    """No response arrived because the connection failed. `__cause__` is the error of httpx."""

    def __init__(self, message: str, *, request_id: str) -> None:
        super().__init__(message)
        #: The request id that the client sent. The service logs the id if the request arrived.
        self.request_id = request_id


class ApiTimeoutError(ApiConnectionError):
    """No complete response arrived in time. The service may have processed the request."""


class UnexpectedAnswerError(PartnerCommentaryError):
    """A response that is not from the service: a proxy's page, a redirect, a wrong `base_url`."""

    def __init__(
        self, message: str, *, status: int, request_id: str | None, headers: httpx.Headers, excerpt: str
    ) -> None:
        super().__init__(message)
        self.status = status
        self.request_id = request_id
        self.headers = headers
        #: The first 500 characters of the response.
        self.excerpt = excerpt


class WaitTimeoutError(PartnerCommentaryError):
    """`wait_for` has reached its timeout. The topic is still open in the service, and you can call
    `wait_for` again.
    """

    def __init__(self, message: str, *, topic_id: str, last_status: TopicProgress | None) -> None:
        super().__init__(message)
        self.topic_id = topic_id
        #: The last received status of the topic; None if no status was received.
        self.last_status = last_status


class WebhookVerificationError(PartnerCommentaryError):
    """Verification failed: answer 400. `missing_secret` and `malformed_secret` are faults of your
    settings: answer 500, so that the event is sent again.
    """

    def __init__(self, reason: str, message: str) -> None:
        super().__init__(message)
        self.reason = reason
