"""Types of requests and responses. Generated from docs/openapi.json: npm run describe."""

from __future__ import annotations

from typing import Any, Literal, NotRequired, TypedDict, Union


class AdvanceAssignment(TypedDict):
    action: NotRequired[Literal["respond", "generate", "approve", "decline", "expire", "fail", "withdraw"]]
    """What happens; without it, the next step of the assignment's persona or magic word. `respond`,
    `decline`, `approve` and `withdraw` are the creator's; `generate` and `fail` the generator's;
    `expire` lets the open window close: nobody responded, or nobody approved.
    """


class AnsweredAttempt(TypedDict):
    """One request to your endpoint, and what it answered."""

    kind: Literal["scheduled", "manual", "probe"]
    """`scheduled`: by the retry schedule; `manual`: you asked for it; `probe`: whether your endpoint is
    back after many failures. Only scheduled ones count towards the schedule's 10.
    """
    at: str
    """When it was begun: ISO 8601, UTC."""
    duration_ms: int
    """How long it took, from the name's look-up to the end of the answer."""
    response_code: int | None
    """The HTTP status of your endpoint's answer; null when no answer came."""
    error_class: Literal["dns", "refused", "reset", "tls", "timeout", "http", "blocked", "unsigned"] | None
    """Null when it succeeded. `dns`, `refused`, `reset`, `tls`, `timeout`: how far we got; `http`: an
    answer other than 2xx, or none that is HTTP; `blocked`: the address is not public; `unsigned`: we
    could not sign, and sent nothing.
    """
    error: str | None
    """Why it failed, in one sentence; null when it succeeded."""
    response_excerpt: str | None
    """The first KiB of the answer, as text; null when none came."""


class ApiKeySummary(TypedDict):
    id: str
    """Names the key; it is no secret."""
    name: str
    """What the key is for: one line that people read."""
    key_prefix: str
    """The key's first characters: enough to recognize it, not to use it."""
    scopes: list[Literal["personas:read", "topics:submit", "topics:read", "usage:read", "webhooks:read", "webhooks:write"]]
    """What the key may do."""
    environment: Literal["live", "test"]
    """`live`, or `test`: such a key sees test data only."""
    ip_whitelist: list[str]
    """The addresses that the key may be used from: IPv4 and IPv6 addresses and CIDR ranges, as they were
    given. Empty: any address.
    """
    expires_at: str | None
    """The first moment at which the key is refused; null: it does not expire."""
    created_at: str
    """ISO 8601, UTC, with milliseconds."""
    last_used_at: str | None
    """The key's last request, give or take some seconds; null before its first."""
    revoked_at: str | None
    """From when on the key is refused; null: it was neither rotated nor revoked."""


class ApprovalTime(TypedDict):
    """From the first draft to the creator's approval, further drafts included."""

    count: int
    """How many were measured: requests that have got so far."""
    median: float | None
    """Seconds that half of them did not exceed; null where `count` is 0."""
    p90: float | None
    """Seconds that 90 % of them did not exceed; null where `count` is 0."""


class BulkCreated(TypedDict):
    index: int
    """The place of the topic in the request, from 0."""
    status: Literal["created"]
    """The topic was taken."""
    topic: Topic


class BulkRefused(TypedDict):
    index: int
    """The place of the topic in the request, from 0."""
    status: Literal["refused"]
    """Nothing of the topic was stored."""
    error: InvalidRequestError | NoValidPersonasError | RateLimitExceededError
    """The `error` that POST /topics would have answered; fields are named as `topics[3].content`."""


class BulkResults(TypedDict):
    results: list[BulkCreated | BulkRefused]
    """One for each topic, in the order of the request."""


class BulkTopics(TypedDict):
    topics: list[CreateTopic]
    """Each as in POST /topics, at most 1000 persona ids in all. They are taken in this order."""


class ChangeApiKey(TypedDict):
    name: NotRequired[str]
    """What the key is for: one line that people can read, without control characters. Spaces around it
    are dropped.
    """
    ip_whitelist: NotRequired[list[str]]
    """The addresses that the key may be used from: IPv4 and IPv6 addresses and CIDR ranges, as they were
    given. Empty: any address.
    """


class ChangeWebhook(TypedDict):
    url: NotRequired[str]
    """An `https:` address of a public server, without user name, password and fragment. Events are sent
    to it by POST; redirects are not followed.
    """
    events: NotRequired[list[Literal["creator.approved", "partner.approved", "commentary.failed", "media.ready", "topic.completed"]]]
    """The event types that are sent to it, each once."""
    status: NotRequired[Literal["active", "paused"]]
    """`paused` holds events back; `active` sends them again, forgets the failures, and brings back a
    webhook that was disabled. Set it on an active webhook that failed often, and what is held goes
    out at once.
    """


class Circuit(TypedDict):
    """Whether the endpoint is believed to answer."""

    state: Literal["closed", "open"]
    """`open`: it failed often of late, so events are held and one is tried from time to time."""
    open_until: str | None
    """When the next event is tried: ISO 8601, UTC. Null while `closed`, and when one is tried now."""


class Commentary(TypedDict):
    """A commentary that its creator approved."""

    id: str
    """The commentary's id."""
    content: str
    """The approved text."""
    audio_url: str | None
    """The audio of the approved text; null until there is one."""
    video_url: str | None
    """The video of the approved text; null until there is one."""
    approved_at: str
    """When the creator approved it: ISO 8601, UTC."""
    partner_approved_at: str | None
    """When your organization accepted the commentary for publication; null before."""


class CommentaryEntry(TypedDict):
    """One commentary and who speaks in it."""

    commentary_id: str
    """The commentary's id."""
    persona: CommentaryPersona
    content: str
    """The approved text."""
    audio_url: str | None
    """The audio of the approved text; null until there is one."""
    video_url: str | None
    """The video of the approved text; null until there is one."""
    approved_at: str
    """When the creator approved it: ISO 8601, UTC."""
    partner_approved_at: str | None
    """When your organization accepted the commentary for publication; null before."""


