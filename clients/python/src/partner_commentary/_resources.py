"""The operations of the service. Generated from docs/openapi.json: npm run describe."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any, List, Literal

from . import models
from ._call import Call, RequestOptions, segment
from ._connection import AsyncConnection, Connection
from ._listing import AsyncListing, Listing


class TopicsResource:
    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def create(
        self,
        *,
        content: str,
        persona_ids: Sequence[str],
        external_reference: str | None = None,
        output_types: Sequence[Literal["text", "audio", "video"]] | None = None,
        metadata: dict[str, Any] | None = None,
        webhook_ids: Sequence[str] | None = None,
        respond_by: str | datetime | None = None,
        idempotency_key: str | None = None,
        options: RequestOptions | None = None,
    ) -> models.Topic:
        """Create a topic."""
        call = Call("POST", "/topics", body={"content": content, "persona_ids": persona_ids, "external_reference": external_reference, "output_types": output_types, "metadata": metadata, "webhook_ids": webhook_ids, "respond_by": respond_by}, idempotency_key=idempotency_key, options=options)
        result: models.Topic = self._connection.data(call)
        return result

    def list(
        self,
        *,
        status: Literal["pending", "in_progress", "partial", "completed", "pending,in_progress", "pending,partial", "in_progress,partial", "pending,completed", "in_progress,completed", "partial,completed", "pending,in_progress,partial", "pending,in_progress,completed", "pending,partial,completed", "in_progress,partial,completed", "pending,in_progress,partial,completed"] | None = None,
        external_reference: str | None = None,
        created_after: str | datetime | None = None,
        created_before: str | datetime | None = None,
        updated_after: str | datetime | None = None,
        order: Literal["asc", "desc"] | None = None,
        limit: int | None = None,
        offset: int | None = None,
        cursor: str | None = None,
        options: RequestOptions | None = None,
    ) -> Listing[models.TopicSummary, models.TopicList]:
        """List topics: iterate over all, or take `page()`."""
        query: dict[str, Any] = {"status": status, "external_reference": external_reference, "created_after": created_after, "created_before": created_before, "updated_after": updated_after, "order": order, "limit": limit, "offset": offset, "cursor": cursor}

        def fetch(position: str | None) -> models.TopicList:
            given = query if position is None else {**query, "offset": None, "cursor": position}
            call = Call("GET", "/topics", query=given, options=options)
            result: models.TopicList = self._connection.send(call)
            return result

        return Listing(fetch)

    def get(
        self,
        id: str,
        *,
        options: RequestOptions | None = None,
    ) -> models.TopicDetail:
        """Get a topic."""
        call = Call("GET", f"/topics/{segment(id)}", options=options)
        result: models.TopicDetail = self._connection.data(call)
        return result

    def status(
        self,
        id: str,
        *,
        options: RequestOptions | None = None,
    ) -> models.TopicProgress:
        """Poll a topic's status."""
        call = Call("GET", f"/topics/{segment(id)}/status", options=options)
        result: models.TopicProgress = self._connection.data(call)
        return result

    def cancel(
        self,
        id: str,
        *,
        idempotency_key: str | None = None,
        options: RequestOptions | None = None,
    ) -> models.TopicProgress:
        """Cancel a topic."""
        call = Call("POST", f"/topics/{segment(id)}/cancel", idempotency_key=idempotency_key, options=options)
        result: models.TopicProgress = self._connection.data(call)
        return result

    def commentaries(
        self,
        id: str,
        *,
        options: RequestOptions | None = None,
    ) -> models.TopicCommentaries:
        """Get a topic's commentaries."""
        call = Call("GET", f"/topics/{segment(id)}/commentaries", options=options)
        result: models.TopicCommentaries = self._connection.data(call)
        return result

    def by_reference(
        self,
        ref: str,
        *,
        options: RequestOptions | None = None,
    ) -> models.ReferenceLookup:
        """Look up commentaries by your reference."""
        call = Call("GET", f"/topics/by-reference/{segment(ref)}", options=options)
        result: models.ReferenceLookup = self._connection.data(call)
        return result

    def create_many(
        self,
        *,
        topics: Sequence[models.CreateTopic],
        idempotency_key: str | None = None,
        options: RequestOptions | None = None,
    ) -> models.BulkResults:
        """Create many topics."""
        call = Call("POST", "/topics/bulk", body={"topics": topics}, idempotency_key=idempotency_key, options=options)
        result: models.BulkResults = self._connection.data(call)
        return result

    def approve_commentary(
        self,
        id: str,
        commentary_id: str,
        *,
        idempotency_key: str | None = None,
        options: RequestOptions | None = None,
    ) -> models.PartnerApprovedCommentary:
        """Accept a commentary for publication."""
        call = Call("POST", f"/topics/{segment(id)}/commentaries/{segment(commentary_id)}/approve", idempotency_key=idempotency_key, options=options)
        result: models.PartnerApprovedCommentary = self._connection.data(call)
        return result


