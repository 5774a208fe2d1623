/** Tests that the log has no error when a generation attempt fails after another attempt wrote the draft. */
import { assert, it } from "@effect/vitest"
import { CommentaryGenerator, GenerationFailed } from "@partner-commentary/core/commentary/CommentaryGenerator"
import * as Application from "@partner-commentary/test/Application"
import { Mailbox } from "@partner-commentary/test/Mailbox"
import * as Seed from "@partner-commentary/test/Seed"
import { TestApi } from "@partner-commentary/test/TestApi"
import * as Deferred from "effect/Deferred"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as TestClock from "effect/testing/TestClock"
import { eventually } from "../support/Eventually.ts"
import { actAsCreator, findCreatorToken, submitTopic } from "../support/Requests.ts"

it.effect("an attempt that fails after another attempt wrote the draft is not logged as an error", () => {
  let calls = 0
  const asked = Deferred.makeUnsafe<void>()
  const gate = Deferred.makeUnsafe<void>()
  const late = new GenerationFailed({ permanent: false, reason: "too late" })
  const generator = Layer.succeed(CommentaryGenerator, {
    generate: () =>
      calls++ > 0
        ? Effect.succeed("They will win it.")
        : Effect.andThen(Deferred.succeed(asked, undefined), Effect.andThen(Deferred.await(gate), Effect.fail(late)))
  })
  const logged: Array<Readonly<Record<string, unknown>>> = []
  const content = "Who takes the title this season?"
  return Effect.gen(function* () {
    yield* TestClock.setTime(Date.parse("2026-03-01T09:00:00.000Z"))
    const owner = yield* Seed.createOrganization()
    const persona = yield* Seed.createPersona(owner)
    const { text: key } = yield* Seed.issueApiKey(owner)
    yield* submitTopic(key, content, [persona])
    const token = yield* findCreatorToken(persona, content)
    yield* actAsCreator(token, "respond", { perspective: "They will win it, and by some distance." })
    yield* Deferred.await(asked)
    yield* TestClock.adjust("2 minutes")
    const mailbox = yield* Mailbox
    yield* eventually(
      "the draft's mail",
      Effect.map(mailbox.to(persona.creator.email), ([, draft]) => draft)
    )
    yield* Deferred.succeed(gate, undefined)
    const told = yield* eventually(
      "a line about the attempt",
      Effect.sync(() => logged.find(({ annotations }) => JSON.stringify(annotations).includes("too late")))
    )
    assert.deepInclude(told, {
      level: "INFO",
      message: "A superseded attempt at a draft failed"
    })
  }).pipe(
    Effect.provide(
      TestApi.layerMemory.pipe(
        Layer.provideMerge(TestApi.workers),
        Layer.provideMerge(
          Application.layer({ policy: { lease: Duration.minutes(1) }, outside: Layer.merge(Mailbox.layer, generator) })
        )
      )
    ),
    Effect.provide(
      Logger.layer([
        Logger.map(Logger.formatStructured, (entry) => void logged.push(entry as unknown as (typeof logged)[number]))
      ])
    )
  )
})
