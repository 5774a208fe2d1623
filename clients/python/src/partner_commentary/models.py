"""Types of requests and responses. Generated from docs/openapi.json: npm run describe."""

from __future__ import annotations

from typing import Any, Literal, NotRequired, TypedDict, Union


class AdvanceAssignment(TypedDict):
    action: NotRequired[Literal["respond", "generate", "approve", "decline", "expire", "fail", "withdraw"]]
    """The step to take. The default is the next step of the assignment's persona or magic word. The
    creator takes the steps `respond`, `decline`, `approve` and `withdraw`, and the generator
    `generate` and `fail`. `expire` ends the current deadline without an answer or an approval.
    """


class AnsweredAttempt(TypedDict):
    """One request to your endpoint, with the response."""

    kind: Literal["scheduled", "manual", "probe"]
    """`scheduled`: the retry schedule started it; `manual`: you requested it; `probe`: it tests whether
    your endpoint works again after many failures. Only scheduled attempts count towards the
    schedule's 10.
    """
    at: str
    """When the attempt started: ISO 8601, UTC."""
    duration_ms: int
    """The duration of the attempt, from the DNS lookup to the end of the response."""
    response_code: int | None
    """The HTTP status of your endpoint's response. Null if there was no response."""
    error_class: Literal["dns", "refused", "reset", "tls", "timeout", "http", "blocked", "unsigned"] | None
    """Null if the attempt succeeded. `dns`, `refused`, `reset`, `tls` and `timeout` name the step of the
    connection that failed; `http`: the response had another status than 2xx, or was not HTTP;
    `blocked`: the address is not public; `unsigned`: the event could not be signed, so nothing was
    sent.
    """
    error: str | None
    """Why the attempt failed, in one sentence. Null if it succeeded."""
    response_excerpt: str | None
    """The first KiB of the response, as text. Null if there was no response."""


class ApiKeySummary(TypedDict):
    id: str
    """The key's id. It is not secret."""
    name: str
    """The purpose of the key, as one line of text."""
    key_prefix: str
    """The key's first characters, which identify the key but cannot be used in its place."""
    scopes: list[Literal["personas:read", "topics:submit", "topics:read", "usage:read", "webhooks:read", "webhooks:write"]]
    """The key's permissions."""
    environment: Literal["live", "test"]
    """`live` or `test`. A test key has access to test data only."""
    ip_whitelist: list[str]
    """The addresses that can use the key: IPv4 and IPv6 addresses and CIDR ranges, as they were sent. If
    empty, any address can.
    """
    expires_at: str | None
    """The time from which the key is refused. Null if the key does not expire."""
    created_at: str
    """ISO 8601, UTC, with milliseconds."""
    last_used_at: str | None
    """The time of the key's last request, accurate to some seconds. Null before the first request."""
    revoked_at: str | None
    """The time from which the key is refused. Null if the key was neither rotated nor revoked."""


class ApprovalTime(TypedDict):
    """From the first draft until the creator's approval, including further drafts."""

    count: int
    """The number of requests that completed this step."""
    median: float | None
    """The median in seconds. Null if `count` is 0."""
    p90: float | None
    """The 90th percentile in seconds. Null if `count` is 0."""


class BulkCreated(TypedDict):
    index: int
    """The position of the topic in the request, starting at 0."""
    status: Literal["created"]
    """The topic was created."""
    topic: Topic


class BulkRefused(TypedDict):
    index: int
    """The position of the topic in the request, starting at 0."""
    status: Literal["refused"]
    """The topic was refused, and nothing was stored."""
    error: InvalidRequestError | NoValidPersonasError | RateLimitExceededError
    """The `error` that POST /topics would have returned. Field names have a prefix, for example
    `topics[3].content`.
    """


class BulkResults(TypedDict):
    results: list[BulkCreated | BulkRefused]
    """One result for each topic, in the order of the request."""


class BulkTopics(TypedDict):
    topics: list[CreateTopic]
    """Each as in POST /topics, with at most 1000 persona ids in all. The service processes them in this
    order.
    """


class ChangeApiKey(TypedDict):
    name: NotRequired[str]
    """The purpose of the key: one line of readable text, without control characters. Spaces around it
    are removed.
    """
    ip_whitelist: NotRequired[list[str]]
    """The addresses that can use the key: IPv4 and IPv6 addresses and CIDR ranges, as they were sent. If
    empty, any address can.
    """


class ChangeWebhook(TypedDict):
    url: NotRequired[str]
    """An `https:` URL of a public server, without user name, password and fragment. Events are sent to
    it by POST; redirects are not followed.
    """
    events: NotRequired[list[Literal["creator.approved", "partner.approved", "commentary.failed", "media.ready", "topic.completed"]]]
    """The event types that the webhook receives, each once."""
    status: NotRequired[Literal["active", "paused"]]
    """`paused` holds events back. `active` sends the held events, resets the failures, and enables a
    webhook that was disabled. If an active webhook failed often, set `active` again to send the held
    events at once.
    """


class Circuit(TypedDict):
    """The circuit breaker, which stops most attempts while the endpoint fails."""

    state: Literal["closed", "open"]
    """`open`: the webhook failed often recently, so events are held, and one event is tried from time to
    time.
    """
    open_until: str | None
    """When the next event is tried: ISO 8601, UTC. Null while `closed`, and while an attempt is running."""


class Commentary(TypedDict):
    """A commentary that its creator approved."""

    id: str
    """The commentary's id."""
    content: str
    """The approved text."""
    audio_url: str | None
    """The audio of the approved text. Null until it is ready."""
    video_url: str | None
    """The video of the approved text. Null until it is ready."""
    approved_at: str
    """When the creator approved the commentary: ISO 8601, UTC."""
    partner_approved_at: str | None
    """When your organization accepted the commentary for publication. Null before."""


class CommentaryEntry(TypedDict):
    """One commentary with its persona."""

    commentary_id: str
    """The commentary's id."""
    persona: CommentaryPersona
    content: str
    """The approved text."""
    audio_url: str | None
    """The audio of the approved text. Null until it is ready."""
    video_url: str | None
    """The video of the approved text. Null until it is ready."""
    approved_at: str
    """When the creator approved the commentary: ISO 8601, UTC."""
    partner_approved_at: str | None
    """When your organization accepted the commentary for publication. Null before."""


class CommentaryFailedEvent(TypedDict):
    """An assignment failed, so no commentary will come."""

    id: str
    """The event's id, the same in every delivery: `evt_` and a UUID."""
    type: Literal["commentary.failed"]
    """The event's type."""
    timestamp: str
    """When the event happened: ISO 8601, UTC."""
    sequence: int
    """Increases with every event of the same `share_id`. It is always 1 in `topic.completed`."""
    data: CommentaryFailedEventData