class PersonasResource:
    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def list(
        self,
        *,
        options: RequestOptions | None = None,
    ) -> List[models.PersonaSummary]:
        """List licensed personas."""
        call = Call("GET", "/personas", options=options)
        result: List[models.PersonaSummary] = self._connection.data(call)
        return result

    def get(
        self,
        id: str,
        *,
        options: RequestOptions | None = None,
    ) -> models.Persona:
        """Get a persona."""
        call = Call("GET", f"/personas/{segment(id)}", options=options)
        result: models.Persona = self._connection.data(call)
        return result


class UsageResource:
    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def get(
        self,
        *,
        options: RequestOptions | None = None,
    ) -> models.Usage:
        """Usage and quotas."""
        call = Call("GET", "/usage", options=options)
        result: models.Usage = self._connection.data(call)
        return result


class MetricsResource:
    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def performance(
        self,
        *,
        from_: str | datetime | None = None,
        to: str | datetime | None = None,
        options: RequestOptions | None = None,
    ) -> models.PerformanceReport:
        """Performance of creators and generation."""
        call = Call("GET", "/metrics/performance", query={"from": from_, "to": to}, options=options)
        result: models.PerformanceReport = self._connection.data(call)
        return result


class MeResource:
    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def get(
        self,
        *,
        options: RequestOptions | None = None,
    ) -> models.Me:
        """Get the key of this request."""
        call = Call("GET", "/me", options=options)
        result: models.Me = self._connection.data(call)
        return result