class CommentaryFailedEvent(TypedDict):
    """It is certain that no commentary will come."""

    id: str
    """The event's id, the same in every delivery: `evt_` and a UUID."""
    type: Literal["commentary.failed"]
    """What happened."""
    timestamp: str
    """When it happened: ISO 8601, UTC."""
    sequence: int
    """Increases with every event about one persona's part. Always 1 of `topic.completed`."""
    data: CommentaryFailedEventData


class CommentaryFailedEventData(TypedDict):
    """The part that it is about, and why."""

    topic_id: str
    """The topic's id."""
    external_reference: str | None
    """Your own identifier of the topic; null when none was given."""
    metadata: dict[str, Any]
    """The partner's own data, returned as it was sent; `{}` when none was sent."""
    share_id: str
    """The id of this persona's part in this topic."""
    persona: EventPersona
    status: Literal["topic_sent", "opinion_injected", "commentary_generated", "creator_approved", "declined", "expired"]
    """`topic_sent`: waiting for the creator; `opinion_injected`: the draft is being written;
    `commentary_generated`: waiting for approval; `creator_approved`: ready to fetch; `declined` and
    `expired`: nothing will come.
    """
    topic: EventTopic
    reason: Literal["declined", "expired", "generation_failed", "approval_timeout", "withdrawn", "cancelled"]
    """Why no commentary will come, as in `failure.reason`."""


class CommentaryPersona(TypedDict):
    """Who speaks."""

    id: str
    """The persona's id."""
    name: str
    """The persona's display name."""
    image_url: str
    """The address of the persona's picture."""


class CommentaryWithMedia(TypedDict):
    """An approved commentary, with the URL of each file that is ready."""

    id: str
    """The commentary's id."""
    content: str
    """The approved text."""
    audio_url: str | None
    """The audio of the approved text; null until there is one."""
    video_url: str | None
    """The video of the approved text; null until there is one."""
    approved_at: str
    """When the creator approved it: ISO 8601, UTC."""
    partner_approved_at: str | None
    """When your organization accepted the commentary for publication; null before."""


class CreateApiKey(TypedDict):
    name: str
    """What the key is for: one line that people can read, without control characters. Spaces around it
    are dropped.
    """
    scopes: list[Literal["personas:read", "topics:submit", "topics:read", "usage:read", "webhooks:read", "webhooks:write"]]
    """What the key may do."""
    environment: NotRequired[Literal["live", "test"]]
    """The environment that the key is for; `live` if you leave it out."""
    ip_whitelist: NotRequired[list[str]]
    """The addresses that the key may be used from: IPv4 and IPv6 addresses and CIDR ranges, as they were
    given. Empty: any address.
    """
    expires_at: NotRequired[str]
    """The first moment at which the key is refused. It must lie in the future."""


class CreateTopic(TypedDict):
    """What to ask, and whom."""

    content: str
    """The topic: a short question, statement or prompt. 10 to 500 characters (Unicode code points) after
    trimming; a length of 100 or less is always accepted. It holds something that can be read, and no
    control characters but tabs and line ends.
    """
    persona_ids: list[str]
    """Whom to ask. Personas without an active license are answered `not_licensed`; an id that is given
    twice is sent once.
    """
    external_reference: NotRequired[str]
    """Your own identifier, to find the topic by. Case-sensitive; several topics may carry the same one."""
    output_types: NotRequired[list[Literal["text", "audio", "video"]]]
    """In which forms the commentary is wanted; `text` alone if you leave it out. Text is always
    produced.
    """
    metadata: NotRequired[dict[str, Any]]
    """Your own data, returned with the topic and in webhooks. At most 16 KiB as JSON, at most 32 levels
    deep.
    """
    webhook_ids: NotRequired[list[str]]
    """Which of your webhooks receive this topic's events; all of them if you leave it out, and none with
    an empty list. Each is a webhook of the key's environment. `GET /events` lists the events in any
    case.
    """
    respond_by: NotRequired[str]
    """Until when creators can respond: ISO 8601 with a zone, 1 hour to 14 days ahead; a deployment can
    set another limit than 14 days. If you leave it out, they have 48 hours from the mail.
    """


class CreatedApiKey(TypedDict):
    id: str
    """Names the key; it is no secret."""
    name: str
    """What the key is for: one line that people read."""
    full_key: str
    """The key itself, shown in this answer only: it cannot be shown again."""
    key_prefix: str
    """The key's first characters: enough to recognize it, not to use it."""
    scopes: list[Literal["personas:read", "topics:submit", "topics:read", "usage:read", "webhooks:read", "webhooks:write"]]
    """What the key may do."""
    created_at: str
    """ISO 8601, UTC, with milliseconds."""
    environment: Literal["live", "test"]
    """`live`, or `test`: such a key sees test data only."""
    ip_whitelist: list[str]
    """The addresses that the key may be used from: IPv4 and IPv6 addresses and CIDR ranges, as they were
    given. Empty: any address.
    """
    expires_at: str | None
    """The first moment at which the key is refused; null: it does not expire."""


class CreatorApprovedEvent(TypedDict):
    """A commentary became ready to fetch."""

    id: str
    """The event's id, the same in every delivery: `evt_` and a UUID."""
    type: Literal["creator.approved"]
    """What happened."""
    timestamp: str
    """When it happened: ISO 8601, UTC."""
    sequence: int
    """Increases with every event about one persona's part. Always 1 of `topic.completed`."""
    data: CreatorApprovedEventData


class CreatorApprovedEventData(TypedDict):
    """The part that it is about, with its commentary as it was then."""

    topic_id: str
    """The topic's id."""
    external_reference: str | None
    """Your own identifier of the topic; null when none was given."""
    metadata: dict[str, Any]
    """The partner's own data, returned as it was sent; `{}` when none was sent."""
    share_id: str
    """The id of this persona's part in this topic."""
    persona: EventPersona
    status: Literal["topic_sent", "opinion_injected", "commentary_generated", "creator_approved", "declined", "expired"]
    """`topic_sent`: waiting for the creator; `opinion_injected`: the draft is being written;
    `commentary_generated`: waiting for approval; `creator_approved`: ready to fetch; `declined` and
    `expired`: nothing will come.
    """
    topic: EventTopic
    commentary: Commentary