class CommentaryFailedEventData(TypedDict):
    """The assignment of the event, with the reason for the failure."""

    topic_id: str
    """The topic's id."""
    external_reference: str | None
    """Your own identifier of the topic. Null if you sent none."""
    metadata: dict[str, Any]
    """Your own data, as you sent it. `{}` if you sent none."""
    share_id: str
    """The id of the assignment of the topic to this persona."""
    persona: EventPersona
    status: Literal["topic_sent", "opinion_injected", "commentary_generated", "creator_approved", "declined", "expired"]
    """`topic_sent`: waiting for the creator; `opinion_injected`: the draft is being generated;
    `commentary_generated`: waiting for approval; `creator_approved`: ready to fetch; `declined` and
    `expired`: no commentary will come.
    """
    topic: EventTopic
    reason: Literal["declined", "expired", "generation_failed", "approval_timeout", "withdrawn", "cancelled"]
    """The reason for the failure, as in `failure.reason`."""


class CommentaryPersona(TypedDict):
    """The persona of the commentary."""

    id: str
    """The persona's id."""
    name: str
    """The persona's display name."""
    image_url: str
    """The URL of the persona's picture."""


class CommentaryWithMedia(TypedDict):
    """An approved commentary, with the URL of each file that is ready."""

    id: str
    """The commentary's id."""
    content: str
    """The approved text."""
    audio_url: str | None
    """The audio of the approved text. Null until it is ready."""
    video_url: str | None
    """The video of the approved text. Null until it is ready."""
    approved_at: str
    """When the creator approved the commentary: ISO 8601, UTC."""
    partner_approved_at: str | None
    """When your organization accepted the commentary for publication. Null before."""


class CreateApiKey(TypedDict):
    name: str
    """The purpose of the key: one line of readable text, without control characters. Spaces around it
    are removed.
    """
    scopes: list[Literal["personas:read", "topics:submit", "topics:read", "usage:read", "webhooks:read", "webhooks:write"]]
    """The key's permissions."""
    environment: NotRequired[Literal["live", "test"]]
    """The environment of the key. The default is `live`."""
    ip_whitelist: NotRequired[list[str]]
    """The addresses that can use the key: IPv4 and IPv6 addresses and CIDR ranges, as they were sent. If
    empty, any address can.
    """
    expires_at: NotRequired[str]
    """The time from which the key is refused. It must be in the future."""


class CreateTopic(TypedDict):
    """The topic and its personas."""

    content: str
    """The topic: a short question, statement or prompt. 10 to 500 characters (Unicode code points) after
    trimming; a length of 100 or less is always accepted. It must contain readable characters, and no
    control characters except tabs and line breaks.
    """
    persona_ids: list[str]
    """The personas that receive the topic. Personas without an active license get the result
    `not_licensed`. A repeated id counts once.
    """
    external_reference: NotRequired[str]
    """Your own identifier, with which you can find the topic. It is case-sensitive. Several topics can
    have the same identifier.
    """
    output_types: NotRequired[list[Literal["text", "audio", "video"]]]
    """The output types of the commentary. The default is `text`, which is always produced."""
    metadata: NotRequired[dict[str, Any]]
    """Your own data, returned with the topic and in webhooks. At most 16 KiB as JSON, at most 32 levels
    deep.
    """
    webhook_ids: NotRequired[list[str]]
    """The webhooks that receive this topic's events. By default all of them do; with an empty list, none
    does. Each is a webhook of the key's environment. `GET /events` lists the events in any case.
    """
    respond_by: NotRequired[str]
    """The deadline for the creators' answers: ISO 8601 with a time zone, 1 hour to 14 days ahead. A
    deployment can set another limit than 14 days. By default creators have 48 hours from the delivery
    of the mail.
    """


class CreatedApiKey(TypedDict):
    id: str
    """The key's id. It is not secret."""
    name: str
    """The purpose of the key, as one line of text."""
    full_key: str
    """The key itself. Only this response contains it; it cannot be retrieved later."""
    key_prefix: str
    """The key's first characters, which identify the key but cannot be used in its place."""
    scopes: list[Literal["personas:read", "topics:submit", "topics:read", "usage:read", "webhooks:read", "webhooks:write"]]
    """The key's permissions."""
    created_at: str
    """ISO 8601, UTC, with milliseconds."""
    environment: Literal["live", "test"]
    """`live` or `test`. A test key has access to test data only."""
    ip_whitelist: list[str]
    """The addresses that can use the key: IPv4 and IPv6 addresses and CIDR ranges, as they were sent. If
    empty, any address can.
    """
    expires_at: str | None
    """The time from which the key is refused. Null if the key does not expire."""


class CreatorApprovedEvent(TypedDict):
    """A creator approved a commentary, which is ready to fetch."""

    id: str
    """The event's id, the same in every delivery: `evt_` and a UUID."""
    type: Literal["creator.approved"]
    """The event's type."""
    timestamp: str
    """When the event happened: ISO 8601, UTC."""
    sequence: int
    """Increases with every event of the same `share_id`. It is always 1 in `topic.completed`."""
    data: CreatorApprovedEventData


class CreatorApprovedEventData(TypedDict):
    """The assignment of the event, with its commentary at that time."""

    topic_id: str
    """The topic's id."""
    external_reference: str | None
    """Your own identifier of the topic. Null if you sent none."""
    metadata: dict[str, Any]
    """Your own data, as you sent it. `{}` if you sent none."""
    share_id: str
    """The id of the assignment of the topic to this persona."""
    persona: EventPersona
    status: Literal["topic_sent", "opinion_injected", "commentary_generated", "creator_approved", "declined", "expired"]
    """`topic_sent`: waiting for the creator; `opinion_injected`: the draft is being generated;
    `commentary_generated`: waiting for approval; `creator_approved`: ready to fetch; `declined` and
    `expired`: no commentary will come.
    """
    topic: EventTopic
    commentary: Commentary


class CursorPagination(TypedDict):
    """The position of this page in the list."""

    limit: int
    """The number of entries on a page."""
    next_cursor: str | None
    """Send it as `cursor` to get the next page. Null on the last page, but never null in a list of
    events with `order=asc`.
    """