class WebhooksResource:
    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def create(
        self,
        *,
        url: str,
        events: Sequence[Literal["creator.approved", "partner.approved", "commentary.failed", "media.ready", "topic.completed"]],
        secret: str | None = None,
        idempotency_key: str | None = None,
        options: RequestOptions | None = None,
    ) -> models.RegisteredWebhook:
        """Register a webhook."""
        call = Call("POST", "/webhooks", body={"url": url, "events": events, "secret": secret}, idempotency_key=idempotency_key, options=options)
        result: models.RegisteredWebhook = self._connection.data(call)
        return result

    def list(
        self,
        *,
        options: RequestOptions | None = None,
    ) -> List[models.Webhook]:
        """List webhooks."""
        call = Call("GET", "/webhooks", options=options)
        result: List[models.Webhook] = self._connection.data(call)
        return result

    def get(
        self,
        id: str,
        *,
        options: RequestOptions | None = None,
    ) -> models.Webhook:
        """Get a webhook."""
        call = Call("GET", f"/webhooks/{segment(id)}", options=options)
        result: models.Webhook = self._connection.data(call)
        return result

    def update(
        self,
        id: str,
        *,
        url: str | None = None,
        events: Sequence[Literal["creator.approved", "partner.approved", "commentary.failed", "media.ready", "topic.completed"]] | None = None,
        status: Literal["active", "paused"] | None = None,
        options: RequestOptions | None = None,
    ) -> models.Webhook:
        """Change a webhook."""
        call = Call("PATCH", f"/webhooks/{segment(id)}", body={"url": url, "events": events, "status": status}, options=options)
        result: models.Webhook = self._connection.data(call)
        return result

    def delete(
        self,
        id: str,
        *,
        options: RequestOptions | None = None,
    ) -> models.RemovedWebhook:
        """Remove a webhook."""
        call = Call("DELETE", f"/webhooks/{segment(id)}", options=options)
        result: models.RemovedWebhook = self._connection.data(call)
        return result

    def rotate_secret(
        self,
        id: str,
        *,
        secret: str | None = None,
        grace_period_seconds: int | None = None,
        idempotency_key: str | None = None,
        options: RequestOptions | None = None,
    ) -> models.RotatedWebhook:
        """Rotate a webhook's secret."""
        call = Call("POST", f"/webhooks/{segment(id)}/rotate-secret", body={"secret": secret, "grace_period_seconds": grace_period_seconds}, idempotency_key=idempotency_key, options=options)
        result: models.RotatedWebhook = self._connection.data(call)
        return result

    def test(
        self,
        id: str,
        *,
        options: RequestOptions | None = None,
    ) -> models.WebhookTest:
        """Test a webhook."""
        call = Call("POST", f"/webhooks/{segment(id)}/test", once=True, options=options)
        result: models.WebhookTest = self._connection.send(call)
        return result

    def deliveries(
        self,
        id: str,
        *,
        status: Literal["pending", "held", "delivered", "failed"] | None = None,
        limit: int | None = None,
        cursor: str | None = None,
        options: RequestOptions | None = None,
    ) -> Listing[models.Delivery, models.DeliveryList]:
        """List deliveries: iterate over all, or take `page()`."""
        query: dict[str, Any] = {"status": status, "limit": limit, "cursor": cursor}

        def fetch(position: str | None) -> models.DeliveryList:
            given = query if position is None else {**query, "cursor": position}
            call = Call("GET", f"/webhooks/{segment(id)}/deliveries", query=given, options=options)
            result: models.DeliveryList = self._connection.send(call)
            return result

        return Listing(fetch)

    def delivery(
        self,
        id: str,
        delivery_id: str,
        *,
        options: RequestOptions | None = None,
    ) -> models.DeliveryDetail:
        """Get a delivery."""
        call = Call("GET", f"/webhooks/{segment(id)}/deliveries/{segment(delivery_id)}", options=options)
        result: models.DeliveryDetail = self._connection.data(call)
        return result

    def retry_delivery(
        self,
        id: str,
        delivery_id: str,
        *,
        idempotency_key: str | None = None,
        options: RequestOptions | None = None,
    ) -> models.Delivery:
        """Send a delivery again."""
        call = Call("POST", f"/webhooks/{segment(id)}/deliveries/{segment(delivery_id)}/retry", idempotency_key=idempotency_key, options=options)
        result: models.Delivery = self._connection.data(call)
        return result

    def recover(
        self,
        id: str,
        *,
        since: str | datetime,
        until: str | datetime | None = None,
        dry_run: bool | None = None,
        idempotency_key: str | None = None,
        options: RequestOptions | None = None,
    ) -> models.Recovery:
        """Send failed deliveries again."""
        call = Call("POST", f"/webhooks/{segment(id)}/recover", body={"since": since, "until": until, "dry_run": dry_run}, idempotency_key=idempotency_key, options=options)
        result: models.Recovery = self._connection.data(call)
        return result


class EventsResource:
    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def list(
        self,
        *,
        type: Literal["creator.approved", "partner.approved", "commentary.failed", "media.ready", "topic.completed"] | None = None,
        since: str | datetime | None = None,
        limit: int | None = None,
        order: Literal["asc", "desc"] | None = None,
        after: str | None = None,
        cursor: str | None = None,
        options: RequestOptions | None = None,
    ) -> Listing[models.Event, models.EventList]:
        """List events: iterate over all, or take `page()`."""
        query: dict[str, Any] = {"type": type, "since": since, "limit": limit, "order": order, "after": after, "cursor": cursor}

        def fetch(position: str | None) -> models.EventList:
            given = query if position is None else {**query, "after" if after or order == "asc" else "cursor": position}
            call = Call("GET", "/events", query=given, options=options)
            result: models.EventList = self._connection.send(call)
            return result

        return Listing(fetch)