class CursorPagination(TypedDict):
    """Where this page lies in the list."""

    limit: int
    """The page's size."""
    next_cursor: str | None
    """Send it as `cursor` for the next page; null on the last. Never null in a list of events with
    `order=asc`.
    """


class Delivery(TypedDict):
    """One event on its way to one webhook."""

    id: str
    """The delivery's id within its webhook: the event's, without `evt_`."""
    webhook_id: str
    """The webhook that it goes to."""
    event_id: str
    """The event, as your endpoint gets it in `webhook-id`: `evt_` and a UUID."""
    type: Literal["creator.approved", "partner.approved", "commentary.failed", "media.ready", "topic.completed"]
    """What happened."""
    topic_id: str
    """The topic's id."""
    share_id: str
    """The persona's part in the topic that it is about; of `topic.completed`, the one that came last."""
    status: Literal["pending", "held", "delivered", "failed"]
    """`pending`: an attempt is planned or under way; `held`: it waits until the webhook is active again,
    or your endpoint is back after many failures, and spends no attempt; `delivered`; `failed`: its
    attempts are used up.
    """
    created_at: str
    """When the event happened: ISO 8601, UTC."""
    next_attempt_at: str | None
    """When the next attempt is due. Null while one is under way, while the webhook is paused or
    disabled, and when none is planned. Of a delivery that is held because your endpoint failed often,
    the moment at which one of those that wait is tried to see whether it is back.
    """
    settled_at: str | None
    """When it first arrived, or was given up; null before."""
    attempt_count: int
    """Attempts made so far, of every kind."""
    attempts: list[DeliveryAttempt]
    """The last 10 attempts at most, oldest first."""


class DeliveryAttempt(TypedDict):
    """One request to your endpoint."""

    kind: Literal["scheduled", "manual", "probe"]
    """`scheduled`: by the retry schedule; `manual`: you asked for it; `probe`: whether your endpoint is
    back after many failures. Only scheduled ones count towards the schedule's 10.
    """
    at: str
    """When it was begun: ISO 8601, UTC."""
    duration_ms: int
    """How long it took, from the name's look-up to the end of the answer."""
    response_code: int | None
    """The HTTP status of your endpoint's answer; null when no answer came."""
    error_class: Literal["dns", "refused", "reset", "tls", "timeout", "http", "blocked", "unsigned"] | None
    """Null when it succeeded. `dns`, `refused`, `reset`, `tls`, `timeout`: how far we got; `http`: an
    answer other than 2xx, or none that is HTTP; `blocked`: the address is not public; `unsigned`: we
    could not sign, and sent nothing.
    """
    error: str | None
    """Why it failed, in one sentence; null when it succeeded."""


class DeliveryDetail(TypedDict):
    """One event on its way to one webhook, with the answers."""

    id: str
    """The delivery's id within its webhook: the event's, without `evt_`."""
    webhook_id: str
    """The webhook that it goes to."""
    event_id: str
    """The event, as your endpoint gets it in `webhook-id`: `evt_` and a UUID."""
    type: Literal["creator.approved", "partner.approved", "commentary.failed", "media.ready", "topic.completed"]
    """What happened."""
    topic_id: str
    """The topic's id."""
    share_id: str
    """The persona's part in the topic that it is about; of `topic.completed`, the one that came last."""
    status: Literal["pending", "held", "delivered", "failed"]
    """`pending`: an attempt is planned or under way; `held`: it waits until the webhook is active again,
    or your endpoint is back after many failures, and spends no attempt; `delivered`; `failed`: its
    attempts are used up.
    """
    created_at: str
    """When the event happened: ISO 8601, UTC."""
    next_attempt_at: str | None
    """When the next attempt is due. Null while one is under way, while the webhook is paused or
    disabled, and when none is planned. Of a delivery that is held because your endpoint failed often,
    the moment at which one of those that wait is tried to see whether it is back.
    """
    settled_at: str | None
    """When it first arrived, or was given up; null before."""
    attempt_count: int
    """Attempts made so far, of every kind."""
    attempts: list[AnsweredAttempt]
    """The last 100 attempts at most, oldest first, with what your endpoint answered."""
    payload: Event


class DeliveryList(TypedDict):
    """One page of deliveries, newest event first."""

    success: Literal[True]
    """True for every answer that is no error."""
    data: list[Delivery]
    """This page's deliveries, newest event first."""
    pagination: CursorPagination


class DuplicateOf(TypedDict):
    """Of a duplicate: the sending that it repeats."""

    topic_id: str
    """The topic that was sent first."""
    share_id: str
    """The id of the persona's part in that topic."""


class EventList(TypedDict):
    """One page of events."""

    success: Literal[True]
    """True for every answer that is no error."""
    data: list[Event]
    """This page's events, newest first, or oldest first with `order=asc`."""
    pagination: CursorPagination


class EventPersona(TypedDict):
    """The persona that it is about."""

    id: str
    """The persona's id."""
    name: str
    """The persona's display name."""


class EventTopic(TypedDict):
    """The topic as it is after this event."""

    status: Literal["pending", "in_progress", "partial", "completed"]
    """`pending`: waiting for creators; `in_progress`: at least one works; `partial`: some commentaries
    are ready; `completed`: nothing more will come.
    """
    summary: OutcomeSummary


class Failure(TypedDict):
    """Why no commentary will come."""

    reason: Literal["declined", "expired", "generation_failed", "approval_timeout", "withdrawn", "cancelled"]
    """`declined` or `withdrawn` by the creator; `expired`: no answer in time; `generation_failed`: no
    draft could be written; `approval_timeout`: no approval in time; `cancelled`: your organization
    cancelled the topic before the creator answered.
    """
    at: str
    """When it was settled: ISO 8601, UTC."""


class GenerationTime(TypedDict):
    """From the perspective to the first draft, failed attempts included."""

    count: int
    """How many were measured: requests that have got so far."""
    median: float | None
    """Seconds that half of them did not exceed; null where `count` is 0."""
    p90: float | None
    """Seconds that 90 % of them did not exceed; null where `count` is 0."""


class InternalError(TypedDict):
    """The server failed. The message names the request id."""

    success: Literal[False]
    """False for every error."""
    error: InternalErrorError