class Delivery(TypedDict):
    """The delivery of one event to one webhook."""

    id: str
    """The delivery's id within its webhook: the event's id without `evt_`."""
    webhook_id: str
    """The webhook that receives the event."""
    event_id: str
    """The event's id, which your endpoint receives in `webhook-id`: `evt_` and a UUID."""
    type: Literal["creator.approved", "partner.approved", "commentary.failed", "media.ready", "topic.completed"]
    """The event's type."""
    topic_id: str
    """The topic's id."""
    share_id: str
    """The persona's part in the topic that it is about; of `topic.completed`, the one that came last."""
    status: Literal["pending", "held", "delivered", "failed"]
    """`pending`: an attempt is scheduled or running; `held`: the delivery waits until the webhook is
    active again, or until your endpoint works again after many failures, without using up attempts;
    `delivered`: it succeeded; `failed`: its attempts are used up.
    """
    created_at: str
    """When the event happened: ISO 8601, UTC."""
    next_attempt_at: str | None
    """When the next attempt is due. Null while an attempt is running, while the webhook is paused or
    disabled, and if no attempt is scheduled. If the delivery is held because your endpoint failed
    often, the time at which one of the held deliveries is sent to test the endpoint.
    """
    settled_at: str | None
    """When the delivery first succeeded, or finally failed. Null while it is `pending` or `held`."""
    attempt_count: int
    """The number of attempts so far, of every kind."""
    attempts: list[DeliveryAttempt]
    """At most the last 10 attempts, oldest first."""


class DeliveryAttempt(TypedDict):
    """One request to your endpoint."""

    kind: Literal["scheduled", "manual", "probe"]
    """`scheduled`: the retry schedule started it; `manual`: you requested it; `probe`: it tests whether
    your endpoint works again after many failures. Only scheduled attempts count towards the
    schedule's 10.
    """
    at: str
    """When the attempt started: ISO 8601, UTC."""
    duration_ms: int
    """The duration of the attempt, from the DNS lookup to the end of the response."""
    response_code: int | None
    """The HTTP status of your endpoint's response. Null if there was no response."""
    error_class: Literal["dns", "refused", "reset", "tls", "timeout", "http", "blocked", "unsigned"] | None
    """Null if the attempt succeeded. `dns`, `refused`, `reset`, `tls` and `timeout` name the step of the
    connection that failed; `http`: the response had another status than 2xx, or was not HTTP;
    `blocked`: the address is not public; `unsigned`: the event could not be signed, so nothing was
    sent.
    """
    error: str | None
    """Why the attempt failed, in one sentence. Null if it succeeded."""


class DeliveryDetail(TypedDict):
    """The delivery of one event to one webhook, with your endpoint's responses."""

    id: str
    """The delivery's id within its webhook: the event's id without `evt_`."""
    webhook_id: str
    """The webhook that receives the event."""
    event_id: str
    """The event's id, which your endpoint receives in `webhook-id`: `evt_` and a UUID."""
    type: Literal["creator.approved", "partner.approved", "commentary.failed", "media.ready", "topic.completed"]
    """The event's type."""
    topic_id: str
    """The topic's id."""
    share_id: str
    """The persona's part in the topic that it is about; of `topic.completed`, the one that came last."""
    status: Literal["pending", "held", "delivered", "failed"]
    """`pending`: an attempt is scheduled or running; `held`: the delivery waits until the webhook is
    active again, or until your endpoint works again after many failures, without using up attempts;
    `delivered`: it succeeded; `failed`: its attempts are used up.
    """
    created_at: str
    """When the event happened: ISO 8601, UTC."""
    next_attempt_at: str | None
    """When the next attempt is due. Null while an attempt is running, while the webhook is paused or
    disabled, and if no attempt is scheduled. If the delivery is held because your endpoint failed
    often, the time at which one of the held deliveries is sent to test the endpoint.
    """
    settled_at: str | None
    """When the delivery first succeeded, or finally failed. Null while it is `pending` or `held`."""
    attempt_count: int
    """The number of attempts so far, of every kind."""
    attempts: list[AnsweredAttempt]
    """At most the last 100 attempts, oldest first, with your endpoint's responses."""
    payload: Event


class DeliveryList(TypedDict):
    """One page of deliveries, newest event first."""

    success: Literal[True]
    """Always true for a successful response."""
    data: list[Delivery]
    """The deliveries of this page, newest event first."""
    pagination: CursorPagination


class DuplicateOf(TypedDict):
    """The earlier assignment with the same content. Only with the status `duplicate`."""

    topic_id: str
    """The earlier topic."""
    share_id: str
    """The id of the persona's assignment in the earlier topic."""


class EventList(TypedDict):
    """One page of events."""

    success: Literal[True]
    """Always true for a successful response."""
    data: list[Event]
    """The events of this page, newest first, or oldest first with `order=asc`."""
    pagination: CursorPagination


class EventPersona(TypedDict):
    """The persona of the event."""

    id: str
    """The persona's id."""
    name: str
    """The persona's display name."""


class EventTopic(TypedDict):
    """The state of the topic after this event."""

    status: Literal["pending", "in_progress", "partial", "completed"]
    """`pending`: waiting for creators; `in_progress`: at least one commentary is in progress; `partial`:
    some commentaries are ready; `completed`: no further commentary will come.
    """
    summary: OutcomeSummary


class Failure(TypedDict):
    """Why no commentary will come."""

    reason: Literal["declined", "expired", "generation_failed", "approval_timeout", "withdrawn", "cancelled"]
    """`declined` and `withdrawn`: by the creator; `expired`: no answer in time; `generation_failed`: no
    draft could be generated; `approval_timeout`: no approval in time; `cancelled`: your organization
    cancelled the topic before the creator answered.
    """
    at: str
    """When the assignment failed: ISO 8601, UTC."""


class GenerationTime(TypedDict):
    """From the creator's opinion until the first draft, including failed attempts."""

    count: int
    """The number of requests that completed this step."""
    median: float | None
    """The median in seconds. Null if `count` is 0."""
    p90: float | None
    """The 90th percentile in seconds. Null if `count` is 0."""


class InternalError(TypedDict):
    """The service failed. The message contains the request id."""

    success: Literal[False]
    """False for every error."""
    error: InternalErrorError


class InternalErrorError(TypedDict):
    """The service failed. The message contains the request id."""

    code: Literal["internal_error"]
    """The error code for your program. Its meaning never changes."""
    message: str
    """An explanation for people, in one sentence. The text may change."""


class InvalidRequest(TypedDict):
    """The body or a parameter is invalid."""

    success: Literal[False]
    """False for every error."""
    error: InvalidRequestError


class InvalidRequestErrorDetails(TypedDict):
    """The first problem, and the list of all problems."""

    field: str
    """The path of the field in the body, or the name of the parameter."""
    constraint: str
    """What a valid value must satisfy."""
    errors: list[Problem]
    """All problems, including the first, at most 100."""


