/** Tests concurrent requests with one idempotency key on a database with several writers. */
import { describe, it } from "@effect/vitest"
import * as Aead from "effect/crypto/Aead"
import * as Digest from "effect/crypto/Digest"
import * as Kdf from "effect/crypto/Kdf"
import * as Mac from "effect/crypto/Mac"
import * as SecureRandom from "effect/crypto/SecureRandom"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import * as TestClock from "effect/testing/TestClock"
import { assert } from "vitest"
import {
  Idempotency,
  type IdempotentRequest,
  type ResponseToStore,
  type RunChangeAndStoreResponse
} from "../../src/idempotency/Idempotency.ts"
import { type IdempotencyClaim, IdempotencyStore, type StoredResponse } from "../../src/idempotency/IdempotencyStore.ts"
import { Encryption } from "../../src/shared/Encryption.ts"
import type { OrganizationId } from "../../src/shared/Ids.ts"
import { SigningSecrets } from "../../src/shared/SigningSecrets.ts"
import { Transaction } from "../../src/shared/Transaction.ts"
import { makeTestUuid } from "../topic/SampleAssignments.ts"

const request: IdempotentRequest = {
  organizationId: makeTestUuid<OrganizationId>(1),
  environment: "live",
  method: "POST",
  path: "/partner/v1/topics",
  key: "a key",
  fingerprints: ["new.a body", "old.a body"],
  part: ""
}
const answer: ResponseToStore = { status: 201, location: "/here", body: '{"a":1}', secret: false }

/** The stored responses, the number of open transactions, and the time until which another request holds the claim. */
const world = () => ({
  kept: new Map<string, StoredResponse & Pick<IdempotencyClaim, "fingerprint">>(),
  open: 0,
  runningUntil: 0,
  claims: 0
})

const layerOf = (behind: ReturnType<typeof world>, ...secrets: ReadonlyArray<string>) => {
  const [first = "", ...rest] = secrets
  const pending = new Map<string, string>()
  const store = IdempotencyStore.of({
    find: (id) => Effect.sync(() => Option.fromUndefinedOr(behind.kept.get(id))),
    claim: ({ fingerprint, id }) =>
      Effect.clockWith((clock) =>
        Effect.sync(() => {
          assert.isAbove(behind.open, 0)
          behind.claims++
          if (clock.currentTimeMillisUnsafe() < behind.runningUntil) return "running"
          if (behind.kept.has(id)) return "kept"
          pending.set(id, fingerprint)
          return "claimed"
        })
      ),
    keep: (id, kept) =>
      Effect.sync(() => {
        behind.kept.set(id, { ...kept, fingerprint: pending.get(id) ?? "" })
      })
  })
  const transaction = Transaction.of({
    run: (change) =>
      Effect.acquireUseRelease(
        Effect.sync(() => {
          behind.open++
        }),
        () => change,
        () =>
          Effect.sync(() => {
            behind.open--
          })
      )
  })
  return Idempotency.layer.pipe(
    Layer.provide([Layer.succeed(IdempotencyStore, store), Layer.succeed(Transaction, transaction)]),
    Layer.provide(Encryption.layer),
    Layer.provide([Aead.layerWebCrypto, Kdf.layerWebCrypto, Mac.layerWebCrypto, Digest.layerWebCrypto]),
    Layer.provide(SecureRandom.layerWebCrypto),
    Layer.provide(Layer.succeed(SigningSecrets, [Redacted.make(first), ...rest.map((secret) => Redacted.make(secret))]))
  )
}

const once = <E, R>(
  attempt: (keep: RunChangeAndStoreResponse) => Effect.Effect<ResponseToStore, E, R>,
  given: Partial<IdempotentRequest> = {}
) => Effect.flatMap(Idempotency, (idempotency) => idempotency.once({ ...request, ...given }, attempt))

/** Waits in real time, because hashing runs outside the test clock. */
const pause = Effect.callback<void>((resume) => {
  setTimeout(() => resume(Effect.void), 1)
})

