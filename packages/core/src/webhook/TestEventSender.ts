/**
 * Sends a test event immediately, even to a paused or disabled webhook. Test attempts are not stored, and a failed test
 * does not count as a failure.
 */
import * as Context from "effect/Context"
import * as SecureRandom from "effect/crypto/SecureRandom"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import type { WebhookId } from "../shared/Ids.ts"
import * as Instant from "../shared/Instant.ts"
import type { Owner } from "../shared/Owner.ts"
import type { DeliveryAttempt } from "./Attempt.ts"
import { WebhookNotFound } from "./WebhookNotFound.ts"
import * as WebhookSender from "./WebhookSender.ts"
import { WebhookStore } from "./WebhookStore.ts"

export interface TestEventResult {
  /** The id of the test event is `evt_test_` and a UUID. */
  readonly eventId: string
  readonly attempt: DeliveryAttempt
}

export class TestEventSender extends Context.Service<
  TestEventSender,
  {
    /** Makes one attempt. `test` waits for the receiver's response, up to the delivery timeout. */
    readonly test: (owner: Owner, id: WebhookId) => Effect.Effect<TestEventResult, WebhookNotFound>
  }
>()("@partner-commentary/core/webhook/TestEventSender") {
  static readonly layer = Layer.effect(
    TestEventSender,
    Effect.gen(function* () {
      const store = yield* WebhookStore
      const random = yield* SecureRandom.SecureRandom
      const send = yield* WebhookSender.make
      return TestEventSender.of({
        test: Effect.fn("WebhookTest.test")(function* (owner, id) {
          const found = yield* store.find(owner, id)
          if (Option.isNone(found)) return yield* new WebhookNotFound()
          const secrets = Option.getOrElse(yield* store.secrets(id), () => removed)
          const eventId = `evt_test_${yield* random.uuidV7()}`
          const payload = JSON.stringify({
            id: eventId,
            type: "webhook.test",
            timestamp: Instant.toIso(yield* Instant.now),
            sequence: 1,
            data: { webhook_id: id, environment: owner.environment }
          })
          const logContext = () => ({ organizationId: owner.organizationId })
          return {
            eventId,
            attempt: yield* send({ webhook: found.value, ...secrets, eventId, payload, logContext })
          }
        })
      })
    })
  )
}

/** The secrets of a webhook that another request removed during the test. */
const removed = { encryptedSecret: null, formerSecret: null }