class TestResource:
    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def advance(
        self,
        share_id: str,
        *,
        action: Literal["respond", "generate", "approve", "decline", "expire", "fail", "withdraw"] | None = None,
        idempotency_key: str | None = None,
        options: RequestOptions | None = None,
    ) -> models.SimulatedAssignment:
        """Advance a simulated creator."""
        call = Call("POST", f"/test/assignments/{segment(share_id)}/advance", body={"action": action}, idempotency_key=idempotency_key, options=options)
        result: models.SimulatedAssignment = self._connection.data(call)
        return result


class ApiKeysResource:
    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def create(
        self,
        *,
        name: str,
        scopes: Sequence[Literal["personas:read", "topics:submit", "topics:read", "usage:read", "webhooks:read", "webhooks:write"]],
        environment: Literal["live", "test"] | None = None,
        ip_whitelist: Sequence[str] | None = None,
        expires_at: str | datetime | None = None,
        idempotency_key: str | None = None,
        options: RequestOptions | None = None,
    ) -> models.CreatedApiKey:
        """Create an API key."""
        call = Call("POST", "/api-keys", body={"name": name, "scopes": scopes, "environment": environment, "ip_whitelist": ip_whitelist, "expires_at": expires_at}, idempotency_key=idempotency_key, options=options)
        result: models.CreatedApiKey = self._connection.data(call)
        return result

    def list(
        self,
        *,
        options: RequestOptions | None = None,
    ) -> List[models.ApiKeySummary]:
        """List API keys."""
        call = Call("GET", "/api-keys", options=options)
        result: List[models.ApiKeySummary] = self._connection.data(call)
        return result

    def get(
        self,
        id: str,
        *,
        options: RequestOptions | None = None,
    ) -> models.ApiKeySummary:
        """Get an API key."""
        call = Call("GET", f"/api-keys/{segment(id)}", options=options)
        result: models.ApiKeySummary = self._connection.data(call)
        return result

    def update(
        self,
        id: str,
        *,
        name: str | None = None,
        ip_whitelist: Sequence[str] | None = None,
        options: RequestOptions | None = None,
    ) -> models.ApiKeySummary:
        """Change an API key."""
        call = Call("PATCH", f"/api-keys/{segment(id)}", body={"name": name, "ip_whitelist": ip_whitelist}, options=options)
        result: models.ApiKeySummary = self._connection.data(call)
        return result

    def revoke(
        self,
        id: str,
        *,
        options: RequestOptions | None = None,
    ) -> models.RevokedApiKey:
        """Revoke an API key."""
        call = Call("DELETE", f"/api-keys/{segment(id)}", options=options)
        result: models.RevokedApiKey = self._connection.data(call)
        return result

    def rotate(
        self,
        id: str,
        *,
        grace_period_seconds: int | None = None,
        idempotency_key: str | None = None,
        options: RequestOptions | None = None,
    ) -> models.RotatedApiKey:
        """Rotate an API key."""
        call = Call("POST", f"/api-keys/{segment(id)}/rotate", body={"grace_period_seconds": grace_period_seconds}, idempotency_key=idempotency_key, options=options)
        result: models.RotatedApiKey = self._connection.data(call)
        return result


class PartnerResources:
    def __init__(self, connection: Connection) -> None:
        self.topics = TopicsResource(connection)
        self.personas = PersonasResource(connection)
        self.usage = UsageResource(connection)
        self.metrics = MetricsResource(connection)
        self.me = MeResource(connection)
        self.webhooks = WebhooksResource(connection)
        self.events = EventsResource(connection)
        self.test = TestResource(connection)


class DashboardResources:
    def __init__(self, connection: Connection) -> None:
        self.api_keys = ApiKeysResource(connection)


