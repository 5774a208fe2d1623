/**
 * Defines the actions of a creator's page, reads an action's text fields from a form or a JSON body, and calls the
 * action's use case. The use case validates the values of the text fields.
 */
import type { RequestProblem } from "@partner-commentary/api/Errors"
import type {
  CreatorPortal,
  CreatorRequestCredential,
  InvalidTextLength,
  LinkInvalid
} from "@partner-commentary/core/creator/CreatorPortal"
import * as Ids from "@partner-commentary/core/shared/Ids"
import { DraftId } from "@partner-commentary/core/shared/Ids"
import type { AssignmentWithTopic } from "@partner-commentary/core/topic/AssignmentStore"
import type { ActionRefused } from "@partner-commentary/core/topic/Workflow"
import * as ByteSize from "effect/ByteSize"
import * as Effect from "effect/Effect"
import * as HttpIncomingMessage from "effect/http/HttpIncomingMessage"
import type { HttpServerError } from "effect/http/HttpServerError"
import type { HttpServerRequest } from "effect/http/HttpServerRequest"
import * as Option from "effect/Option"
import * as Predicate from "effect/Predicate"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { bodyTooLargeProblem, findHeaderProblem, maxBodyBytes, readBody as readText } from "../http/Body.ts"
import * as JsonText from "../http/JsonText.ts"
import * as StrictJson from "../http/StrictJson.ts"

export const creatorActions = ["respond", "decline", "approve", "revise", "withdraw"] as const
export type CreatorAction = (typeof creatorActions)[number]

/** Maps each action to the name of its text field. */
export const textFieldNameByAction = {
  respond: "perspective",
  decline: "reason",
  approve: "content",
  revise: "instructions",
  withdraw: "reason"
} as const satisfies Readonly<Record<CreatorAction, CreatorActionFieldName>>

export const isCreatorAction = (name: string): name is CreatorAction => creatorActions.some((action) => action === name)

export const performCreatorAction = (
  portal: CreatorPortal["Service"],
  access: CreatorRequestCredential,
  action: CreatorAction,
  fields: CreatorActionFields
): Effect.Effect<AssignmentWithTopic, LinkInvalid | InvalidTextLength | ActionRefused | MalformedCreatorInput> => {
  const { content = null, instructions = "", perspective = "", reason = "" } = fields
  if (action === "respond") return portal.respond(access, { perspective })
  if (action === "decline") return portal.decline(access, { reason })
  if (action === "withdraw") return portal.withdraw(access, { reason })
  return Effect.flatMap(readDraftId(fields.draft_id), (draftId) =>
    action === "approve"
      ? portal.approve(access, { draftId, content })
      : portal.revise(access, { draftId, instructions })
  )
}

const readDraftId = (text: string | undefined): Effect.Effect<DraftId | null, MalformedCreatorInput> => {
  if (text === undefined) return Effect.succeed(null)
  const parsed = Ids.parse(DraftId, text)
  return Option.isSome(parsed)
    ? Effect.succeed(parsed.value)
    : Effect.fail(new MalformedCreatorInput({ field: "draft_id", constraint: "must be a UUID", isTooLarge: false }))
}

/** A field that is null in JSON counts as absent. */
export type CreatorActionFields = Readonly<Partial<Record<CreatorActionFieldName, string>>>
type CreatorActionFieldName = (typeof fieldNames)[number]

const fieldNames = ["perspective", "reason", "draft_id", "content", "instructions"] as const

/** The error for a creator's request body that cannot be parsed. */
export class MalformedCreatorInput extends Schema.TaggedError<MalformedCreatorInput>()("Malformed", {
  field: Schema.String,
  constraint: Schema.String,
  isTooLarge: Schema.Boolean
}) {}

const form = "application/x-www-form-urlencoded"

/** Returns the media type of the request without its parameters. */
export const parseMediaType = (request: HttpServerRequest): string =>
  (request.headers["content-type"] ?? "").split(";", 1)[0]?.trim().toLowerCase() ?? ""

export const readCreatorActionFields = (
  request: HttpServerRequest
): Effect.Effect<CreatorActionFields, MalformedCreatorInput> =>
  Effect.provideService(
    readAs(request, parseMediaType(request)),
    HttpIncomingMessage.MaxBodySize,
    ByteSize.bytes(maxBodyBytes)
  )

const readAs = (
  request: HttpServerRequest,
  type: string
): Effect.Effect<CreatorActionFields, MalformedCreatorInput> => {
  if (type === form) return Effect.flatMap(textOf(request), fromForm)
  if (type === "application/json") {
    const header = findHeaderProblem(request.headers)
    return header === undefined ? Effect.flatMap(textOf(request), fromJson) : malformed(header)
  }
  const neither = malformed({ field: "content-type", constraint: `must be application/json or ${form}` })
  return type === "" ? Effect.flatMap(textOf(request), (body) => (body === "" ? Effect.succeed({}) : neither)) : neither
}

const textOf = (request: HttpServerRequest): Effect.Effect<string, MalformedCreatorInput> =>
  Effect.flatMap(Effect.mapError(readText(request), unreadable), (text) =>
    Result.isSuccess(text) ? Effect.succeed(text.success) : malformed(text.failure)
  )

const malformed = (problem: RequestProblem): Effect.Effect<never, MalformedCreatorInput> =>
  Effect.fail(new MalformedCreatorInput({ ...problem, isTooLarge: false }))

/** The maximum number of fields in a form or JSON body. Parsing a body with many fields would block other requests. */
const maxFields = 100

const tooManyFields = malformed({ field: "body", constraint: `must have at most ${maxFields} fields` })

const fromForm = (text: string): Effect.Effect<CreatorActionFields, MalformedCreatorInput> => {
  if (text.split("&", maxFields + 1).length > maxFields) return tooManyFields
  const params = new URLSearchParams(text)
  const fields: Partial<Record<CreatorActionFieldName, string>> = {}
  for (const name of fieldNames) {
    const value = params.get(name)
    if (value !== null) fields[name] = value
  }
  return Effect.succeed(fields)
}

const known: ReadonlySet<string> = new Set(fieldNames)

const fromJson = (json: string): Effect.Effect<CreatorActionFields, MalformedCreatorInput> => {
  if (JsonText.exceedsMemberLimit(json, maxFields)) return tooManyFields
  const body = json === "" ? Result.succeed({}) : StrictJson.parseStrictJson(json, known)
  if (Result.isFailure(body)) return malformed(body.failure)
  if (!Predicate.isReadonlyObject(body.success))
    return malformed({ field: "body", constraint: "must be a JSON object" })
  const fields: Partial<Record<CreatorActionFieldName, string>> = {}
  for (const name of fieldNames) {
    const value = (body.success as Readonly<Record<string, unknown>>)[name] ?? null
    if (typeof value === "string") fields[name] = value
    else if (value !== null) return malformed({ field: name, constraint: "must be a string" })
  }
  return Effect.succeed(fields)
}

/** The error contains only the kind of failure, because the original message contains the creator's secret token. */
const unreadable = ({ reason }: HttpServerError): MalformedCreatorInput => {
  const isTooLarge = reason._tag === "RequestParseError" && reason.reason === "BodyTooLarge"
  return new MalformedCreatorInput({
    ...(isTooLarge ? bodyTooLargeProblem : { field: "body", constraint: "cannot be read" }),
    isTooLarge
  })
}
