/** Tests that a change is signaled even if the caller is interrupted. */
import { assert, it } from "@effect/vitest"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import { defaults } from "../../src/shared/Policy.ts"
import type { WorkNotification } from "../../src/shared/WorkSignal.ts"
import type { ModifiedAssignment } from "../../src/topic/AssignmentStore.ts"
import * as SignaledChange from "../../src/topic/SignaledChange.ts"
import { makeNewAssignment } from "./SampleAssignments.ts"

it.effect("a stored change is signaled to workers even if the caller is interrupted", () =>
  Effect.gen(function* () {
    const stored = yield* Deferred.make<void>()
    const answered = yield* Deferred.make<void>()
    const told: Array<WorkNotification> = []
    const before = makeNewAssignment(defaults)
    const topic = { id: before.topicId, content: "Who wins?", organizationName: "Acme" }
    const modified: ModifiedAssignment = { before, after: before, topic, work: ["assignments"] }
    const modify = SignaledChange.makeSignalingModify(
      {
        modify: () =>
          Effect.as(
            Effect.andThen(Deferred.succeed(stored, undefined), Deferred.await(answered)),
            Option.some(modified)
          )
      },
      { tell: (work) => Effect.sync(() => void told.push(...work)) }
    )
    const change = yield* Effect.forkChild(modify(before.id, () => Result.succeed({ assignment: before, notices: [] })))
    yield* Deferred.await(stored)
    const ended = yield* Effect.forkChild(Fiber.interrupt(change), { startImmediately: true })
    yield* Deferred.succeed(answered, undefined)
    yield* Fiber.join(ended)
    assert.deepStrictEqual(told, ["assignments"])
  })
)