/**
 * Starts a duplicate request. Returns once the duplicate has tried to claim the idempotency key and waits for the first
 * request.
 */
const waiting = <A, E, R>(behind: ReturnType<typeof world>, duplicate: Effect.Effect<A, E, R>) =>
  Effect.gen(function* () {
    const fiber = yield* Effect.forkChild(duplicate)
    while (behind.claims === 0) yield* pause
    return fiber
  })

const change = (keep: RunChangeAndStoreResponse) => keep(Effect.succeed(answer))

describe("Idempotency", () => {
  it.effect("a duplicate request waits without a transaction and returns the first request's response", () => {
    const behind = world()
    return Effect.gen(function* () {
      behind.runningUntil = 3000
      const second = yield* waiting(behind, once(change))
      yield* TestClock.adjust(1000)
      assert.isAbove(behind.claims, 1)
      assert.strictEqual(behind.open, 0)
      behind.runningUntil = 0
      yield* once(change)
      yield* TestClock.adjust(1000)
      assert.deepInclude(yield* Fiber.join(second), { body: answer.body, replayed: true })
      assert.strictEqual(behind.kept.size, 1)
    }).pipe(Effect.provide(layerOf(behind, "s")))
  })

  it.effect("a waiting duplicate request makes the change when the first request has failed", () => {
    const behind = world()
    return Effect.gen(function* () {
      behind.runningUntil = 5000
      const second = yield* waiting(behind, once(change))
      yield* TestClock.adjust(6000)
      assert.deepInclude(yield* Fiber.join(second), { body: answer.body, replayed: false })
    }).pipe(Effect.provide(layerOf(behind, "s")))
  })

  it.effect("a duplicate request fails without a change if the first request still runs after ten seconds", () => {
    const behind = world()
    return Effect.gen(function* () {
      behind.runningUntil = 60_000
      const second = yield* waiting(behind, Effect.flip(once(change)))
      yield* TestClock.adjust(9999)
      assert.isUndefined(second.pollUnsafe())
      yield* TestClock.adjust(1)
      assert.deepInclude(yield* Fiber.join(second), { _tag: "IdempotencyKeyRejected", reason: "running" })
      assert.isBelow(behind.claims, 40)
      assert.strictEqual(behind.kept.size, 0)
    }).pipe(Effect.provide(layerOf(behind, "s")))
  })

  it.effect(
    "if a duplicate request stores its response first, the other request returns this response and makes no change",
    () => {
      const behind = world()
      return Effect.gen(function* () {
        const late = yield* once((keep) =>
          Effect.andThen(once(change), keep(Effect.succeed({ ...answer, body: "late" })))
        )
        assert.deepInclude(late, { body: answer.body, replayed: true })
      }).pipe(Effect.provide(layerOf(behind, "s")))
    }
  )

  it.effect(
    "a rejected request stores no response, and gets the response of a duplicate that succeeded in the meantime",
    () => {
      const behind = world()
      return Effect.gen(function* () {
        assert.strictEqual(yield* Effect.flip(once(() => Effect.fail("refused"))), "refused")
        assert.strictEqual(yield* Effect.flip(once((keep) => keep(Effect.fail("refused")))), "refused")
        assert.strictEqual(behind.kept.size, 0)
        const beaten = yield* once(() => Effect.andThen(once(change), Effect.fail("refused")))
        assert.deepInclude(beaten, { body: answer.body, replayed: true })
      }).pipe(Effect.provide(layerOf(behind, "s")))
    }
  )

  it.effect(
    "a used idempotency key is rejected with another body, and counts as unused with another method, path, part or organization",
    () => {
      const behind = world()
      return Effect.gen(function* () {
        yield* once(change)
        const others: ReadonlyArray<Partial<IdempotentRequest>> = [
          { organizationId: makeTestUuid<OrganizationId>(2) },
          { environment: "test" },
          { environment: "dashboard" },
          { method: "PUT" },
          { path: "/partner/v1/webhooks" },
          { key: "another" },
          { part: "topics[0]" }
        ]
        for (const other of others) assert.isFalse((yield* once(change, other)).replayed)
        const refused = yield* Effect.flip(once(change, { fingerprints: ["new.another"] }))
        assert.deepInclude(refused, { _tag: "IdempotencyKeyRejected", reason: "other_body" })
      }).pipe(Effect.provide(layerOf(behind, "s")))
    }
  )

  it.effect(
    "a response with a secret is stored encrypted, and a replay needs the idempotency key and the signing secret",
    () => {
      const behind = world()
      const secret = { ...answer, body: '{"full_key":"pk_live_x"}', secret: true }
      return Effect.gen(function* () {
        yield* Effect.provide(
          once((keep) => keep(Effect.succeed(secret))),
          layerOf(behind, "old")
        )
        const [kept] = [...behind.kept]
        assert.notInclude(JSON.stringify(kept), "pk_live_x")
        assert.notInclude(JSON.stringify(kept), request.key)
        const again = yield* Effect.provide(once(change), layerOf(behind, "new", "old"))
        assert.deepInclude(again, { body: secret.body, replayed: true })
        const lost = yield* Effect.flip(Effect.provide(once(change), layerOf(behind, "new")))
        assert.deepInclude(lost, { _tag: "IdempotencyKeyRejected", reason: "unreadable" })
      })
    }
  )

  it.effect("an encrypted response that was stored for one key and part is unreadable for another key or part", () => {
    const behind = world()
    const secret = (body: string) => (keep: RunChangeAndStoreResponse) =>
      keep(Effect.succeed({ ...answer, body, secret: true }))
    return Effect.gen(function* () {
      yield* once(secret("mine"))
      const [mine] = [...behind.kept.values()]
      for (const other of [{ key: "another" }, { part: "topics[0]" }]) {
        const before = new Set(behind.kept.keys())
        yield* once(secret("theirs"), other)
        for (const [id, theirs] of behind.kept) {
          if (!before.has(id)) behind.kept.set(id, { ...theirs, body: mine?.body ?? "" })
        }
        const refused = yield* Effect.flip(once(change, other))
        assert.deepInclude(refused, { _tag: "IdempotencyKeyRejected", reason: "unreadable" })
      }
      assert.deepInclude(yield* once(change), { body: "mine", replayed: true })
    }).pipe(Effect.provide(layerOf(behind, "s")))
  })

  it.effect("a stored fingerprint is a keyed hash that stays comparable after a rotation of the signing secret", () => {
    const behind = world()
    const bytes = (text: string) => new TextEncoder().encode(text)
    const post = (text: string, ...secrets: ReadonlyArray<string>) =>
      Effect.gen(function* () {
        const fingerprints = yield* (yield* Idempotency).fingerprints(bytes(text))
        return yield* once(change, { fingerprints })
      }).pipe(Effect.provide(layerOf(behind, ...secrets)))
    return Effect.gen(function* () {
      yield* post("a body", "old")
      const [{ fingerprint = "" } = {}] = [...behind.kept.values()]
      const digest = yield* Effect.provide(Digest.Digest, Digest.layerWebCrypto)
      assert.notInclude(fingerprint, yield* digest.digestHex(Digest.sha256, bytes("a body")))
      const other = yield* Effect.flip(post("another", "old"))
      assert.deepInclude(other, { _tag: "IdempotencyKeyRejected", reason: "other_body" })
      assert.isTrue((yield* post("a body", "old")).replayed)
      assert.isTrue((yield* post("a body", "new", "old")).replayed)
      assert.deepInclude(yield* Effect.flip(post("another", "new", "old")), { reason: "other_body" })
      assert.deepInclude(yield* Effect.flip(post("a body", "new")), {
        _tag: "IdempotencyKeyRejected",
        reason: "unreadable"
      })
      behind.kept.clear()
      yield* post("a body", "elsewhere")
      assert.notInclude(
        [...behind.kept.values()].map((kept) => kept.fingerprint),
        fingerprint
      )
    })
  })
})
