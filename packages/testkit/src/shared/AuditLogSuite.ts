/** Tests the guarantees of the AuditLog port. The port can only write, so the caller of the suite provides a reader. */
import { assert, describe } from "@effect/vitest"
import { ApiKeyStore } from "@partner-commentary/core/access/ApiKeyStore"
import { type AuditEntry, AuditLog } from "@partner-commentary/core/shared/AuditLog"
import type { Instant } from "@partner-commentary/core/shared/Instant"
import type { AssignmentStore } from "@partner-commentary/core/topic/AssignmentStore"
import { TopicStore } from "@partner-commentary/core/topic/TopicStore"
import * as Effect from "effect/Effect"
import type * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import * as TestClock from "effect/testing/TestClock"
import * as Creator from "../support/Creator.ts"
import { hour, makeApiKey, makeOrganizationId, makeSubmission, start } from "../support/Fixtures.ts"
import { makeGuaranteeTest } from "../support/GuaranteeTest.ts"

export interface RecordedAuditEntry extends AuditEntry {
  readonly at: Instant
}

type Stores = AuditLog | ApiKeyStore | TopicStore | AssignmentStore

/** `recorded` returns all audit entries, oldest first. */
export const suite = <R, E, E2>(
  name: string,
  layer: Layer.Layer<R | Stores, E>,
  recorded: Effect.Effect<ReadonlyArray<RecordedAuditEntry>, E2, R>
): void => {
  describe(`${name}: AuditLog`, () => {
    const it = makeGuaranteeTest(layer)

    it("audit entries are stored unchanged and in order, with the clock's time", () =>
      Effect.gen(function* () {
        const log = yield* AuditLog
        const first = {
          action: "key.created",
          subject: "a",
          organizationId: makeOrganizationId(),
          details: { n: [1, "x"] }
        }
        const second = { action: "creator.erased", subject: "", organizationId: null, details: {} }
        yield* log.record(first)
        yield* TestClock.adjust("1 hour")
        yield* log.record(second)
        assert.deepStrictEqual(yield* recorded, [
          { ...first, at: start },
          { ...second, at: start + hour }
        ])
      }))

    it("an action on an assignment is recorded with the assignment's change, and a rejected action is not recorded", () =>
      Effect.gen(function* () {
        const topics = yield* TopicStore
        const given = makeSubmission()
        const { sent } = yield* topics.submit(given)
        for (const id of sent) {
          yield* Creator.decline(id)
          yield* Creator.decline(id)
          yield* Effect.flip(Creator.submitPerspective(id))
        }
        const { organizationId } = given.topic
        assert.deepStrictEqual(
          yield* recorded,
          sent.map((subject) => ({
            action: "creator.declined",
            subject,
            organizationId,
            details: {},
            at: start
          }))
        )
      }))

    it("a change of a key has its own audit entry, and a rejected change is not recorded", () =>
      Effect.gen(function* () {
        const store = yield* ApiKeyStore
        const key = makeApiKey()
        const { id: subject, organizationId } = key
        const entry = (action: string) => ({ action, subject, organizationId, details: {} })
        yield* store.insert({ key, hash: "hash" }, 1, entry("key.created"))
        yield* Effect.flip(store.insert({ key: makeApiKey({ organizationId }), hash: "more" }, 1, entry("key.created")))
        const change = (record: AuditEntry | null) => ({
          revokedAt: start,
          isRevoked: true,
          successor: null,
          record
        })
        yield* store.modify(subject, null, () => Result.succeed(change(entry("key.revoked"))))
        yield* store.modify(subject, null, () => Result.succeed(change(null)))
        assert.deepStrictEqual(yield* recorded, [
          { ...entry("key.created"), at: start },
          { ...entry("key.revoked"), at: start }
        ])
      }))
  })
}
