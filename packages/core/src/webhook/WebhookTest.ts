/**
 * Sends a test event at once, whatever the webhook's status. The service does not store the test, and a failed test
 * does not count as a failed attempt.
 */
import * as Context from "effect/Context"
import * as SecureRandom from "effect/crypto/SecureRandom"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import type { WebhookId } from "../shared/Ids.ts"
import * as Instant from "../shared/Instant.ts"
import type { Owner } from "../shared/Owner.ts"
import type { Attempt } from "./Attempt.ts"
import { WebhookNotFound } from "./WebhookNotFound.ts"
import * as WebhookSender from "./WebhookSender.ts"
import { WebhookStore } from "./WebhookStore.ts"

export interface TestResult {
  /** The test event's id is `evt_test_` and a UUID. */
  readonly eventId: string
  readonly attempt: Attempt
}

export class WebhookTest extends Context.Service<
  WebhookTest,
  {
    /** Sends a test event in one attempt. The call waits for the receiver, up to the delivery timeout. */
    readonly test: (owner: Owner, id: WebhookId) => Effect.Effect<TestResult, WebhookNotFound>
  }
>()("@partner-commentary/core/webhook/WebhookTest") {
  static readonly layer = Layer.effect(
    WebhookTest,
    Effect.gen(function* () {
      const store = yield* WebhookStore
      const random = yield* SecureRandom.SecureRandom
      const send = yield* WebhookSender.make
      return WebhookTest.of({
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
          const subject = () => ({ organizationId: owner.organizationId })
          return {
            eventId,
            attempt: yield* send({ webhook: found.value, ...secrets, eventId, payload, subject })
          }
        })
      })
    })
  )
}

/** The result for a webhook that was removed before the service read its secrets. */
const removed = { encryptedSecret: null, formerSecret: null }
