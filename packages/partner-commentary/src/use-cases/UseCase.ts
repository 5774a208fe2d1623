/**
 * Converts use cases of the core to functions that return promises and plain objects. The plain objects have the field
 * names of the API.
 */
import * as Errors from "@partner-commentary/api/Errors"
import { OrganizationStore } from "@partner-commentary/core/partner/OrganizationStore"
import { resolveLimits } from "@partner-commentary/core/partner/Plan"
import * as Ids from "@partner-commentary/core/shared/Ids"
import { Environment } from "@partner-commentary/core/shared/Owner"
import { formatErrorWithCauses } from "@partner-commentary/core/shared/Reason"
import { convertSchemaIssueToProblems } from "@partner-commentary/server/http/Body"
import { HostTransactionRefused, runInHostTransaction } from "@partner-commentary/sql/database/HostTransaction"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Predicate from "effect/Predicate"
import * as Schema from "effect/Schema"
import type * as SchemaAST from "effect/SchemaAST"
import * as SchemaGetter from "effect/SchemaGetter"
import { makeInvalidOptionError, PartnerCommentaryError } from "../PartnerCommentaryError.ts"
import type { PartnerCommentaryServices } from "../Service.ts"

export interface TransactionOption {
  /**
   * Your open transaction on the same database: a client of `pg` or PGlite, the transaction of Drizzle, Kysely, Prisma
   * or postgres.js, or a `DatabaseSync` after `BEGIN IMMEDIATE`. All writes of the call belong to your transaction. If
   * the call rejects, only its own writes are undone, and your transaction can continue.
   */
  readonly db?: object | undefined
}

export type RunUseCase = <A, E>(
  effect: Effect.Effect<A, E, PartnerCommentaryServices>,
  options?: TransactionOption
) => Promise<A>

/** Converts failures of use cases, so that calls reject with a PartnerCommentaryError. */
export const makeUseCaseRunner =
  (run: <A, E>(effect: Effect.Effect<A, E, PartnerCommentaryServices>) => Promise<A>): RunUseCase =>
  (effect, options = {}) => {
    const wrong = unknownOption(options)
    if (wrong !== undefined) return Promise.reject(wrong)
    return (options.db === undefined ? run(effect) : run(runInHostTransaction(options.db)(effect))).catch((error) =>
      Promise.reject(failureOf(error))
    )
  }

/**
 * Returns an error if the options are not `{ db }`. If the service ignored a mistake such as `client` instead of `{ db:
 * client }`, the call would write outside of the transaction.
 */
const unknownOption = (options: unknown): PartnerCommentaryError | undefined => {
  if (!Predicate.isObject(options)) return makeInvalidOptionError("db", "must be passed as { db }")
  const unknown = Object.keys(options).find((name) => name !== "db")
  return unknown === undefined ? undefined : makeInvalidOptionError(unknown, "is unknown beside db: pass { db }")
}

const isWire = (error: unknown): error is { readonly error: Errors.WireError["error"] } =>
  Predicate.hasProperty(error, "error") && Predicate.hasProperty(error.error, "code")

const failureOf = (error: unknown): PartnerCommentaryError => {
  if (error instanceof PartnerCommentaryError) return error
  if (error instanceof HostTransactionRefused) return makeInvalidOptionError("db", error.reason)
  if (!isWire(error)) {
    const message = `The service failed: ${formatErrorWithCauses(error)}.`
    return new PartnerCommentaryError({ code: "internal_error", message, details: {}, cause: error })
  }
  const { code, message, ...rest } = error.error
  return new PartnerCommentaryError({ code, message, details: "details" in rest ? rest.details : {} })
}

/**
 * Returns a decoder for inputs. If an input is invalid, the decoder fails with all problems of the input. Unknown
 * fields are ignored, as in the API.
 */
export const makeDecoder = <A, I>(schema: Schema.Codec<A, I>, options: SchemaAST.ParseOptions = {}) => {
  const decode = Schema.decodeUnknownEffect(schema, { errors: "all", ...options })
  return (input: unknown): Effect.Effect<A, Errors.InvalidRequest> =>
    Effect.mapError(decode(input), ({ issue }) => Errors.InvalidRequest.of(convertSchemaIssueToProblems(issue)))
}

const idBy = <Id extends string>(id: Schema.Codec<Id, string>) =>
  Schema.String.check(
    Schema.makeFilter((text) => Option.isSome(Ids.parse(id, text)), { message: "must be a UUID" })
  ).pipe(
    Schema.decodeTo(id, {
      decode: SchemaGetter.transform((text) => text.toLowerCase() as Id),
      encode: SchemaGetter.passthrough()
    })
  )

export const OrganizationIdInput = idBy(Ids.OrganizationId)
export const PersonaIdInput = idBy(Ids.PersonaId)
export const ApiKeyIdInput = idBy(Ids.ApiKeyId)
export const TopicIdInput = idBy(Ids.TopicId)
export const ShareIdInput = idBy(Ids.ShareId)
export const WebhookIdInput = idBy(Ids.WebhookId)
export const CommentaryIdInput = idBy(Ids.CommentaryId)

export const ownerFields = {
  organization_id: OrganizationIdInput,
  environment: Schema.optional(Environment.annotate({ message: "must be live or test" }))
}

/** The owner of the data that a call reads or changes. */
export interface DataOwner {
  readonly organization_id: string
  /** The environment to which the data belongs, by default `live`. */
  readonly environment?: Environment | undefined
}

export const toDataOwner = ({
  environment,
  organization_id
}: {
  readonly organization_id: Ids.OrganizationId
  readonly environment?: Environment | undefined
}) => ({
  organizationId: organization_id,
  environment: environment ?? ("live" as const)
})

export const makeNotFoundError = (what: string) => Errors.NotFound.of(`There is no such ${what}.`)

/**
 * Reads the organization in whose name a use case runs, with its environment and limits. The effect fails if the
 * organization does not exist.
 */
export const readOrganizationAsCaller = Effect.fnUntraced(function* (owned: Parameters<typeof toDataOwner>[0]) {
  const { environment, organizationId } = toDataOwner(owned)
  const found = yield* (yield* OrganizationStore).find(organizationId)
  if (Option.isNone(found)) return yield* makeNotFoundError("organization")
  return { organization: found.value, environment, limits: resolveLimits(found.value) }
})

export const failIfNotFound =
  (what: string) =>
  <A, E, R>(found: Effect.Effect<Option.Option<A>, E, R>): Effect.Effect<A, E | Errors.NotFound, R> =>
    Effect.flatMap(found, (value) =>
      Option.isSome(value) ? Effect.succeed(value.value) : Effect.fail(makeNotFoundError(what))
    )

/** Returns the JSON text of an input, because the decoders of the API read JSON texts. */
export const toJsonText = (input: unknown): Effect.Effect<string, Errors.InvalidRequest> =>
  Effect.try({
    try: () => JSON.stringify(input) ?? "null",
    catch: () => Errors.InvalidRequest.of([{ field: "body", constraint: "must be plain data, as JSON has it" }])
  })
