/** The partner API, version 1: every group under its prefix. */
import * as HttpApi from "effect/http-api/HttpApi"
import { BulkApi } from "./BulkApi.ts"
import { PersonasApi } from "./PersonasApi.ts"
import { TopicsApi } from "./TopicsApi.ts"

export const prefix = "/partner/v1"

export class PartnerApi extends HttpApi.make("partner-commentary")
  .add(TopicsApi)
  .add(PersonasApi)
  .add(BulkApi)
  .prefix(prefix) {}