class InternalErrorError(TypedDict):
    """The server failed. The message names the request id."""

    code: Literal["internal_error"]
    """The code to decide by; it never changes its meaning."""
    message: str
    """One sentence for a person. Its words may change."""


class InvalidRequest(TypedDict):
    """The body or a parameter is invalid."""

    success: Literal[False]
    """False for every error."""
    error: InvalidRequestError


class InvalidRequestErrorDetails(TypedDict):
    """The first problem, and all of them."""

    field: str
    """Where: a path into the body, or the parameter's name."""
    constraint: str
    """What would be right."""
    errors: list[Problem]
    """All problems, the first one included; 100 at most."""


class InvalidRequestError(TypedDict):
    """The body or a parameter is invalid."""

    code: Literal["invalid_request"]
    """The code to decide by; it never changes its meaning."""
    message: str
    """One sentence for a person. Its words may change."""
    details: InvalidRequestErrorDetails
    """The first problem, and all of them."""


class IpRestrictedError(TypedDict):
    """The API key may not be used from this address."""

    code: Literal["ip_restricted"]
    """The code to decide by; it never changes its meaning."""
    message: str
    """One sentence for a person. Its words may change."""


class KeyExpiredError(TypedDict):
    """The API key has expired."""

    code: Literal["key_expired"]
    """The code to decide by; it never changes its meaning."""
    message: str
    """One sentence for a person. Its words may change."""


class KeyRevokedError(TypedDict):
    """The API key was revoked."""

    code: Literal["key_revoked"]
    """The code to decide by; it never changes its meaning."""
    message: str
    """One sentence for a person. Its words may change."""


class MeOrganization(TypedDict):
    """The organization that the key belongs to."""

    id: str
    """The organization's id."""
    name: str
    """The organization's name."""


class MeKey(TypedDict):
    """The key of this request."""

    id: str
    """Names the key; it is no secret."""
    name: str
    """What the key is for: one line that people read."""
    key_prefix: str
    """The key's first characters: enough to recognize it, not to use it."""


class Me(TypedDict):
    """A key as it is in force."""

    organization: MeOrganization
    """The organization that the key belongs to."""
    key: MeKey
    """The key of this request."""
    environment: Literal["live", "test"]
    """`live`, or `test`: such a key sees test data only."""
    scopes: list[Literal["personas:read", "topics:submit", "topics:read", "usage:read", "webhooks:read", "webhooks:write"]]
    """What the key may do: some of `personas:read`, `topics:submit`, `topics:read`, `usage:read`,
    `webhooks:read`, `webhooks:write`.
    """
    ip_whitelist: list[str]
    """The addresses that the key may be used from: IPv4 and IPv6 addresses and CIDR ranges, as they were
    given. Empty: any address.
    """
    expires_at: str | None
    """The first moment at which the key is refused; null: it does not expire."""
    revoked_at: str | None
    """From when on the key is refused; null: it was neither rotated nor revoked."""
    windows: list[RateWindow]
    """The windows that count every request of the key."""


class MediaReadyEvent(TypedDict):
    """The audio or video of an approved commentary became ready, once for each file."""

    id: str
    """The event's id, the same in every delivery: `evt_` and a UUID."""
    type: Literal["media.ready"]
    """What happened."""
    timestamp: str
    """When it happened: ISO 8601, UTC."""
    sequence: int
    """Increases with every event about one persona's part. Always 1 of `topic.completed`."""
    data: MediaReadyEventData


class MediaReadyEventData(TypedDict):
    """The part that it is about, with its commentary as it was then."""

    topic_id: str
    """The topic's id."""
    external_reference: str | None
    """Your own identifier of the topic; null when none was given."""
    metadata: dict[str, Any]
    """The partner's own data, returned as it was sent; `{}` when none was sent."""
    share_id: str
    """The id of this persona's part in this topic."""
    persona: EventPersona
    status: Literal["topic_sent", "opinion_injected", "commentary_generated", "creator_approved", "declined", "expired"]
    """`topic_sent`: waiting for the creator; `opinion_injected`: the draft is being written;
    `commentary_generated`: waiting for approval; `creator_approved`: ready to fetch; `declined` and
    `expired`: nothing will come.
    """
    topic: EventTopic
    output_type: Literal["audio", "video"]
    """Which file became ready: its URL is in `commentary`."""
    commentary: CommentaryWithMedia


class NoValidPersonasError(TypedDict):
    """None of the requested personas could be sent to. Nothing was stored."""

    code: Literal["no_valid_personas"]
    """The code to decide by; it never changes its meaning."""
    message: str
    """One sentence for a person. Its words may change."""
    details: list[SubmissionResult]
    """One for each requested persona, in request order."""


class NotFound(TypedDict):
    """There is no such resource."""

    success: Literal[False]
    """False for every error."""
    error: NotFoundError


class NotFoundError(TypedDict):
    """There is no such resource."""

    code: Literal["not_found"]
    """The code to decide by; it never changes its meaning."""
    message: str
    """One sentence for a person. Its words may change."""


class NotLicensed(TypedDict):
    """The organization holds no active license for the persona."""

    success: Literal[False]
    """False for every error."""
    error: NotLicensedError


class NotLicensedErrorDetails(TypedDict):
    """Which persona."""

    persona_id: str
    """The persona's id."""


class NotLicensedError(TypedDict):
    """The organization holds no active license for the persona."""

    code: Literal["not_licensed"]
    """The code to decide by; it never changes its meaning."""
    message: str
    """One sentence for a person. Its words may change."""
    details: NotLicensedErrorDetails
    """Which persona."""


class OutcomeCounts(TypedDict):
    """How many requests came to what, as of now."""

    sent: int
    """Requests sent to creators in the period: the sum of all that follow."""
    pending: int
    """More may still come."""
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
    """How many personas stand where."""

    total_personas: int
    """All personas of it."""
    completed: int
    """Those whose commentary is here."""
    pending: int
    """Those whose commentary may still come."""
    failed: int
    """Those whose commentary will not come."""


class OverallPerformance(TypedDict):
    """All personas together."""

    counts: OutcomeCounts
    response_time: ResponseTime
    generation_time: GenerationTime
    approval_time: ApprovalTime