class AsyncTopicsResource:
    def __init__(self, connection: AsyncConnection) -> None:
        self._connection = connection

    async def create(
        self,
        *,
        content: str,
        persona_ids: Sequence[str],
        external_reference: str | None = None,
        output_types: Sequence[Literal["text", "audio", "video"]] | None = None,
        metadata: dict[str, Any] | None = None,
        webhook_ids: Sequence[str] | None = None,
        respond_by: str | datetime | None = None,
        idempotency_key: str | None = None,
        options: RequestOptions | None = None,
    ) -> models.Topic:
        """Create a topic."""
        call = Call("POST", "/topics", body={"content": content, "persona_ids": persona_ids, "external_reference": external_reference, "output_types": output_types, "metadata": metadata, "webhook_ids": webhook_ids, "respond_by": respond_by}, idempotency_key=idempotency_key, options=options)
        result: models.Topic = await self._connection.data(call)
        return result

    def list(
        self,
        *,
        status: Literal["pending", "in_progress", "partial", "completed", "pending,in_progress", "pending,partial", "in_progress,partial", "pending,completed", "in_progress,completed", "partial,completed", "pending,in_progress,partial", "pending,in_progress,completed", "pending,partial,completed", "in_progress,partial,completed", "pending,in_progress,partial,completed"] | None = None,
        external_reference: str | None = None,
        created_after: str | datetime | None = None,
        created_before: str | datetime | None = None,
        updated_after: str | datetime | None = None,
        order: Literal["asc", "desc"] | None = None,
        limit: int | None = None,
        offset: int | None = None,
        cursor: str | None = None,
        options: RequestOptions | None = None,
    ) -> AsyncListing[models.TopicSummary, models.TopicList]:
        """List topics: iterate over all, or take `page()`."""
        query: dict[str, Any] = {"status": status, "external_reference": external_reference, "created_after": created_after, "created_before": created_before, "updated_after": updated_after, "order": order, "limit": limit, "offset": offset, "cursor": cursor}

        async def fetch(position: str | None) -> models.TopicList:
            given = query if position is None else {**query, "offset": None, "cursor": position}
            call = Call("GET", "/topics", query=given, options=options)
            result: models.TopicList = await self._connection.send(call)
            return result

        return AsyncListing(fetch)

    async def get(
        self,
        id: str,
        *,
        options: RequestOptions | None = None,
    ) -> models.TopicDetail:
        """Get a topic."""
        call = Call("GET", f"/topics/{segment(id)}", options=options)
        result: models.TopicDetail = await self._connection.data(call)
        return result

    async def status(
        self,
        id: str,
        *,
        options: RequestOptions | None = None,
    ) -> models.TopicProgress:
        """Poll a topic's status."""
        call = Call("GET", f"/topics/{segment(id)}/status", options=options)
        result: models.TopicProgress = await self._connection.data(call)
        return result

    async def cancel(
        self,
        id: str,
        *,
        idempotency_key: str | None = None,
        options: RequestOptions | None = None,
    ) -> models.TopicProgress:
        """Cancel a topic."""
        call = Call("POST", f"/topics/{segment(id)}/cancel", idempotency_key=idempotency_key, options=options)
        result: models.TopicProgress = await self._connection.data(call)
        return result

    async def commentaries(
        self,
        id: str,
        *,
        options: RequestOptions | None = None,
    ) -> models.TopicCommentaries:
        """Get a topic's commentaries."""
        call = Call("GET", f"/topics/{segment(id)}/commentaries", options=options)
        result: models.TopicCommentaries = await self._connection.data(call)
        return result

    async def by_reference(
        self,
        ref: str,
        *,
        options: RequestOptions | None = None,
    ) -> models.ReferenceLookup:
        """Look up commentaries by your reference."""
        call = Call("GET", f"/topics/by-reference/{segment(ref)}", options=options)
        result: models.ReferenceLookup = await self._connection.data(call)
        return result

    async def create_many(
        self,
        *,
        topics: Sequence[models.CreateTopic],
        idempotency_key: str | None = None,
        options: RequestOptions | None = None,
    ) -> models.BulkResults:
        """Create many topics."""
        call = Call("POST", "/topics/bulk", body={"topics": topics}, idempotency_key=idempotency_key, options=options)
        result: models.BulkResults = await self._connection.data(call)
        return result

    async def approve_commentary(
        self,
        id: str,
        commentary_id: str,
        *,
        idempotency_key: str | None = None,
        options: RequestOptions | None = None,
    ) -> models.PartnerApprovedCommentary:
        """Accept a commentary for publication."""
        call = Call("POST", f"/topics/{segment(id)}/commentaries/{segment(commentary_id)}/approve", idempotency_key=idempotency_key, options=options)
        result: models.PartnerApprovedCommentary = await self._connection.data(call)
        return result


