/**
 * Checks that the client's types equal the contract's schemas, field by field. A type that differs from its schema is a
 * compile error, so `npm run check` fails.
 */
import type * as ApiKeysApi from "@partner-commentary/api/ApiKeysApi"
import type * as BulkApi from "@partner-commentary/api/BulkApi"
import type * as CommentariesApi from "@partner-commentary/api/CommentariesApi"
import type * as CreateTopicBody from "@partner-commentary/api/CreateTopicBody"
import type * as DeliveriesApi from "@partner-commentary/api/DeliveriesApi"
import type * as Api from "@partner-commentary/api/Errors"
import type * as EventsApi from "@partner-commentary/api/EventsApi"
import type * as MeApi from "@partner-commentary/api/MeApi"
import type * as MetricsApi from "@partner-commentary/api/MetricsApi"
import type * as PersonasApi from "@partner-commentary/api/PersonasApi"
import type * as SandboxApi from "@partner-commentary/api/SandboxApi"
import type * as TopicsApi from "@partner-commentary/api/TopicsApi"
import type * as UsageApi from "@partner-commentary/api/UsageApi"
import type * as WebhooksApi from "@partner-commentary/api/WebhooksApi"
import type * as Client from "@partner-commentary/client"
import type * as Schema from "effect/Schema"
import { expect, it } from "vitest"

type Encoded<S extends Schema.Top> = S["Encoded"]

/** The known literals of an extensible enumeration, without the type for unknown values. */
type Literals<T> = T extends string ? (string extends T ? never : T) : never
type Closed<T> = [Literals<T>] extends [never] ? T : Literals<T> | Exclude<T, string>

/**
 * The members of the client's union `SubmissionResult`, merged into one type with optional `share_id` and
 * `duplicate_of`, as in the contract. The test hosts/test/test/client/ClientResources.test.ts checks which status has
 * which field.
 */
interface AnyResult {
  readonly persona_id: Client.SubmissionResult["persona_id"]
  readonly status: Client.SubmissionResult["status"]
  readonly share_id?: NonNullable<Client.SubmissionResult["share_id"]>
  readonly duplicate_of?: NonNullable<Client.SubmissionResult["duplicate_of"]>
}

/**
 * Normalizes a type for the comparison: merges intersections into one object type, and drops the type for unknown
 * literals.
 */
type Plain<T> = [T, Client.SubmissionResult] extends [Client.SubmissionResult, T] ? Plainer<AnyResult> : Plainer<T>
type Plainer<T> = [T] extends [string | number | boolean | null | undefined]
  ? Closed<T>
  : T extends string | number | boolean | null | undefined
    ? T
    : T extends ReadonlyArray<infer Item>
      ? ReadonlyArray<Plain<Item>>
      : { readonly [Key in keyof T]: Plain<T[Key]> }

type Same<One, Other> =
  (<T>() => T extends Plain<One> ? 1 : 2) extends <T>() => T extends Plain<Other> ? 1 : 2 ? true : false

/** Compiles only if the type argument is `true`. */
type Agree<_ extends true> = true