class Pagination(TypedDict):
    """Where this page lies in the list."""

    limit: int
    """The page's size."""
    offset: int
    """How many topics were skipped; 0 with a cursor."""
    total: int
    """How many topics there are on all pages; with other filters than `status` at most 10000 are
    counted.
    """
    next_cursor: str | None
    """Send it as `cursor` for the next page; null on the last."""


class PartnerApprovedCommentary(TypedDict):
    """A commentary that the partner accepted for publication."""

    commentary_id: str
    """The commentary's id."""
    persona: CommentaryPersona
    content: str
    """The approved text."""
    audio_url: str | None
    """The audio of the approved text; null until there is one."""
    video_url: str | None
    """The video of the approved text; null until there is one."""
    approved_at: str
    """When the creator approved it: ISO 8601, UTC."""
    partner_approved_at: str
    """When your organization first accepted the commentary for publication. It never changes."""
    topic_id: str
    """The topic that the commentary is about."""
    share_id: str
    """The persona's part in the topic."""


class PartnerApprovedEvent(TypedDict):
    """You accepted a commentary for publication."""

    id: str
    """The event's id, the same in every delivery: `evt_` and a UUID."""
    type: Literal["partner.approved"]
    """What happened."""
    timestamp: str
    """When it happened: ISO 8601, UTC."""
    sequence: int
    """Increases with every event about one persona's part. Always 1 of `topic.completed`."""
    data: PartnerApprovedEventData


class PartnerApprovedEventData(TypedDict):
    """The part that it is about, with its commentary as it was then."""

    topic_id: str
    """The topic's id."""
    external_reference: str | None
    """Your own identifier of the topic; null when none was given."""
    metadata: dict[str, Any]
    """The partner's own data, returned as it was sent; `{}` when none was sent."""
    share_id: str
    """The id of this persona's part in this topic."""
    persona: EventPersona
    status: Literal["topic_sent", "opinion_injected", "commentary_generated", "creator_approved", "declined", "expired"]
    """`topic_sent`: waiting for the creator; `opinion_injected`: the draft is being written;
    `commentary_generated`: waiting for approval; `creator_approved`: ready to fetch; `declined` and
    `expired`: nothing will come.
    """
    topic: EventTopic
    commentary: Commentary


class PerformanceReport(TypedDict):
    period: ReportingPeriod
    overall: OverallPerformance
    personas: list[PersonaPerformance]
    """Each persona that was sent a request in the period, by name."""


class Persona(TypedDict):
    """A persona in full."""

    id: str
    """The persona's id."""
    name: str
    """The persona's display name."""
    image_url: str
    """The address of the persona's picture."""
    bio: str
    """The full biography; `""` when there is none."""
    expertise: list[str]
    """What the persona speaks about."""
    social_links: dict[str, str]
    """Platform name to address."""


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
    """Where one persona stands."""

    share_id: str
    """The id of this persona's part in this topic."""
    persona_id: str
    """The persona's id."""
    persona_name: str
    """The persona's display name."""
    status: Literal["topic_sent", "opinion_injected", "commentary_generated", "creator_approved", "declined", "expired"]
    """`topic_sent`: waiting for the creator; `opinion_injected`: the draft is being written;
    `commentary_generated`: waiting for approval; `creator_approved`: ready to fetch; `declined` and
    `expired`: nothing will come.
    """
    status_updated_at: str
    """When the status last changed: ISO 8601, UTC."""
    has_commentary: bool
    """True when the commentary is ready to fetch."""
    failure: Failure | None
    """Why no commentary will come; null while one may, or has."""
    expires_at: str | None
    """Until when the creator can answer, or approve the draft: ISO 8601, UTC. Null while no creator has
    to act, and when nothing more will come. The delivery of the request's mail and a new draft set it
    anew.
    """


class PersonaSummary(TypedDict):
    """A persona as lists show it."""

    id: str
    """The persona's id."""
    name: str
    """The persona's display name."""
    image_url: str
    """The address of the persona's picture."""


class Problem(TypedDict):
    """One thing that is wrong with a request."""

    field: str
    """Where: a path into the body, or the parameter's name."""
    constraint: str
    """What would be right."""


class ProgressSummary(TypedDict):
    """How many personas stand where. A persona that failed is counted under the status it keeps: a
    cancelled one in `topic_sent`, also when the topic is completed.
    """

    total: int
    """All personas of the topic."""
    topic_sent: int
    """Waiting for the creator."""
    opinion_injected: int
    """The creator has answered, the draft is being written."""
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
    """Which limit, and how long to wait."""

    retry_after: int
    """Seconds to wait, as in `Retry-After`."""
    limit: int
    """How many the limit allows."""
    remaining: int
    """How many are left of it."""
    quota: NotRequired[str]
    """The monthly quota that is used up, or in the test environment `test_topics` or `test_bytes`. Do
    not retry by yourself when it is here.
    """


class RateLimitExceededError(TypedDict):
    """A rate limit, a monthly quota or the test environment's storage is used up."""

    code: Literal["rate_limit_exceeded"]
    """The code to decide by; it never changes its meaning."""
    message: str
    """One sentence for a person. Its words may change."""
    details: RateLimitExceededErrorDetails
    """Which limit, and how long to wait."""


class RateWindow(TypedDict):
    """A limit on requests, and what is left of it."""

    name: str
    """The limit's name, as in `RateLimit`."""
    limit: int
    """Requests that the window allows."""
    remaining: int
    """Requests left in it, after this one."""
    window_seconds: int
    """The length of the window."""
    resets_in_seconds: int
    """Seconds until the window ends."""


class RecoverWebhook(TypedDict):
    since: str
    """Events of this moment and later ones: ISO 8601 with a zone. It lies within the last 30 days, and
    before `until`.
    """
    until: NotRequired[str]
    """Events before this moment: ISO 8601 with a zone. Now, if you leave it out."""
    dry_run: NotRequired[bool]
    """True counts only, and sends nothing."""