class AsyncPersonasResource:
    def __init__(self, connection: AsyncConnection) -> None:
        self._connection = connection

    async def list(
        self,
        *,
        options: RequestOptions | None = None,
    ) -> List[models.PersonaSummary]:
        """List licensed personas."""
        call = Call("GET", "/personas", options=options)
        result: List[models.PersonaSummary] = await self._connection.data(call)
        return result

    async def get(
        self,
        id: str,
        *,
        options: RequestOptions | None = None,
    ) -> models.Persona:
        """Get a persona."""
        call = Call("GET", f"/personas/{segment(id)}", options=options)
        result: models.Persona = await self._connection.data(call)
        return result


class AsyncUsageResource:
    def __init__(self, connection: AsyncConnection) -> None:
        self._connection = connection

    async def get(
        self,
        *,
        options: RequestOptions | None = None,
    ) -> models.Usage:
        """Usage and quotas."""
        call = Call("GET", "/usage", options=options)
        result: models.Usage = await self._connection.data(call)
        return result


class AsyncMetricsResource:
    def __init__(self, connection: AsyncConnection) -> None:
        self._connection = connection

    async def performance(
        self,
        *,
        from_: str | datetime | None = None,
        to: str | datetime | None = None,
        options: RequestOptions | None = None,
    ) -> models.PerformanceReport:
        """Performance of creators and generation."""
        call = Call("GET", "/metrics/performance", query={"from": from_, "to": to}, options=options)
        result: models.PerformanceReport = await self._connection.data(call)
        return result


class AsyncMeResource:
    def __init__(self, connection: AsyncConnection) -> None:
        self._connection = connection

    async def get(
        self,
        *,
        options: RequestOptions | None = None,
    ) -> models.Me:
        """Get the key of this request."""
        call = Call("GET", "/me", options=options)
        result: models.Me = await self._connection.data(call)
        return result