class InvalidRequestError(TypedDict):
    """The body or a parameter is invalid."""

    code: Literal["invalid_request"]
    """The error code for your program. Its meaning never changes."""
    message: str
    """An explanation for people, in one sentence. The text may change."""
    details: InvalidRequestErrorDetails
    """The first problem, and the list of all problems."""


class IpRestrictedError(TypedDict):
    """The API key cannot be used from this address."""

    code: Literal["ip_restricted"]
    """The error code for your program. Its meaning never changes."""
    message: str
    """An explanation for people, in one sentence. The text may change."""


class KeyExpiredError(TypedDict):
    """The API key has expired."""

    code: Literal["key_expired"]
    """The error code for your program. Its meaning never changes."""
    message: str
    """An explanation for people, in one sentence. The text may change."""


class KeyRevokedError(TypedDict):
    """The API key was revoked."""

    code: Literal["key_revoked"]
    """The error code for your program. Its meaning never changes."""
    message: str
    """An explanation for people, in one sentence. The text may change."""


class MeOrganization(TypedDict):
    """The organization that the key belongs to."""

    id: str
    """The organization's id."""
    name: str
    """The organization's name."""


class MeKey(TypedDict):
    """The key of this request."""

    id: str
    """The key's id. It is not secret."""
    name: str
    """The purpose of the key, as one line of text."""
    key_prefix: str
    """The key's first characters, which identify the key but cannot be used in its place."""


class Me(TypedDict):
    """The key of this request, with its permissions and limits."""

    organization: MeOrganization
    """The organization that the key belongs to."""
    key: MeKey
    """The key of this request."""
    environment: Literal["live", "test"]
    """`live` or `test`. A test key has access to test data only."""
    scopes: list[Literal["personas:read", "topics:submit", "topics:read", "usage:read", "webhooks:read", "webhooks:write"]]
    """The key's permissions, out of `personas:read`, `topics:submit`, `topics:read`, `usage:read`,
    `webhooks:read`, `webhooks:write`.
    """
    ip_whitelist: list[str]
    """The addresses that can use the key: IPv4 and IPv6 addresses and CIDR ranges, as they were sent. If
    empty, any address can.
    """
    expires_at: str | None
    """The time from which the key is refused. Null if the key does not expire."""
    revoked_at: str | None
    """The time from which the key is refused. Null if the key was neither rotated nor revoked."""
    windows: list[RateWindow]
    """The rate-limit windows that count every request of the key."""


class MediaReadyEvent(TypedDict):
    """The audio or video of an approved commentary is ready. Sent once for each file."""

    id: str
    """The event's id, the same in every delivery: `evt_` and a UUID."""
    type: Literal["media.ready"]
    """The event's type."""
    timestamp: str
    """When the event happened: ISO 8601, UTC."""
    sequence: int
    """Increases with every event of the same `share_id`. It is always 1 in `topic.completed`."""
    data: MediaReadyEventData


class MediaReadyEventData(TypedDict):
    """The assignment of the event, with its commentary at that time."""

    topic_id: str
    """The topic's id."""
    external_reference: str | None
    """Your own identifier of the topic. Null if you sent none."""
    metadata: dict[str, Any]
    """Your own data, as you sent it. `{}` if you sent none."""
    share_id: str
    """The id of the assignment of the topic to this persona."""
    persona: EventPersona
    status: Literal["topic_sent", "opinion_injected", "commentary_generated", "creator_approved", "declined", "expired"]
    """`topic_sent`: waiting for the creator; `opinion_injected`: the draft is being generated;
    `commentary_generated`: waiting for approval; `creator_approved`: ready to fetch; `declined` and
    `expired`: no commentary will come.
    """
    topic: EventTopic
    output_type: Literal["audio", "video"]
    """The type of the file that is ready. Its URL is in `commentary`."""
    commentary: CommentaryWithMedia


class NoValidPersonasError(TypedDict):
    """The topic could not be sent to any of the requested personas. Nothing was stored."""

    code: Literal["no_valid_personas"]
    """The error code for your program. Its meaning never changes."""
    message: str
    """An explanation for people, in one sentence. The text may change."""
    details: list[SubmissionResult]
    """One result for each requested persona, in the order of the request."""


class NotFound(TypedDict):
    """The resource does not exist."""

    success: Literal[False]
    """False for every error."""
    error: NotFoundError


class NotFoundError(TypedDict):
    """The resource does not exist."""

    code: Literal["not_found"]
    """The error code for your program. Its meaning never changes."""
    message: str
    """An explanation for people, in one sentence. The text may change."""


class NotLicensed(TypedDict):
    """The organization has no active license for the persona."""

    success: Literal[False]
    """False for every error."""
    error: NotLicensedError


class NotLicensedErrorDetails(TypedDict):
    """The persona without a license."""

    persona_id: str
    """The persona's id."""


class NotLicensedError(TypedDict):
    """The organization has no active license for the persona."""

    code: Literal["not_licensed"]
    """The error code for your program. Its meaning never changes."""
    message: str
    """An explanation for people, in one sentence. The text may change."""
    details: NotLicensedErrorDetails
    """The persona without a license."""


class OutcomeCounts(TypedDict):
    """The number of requests by their current result."""

    sent: int
    """Requests sent to creators in the period: the sum of all other counts."""
    pending: int
    """A commentary may still come."""
    approved: int
    """The creator approved a commentary."""
    declined: int
    """The creator declined."""
    expired: int
    """The creator did not respond in time."""
    generation_failed: int
    """No draft could be generated."""
    approval_timeout: int
    """The creator did not approve in time."""
    withdrawn: int
    """The creator withdrew."""
    cancelled: int
    """Your organization cancelled the topic before the creator answered."""


class OutcomeSummary(TypedDict):
    """The number of personas by result."""

    total_personas: int
    """The number of personas of the topic."""
    completed: int
    """Personas whose commentary is ready."""
    pending: int
    """Personas whose commentary may still come."""
    failed: int
    """Personas without a commentary, because their assignment failed."""


class OverallPerformance(TypedDict):
    """All personas together."""

    counts: OutcomeCounts
    response_time: ResponseTime
    generation_time: GenerationTime
    approval_time: ApprovalTime


class Pagination(TypedDict):
    """The position of this page in the list."""

    limit: int
    """The number of entries on a page."""
    offset: int
    """The number of skipped topics. 0 with a cursor."""
    total: int
    """The number of topics on all pages. With other filters than `status`, at most 10000 are counted."""
    next_cursor: str | None
    """Send it as `cursor` to get the next page. Null on the last page."""


