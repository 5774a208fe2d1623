/** Tests that workers retry failed work before their next poll, even with a long poll interval. */
import { assert, it } from "@effect/vitest"
import { MailStore } from "@partner-commentary/core/mail/MailStore"
import * as Workers from "@partner-commentary/server/Workers"
import { WorkerSettings } from "@partner-commentary/server/workers/WorkerSettings"
import * as Sqlite from "@partner-commentary/sqlite/Sqlite"
import * as InMemory from "@partner-commentary/test/InMemory"
import { Mailbox } from "@partner-commentary/test/Mailbox"
import * as Seed from "@partner-commentary/test/Seed"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as TestClock from "effect/testing/TestClock"
import { eventually } from "../support/Eventually.ts"
import { waitUntilMailsProcessed } from "../support/MailProcessing.ts"
import { submitTopic } from "../support/Requests.ts"

type Mails = MailStore["Service"]
type Change = (store: Mails) => Partial<Mails>

interface Failures {
  claim: number
  nextDue: number
}

/**
 * Makes the first queries for due mails and for the next due time fail. `left` contains the number of remaining
 * failures of each query.
 */
const faltering =
  (left: Failures): Change =>
  (store) => {
    const first = <A>(what: keyof Failures, then: Effect.Effect<A>) =>
      Effect.suspend(() => (left[what]-- > 0 ? Effect.die(new Error("the database is away")) : then))
    return {
      claim: (...asked) => first("claim", store.claim(...asked)),
      nextDue: first("nextDue", store.nextDue)
    }
  }

const idle = (change: Change) =>
  InMemory.layerWithoutWorkers({
    stores: Layer.provideMerge(
      Layer.effect(
        MailStore,
        Effect.map(MailStore, (store) => MailStore.of({ ...store, ...change(store) }))
      ),
      Sqlite.layer({ filename: ":memory:" })
    )
  })

const layer = (change: Change) =>
  Layer.provideMerge(
    Layer.provide(
      Workers.layer,
      Layer.effect(
        WorkerSettings,
        Effect.map(WorkerSettings, (usual) => ({ ...usual, pause: Duration.seconds(1) }))
      )
    ),
    idle(change)
  )

const partner = Effect.gen(function* () {
  yield* TestClock.setTime(Date.parse("2026-03-01T09:00:00.000Z"))
  const mailbox = yield* Mailbox
  const owner = yield* Seed.createOrganization()
  const persona = yield* Seed.createPersona(owner)
  const { text: key } = yield* Seed.issueApiKey(owner)
  return { mailbox, submitted: submitTopic(key, "Who takes the title this season?", [persona]) }
})

const mailedThough = (failures: Failures) => {
  const left = { claim: 0, nextDue: 0 }
  return Effect.gen(function* () {
    const { mailbox, submitted } = yield* partner
    Object.assign(left, failures)
    const broken = (count: number) =>
      eventually(
        `${count} broken looks`,
        Effect.sync(() => left.claim <= failures.claim - count)
      )
    yield* submitted
    yield* broken(1)
    yield* TestClock.adjust("500 millis")
    assert.lengthOf(yield* mailbox.all, 0)
    for (let count = 2; count <= failures.claim; count++) {
      yield* TestClock.adjust("1 second")
      yield* broken(count)
    }
    yield* TestClock.adjust("1 second")
    yield* waitUntilMailsProcessed
    assert.lengthOf(yield* mailbox.all, 1)
  }).pipe(Effect.provide(layer(faltering(left))))
}

it.effect(
  "if the query for due work fails, the worker retries the query every second, even with a long poll interval",
  () => mailedThough({ claim: 3, nextDue: 0 })
)

it.effect("the worker also retries every second if the query for the next due time fails", () =>
  mailedThough({ claim: 3, nextDue: 3 })
)

it.effect("work that becomes due during a query does not wait for the next poll", () => {
  /** The number of queries for the next due time during which the clock moves to the returned due time. */
  let slow = 1
  const delayed: Change = (store) => ({
    nextDue: Effect.tap(store.nextDue, (next) =>
      Option.isSome(next) && slow-- > 0 ? TestClock.setTime(next.value) : Effect.void
    )
  })
  return Effect.gen(function* () {
    const { mailbox, submitted } = yield* partner
    yield* mailbox.refuseNext({ permanent: false })
    yield* submitted
    yield* eventually(
      "the mail",
      Effect.map(mailbox.all, ([sent]) => sent)
    )
  }).pipe(Effect.provide(layer(delayed)))
})

it.effect("a drain that cannot read the next due time reports that more work may be due", () =>
  Effect.gen(function* () {
    const limits = { claimFor: Duration.seconds(40), runFor: Duration.seconds(55), lookahead: Duration.seconds(5) }
    assert.isTrue((yield* Workers.drain(limits)).isMoreDue)
    assert.isFalse((yield* Workers.drain(limits)).isMoreDue)
  }).pipe(Effect.provide(idle(faltering({ claim: 0, nextDue: 1 }))))
)
