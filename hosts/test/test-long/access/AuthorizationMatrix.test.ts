/**
 * Tests every operation with every kind of caller. The expected response depends only on the operation's requirements.
 */
import { assert, it } from "@effect/vitest"
import { ApiKeys } from "@partner-commentary/core/access/ApiKeys"
import { ApiKeyId } from "@partner-commentary/core/shared/Ids"
import { TestApi } from "@partner-commentary/test/TestApi"
import * as Effect from "effect/Effect"
import {
  type AuthorizationMatrixCell,
  type AuthorizationTestSetup,
  createResourcesForCell,
  formatMatrixCellName,
  layerBehindProxy,
  makeAuthorizationTestSetup,
  sendRequestOfCell,
  unknownResourceIds
} from "../../test/support/authorization/AuthorizationTestSetup.ts"
import type { ResourceOwnership } from "../../test/support/authorization/Callers.ts"
import { exampleRequestBodies } from "../../test/support/authorization/Examples.ts"
import {
  findAffectedEnvironment,
  findRequiredScope,
  findRequiredWebhookScope,
  type Operation,
  type RequestResourceIds,
  readOpenApiOperations
} from "../../test/support/authorization/Operations.ts"
import { readAllResources } from "../../test/support/authorization/OwnedResources.ts"

/**
 * Returns strings that belong to the first organization, and that a caller of this kind must not see. All keys of an
 * organization see the organization's personas, and only test keys see simulated topics.
 */
const hidden = (
  { simulated, resourceIds }: AuthorizationTestSetup,
  { operation }: AuthorizationMatrixCell,
  whose: ResourceOwnership
): ReadonlyArray<string> => {
  const { persona, assignment, ...always } = resourceIds
  // The operation getMe shows the organization's name to keys of both environments.
  const name = whose === "other environment" && operation.id === "getMe" ? [] : ["The First"]
  const marks = [...Object.values(always), ...name, "the-first"]
  if (whose === "other organization") return [...marks, persona, assignment, simulated]
  return findAffectedEnvironment(operation) === "test" ? [...marks, assignment, simulated] : marks
}

it.effect("every operation requires a suitable scope or a token, and has an example request", () =>
  Effect.gen(function* () {
    const all = yield* readOpenApiOperations
    assert.deepStrictEqual(Object.keys(exampleRequestBodies).toSorted(), all.map(({ id }) => id).toSorted())
    for (const operation of all) {
      const scope = findRequiredScope(operation)
      const scheme = operation.path.includes("/api-keys") ? "DashboardToken" : "ApiKey"
      assert.deepStrictEqual(
        [operation.scheme, operation.scope, operation.webhookScope],
        [scheme, scope, findRequiredWebhookScope(operation)],
        operation.id
      )
    }
  }).pipe(Effect.provide(layerBehindProxy))
)

it.effect("a caller without permission gets the expected error, and the call reveals and changes nothing", () =>
  Effect.gen(function* () {
    const present = yield* makeAuthorizationTestSetup
    const { all, cells, owner, simulated, resourceIds } = present
    const hostile = cells.filter(({ answer }) => answer.is !== "success" || answer.whose !== "own")
    const look = readAllResources(owner, all, resourceIds, simulated)
    const before = yield* look
    for (const cell of hostile) {
      const { answer, operation } = cell
      const met = yield* sendRequestOfCell(present, cell, resourceIds)
      if (operation.method === "GET") {
        const head = yield* sendRequestOfCell(present, cell, resourceIds, { method: "HEAD" })
        assert.deepStrictEqual([head.status, head.text], [met.status, ""], formatMatrixCellName(cell))
      }
      if (answer.is === "refused") {
        assert.deepStrictEqual([met.status, met.code], [answer.status, answer.code], formatMatrixCellName(cell))
        if (met.status === 401) {
          assert.deepStrictEqual(Object.keys(JSON.parse(met.text).error).toSorted(), ["code", "message"])
          const scope = operation.webhookScope ?? operation.scope
          if (scope !== undefined && answer.code === "scope_denied") assert.include(met.text, scope)
          assert.strictEqual(
            (yield* sendRequestOfCell(present, cell, unknownResourceIds)).bytes,
            met.bytes,
            formatMatrixCellName(cell)
          )
        }
      } else if (answer.is === "unknown") {
        assert.deepStrictEqual([met.status, met.code], [404, "not_found"], formatMatrixCellName(cell))
        assert.strictEqual(
          (yield* sendRequestOfCell(present, cell, unknownResourceIds)).bytes,
          met.bytes,
          formatMatrixCellName(cell)
        )
      } else {
        assert.strictEqual(met.status, operation.success, `${formatMatrixCellName(cell)}: ${met.text}`)
        for (const thing of hidden(present, cell, answer.whose))
          assert.notInclude(met.text, thing, formatMatrixCellName(cell))
      }
    }
    assert.deepStrictEqual(yield* look, before)
    assert.isAbove(hostile.length, 20 * all.length)
  }).pipe(Effect.provide(layerBehindProxy))
)