export type TypeEqualityChecks = [
  Agree<Same<keyof Client.SubmissionResult, keyof AnyResult>>,
  Agree<Same<Client.SubmissionResult, Encoded<typeof Api.SubmissionResult>>>,
  Agree<Same<Client.CreateTopic, Encoded<typeof CreateTopicBody.CreateTopicBody>>>,
  Agree<Same<Client.Topic, Encoded<typeof TopicsApi.Topic>>>,
  Agree<Same<Client.TopicProgress, Encoded<typeof TopicsApi.TopicProgress>>>,
  Agree<Same<Client.TopicDetail, Encoded<typeof TopicsApi.TopicDetail>>>,
  Agree<Same<Client.TopicCommentaries, Encoded<typeof TopicsApi.TopicCommentaries>>>,
  Agree<Same<Client.ReferenceLookup, Encoded<typeof TopicsApi.ReferenceLookup>>>,
  Agree<Same<Client.TopicSummary, Encoded<typeof TopicsApi.TopicSummary>>>,
  Agree<Same<Client.Page<Client.TopicSummary>, Omit<Encoded<typeof TopicsApi.TopicList>, "success">>>,
  Agree<Same<Client.PersonaSummary, Encoded<typeof PersonasApi.PersonaSummary>>>,
  Agree<Same<Client.Persona, Encoded<typeof PersonasApi.Persona>>>,
  Agree<Same<Client.BulkResults, Encoded<typeof BulkApi.BulkResults>>>,
  Agree<Same<Client.PartnerApprovedCommentary, Encoded<typeof CommentariesApi.PartnerApprovedCommentary>>>,
  Agree<Same<Client.Usage, Encoded<typeof UsageApi.Usage>>>,
  Agree<Same<Client.PerformanceReport, Encoded<typeof MetricsApi.PerformanceReport>>>,
  Agree<Same<Client.CreateWebhook, Encoded<typeof WebhooksApi.RegisterWebhookBody>>>,
  Agree<Same<Client.UpdateWebhook, Encoded<typeof WebhooksApi.ChangeWebhookBody>>>,
  Agree<Same<Client.Webhook, Encoded<typeof WebhooksApi.Webhook>>>,
  Agree<Same<Client.CreatedWebhook, Encoded<typeof WebhooksApi.RegisteredWebhook>>>,
  Agree<Same<Client.RotateWebhookSecret, Encoded<typeof WebhooksApi.RotateWebhookSecretBody>>>,
  Agree<Same<Client.RotatedWebhook, Encoded<typeof WebhooksApi.RotatedWebhook>>>,
  Agree<Same<Client.WebhookTest, Encoded<typeof WebhooksApi.WebhookTestResult>>>,
  Agree<Same<Client.PastEvent, Encoded<typeof EventsApi.Event>>>,
  Agree<Same<Client.CursorPage<Client.PastEvent>, Omit<Encoded<typeof EventsApi.EventList>, "success">>>,
  Agree<Same<Client.Delivery, Encoded<typeof DeliveriesApi.Delivery>>>,
  Agree<Same<Client.DeliveryDetail, Encoded<typeof DeliveriesApi.DeliveryDetail>>>,
  Agree<Same<Client.CursorPage<Client.Delivery>, Omit<Encoded<typeof DeliveriesApi.DeliveryList>, "success">>>,
  Agree<Same<Client.RecoverWebhook, Encoded<typeof DeliveriesApi.RecoverWebhookBody>>>,
  Agree<Same<Client.WebhookRecovery, Encoded<typeof DeliveriesApi.WebhookRecoverySummary>>>,
  Agree<Same<Client.DeletedWebhook, Encoded<typeof WebhooksApi.RemovedWebhook>>>,
  Agree<Same<Client.CreateApiKey, Encoded<typeof ApiKeysApi.CreateApiKeyBody>>>,
  Agree<Same<Client.UpdateApiKey, Encoded<typeof ApiKeysApi.ChangeApiKeyBody>>>,
  Agree<Same<Client.Me, Encoded<typeof MeApi.Me>>>,
  Agree<Same<Client.RotateApiKey, Encoded<typeof ApiKeysApi.RotateApiKeyBody>>>,
  Agree<Same<Client.CreatedApiKey, Encoded<typeof ApiKeysApi.CreatedApiKey>>>,
  Agree<Same<Client.RotatedApiKey, Encoded<typeof ApiKeysApi.RotatedApiKey>>>,
  Agree<Same<Client.ApiKey, Encoded<typeof ApiKeysApi.ApiKeySummary>>>,
  Agree<Same<Client.RevokedApiKey, Encoded<typeof ApiKeysApi.RevokedApiKey>>>,
  Agree<Same<Client.AdvanceAssignment, Encoded<typeof SandboxApi.AdvanceAssignmentBody>>>,
  Agree<Same<Client.SimulatedAssignment, Encoded<typeof SandboxApi.SimulatedAssignment>>>,
  Agree<Same<Client.ErrorCode, keyof typeof Api.httpStatusByErrorCode>>
]

type WireError = { readonly [Code in Client.ErrorCode]: Extract<Api.WireError["error"], { readonly code: Code }> }
type DetailsOf<E> = E extends { readonly details: infer Details } ? Details : undefined

type Details = { [Code in Client.ErrorCode]: Same<Client.ErrorDetails[Code], DetailsOf<WireError[Code]>> }
export type ErrorDetailsEqualityCheck = Agree<Details[Client.ErrorCode]>

/**
 * Compiles only if the type argument is `false`. Comparisons of deliberately different types show that the comparison
 * can fail.
 */
type Left<T extends false> = T
export type TypeComparisonChecks = [
  Agree<Same<{ readonly a: Client.OpenEnum<"b" | "c"> | null }, { readonly a: "b" | "c" | null }>>,
  Left<Same<Client.SubmissionResult, Omit<Encoded<typeof Api.SubmissionResult>, "share_id">>>,
  Left<Same<Client.SubmissionResult, Required<Encoded<typeof Api.SubmissionResult>>>>,
  Left<
    Same<
      Client.SubmissionResult,
      Omit<Encoded<typeof Api.SubmissionResult>, "status"> & { readonly status: "sent" | "not_licensed" }
    >
  >,
  Left<Same<{ readonly a: Client.OpenEnum<"b"> }, { readonly a: "b" | "c" }>>,
  Left<Same<{ readonly a: string }, { readonly a: string; readonly b: number }>>,
  Left<Same<{ readonly a?: string }, { readonly a: string }>>,
  Left<Same<{ readonly a: string | null }, { readonly a: string }>>,
  Left<Same<{ readonly a: ReadonlyArray<{ readonly b: 1 }> }, { readonly a: ReadonlyArray<{ readonly b: 2 }> }>>
]

/**
 * Compiles only if code can read `share_id` and `duplicate_of` of a submission result without a check of its status.
 */
const placeOf = (result: Client.SubmissionResult): string | undefined => {
  if (result.status === "sent") return result.share_id satisfies string
  return result.status === "duplicate" ? (result.duplicate_of.share_id satisfies string) : result.share_id
}

it("the types of the client agree with the contract", () => {
  expect(placeOf({ persona_id: "a", status: "sent", share_id: "s" })).toBe("s")
})
