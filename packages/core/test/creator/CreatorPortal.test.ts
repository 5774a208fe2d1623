/**
 * Tests what happens to a creator's action if the operator changes or erases the creator's address during the action.
 */
import { describe, it } from "@effect/vitest"
import * as Digest from "effect/crypto/Digest"
import * as Mac from "effect/crypto/Mac"
import * as SecureRandom from "effect/crypto/SecureRandom"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import * as TestClock from "effect/testing/TestClock"
import { assert } from "vitest"
import { CreatorPortal } from "../../src/creator/CreatorPortal.ts"
import { CreatorLinks } from "../../src/mail/CreatorLinks.ts"
import { MailStore } from "../../src/mail/MailStore.ts"
import { defaults } from "../../src/shared/Policy.ts"
import { PublicAddress } from "../../src/shared/PublicAddress.ts"
import { SigningSecrets } from "../../src/shared/SigningSecrets.ts"
import { WorkSignal } from "../../src/shared/WorkSignal.ts"
import type { Assignment } from "../../src/topic/Assignment.ts"
import { AssignmentStore } from "../../src/topic/AssignmentStore.ts"
import { makeNewAssignment, noonInMillis } from "../topic/SampleAssignments.ts"

const assignment = makeNewAssignment(defaults)
const topic = {
  id: assignment.topicId,
  content: "Will the home side win?",
  organizationName: "Gazette",
  createdAt: noonInMillis
} as never

/**
 * `find` returns the assignment before the change of the address, and `modify` gets the assignment after the change.
 */
const storeWithChangeTo = (locked: Assignment) =>
  Layer.mock(AssignmentStore)({
    find: () => Effect.succeed(Option.some({ assignment, topic })),
    modify: (_, decide) => {
      const decided = decide(locked)
      return Result.isFailure(decided)
        ? Effect.fail(decided.failure)
        : Effect.succeed(Option.some({ before: locked, after: decided.success.assignment, topic, work: [] }))
    }
  })

const portalWithChangeTo = (email: string) =>
  CreatorPortal.layer.pipe(
    Layer.provideMerge(CreatorLinks.layer),
    Layer.provide([
      storeWithChangeTo({ ...assignment, creator: { ...assignment.creator, email } }),
      Layer.mock(MailStore)({}),
      WorkSignal.layerProcess,
      PublicAddress.layer("https://partners.example"),
      Layer.succeed(SigningSecrets, [Redacted.make("secret of this test")]),
      Digest.layerWebCrypto,
      SecureRandom.layerWebCrypto,
      Mac.layerWebCrypto.pipe(Layer.provide(SecureRandom.layerWebCrypto))
    ])
  )

const respond = (email: string) =>
  Effect.provide(
    Effect.gen(function* () {
      yield* TestClock.setTime(noonInMillis)
      const portal = yield* CreatorPortal
      const link = yield* (yield* CreatorLinks).toAssignment(assignment)
      const action = { perspective: "The home side is stronger." }
      const token = link.slice("https://partners.example/creator/".length)
      return yield* portal.respond({ token }, action).pipe(
        Effect.map(({ assignment: after }) => after.perspective),
        Effect.catch(({ _tag }) => Effect.succeed(_tag))
      )
    }),
    portalWithChangeTo(email)
  )

describe("a creator's action during a change of the address", () => {
  it.effect("an action is rejected if the creator's address changes after the action has read the assignment", () =>
    Effect.gen(function* () {
      assert.strictEqual(yield* respond("successor@creator.example"), "LinkInvalid")
      assert.strictEqual(yield* respond(""), "LinkInvalid")
    })
  )

  it.effect("an action is stored if the creator's address has changed only in upper and lower case", () =>
    Effect.gen(function* () {
      assert.strictEqual(yield* respond(assignment.creator.email.toUpperCase()), "The home side is stronger.")
    })
  )
})