class Recovery(TypedDict):
    """What a recovery sends again."""

    since: str
    """Events of this moment and later ones."""
    until: str
    """Events before this moment."""
    dry_run: bool
    """True: they were counted only."""
    count: int
    """Deliveries that are sent again: `failed` and `held` together."""
    failed: int
    """Deliveries whose attempts were used up. They get all of them anew."""
    held: int
    """Deliveries that wait for the webhook. They go out when it is active again."""


class ReferenceEntry(TypedDict):
    """What came of one persona in one of the topics."""

    topic_id: str
    """The topic's id."""
    topic_content: str
    """The topic's text, trimmed."""
    share_id: str
    """The id of this persona's part in this topic."""
    persona_id: str
    """The persona's id."""
    persona_name: str
    """The persona's display name."""
    persona_image: str
    """The address of the persona's picture."""
    status: Literal["completed", "pending", "failed"]
    """`completed`: the commentary is here; `pending`: it may still come; `failed`: it will not, see
    `failure`.
    """
    commentary: Commentary | None
    """Null unless the status is `completed`."""
    failure: Failure | None
    """Why no commentary will come; null while one may, or has."""
    created_at: str
    """When the persona was asked: ISO 8601, UTC."""


class ReferenceLookup(TypedDict):
    """All that came of the topics with one reference."""

    external_reference: str
    """The reference that was asked for."""
    topic_id: str
    """The newest topic with this reference."""
    content: str
    """The newest topic's text."""
    metadata: dict[str, Any]
    """The newest topic's metadata."""
    output_types: list[Literal["text", "audio", "video"]]
    """The newest topic's output types."""
    commentaries: list[ReferenceEntry]
    """Of all topics with this reference, the newest topic first."""
    summary: OutcomeSummary
    truncated: bool
    """True when older topics carry the reference too, which are not shown."""


class RegisterWebhook(TypedDict):
    url: str
    """An `https:` address of a public server, without user name, password and fragment. Events are sent
    to it by POST; redirects are not followed.
    """
    events: list[Literal["creator.approved", "partner.approved", "commentary.failed", "media.ready", "topic.completed"]]
    """The event types that are sent to it, each once."""
    secret: NotRequired[str]
    """What events are signed with: `whsec_` and 24 to 64 bytes in base64, or any other 32 to 256
    printable ASCII characters, which are used as they are. One is made if you leave it out, which is
    best. A secret that this documentation shows is refused.
    """


class RegisteredWebhook(TypedDict):
    id: str
    """The webhook's id."""
    url: str
    """Where events are sent, as you gave it."""
    events: list[Literal["creator.approved", "partner.approved", "commentary.failed", "media.ready", "topic.completed"]]
    """The event types that are sent to it, as you gave them."""
    status: Literal["active", "paused", "disabled"]
    """`active`; `paused` by you; or `disabled` by us, because it failed for too long. Events for a
    webhook that is not active are held; so are those for an active one that failed often of late: its
    deliveries tell when it is tried again.
    """
    consecutive_failures: int
    """Failed attempts in a row, over all deliveries; 0 after a success or when you set `active`."""
    last_delivery_at: str | None
    """When an event was last sent to it; null before the first."""
    created_at: str
    """ISO 8601, UTC, with milliseconds."""
    updated_at: str
    """When you last changed it. Deliveries do not count."""
    disabled_reason: str | None
    """Why we disabled it, in one sentence: what the last attempt met. Null unless it is `disabled`."""
    disabled_at: str | None
    """When we disabled it: ISO 8601, UTC. Null unless it is `disabled`."""
    circuit: Circuit
    held_count: int
    """How many events are held for it, because it is not active or its circuit is open; 1000 at most are
    counted.
    """
    secret: str
    """What events are signed with. Shown in this answer alone: it cannot be fetched later."""


class RemovedWebhook(TypedDict):
    id: str
    """The webhook's id."""
    deleted: Literal[True]
    """Always true."""


class ReportingPeriod(TypedDict):
    """The period that was asked for."""

    start: str
    """Requests sent from this moment on."""
    end: str
    """Requests sent before this moment."""


class ResponseTime(TypedDict):
    """From the creator's mail to the creator's perspective."""

    count: int
    """How many were measured: requests that have got so far."""
    median: float | None
    """Seconds that half of them did not exceed; null where `count` is 0."""
    p90: float | None
    """Seconds that 90 % of them did not exceed; null where `count` is 0."""


class RevokedApiKey(TypedDict):
    id: str
    """Names the key; it is no secret."""
    revoked_at: str
    """From when on the key is refused. It may lie ahead: a rotated key works until then."""


class RotateApiKey(TypedDict):
    grace_period_seconds: NotRequired[int]
    """How long the old key keeps working, 86400 seconds if you leave it out. 0 where it may be
    compromised: it is refused at once.
    """


class RotateWebhookSecret(TypedDict):
    secret: NotRequired[str]
    """The new secret, in the form of `POST /webhooks`. One is made if you leave it out, which is best. A
    secret that this documentation shows is refused.
    """
    grace_period_seconds: NotRequired[int]
    """How long the old secret signs beside the new one, 86400 seconds if you leave it out. 0 where it
    may have leaked: it signs nothing more.
    """


class RotatedApiKeyReplaces(TypedDict):
    """The key that this one takes the place of."""

    id: str
    """The old key."""
    revoked_at: str
    """From when on the key is refused. It may lie ahead: a rotated key works until then."""


class RotatedApiKey(TypedDict):
    id: str
    """Names the key; it is no secret."""
    name: str
    """What the key is for: one line that people read."""
    full_key: str
    """The key itself, shown in this answer only: it cannot be shown again."""
    key_prefix: str
    """The key's first characters: enough to recognize it, not to use it."""
    scopes: list[Literal["personas:read", "topics:submit", "topics:read", "usage:read", "webhooks:read", "webhooks:write"]]
    """What the key may do."""
    created_at: str
    """ISO 8601, UTC, with milliseconds."""
    environment: Literal["live", "test"]
    """`live`, or `test`: such a key sees test data only."""
    ip_whitelist: list[str]
    """The addresses that the key may be used from: IPv4 and IPv6 addresses and CIDR ranges, as they were
    given. Empty: any address.
    """
    expires_at: str | None
    """The first moment at which the key is refused; null: it does not expire."""
    replaces: RotatedApiKeyReplaces
    """The key that this one takes the place of."""