class PartnerApprovedCommentary(TypedDict):
    """A commentary that the partner accepted for publication."""

    commentary_id: str
    """The commentary's id."""
    persona: CommentaryPersona
    content: str
    """The approved text."""
    audio_url: str | None
    """The audio of the approved text. Null until it is ready."""
    video_url: str | None
    """The video of the approved text. Null until it is ready."""
    approved_at: str
    """When the creator approved the commentary: ISO 8601, UTC."""
    partner_approved_at: str
    """When your organization first accepted the commentary for publication. It never changes."""
    topic_id: str
    """The id of the commentary's topic."""
    share_id: str
    """The assignment of the topic to this persona."""


class PartnerApprovedEvent(TypedDict):
    """You accepted a commentary for publication."""

    id: str
    """The event's id, the same in every delivery: `evt_` and a UUID."""
    type: Literal["partner.approved"]
    """The event's type."""
    timestamp: str
    """When the event happened: ISO 8601, UTC."""
    sequence: int
    """Increases with every event of the same `share_id`. It is always 1 in `topic.completed`."""
    data: PartnerApprovedEventData


class PartnerApprovedEventData(TypedDict):
    """The assignment of the event, with its commentary at that time."""

    topic_id: str
    """The topic's id."""
    external_reference: str | None
    """Your own identifier of the topic. Null if you sent none."""
    metadata: dict[str, Any]
    """Your own data, as you sent it. `{}` if you sent none."""
    share_id: str
    """The id of the assignment of the topic to this persona."""
    persona: EventPersona
    status: Literal["topic_sent", "opinion_injected", "commentary_generated", "creator_approved", "declined", "expired"]
    """`topic_sent`: waiting for the creator; `opinion_injected`: the draft is being generated;
    `commentary_generated`: waiting for approval; `creator_approved`: ready to fetch; `declined` and
    `expired`: no commentary will come.
    """
    topic: EventTopic
    commentary: Commentary


class PerformanceReport(TypedDict):
    period: ReportingPeriod
    overall: OverallPerformance
    personas: list[PersonaPerformance]
    """Each persona with a request in the period, sorted by name."""


class Persona(TypedDict):
    """A persona with all its fields."""

    id: str
    """The persona's id."""
    name: str
    """The persona's display name."""
    image_url: str
    """The URL of the persona's picture."""
    bio: str
    """The full biography. `""` if there is none."""
    expertise: list[str]
    """The subjects that the persona comments on."""
    social_links: dict[str, str]
    """URLs by the name of the platform."""


class PersonaPerformance(TypedDict):
    persona_id: str
    """The persona's id."""
    persona_name: str
    """The persona's name as of its latest request in the period."""
    counts: OutcomeCounts
    response_time: ResponseTime
    generation_time: GenerationTime
    approval_time: ApprovalTime


class PersonaProgress(TypedDict):
    """The status of one persona."""

    share_id: str
    """The id of the assignment of the topic to this persona."""
    persona_id: str
    """The persona's id."""
    persona_name: str
    """The persona's display name."""
    status: Literal["topic_sent", "opinion_injected", "commentary_generated", "creator_approved", "declined", "expired"]
    """`topic_sent`: waiting for the creator; `opinion_injected`: the draft is being generated;
    `commentary_generated`: waiting for approval; `creator_approved`: ready to fetch; `declined` and
    `expired`: no commentary will come.
    """
    status_updated_at: str
    """When the status last changed: ISO 8601, UTC."""
    has_commentary: bool
    """True if the commentary is ready to fetch."""
    failure: Failure | None
    """Why no commentary will come. Null if one came or still can."""
    expires_at: str | None
    """The creator's deadline to answer, or to approve the draft: ISO 8601, UTC. Null while no creator
    has to act, and after the final status. Without `respond_by`, it is the latest possible deadline
    until the request mail is handed over, which sets the deadline. Each new draft sets a new
    deadline.
    """


class PersonaSummary(TypedDict):
    """A persona in a list."""

    id: str
    """The persona's id."""
    name: str
    """The persona's display name."""
    image_url: str
    """The URL of the persona's picture."""


class Problem(TypedDict):
    """A problem in the request."""

    field: str
    """The path of the field in the body, or the name of the parameter."""
    constraint: str
    """What a valid value must satisfy."""


class ProgressSummary(TypedDict):
    """The number of personas by status. A failed persona counts under the status that it keeps: a
    cancelled persona counts in `topic_sent`, even if the topic is completed.
    """

    total: int
    """All personas of the topic."""
    topic_sent: int
    """Waiting for the creator."""
    opinion_injected: int
    """The creator has answered, and the draft is being generated."""
    commentary_generated: int
    """Waiting for the creator's approval."""
    creator_approved: int
    """Ready to fetch."""
    declined: int
    """Declined by the creator."""
    expired: int
    """Not answered in time."""


class RateLimitExceeded(TypedDict):
    """A rate limit, a monthly quota or the test environment's storage is used up."""

    success: Literal[False]
    """False for every error."""
    error: RateLimitExceededError


class RateLimitExceededErrorDetails(TypedDict):
    """The limit and the time to wait."""

    retry_after: int
    """The number of seconds to wait, as in `Retry-After`."""
    limit: int
    """The limit."""
    remaining: int
    """How much of the limit is left."""
    quota: NotRequired[str]
    """The monthly quota that is used up, or in the test environment `test_topics` or `test_bytes`. If
    present, do not retry automatically.
    """


class RateLimitExceededError(TypedDict):
    """A rate limit, a monthly quota or the test environment's storage is used up."""

    code: Literal["rate_limit_exceeded"]
    """The error code for your program. Its meaning never changes."""
    message: str
    """An explanation for people, in one sentence. The text may change."""
    details: RateLimitExceededErrorDetails
    """The limit and the time to wait."""


class RateWindow(TypedDict):
    """A rate limit, and how much of it is left."""

    name: str
    """The name of the limit, as in `RateLimit`."""
    limit: int
    """The number of requests that the window allows."""
    remaining: int
    """The number of requests left in the window, after this one."""
    window_seconds: int
    """The length of the window in seconds."""
    resets_in_seconds: int
    """The number of seconds until the window ends."""


class RecoverWebhook(TypedDict):
    since: str
    """Events from this time on: ISO 8601 with a time zone. It must be within the last 30 days, and
    before `until`.
    """
    until: NotRequired[str]
    """Events before this time: ISO 8601 with a time zone. The default is the current time."""
    dry_run: NotRequired[bool]
    """If true, deliveries are only counted, and nothing is sent."""