class AsyncWebhooksResource:
    def __init__(self, connection: AsyncConnection) -> None:
        self._connection = connection

    async def create(
        self,
        *,
        url: str,
        events: Sequence[Literal["creator.approved", "partner.approved", "commentary.failed", "media.ready", "topic.completed"]],
        secret: str | None = None,
        idempotency_key: str | None = None,
        options: RequestOptions | None = None,
    ) -> models.RegisteredWebhook:
        """Register a webhook."""
        call = Call("POST", "/webhooks", body={"url": url, "events": events, "secret": secret}, idempotency_key=idempotency_key, options=options)
        result: models.RegisteredWebhook = await self._connection.data(call)
        return result

    async def list(
        self,
        *,
        options: RequestOptions | None = None,
    ) -> List[models.Webhook]:
        """List webhooks."""
        call = Call("GET", "/webhooks", options=options)
        result: List[models.Webhook] = await self._connection.data(call)
        return result

    async def get(
        self,
        id: str,
        *,
        options: RequestOptions | None = None,
    ) -> models.Webhook:
        """Get a webhook."""
        call = Call("GET", f"/webhooks/{segment(id)}", options=options)
        result: models.Webhook = await self._connection.data(call)
        return result

    async def update(
        self,
        id: str,
        *,
        url: str | None = None,
        events: Sequence[Literal["creator.approved", "partner.approved", "commentary.failed", "media.ready", "topic.completed"]] | None = None,
        status: Literal["active", "paused"] | None = None,
        options: RequestOptions | None = None,
    ) -> models.Webhook:
        """Change a webhook."""
        call = Call("PATCH", f"/webhooks/{segment(id)}", body={"url": url, "events": events, "status": status}, options=options)
        result: models.Webhook = await self._connection.data(call)
        return result

    async def delete(
        self,
        id: str,
        *,
        options: RequestOptions | None = None,
    ) -> models.RemovedWebhook:
        """Remove a webhook."""
        call = Call("DELETE", f"/webhooks/{segment(id)}", options=options)
        result: models.RemovedWebhook = await self._connection.data(call)
        return result

    async def rotate_secret(
        self,
        id: str,
        *,
        secret: str | None = None,
        grace_period_seconds: int | None = None,
        idempotency_key: str | None = None,
        options: RequestOptions | None = None,
    ) -> models.RotatedWebhook:
        """Rotate a webhook's secret."""
        call = Call("POST", f"/webhooks/{segment(id)}/rotate-secret", body={"secret": secret, "grace_period_seconds": grace_period_seconds}, idempotency_key=idempotency_key, options=options)
        result: models.RotatedWebhook = await self._connection.data(call)
        return result

    async def test(
        self,
        id: str,
        *,
        options: RequestOptions | None = None,
    ) -> models.WebhookTest:
        """Test a webhook."""
        call = Call("POST", f"/webhooks/{segment(id)}/test", once=True, options=options)
        result: models.WebhookTest = await self._connection.send(call)
        return result

    def deliveries(
        self,
        id: str,
        *,
        status: Literal["pending", "held", "delivered", "failed"] | None = None,
        limit: int | None = None,
        cursor: str | None = None,
        options: RequestOptions | None = None,
    ) -> AsyncListing[models.Delivery, models.DeliveryList]:
        """List deliveries: iterate over all, or take `page()`."""
        query: dict[str, Any] = {"status": status, "limit": limit, "cursor": cursor}

        async def fetch(position: str | None) -> models.DeliveryList:
            given = query if position is None else {**query, "cursor": position}
            call = Call("GET", f"/webhooks/{segment(id)}/deliveries", query=given, options=options)
            result: models.DeliveryList = await self._connection.send(call)
            return result

        return AsyncListing(fetch)

    async def delivery(
        self,
        id: str,
        delivery_id: str,
        *,
        options: RequestOptions | None = None,
    ) -> models.DeliveryDetail:
        """Get a delivery."""
        call = Call("GET", f"/webhooks/{segment(id)}/deliveries/{segment(delivery_id)}", options=options)
        result: models.DeliveryDetail = await self._connection.data(call)
        return result

    async def retry_delivery(
        self,
        id: str,
        delivery_id: str,
        *,
        idempotency_key: str | None = None,
        options: RequestOptions | None = None,
    ) -> models.Delivery:
        """Send a delivery again."""
        call = Call("POST", f"/webhooks/{segment(id)}/deliveries/{segment(delivery_id)}/retry", idempotency_key=idempotency_key, options=options)
        result: models.Delivery = await self._connection.data(call)
        return result

    async def recover(
        self,
        id: str,
        *,
        since: str | datetime,
        until: str | datetime | None = None,
        dry_run: bool | None = None,
        idempotency_key: str | None = None,
        options: RequestOptions | None = None,
    ) -> models.Recovery:
        """Send failed deliveries again."""
        call = Call("POST", f"/webhooks/{segment(id)}/recover", body={"since": since, "until": until, "dry_run": dry_run}, idempotency_key=idempotency_key, options=options)
        result: models.Recovery = await self._connection.data(call)
        return result


class AsyncEventsResource:
    def __init__(self, connection: AsyncConnection) -> None:
        self._connection = connection

    def list(
        self,
        *,
        type: Literal["creator.approved", "partner.approved", "commentary.failed", "media.ready", "topic.completed"] | None = None,
        since: str | datetime | None = None,
        limit: int | None = None,
        order: Literal["asc", "desc"] | None = None,
        after: str | None = None,
        cursor: str | None = None,
        options: RequestOptions | None = None,
    ) -> AsyncListing[models.Event, models.EventList]:
        """List events: iterate over all, or take `page()`."""
        query: dict[str, Any] = {"type": type, "since": since, "limit": limit, "order": order, "after": after, "cursor": cursor}

        async def fetch(position: str | None) -> models.EventList:
            given = query if position is None else {**query, "after" if after or order == "asc" else "cursor": position}
            call = Call("GET", "/events", query=given, options=options)
            result: models.EventList = await self._connection.send(call)
            return result

        return AsyncListing(fetch)


