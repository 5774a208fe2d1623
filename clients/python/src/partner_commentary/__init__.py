"""The official client of Partner Commentary."""

from . import models
from ._call import RateLimit, RequestOptions, ResponseInfo
from ._client import (
    AsyncPartnerCommentary,
    AsyncPartnerCommentaryDashboard,
    PartnerCommentary,
    PartnerCommentaryDashboard,
)
from ._errors import (
    ApiConnectionError,
    ApiError,
    ApiTimeoutError,
    PartnerCommentaryError,
    UnexpectedAnswerError,
    WaitTimeoutError,
    WebhookVerificationError,
)
from ._version import version as __version__
from ._webhooks import verify_webhook

__all__ = [
    "ApiConnectionError",
    "ApiError",
    "ApiTimeoutError",
    "AsyncPartnerCommentary",
    "AsyncPartnerCommentaryDashboard",
    "PartnerCommentary",
    "PartnerCommentaryDashboard",
    "PartnerCommentaryError",
    "RateLimit",
    "RequestOptions",
    "ResponseInfo",
    "UnexpectedAnswerError",
    "WaitTimeoutError",
    "WebhookVerificationError",
    "__version__",
    "models",
    "verify_webhook",
]