class RotatedWebhook(TypedDict):
    id: str
    """The webhook's id."""
    url: str
    """Where events are sent, as you gave it."""
    events: list[Literal["creator.approved", "partner.approved", "commentary.failed", "media.ready", "topic.completed"]]
    """The event types that are sent to it, as you gave them."""
    status: Literal["active", "paused", "disabled"]
    """`active`; `paused` by you; or `disabled` by us, because it failed for too long. Events for a
    webhook that is not active are held; so are those for an active one that failed often of late: its
    deliveries tell when it is tried again.
    """
    consecutive_failures: int
    """Failed attempts in a row, over all deliveries; 0 after a success or when you set `active`."""
    last_delivery_at: str | None
    """When an event was last sent to it; null before the first."""
    created_at: str
    """ISO 8601, UTC, with milliseconds."""
    updated_at: str
    """When you last changed it. Deliveries do not count."""
    disabled_reason: str | None
    """Why we disabled it, in one sentence: what the last attempt met. Null unless it is `disabled`."""
    disabled_at: str | None
    """When we disabled it: ISO 8601, UTC. Null unless it is `disabled`."""
    circuit: Circuit
    held_count: int
    """How many events are held for it, because it is not active or its circuit is open; 1000 at most are
    counted.
    """
    secret: str
    """The new secret. Shown in this answer alone."""
    former_secret_expires_at: str | None
    """Until when the old secret signs too: ISO 8601, UTC. Null without a grace period."""


class ScopeDeniedError(TypedDict):
    """The API key lacks the scope that the operation needs."""

    code: Literal["scope_denied"]
    """The code to decide by; it never changes its meaning."""
    message: str
    """One sentence for a person. Its words may change."""


class SimulatedAssignment(TypedDict):
    share_id: str
    """The id of this persona's part in this topic."""
    topic_id: str
    """The topic that it is a part of."""
    persona_id: str
    """The persona that was asked."""
    persona_name: str
    """The persona's display name."""
    status: Literal["topic_sent", "opinion_injected", "commentary_generated", "creator_approved", "declined", "expired"]
    """Where it stands after the step."""
    status_updated_at: str
    """When the status last changed."""
    has_commentary: bool
    """True when the commentary is ready to be fetched."""
    failure: Failure | None
    """Why no commentary will come; null while one may, or has."""
    actions: list[Literal["respond", "generate", "approve", "decline", "expire", "fail", "withdraw"]]
    """What can happen next, the step on the way to a commentary first; empty once it is settled."""


class SubmissionResult(TypedDict):
    """What became of one requested persona."""

    persona_id: str
    """The persona's id."""
    status: Literal["sent", "not_licensed", "duplicate"]
    """`sent` to the creator; `not_licensed`: no active license; `duplicate`: the same topic was already
    sent within 24 hours (in the test environment within 60 seconds).
    """
    share_id: NotRequired[str]
    """Of a sent persona: its assignment, this persona's part in this topic."""
    duplicate_of: NotRequired[DuplicateOf]


class Topic(TypedDict):
    """The topic as it was created."""

    topic_id: str
    """The topic's id."""
    external_reference: NotRequired[str]
    """The partner's own identifier of the topic; left out when none was given."""
    content: str
    """The topic's text, trimmed."""
    metadata: dict[str, Any]
    """The partner's own data, returned as it was sent; `{}` when none was sent."""
    output_types: list[Literal["text", "audio", "video"]]
    """The requested output types."""
    webhook_ids: NotRequired[list[str]]
    """The webhooks that receive this topic's events; left out when all of them do."""
    personas_sent: int
    """How many personas will be asked."""
    results: list[SubmissionResult]
    """One for each requested persona, in the order of `persona_ids`."""
    status: Literal["pending"]
    """Always `pending` on creation."""
    created_at: str
    """When the topic was created: ISO 8601, UTC."""


class TopicCommentaries(TypedDict):
    """A topic's ready commentaries."""

    topic_id: str
    """The topic's id."""
    external_reference: NotRequired[str]
    """The partner's own identifier of the topic; left out when none was given."""
    content: str
    """The topic's text, trimmed."""
    metadata: dict[str, Any]
    """The partner's own data, returned as it was sent; `{}` when none was sent."""
    output_types: list[Literal["text", "audio", "video"]]
    """The requested output types."""
    commentaries: list[CommentaryEntry]
    """The ready ones alone; empty while there are none."""


class TopicCompletedEvent(TypedDict):
    """Every persona's part in a topic is approved or has failed. Sent once for each topic, after the
    last one's own event.
    """

    id: str
    """The event's id, the same in every delivery: `evt_` and a UUID."""
    type: Literal["topic.completed"]
    """What happened."""
    timestamp: str
    """When it happened: ISO 8601, UTC."""
    sequence: int
    """Increases with every event about one persona's part. Always 1 of `topic.completed`."""
    data: TopicCompletedEventData


class TopicCompletedEventData(TypedDict):
    """The topic that it is about. There is no `share_id`: it is about all personas."""

    topic_id: str
    """The topic's id."""
    external_reference: str | None
    """Your own identifier of the topic; null when none was given."""
    metadata: dict[str, Any]
    """The partner's own data, returned as it was sent; `{}` when none was sent."""
    topic: EventTopic


class TopicDetail(TypedDict):
    """A topic with all that came of it."""

    topic_id: str
    """The topic's id."""
    external_reference: NotRequired[str]
    """The partner's own identifier of the topic; left out when none was given."""
    content: str
    """The topic's text, trimmed."""
    metadata: dict[str, Any]
    """The partner's own data, returned as it was sent; `{}` when none was sent."""
    output_types: list[Literal["text", "audio", "video"]]
    """The requested output types."""
    webhook_ids: NotRequired[list[str]]
    """The webhooks that receive this topic's events; left out when all of them do."""
    status: Literal["pending", "in_progress", "partial", "completed"]
    """`pending`: waiting for creators; `in_progress`: at least one works; `partial`: some commentaries
    are ready; `completed`: nothing more will come.
    """
    created_at: str
    """When the topic was created: ISO 8601, UTC."""
    commentaries: list[TopicEntry]
    """One for each persona that was asked, in the order of submission."""
    summary: OutcomeSummary