class Recovery(TypedDict):
    """The deliveries that a recovery sends again."""

    since: str
    """Events from this time on."""
    until: str
    """Events before this time."""
    dry_run: bool
    """True if deliveries were only counted."""
    count: int
    """The number of deliveries that are sent again: `failed` and `held` together."""
    failed: int
    """Deliveries whose attempts were used up. They start again with the whole retry schedule."""
    held: int
    """Deliveries that wait for the webhook. They are sent when it is active again."""


class ReferenceEntry(TypedDict):
    """The result of one persona in one of the topics."""

    topic_id: str
    """The topic's id."""
    topic_content: str
    """The topic's text, trimmed."""
    share_id: str
    """The id of the assignment of the topic to this persona."""
    persona_id: str
    """The persona's id."""
    persona_name: str
    """The persona's display name."""
    persona_image: str
    """The URL of the persona's picture."""
    status: Literal["completed", "pending", "failed"]
    """`completed`: the commentary is ready; `pending`: it may still come; `failed`: no commentary will
    come, see `failure`.
    """
    commentary: Commentary | None
    """The commentary. Null unless the status is `completed`."""
    failure: Failure | None
    """Why no commentary will come. Null if one came or still can."""
    created_at: str
    """When the assignment was created: ISO 8601, UTC."""


class ReferenceLookup(TypedDict):
    """The results of all topics with one reference."""

    external_reference: str
    """The requested reference."""
    topic_id: str
    """The newest topic with this reference."""
    content: str
    """The newest topic's text."""
    metadata: dict[str, Any]
    """The newest topic's metadata."""
    output_types: list[Literal["text", "audio", "video"]]
    """The newest topic's output types."""
    commentaries: list[ReferenceEntry]
    """The entries of all topics with this reference, newest topic first."""
    summary: OutcomeSummary
    truncated: bool
    """True if there are older topics with this reference, which the response omits."""


class RegisterWebhook(TypedDict):
    url: str
    """An `https:` URL of a public server, without user name, password and fragment. Events are sent to
    it by POST; redirects are not followed.
    """
    events: list[Literal["creator.approved", "partner.approved", "commentary.failed", "media.ready", "topic.completed"]]
    """The event types that the webhook receives, each once."""
    secret: NotRequired[str]
    """The secret that signs the events: `whsec_` and 24 to 64 bytes in base64, or any other 32 to 256
    printable ASCII characters, which are used as they are. We recommend omitting it: the service then
    generates a secret. A secret from this documentation is refused.
    """


class RegisteredWebhook(TypedDict):
    id: str
    """The webhook's id."""
    url: str
    """The URL that events are sent to, as you sent it."""
    events: list[Literal["creator.approved", "partner.approved", "commentary.failed", "media.ready", "topic.completed"]]
    """The event types that the webhook receives, as you sent them."""
    status: Literal["active", "paused", "disabled"]
    """`active`; `paused`: you paused it; `disabled`: the service disabled it, because it failed for too
    long. Events for a webhook that is not active are held. Events for an active webhook that failed
    often recently are held too; its deliveries show when it is tried again.
    """
    consecutive_failures: int
    """The number of consecutive failed attempts of all deliveries. 0 after a success, or when you set
    `active`.
    """
    last_delivery_at: str | None
    """When the last event was sent. Null before the first event."""
    created_at: str
    """ISO 8601, UTC, with milliseconds."""
    updated_at: str
    """When you last changed the webhook. Deliveries do not change it."""
    disabled_reason: str | None
    """Why the service disabled the webhook, in one sentence: the error of the last attempt. Null unless
    the status is `disabled`.
    """
    disabled_at: str | None
    """When the service disabled the webhook: ISO 8601, UTC. Null unless the status is `disabled`."""
    circuit: Circuit
    held_count: int
    """The number of events that are held because the webhook is not active or its circuit is open. At
    most 1000 are counted.
    """
    secret: str
    """The secret that signs the events. Only this response contains it; it cannot be retrieved later."""


class RemovedWebhook(TypedDict):
    id: str
    """The webhook's id."""
    deleted: Literal[True]
    """Always true."""


class ReportingPeriod(TypedDict):
    """The requested period."""

    start: str
    """Requests sent from this time on."""
    end: str
    """Requests sent before this time."""


class ResponseTime(TypedDict):
    """From the mail to the creator until the creator's opinion."""

    count: int
    """The number of requests that completed this step."""
    median: float | None
    """The median in seconds. Null if `count` is 0."""
    p90: float | None
    """The 90th percentile in seconds. Null if `count` is 0."""


class RevokedApiKey(TypedDict):
    id: str
    """The key's id. It is not secret."""
    revoked_at: str
    """The time from which the key is refused. For a rotated key it can be in the future: the key works
    until then.
    """


class RotateApiKey(TypedDict):
    grace_period_seconds: NotRequired[int]
    """How long the old key keeps working. The default is 86400 seconds. If the key may be compromised,
    send 0: the service then refuses it at once.
    """


class RotateWebhookSecret(TypedDict):
    secret: NotRequired[str]
    """The new secret, in the format of `POST /webhooks`. We recommend omitting it: the service then
    generates a secret. A secret from this documentation is refused.
    """
    grace_period_seconds: NotRequired[int]
    """How long events are signed with the old secret too. The default is 86400 seconds. If the old
    secret may have leaked, send 0: no event is then signed with it.
    """


class RotatedApiKeyReplaces(TypedDict):
    """The key that the new key replaces."""

    id: str
    """The old key."""
    revoked_at: str
    """The time from which the key is refused. For a rotated key it can be in the future: the key works
    until then.
    """


class RotatedApiKey(TypedDict):
    id: str
    """The key's id. It is not secret."""
    name: str
    """The purpose of the key, as one line of text."""
    full_key: str
    """The key itself. Only this response contains it; it cannot be retrieved later."""
    key_prefix: str
    """The key's first characters, which identify the key but cannot be used in its place."""
    scopes: list[Literal["personas:read", "topics:submit", "topics:read", "usage:read", "webhooks:read", "webhooks:write"]]
    """The key's permissions."""
    created_at: str
    """ISO 8601, UTC, with milliseconds."""
    environment: Literal["live", "test"]
    """`live` or `test`. A test key has access to test data only."""
    ip_whitelist: list[str]
    """The addresses that can use the key: IPv4 and IPv6 addresses and CIDR ranges, as they were sent. If
    empty, any address can.
    """
    expires_at: str | None
    """The time from which the key is refused. Null if the key does not expire."""
    replaces: RotatedApiKeyReplaces
    """The key that the new key replaces."""


