/**
 * Tests a clean stop during an external call. The stopping worker releases its job, and the interrupted attempt does
 * not count.
 */
import { assert, it } from "@effect/vitest"
import { CommentaryGenerator } from "@partner-commentary/core/commentary/CommentaryGenerator"
import { Mailer } from "@partner-commentary/core/mail/Mailer"
import { MailStore } from "@partner-commentary/core/mail/MailStore"
import { ShareId } from "@partner-commentary/core/shared/Ids"
import { AssignmentStore } from "@partner-commentary/core/topic/AssignmentStore"
import { respond } from "@partner-commentary/core/topic/Workflow"
import * as Workers from "@partner-commentary/server/Workers"
import * as Application from "@partner-commentary/test/Application"
import * as Seed from "@partner-commentary/test/Seed"
import { TestApi } from "@partner-commentary/test/TestApi"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import { readJson } from "../support/Json.ts"

it.effect(
  "after a clean stop, a mail that was being sent and a draft that was being generated are due immediately",
  () =>
    Effect.gen(function* () {
      const sending = yield* Deferred.make<void>()
      const writing = yield* Deferred.make<void>()
      const hang = (begun: Deferred.Deferred<void>) => Effect.andThen(Deferred.succeed(begun, undefined), Effect.never)
      const outside = Layer.merge(
        Layer.succeed(Mailer, Mailer.of({ send: () => Effect.interruptible(hang(sending)) })),
        Layer.succeed(CommentaryGenerator, CommentaryGenerator.of({ generate: () => hang(writing) }))
      )
      yield* Effect.gen(function* () {
        const { call } = yield* TestApi
        const owner = yield* Seed.createOrganization()
        const [answered, silent] = [yield* Seed.createPersona(owner), yield* Seed.createPersona(owner)]
        const { text: key } = yield* Seed.issueApiKey(owner)
        const body = {
          content: "What becomes of this in the end?",
          persona_ids: [answered.id, silent.id],
          external_reference: "stop"
        }
        yield* call("/partner/v1/topics", { method: "POST", key, body })
        const { data } = yield* readJson(yield* call("/partner/v1/topics/by-reference/stop", { key }))
        const id = ShareId.make(data.commentaries[0].share_id)
        const assignments = yield* AssignmentStore
        const mails = yield* MailStore
        yield* assignments.modify(id, (present) => respond(present, { perspective: "A view of my own." }, 0))

        const workers = yield* Effect.forkChild(Effect.scoped(Effect.andThen(Layer.build(Workers.layer), Effect.never)))
        yield* Effect.all([Deferred.await(sending), Deferred.await(writing)])
        assert.isTrue(Option.exists(yield* mails.nextDue, (due) => due > 0))
        yield* Fiber.interrupt(workers)

        const { generation } = Option.getOrThrow(yield* assignments.find(id)).assignment
        assert.deepInclude(generation, { running: false, attempts: 0, nextAt: 0 })
        assert.deepStrictEqual(yield* mails.nextDue, Option.some(0))
        const taken = yield* mails.claim(0, 1, 10)
        assert.isAbove(taken.length, 0)
        for (const { attempts } of taken) assert.strictEqual(attempts, 1)
      }).pipe(Effect.provide(TestApi.layerMemory.pipe(Layer.provideMerge(Application.layer({ outside })))))
    })
)