class TopicEntry(TypedDict):
    """What came of one persona."""

    share_id: str
    """The id of this persona's part in this topic."""
    persona_id: str
    """The persona's id."""
    persona_name: str
    """The persona's display name."""
    persona_image: str
    """The address of the persona's picture."""
    status: Literal["completed", "pending", "failed"]
    """`completed`: the commentary is here; `pending`: it may still come; `failed`: it will not, see
    `failure`.
    """
    commentary: Commentary | None
    """Null unless the status is `completed`."""
    failure: Failure | None
    """Why no commentary will come; null while one may, or has."""


class TopicList(TypedDict):
    """One page of topics."""

    success: Literal[True]
    """True for every answer that is no error."""
    data: list[TopicSummary]
    """This page's topics."""
    pagination: Pagination


class TopicProgress(TypedDict):
    """Where a topic and each of its personas stand."""

    topic_id: str
    """The topic's id."""
    external_reference: NotRequired[str]
    """The partner's own identifier of the topic; left out when none was given."""
    content: str
    """The topic's text, trimmed."""
    metadata: dict[str, Any]
    """The partner's own data, returned as it was sent; `{}` when none was sent."""
    output_types: list[Literal["text", "audio", "video"]]
    """The requested output types."""
    overall_status: Literal["pending", "in_progress", "partial", "completed"]
    """`pending`: waiting for creators; `in_progress`: at least one works; `partial`: some commentaries
    are ready; `completed`: nothing more will come.
    """
    created_at: str
    """When the topic was created: ISO 8601, UTC."""
    personas: list[PersonaProgress]
    """One for each persona that was asked, in the order of submission."""
    summary: ProgressSummary


class TopicSummary(TypedDict):
    """A topic as lists show it."""

    topic_id: str
    """The topic's id."""
    external_reference: NotRequired[str]
    """The partner's own identifier of the topic; left out when none was given."""
    content: str
    """The topic's text, trimmed."""
    metadata: dict[str, Any]
    """The partner's own data, returned as it was sent; `{}` when none was sent."""
    output_types: list[Literal["text", "audio", "video"]]
    """The requested output types."""
    status: Literal["pending", "in_progress", "partial", "completed"]
    """`pending`: waiting for creators; `in_progress`: at least one works; `partial`: some commentaries
    are ready; `completed`: nothing more will come.
    """
    commentaries_ready: int
    """How many commentaries are ready to fetch."""
    total_personas: int
    """How many personas were asked."""
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
    """The code to decide by; it never changes its meaning."""
    message: str
    """One sentence for a person. Its words may change."""


class UsagePeriod(TypedDict):
    """The current billing period."""

    start: str
    """The first moment of the billing period, a calendar month in UTC."""
    end: str
    """The first moment of the next period, when quotas start anew."""


class UsageUsage(TypedDict):
    """What the period has seen so far."""

    topics_created: int
    """Topics created in the period."""
    commentaries_generated: int
    """Assignments whose first draft came in the period."""
    api_calls: int
    """Authenticated requests in the period. May lag by five seconds."""


class UsageQuotas(TypedDict):
    """What the organization's plan and its own limits allow."""

    topics_per_month: int
    """Topics that may be created in a period."""
    commentaries_per_month: int
    """Commentaries that may be asked for in a period."""
    api_calls_per_hour: int
    """Requests that each key may make in an hour."""


class UsageRemaining(TypedDict):
    """What is left of the monthly quotas. To a test key it counts as well, but nothing is refused in the
    test environment.
    """

    topics: int
    """Topics that may still be created in the period."""
    commentaries: int
    """Commentaries that may still be asked for: each `sent` persona holds one, and gives it back when no
    commentary comes.
    """


class Usage(TypedDict):
    period: UsagePeriod
    """The current billing period."""
    usage: UsageUsage
    """What the period has seen so far."""
    quotas: UsageQuotas
    """What the organization's plan and its own limits allow."""
    remaining: UsageRemaining
    """What is left of the monthly quotas. To a test key it counts as well, but nothing is refused in the
    test environment.
    """


class Webhook(TypedDict):
    id: str
    """The webhook's id."""
    url: str
    """Where events are sent, as you gave it."""
    events: list[Literal["creator.approved", "partner.approved", "commentary.failed", "media.ready", "topic.completed"]]
    """The event types that are sent to it, as you gave them."""
    status: Literal["active", "paused", "disabled"]
    """`active`; `paused` by you; or `disabled` by us, because it failed for too long. Events for a
    webhook that is not active are held; so are those for an active one that failed often of late: its
    deliveries tell when it is tried again.
    """
    consecutive_failures: int
    """Failed attempts in a row, over all deliveries; 0 after a success or when you set `active`."""
    last_delivery_at: str | None
    """When an event was last sent to it; null before the first."""
    created_at: str
    """ISO 8601, UTC, with milliseconds."""
    updated_at: str
    """When you last changed it. Deliveries do not count."""
    disabled_reason: str | None
    """Why we disabled it, in one sentence: what the last attempt met. Null unless it is `disabled`."""
    disabled_at: str | None
    """When we disabled it: ISO 8601, UTC. Null unless it is `disabled`."""
    circuit: Circuit
    held_count: int
    """How many events are held for it, because it is not active or its circuit is open; 1000 at most are
    counted.
    """


class WebhookTest(TypedDict):
    success: bool
    """Whether your endpoint answered with a 2xx status. False is an answer, not an error."""
    test_event_id: str
    """The id of the test event, as your endpoint got it in `webhook-id`: `evt_test_` and a UUID."""
    delivery_status: Literal["delivered", "failed"]
    """`delivered` or `failed`."""
    response_code: int | None
    """The HTTP status of your endpoint's answer; null when no answer came."""
    error: str | None
    """Why the delivery failed, in one sentence; null when it did not."""


Event = Union[CreatorApprovedEvent, PartnerApprovedEvent, CommentaryFailedEvent, MediaReadyEvent, TopicCompletedEvent]
"""What became of one persona's part in a topic, or of the topic. Later versions may add types:
ignore those that you do not know.
"""