class RotatedWebhook(TypedDict):
    id: str
    """The webhook's id."""
    url: str
    """The URL that events are sent to, as you sent it."""
    events: list[Literal["creator.approved", "partner.approved", "commentary.failed", "media.ready", "topic.completed"]]
    """The event types that the webhook receives, as you sent them."""
    status: Literal["active", "paused", "disabled"]
    """`active`; `paused`: you paused it; `disabled`: the service disabled it, because it failed for too
    long. Events for a webhook that is not active are held. Events for an active webhook that failed
    often recently are held too; its deliveries show when it is tried again.
    """
    consecutive_failures: int
    """The number of consecutive failed attempts of all deliveries. 0 after a success, or when you set
    `active`.
    """
    last_delivery_at: str | None
    """When the last event was sent. Null before the first event."""
    created_at: str
    """ISO 8601, UTC, with milliseconds."""
    updated_at: str
    """When you last changed the webhook. Deliveries do not change it."""
    disabled_reason: str | None
    """Why the service disabled the webhook, in one sentence: the error of the last attempt. Null unless
    the status is `disabled`.
    """
    disabled_at: str | None
    """When the service disabled the webhook: ISO 8601, UTC. Null unless the status is `disabled`."""
    circuit: Circuit
    held_count: int
    """The number of events that are held because the webhook is not active or its circuit is open. At
    most 1000 are counted.
    """
    secret: str
    """The new secret. Only this response contains it."""
    former_secret_expires_at: str | None
    """Until this time, events are signed with the old secret too: ISO 8601, UTC. Null without a grace
    period.
    """


class ScopeDeniedError(TypedDict):
    """The API key does not have the scope that the operation requires."""

    code: Literal["scope_denied"]
    """The error code for your program. Its meaning never changes."""
    message: str
    """An explanation for people, in one sentence. The text may change."""


class SimulatedAssignment(TypedDict):
    share_id: str
    """The id of the assignment of the topic to this persona."""
    topic_id: str
    """The topic of the assignment."""
    persona_id: str
    """The persona of the assignment."""
    persona_name: str
    """The persona's display name."""
    status: Literal["topic_sent", "opinion_injected", "commentary_generated", "creator_approved", "declined", "expired"]
    """The status after the step."""
    status_updated_at: str
    """When the status last changed."""
    has_commentary: bool
    """True if the commentary is ready to fetch."""
    failure: Failure | None
    """Why no commentary will come. Null if one came or still can."""
    actions: list[Literal["respond", "generate", "approve", "decline", "expire", "fail", "withdraw"]]
    """The steps that are possible next. The first one leads to a commentary. Empty after the final step."""


class SubmissionResult(TypedDict):
    """The result for one requested persona."""

    persona_id: str
    """The persona's id."""
    status: Literal["sent", "not_licensed", "duplicate"]
    """`sent`: the topic goes to the creator; `not_licensed`: your organization has no active license;
    `duplicate`: the same topic was already sent within 24 hours (in the test environment within 60
    seconds).
    """
    share_id: NotRequired[str]
    """The id of the assignment of the topic to this persona. Only with the status `sent`."""
    duplicate_of: NotRequired[DuplicateOf]


class Topic(TypedDict):
    """The created topic."""

    topic_id: str
    """The topic's id."""
    external_reference: NotRequired[str]
    """Your own identifier of the topic. Omitted if you sent none."""
    content: str
    """The topic's text, trimmed."""
    metadata: dict[str, Any]
    """Your own data, as you sent it. `{}` if you sent none."""
    output_types: list[Literal["text", "audio", "video"]]
    """The requested output types."""
    webhook_ids: NotRequired[list[str]]
    """The webhooks that receive this topic's events. Omitted if all of them do."""
    personas_sent: int
    """The number of personas that the topic is sent to."""
    results: list[SubmissionResult]
    """One result for each requested persona, in the order of `persona_ids`."""
    status: Literal["pending"]
    """Always `pending` for a new topic."""
    created_at: str
    """When the topic was created: ISO 8601, UTC."""


class TopicCommentaries(TypedDict):
    """A topic's ready commentaries."""

    topic_id: str
    """The topic's id."""
    external_reference: NotRequired[str]
    """Your own identifier of the topic. Omitted if you sent none."""
    content: str
    """The topic's text, trimmed."""
    metadata: dict[str, Any]
    """Your own data, as you sent it. `{}` if you sent none."""
    output_types: list[Literal["text", "audio", "video"]]
    """The requested output types."""
    commentaries: list[CommentaryEntry]
    """Only the commentaries that are ready. Empty if there are none."""


class TopicCompletedEvent(TypedDict):
    """Every assignment of the topic is approved or has failed. Sent once for each topic, after the event
    of its last assignment. Audio and video may follow, with `media.ready`.
    """

    id: str
    """The event's id, the same in every delivery: `evt_` and a UUID."""
    type: Literal["topic.completed"]
    """The event's type."""
    timestamp: str
    """When the event happened: ISO 8601, UTC."""
    sequence: int
    """Increases with every event of the same `share_id`. It is always 1 in `topic.completed`."""
    data: TopicCompletedEventData


class TopicCompletedEventData(TypedDict):
    """The topic of the event. There is no `share_id`, because the event is about all assignments."""

    topic_id: str
    """The topic's id."""
    external_reference: str | None
    """Your own identifier of the topic. Null if you sent none."""
    metadata: dict[str, Any]
    """Your own data, as you sent it. `{}` if you sent none."""
    topic: EventTopic


class TopicDetail(TypedDict):
    """A topic with the results of all its personas."""

    topic_id: str
    """The topic's id."""
    external_reference: NotRequired[str]
    """Your own identifier of the topic. Omitted if you sent none."""
    content: str
    """The topic's text, trimmed."""
    metadata: dict[str, Any]
    """Your own data, as you sent it. `{}` if you sent none."""
    output_types: list[Literal["text", "audio", "video"]]
    """The requested output types."""
    webhook_ids: NotRequired[list[str]]
    """The webhooks that receive this topic's events. Omitted if all of them do."""
    status: Literal["pending", "in_progress", "partial", "completed"]
    """`pending`: waiting for creators; `in_progress`: at least one commentary is in progress; `partial`:
    some commentaries are ready; `completed`: no further commentary will come.
    """
    created_at: str
    """When the topic was created: ISO 8601, UTC."""
    commentaries: list[TopicEntry]
    """One entry for each persona of the topic, in the order of submission."""
    summary: OutcomeSummary