class AsyncTestResource:
    def __init__(self, connection: AsyncConnection) -> None:
        self._connection = connection

    async def advance(
        self,
        share_id: str,
        *,
        action: Literal["respond", "generate", "approve", "decline", "expire", "fail", "withdraw"] | None = None,
        idempotency_key: str | None = None,
        options: RequestOptions | None = None,
    ) -> models.SimulatedAssignment:
        """Advance a simulated creator."""
        call = Call("POST", f"/test/assignments/{segment(share_id)}/advance", body={"action": action}, idempotency_key=idempotency_key, options=options)
        result: models.SimulatedAssignment = await self._connection.data(call)
        return result


class AsyncApiKeysResource:
    def __init__(self, connection: AsyncConnection) -> None:
        self._connection = connection

    async def create(
        self,
        *,
        name: str,
        scopes: Sequence[Literal["personas:read", "topics:submit", "topics:read", "usage:read", "webhooks:read", "webhooks:write"]],
        environment: Literal["live", "test"] | None = None,
        ip_whitelist: Sequence[str] | None = None,
        expires_at: str | datetime | None = None,
        idempotency_key: str | None = None,
        options: RequestOptions | None = None,
    ) -> models.CreatedApiKey:
        """Create an API key."""
        call = Call("POST", "/api-keys", body={"name": name, "scopes": scopes, "environment": environment, "ip_whitelist": ip_whitelist, "expires_at": expires_at}, idempotency_key=idempotency_key, options=options)
        result: models.CreatedApiKey = await self._connection.data(call)
        return result

    async def list(
        self,
        *,
        options: RequestOptions | None = None,
    ) -> List[models.ApiKeySummary]:
        """List API keys."""
        call = Call("GET", "/api-keys", options=options)
        result: List[models.ApiKeySummary] = await self._connection.data(call)
        return result

    async def get(
        self,
        id: str,
        *,
        options: RequestOptions | None = None,
    ) -> models.ApiKeySummary:
        """Get an API key."""
        call = Call("GET", f"/api-keys/{segment(id)}", options=options)
        result: models.ApiKeySummary = await self._connection.data(call)
        return result

    async def update(
        self,
        id: str,
        *,
        name: str | None = None,
        ip_whitelist: Sequence[str] | None = None,
        options: RequestOptions | None = None,
    ) -> models.ApiKeySummary:
        """Change an API key."""
        call = Call("PATCH", f"/api-keys/{segment(id)}", body={"name": name, "ip_whitelist": ip_whitelist}, options=options)
        result: models.ApiKeySummary = await self._connection.data(call)
        return result

    async def revoke(
        self,
        id: str,
        *,
        options: RequestOptions | None = None,
    ) -> models.RevokedApiKey:
        """Revoke an API key."""
        call = Call("DELETE", f"/api-keys/{segment(id)}", options=options)
        result: models.RevokedApiKey = await self._connection.data(call)
        return result

    async def rotate(
        self,
        id: str,
        *,
        grace_period_seconds: int | None = None,
        idempotency_key: str | None = None,
        options: RequestOptions | None = None,
    ) -> models.RotatedApiKey:
        """Rotate an API key."""
        call = Call("POST", f"/api-keys/{segment(id)}/rotate", body={"grace_period_seconds": grace_period_seconds}, idempotency_key=idempotency_key, options=options)
        result: models.RotatedApiKey = await self._connection.data(call)
        return result


class AsyncPartnerResources:
    def __init__(self, connection: AsyncConnection) -> None:
        self.topics = AsyncTopicsResource(connection)
        self.personas = AsyncPersonasResource(connection)
        self.usage = AsyncUsageResource(connection)
        self.metrics = AsyncMetricsResource(connection)
        self.me = AsyncMeResource(connection)
        self.webhooks = AsyncWebhooksResource(connection)
        self.events = AsyncEventsResource(connection)
        self.test = AsyncTestResource(connection)


class AsyncDashboardResources:
    def __init__(self, connection: AsyncConnection) -> None:
        self.api_keys = AsyncApiKeysResource(connection)
