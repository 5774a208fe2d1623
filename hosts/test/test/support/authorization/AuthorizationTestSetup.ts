/**
 * Sets up the authorization matrix: the first organization with its resources, another organization, all callers, and
 * their requests.
 */
import * as IpAllowList from "@partner-commentary/core/access/IpAllowList"
import { TrustedProxies } from "@partner-commentary/server/ClientAddress"
import * as Application from "@partner-commentary/test/Application"
import { Mailbox } from "@partner-commentary/test/Mailbox"
import { ScriptedGenerator } from "@partner-commentary/test/ScriptedGenerator"
import * as Seed from "@partner-commentary/test/Seed"
import { TestApi } from "@partner-commentary/test/TestApi"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import * as TestClock from "effect/testing/TestClock"
import { layerTestApi } from "../Loopback.ts"
import { makeCallersWithKeys, makeCallersWithTokens, type TestCaller } from "./Callers.ts"
import { exampleRequestBodies } from "./Examples.ts"
import {
  findAffectedEnvironment,
  type Operation,
  type RequestResourceIds,
  readOpenApiOperations,
  sendOperation
} from "./Operations.ts"
import { createResources, createWebhook, type OwnerCredentials, submitTestTopic } from "./OwnedResources.ts"
import { deriveExpectedAccess, type ExpectedAccess } from "./Rule.ts"

/** The callers are behind a proxy that forwards their addresses. */
export const layerBehindProxy = layerTestApi.pipe(
  Layer.provideMerge(TestApi.workers),
  Layer.provideMerge(Application.layer({ outside: Layer.merge(Mailbox.layer, ScriptedGenerator.layer) })),
  Layer.provide(Layer.succeed(TrustedProxies, Result.getOrThrow(IpAllowList.parseAllowList(["127.0.0.1"]))))
)

const nothing = "019c0e1b-7c4e-7000-8000-2f6d1c9e4b10"
export const unknownResourceIds: RequestResourceIds = {
  topic: nothing,
  commentary: nothing,
  reference: "reference-of-nobody-ever",
  persona: nothing,
  webhook: nothing,
  delivery: nothing,
  key: nothing,
  assignment: nothing
}

const createOwner = Effect.fnUntraced(function* (name: string) {
  const organization = yield* Seed.createOrganization({ name })
  const live = (yield* Seed.issueApiKey(organization)).text
  const test = (yield* Seed.issueApiKey(organization, { environment: "test" })).text
  const owner: OwnerCredentials = { organization, live, test, token: yield* Seed.issueDashboardToken(organization) }
  return owner
})

/** Creates the first organization with its resources, another organization, and all callers. */
export const makeAuthorizationTestSetup = Effect.gen(function* () {
  yield* TestClock.setTime(Date.UTC(2026, 0, 30, 12))
  const owner = yield* createOwner("The First")
  const stranger = yield* createOwner("Somebody Else")
  const persona = yield* Seed.createPersona(owner.organization, { name: "Ada of the First" })
  const common = yield* Seed.createPersona(owner.organization, { name: "Common to All" })
  yield* Seed.licensePersona(stranger.organization, common)
  const all = yield* readOpenApiOperations
  const { simulated, resourceIds } = yield* createResources(owner, persona)
  const tokens = yield* makeCallersWithTokens(owner, stranger)
  const callers = {
    live: [...tokens, ...(yield* makeCallersWithKeys(owner, stranger, "live"))],
    test: [
      ...tokens.filter(({ key }) => typeof key === "string"),
      ...(yield* makeCallersWithKeys(owner, stranger, "test"))
    ]
  }
  // Advance the clock, so that some keys and tokens expire and one grace period ends.
  yield* TestClock.adjust("5 minutes")
  let count = 0
  const next = () => ++count
  const cells = all.flatMap((operation) =>
    callers[findAffectedEnvironment(operation)].map((caller) => ({
      operation,
      caller,
      answer: deriveExpectedAccess(operation, caller)
    }))
  )
  return { owner, common: common.id as string, all, resourceIds, simulated, next, cells }
})

export type AuthorizationTestSetup = Effect.Success<typeof makeAuthorizationTestSetup>

export interface AuthorizationMatrixCell {
  readonly operation: Operation
  readonly caller: TestCaller
  readonly answer: ExpectedAccess
}

/**
 * Each call has its own address, so the limit for anonymous callers does not apply. All calls have the same request id,
 * so their responses are comparable.
 */
export const sendRequestOfCell = (
  { common, next }: AuthorizationTestSetup,
  { caller, operation }: AuthorizationMatrixCell,
  resourceIds: RequestResourceIds,
  more: { readonly nth?: number; readonly headers?: Readonly<Record<string, string>>; readonly method?: "HEAD" } = {}
) => {
  const nth = more.nth ?? next()
  const method = more.method === undefined ? {} : { method: more.method }
  const body = exampleRequestBodies[operation.id]?.({ nth, common, resourceIds })
  const call = next()
  const from = `10.${call >> 16}.${(call >> 8) & 255}.${call & 255}`
  const headers = { "x-request-id": "same", "x-forwarded-for": from, ...caller.headers, ...more.headers }
  return Effect.map(
    sendOperation(operation, resourceIds, { ...method, headers, ...(body === undefined ? {} : { body }) }),
    (answered) => {
      const told = [...answered.headers].filter(
        ([name]) => !["ratelimit", "x-ratelimit-remaining", "date"].includes(name)
      )
      const text = Object.values(resourceIds).reduce((text, thing) => text.replaceAll(thing, "…"), answered.text)
      return { ...answered, bytes: JSON.stringify([answered.status, told, text]) }
    }
  )
}

export const formatMatrixCellName = ({ caller, operation }: AuthorizationMatrixCell) =>
  `${operation.id} by ${caller.name}`

/** Creates resources for one call of the authorization matrix, so that the call may change or delete the resources. */
export const createResourcesForCell = Effect.fnUntraced(function* (
  { next, owner, resourceIds }: AuthorizationTestSetup,
  { method, path }: Operation
) {
  if (method === "GET") return resourceIds
  if (path.includes("/deliveries/")) return resourceIds
  if (path.includes("/webhooks/")) return { ...resourceIds, webhook: yield* createWebhook(owner) }
  if (path.includes("/api-keys/"))
    return { ...resourceIds, key: (yield* Seed.issueApiKey(owner.organization)).id as string }
  if (path.includes("/assignments/"))
    return { ...resourceIds, assignment: (yield* submitTestTopic(owner, next())).share }
  return resourceIds
})