class TopicEntry(TypedDict):
    """The result of one persona."""

    share_id: str
    """The id of the assignment of the topic to this persona."""
    persona_id: str
    """The persona's id."""
    persona_name: str
    """The persona's display name."""
    persona_image: str
    """The URL of the persona's picture."""
    status: Literal["completed", "pending", "failed"]
    """`completed`: the commentary is ready; `pending`: it may still come; `failed`: no commentary will
    come, see `failure`.
    """
    commentary: Commentary | None
    """The commentary. Null unless the status is `completed`."""
    failure: Failure | None
    """Why no commentary will come. Null if one came or still can."""


class TopicList(TypedDict):
    """One page of topics."""

    success: Literal[True]
    """Always true for a successful response."""
    data: list[TopicSummary]
    """The topics of this page."""
    pagination: Pagination


class TopicProgress(TypedDict):
    """The status of a topic and of each of its personas."""

    topic_id: str
    """The topic's id."""
    external_reference: NotRequired[str]
    """Your own identifier of the topic. Omitted if you sent none."""
    content: str
    """The topic's text, trimmed."""
    metadata: dict[str, Any]
    """Your own data, as you sent it. `{}` if you sent none."""
    output_types: list[Literal["text", "audio", "video"]]
    """The requested output types."""
    overall_status: Literal["pending", "in_progress", "partial", "completed"]
    """`pending`: waiting for creators; `in_progress`: at least one commentary is in progress; `partial`:
    some commentaries are ready; `completed`: no further commentary will come.
    """
    created_at: str
    """When the topic was created: ISO 8601, UTC."""
    personas: list[PersonaProgress]
    """One entry for each persona of the topic, in the order of submission."""
    summary: ProgressSummary


class TopicSummary(TypedDict):
    """A topic in a list."""

    topic_id: str
    """The topic's id."""
    external_reference: NotRequired[str]
    """Your own identifier of the topic. Omitted if you sent none."""
    content: str
    """The topic's text, trimmed."""
    metadata: dict[str, Any]
    """Your own data, as you sent it. `{}` if you sent none."""
    output_types: list[Literal["text", "audio", "video"]]
    """The requested output types."""
    status: Literal["pending", "in_progress", "partial", "completed"]
    """`pending`: waiting for creators; `in_progress`: at least one commentary is in progress; `partial`:
    some commentaries are ready; `completed`: no further commentary will come.
    """
    commentaries_ready: int
    """The number of commentaries that are ready to fetch."""
    total_personas: int
    """The number of personas of the topic."""
    created_at: str
    """When the topic was created: ISO 8601, UTC."""


class Unauthorized(TypedDict):
    """The API key, or the dashboard's token, is missing or invalid."""

    success: Literal[False]
    """False for every error."""
    error: UnauthorizedError


class UnauthorizedError(TypedDict):
    """The API key, or the dashboard's token, is missing or invalid."""

    code: Literal["unauthorized"]
    """The error code for your program. Its meaning never changes."""
    message: str
    """An explanation for people, in one sentence. The text may change."""


class UsagePeriod(TypedDict):
    """The current billing period."""

    start: str
    """The start of the billing period, a calendar month in UTC."""
    end: str
    """The start of the next period, when quotas are reset."""


class UsageUsage(TypedDict):
    """The usage in the period so far."""

    topics_created: int
    """Topics created in the period."""
    commentaries_generated: int
    """Assignments whose first draft was generated in the period."""
    api_calls: int
    """Authenticated requests in the period. The count can be up to five seconds late."""


class UsageQuotas(TypedDict):
    """The limits of the organization, from its plan or set individually."""

    topics_per_month: int
    """Topics that can be created in a period."""
    commentaries_per_month: int
    """Commentaries that can be requested in a period."""
    api_calls_per_hour: int
    """Requests that each key can make in an hour."""


class UsageRemaining(TypedDict):
    """What is left of the monthly quotas. A test key gets these counts too, but no quota applies in the
    test environment.
    """

    topics: int
    """Topics that can still be created in the period."""
    commentaries: int
    """Commentaries that can still be requested. Each `sent` persona reserves one, which returns to the
    quota if no commentary comes.
    """


class Usage(TypedDict):
    period: UsagePeriod
    """The current billing period."""
    usage: UsageUsage
    """The usage in the period so far."""
    quotas: UsageQuotas
    """The limits of the organization, from its plan or set individually."""
    remaining: UsageRemaining
    """What is left of the monthly quotas. A test key gets these counts too, but no quota applies in the
    test environment.
    """


class Webhook(TypedDict):
    id: str
    """The webhook's id."""
    url: str
    """The URL that events are sent to, as you sent it."""
    events: list[Literal["creator.approved", "partner.approved", "commentary.failed", "media.ready", "topic.completed"]]
    """The event types that the webhook receives, as you sent them."""
    status: Literal["active", "paused", "disabled"]
    """`active`; `paused`: you paused it; `disabled`: the service disabled it, because it failed for too
    long. Events for a webhook that is not active are held. Events for an active webhook that failed
    often recently are held too; its deliveries show when it is tried again.
    """
    consecutive_failures: int
    """The number of consecutive failed attempts of all deliveries. 0 after a success, or when you set
    `active`.
    """
    last_delivery_at: str | None
    """When the last event was sent. Null before the first event."""
    created_at: str
    """ISO 8601, UTC, with milliseconds."""
    updated_at: str
    """When you last changed the webhook. Deliveries do not change it."""
    disabled_reason: str | None
    """Why the service disabled the webhook, in one sentence: the error of the last attempt. Null unless
    the status is `disabled`.
    """
    disabled_at: str | None
    """When the service disabled the webhook: ISO 8601, UTC. Null unless the status is `disabled`."""
    circuit: Circuit
    held_count: int
    """The number of events that are held because the webhook is not active or its circuit is open. At
    most 1000 are counted.
    """


class WebhookTest(TypedDict):
    success: bool
    """Whether your endpoint responded with a 2xx status. False is a test result, not an error of this
    request.
    """
    test_event_id: str
    """The id of the test event, which your endpoint received in `webhook-id`: `evt_test_` and a UUID."""
    delivery_status: Literal["delivered", "failed"]
    """The result of the delivery."""
    response_code: int | None
    """The HTTP status of your endpoint's response. Null if there was no response."""
    error: str | None
    """Why the delivery failed, in one sentence. Null if it succeeded."""


Event = Union[CreatorApprovedEvent, PartnerApprovedEvent, CommentaryFailedEvent, MediaReadyEvent, TopicCompletedEvent]
"""The result of one assignment, or of a topic. Later versions may add types: ignore those that you
do not know.
"""
