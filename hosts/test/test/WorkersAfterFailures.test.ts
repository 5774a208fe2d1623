/** Workers that rarely look for themselves: what is due and failed is not left to the next look. */
import { assert, it } from "@effect/vitest"
import { MailStore } from "@partner-commentary/core/mail/MailStore"
import { WorkerSettings } from "@partner-commentary/server/Rounds"
import * as Workers from "@partner-commentary/server/Workers"
import * as Sqlite from "@partner-commentary/sqlite/Sqlite"
import * as Application from "@partner-commentary/test/Application"
import { Mailbox } from "@partner-commentary/test/Mailbox"
import { ScriptedGenerator } from "@partner-commentary/test/ScriptedGenerator"
import * as Seed from "@partner-commentary/test/Seed"
import { TestApi } from "@partner-commentary/test/TestApi"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as TestClock from "effect/testing/TestClock"
import { submit } from "./Requests.ts"

/** The first looks at what mails are due break. */
const faltering = (failures: number) =>
  Layer.effect(
    MailStore,
    Effect.map(MailStore, (store) => {
      let left = failures
      return MailStore.of({
        ...store,
        claim: (...asked) =>
          Effect.suspend(() => (left-- > 0 ? Effect.die(new Error("the database is away")) : store.claim(...asked)))
      })
    })
  ).pipe(Layer.provideMerge(Sqlite.layer({ filename: ":memory:" })))

const layer = Layer.provideMerge(
  Layer.provide(
    Workers.layer,
    Layer.effect(
      WorkerSettings,
      Effect.map(WorkerSettings, (usual) => ({ ...usual, pause: Duration.seconds(1) }))
    )
  ),
  TestApi.layerMemory.pipe(
    Layer.provideMerge(
      Application.layer({ stores: faltering(3), outside: Layer.merge(Mailbox.layer, ScriptedGenerator.layer) })
    )
  )
)

it.effect("what is due and could not be done is tried again every second, however rarely they poll", () =>
  Effect.gen(function* () {
    yield* TestClock.setTime(Date.parse("2026-03-01T09:00:00.000Z"))
    const mailbox = yield* Mailbox
    const owner = yield* Seed.organization()
    const persona = yield* Seed.persona(owner)
    const { text: key } = yield* Seed.key(owner)
    yield* submit(key, "Who takes the title this season?", [persona])
    yield* TestClock.adjust("500 millis")
    assert.lengthOf(yield* mailbox.all, 0)
    yield* TestClock.adjust("4 seconds")
    assert.lengthOf(yield* mailbox.all, 1)
  }).pipe(Effect.provide(layer))
)
