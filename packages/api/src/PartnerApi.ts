/** Defines the partner API, version 1, with all groups of endpoints below the version's path prefix. */
import * as HttpApi from "effect/http-api/HttpApi"
import { ApiKeysApi } from "./ApiKeysApi.ts"
import { BulkApi } from "./BulkApi.ts"
import { CommentariesApi } from "./CommentariesApi.ts"
import { DeliveriesApi } from "./DeliveriesApi.ts"
import { EventsApi } from "./EventsApi.ts"
import { MeApi } from "./MeApi.ts"
import { MetricsApi } from "./MetricsApi.ts"
import { PersonasApi } from "./PersonasApi.ts"
import { SandboxApi } from "./SandboxApi.ts"
import { TopicsApi } from "./TopicsApi.ts"
import { UsageApi } from "./UsageApi.ts"
import { WebhooksApi } from "./WebhooksApi.ts"

export const partnerApiPrefix = "/partner/v1"

export class PartnerApi extends HttpApi.make("partner-commentary")
  .add(TopicsApi)
  .add(BulkApi)
  .add(CommentariesApi)
  .add(PersonasApi)
  .add(UsageApi)
  .add(MetricsApi)
  .add(MeApi)
  .add(WebhooksApi)
  .add(DeliveriesApi)
  .add(EventsApi)
  .add(ApiKeysApi)
  .add(SandboxApi)
  .prefix(partnerApiPrefix) {}