const made = ({ id }: Operation, data: { readonly id: string }): Partial<RequestResourceIds> => {
  if (id === "createWebhook") return { webhook: data.id }
  return id === "createApiKey" || id === "rotateApiKey" ? { key: data.id } : {}
}

/**
 * Removes the resources that the call created, because an organization may have at most 20 active keys and 20 webhooks.
 */
const deleteCreatedResources = Effect.fnUntraced(function* (
  { owner, resourceIds }: AuthorizationTestSetup,
  { id }: Operation,
  left: RequestResourceIds
) {
  if (left.key !== resourceIds.key) yield* (yield* ApiKeys).revoke(ApiKeyId.make(left.key))
  if (left.webhook === resourceIds.webhook || id === "deleteWebhook") return
  const { call } = yield* TestApi
  const { status } = yield* call(`/partner/v1/webhooks/${left.webhook}`, { method: "DELETE", key: owner.live })
  assert.strictEqual(status, 200)
})

it.effect("a caller with permission succeeds at every operation", () =>
  Effect.gen(function* () {
    const present = yield* makeAuthorizationTestSetup
    const own = present.cells.filter(({ answer }) => answer.is === "success" && answer.whose === "own")
    for (const cell of own) {
      const { operation } = cell
      const resourceIds = yield* createResourcesForCell(present, operation)
      const met = yield* sendRequestOfCell(present, cell, resourceIds)
      assert.strictEqual(met.status, operation.success, `${formatMatrixCellName(cell)}: ${met.text}`)
      if (met.isJson)
        yield* deleteCreatedResources(present, operation, {
          ...resourceIds,
          ...made(operation, JSON.parse(met.text).data)
        })
    }
    for (const operation of present.all)
      assert.isTrue(
        own.some((cell) => cell.operation === operation),
        `${operation.id} is open to nobody`
      )
  }).pipe(Effect.provide(layerBehindProxy))
)

it.effect("a response that is stored under an idempotency key is never returned to another caller", () =>
  Effect.gen(function* () {
    const present = yield* makeAuthorizationTestSetup
    const own = ({ answer }: AuthorizationMatrixCell) => answer.is === "success" && answer.whose === "own"
    for (const operation of present.all.filter(({ keeps }) => keeps)) {
      const cells = present.cells.filter((cell) => cell.operation === operation)
      const [first, ...others] = [...cells.filter(own), ...cells.filter((cell) => !own(cell))]
      if (first === undefined) return assert.fail(`${operation.id} is open to nobody`)
      const resourceIds = yield* createResourcesForCell(present, operation)
      const more = { nth: present.next(), headers: { "idempotency-key": "the-firsts" } }
      const made = yield* sendRequestOfCell(present, first, resourceIds, more)
      assert.strictEqual(made.status, operation.success, made.text)
      for (const cell of others) {
        const met = yield* sendRequestOfCell(present, cell, resourceIds, more)
        const replayed = met.headers.get("idempotency-replayed")
        if (own(cell)) {
          assert.deepStrictEqual(
            [met.status, met.text, replayed],
            [made.status, made.text, "true"],
            formatMatrixCellName(cell)
          )
        } else if (cell.answer.is === "success") {
          // The caller has its own idempotency keys, so the service must not replay the first organization's response.
          assert.strictEqual(met.status, operation.success, formatMatrixCellName(cell))
          assert.notStrictEqual(met.text, made.text, formatMatrixCellName(cell))
        } else {
          assert.isNull(replayed, formatMatrixCellName(cell))
          assert.strictEqual(
            met.status,
            cell.answer.is === "unknown" ? 404 : cell.answer.status,
            formatMatrixCellName(cell)
          )
        }
      }
    }
  }).pipe(Effect.provide(layerBehindProxy))
)
