/** Tests requests that arrive while every connection to Postgres is in use. */
import { assert, it } from "@effect/vitest"
import * as Postgres from "@partner-commentary/postgres/Postgres"
import * as InMemory from "@partner-commentary/test/InMemory"
import * as TestDatabase from "@partner-commentary/test/postgres/TestDatabase"
import * as Seed from "@partner-commentary/test/Seed"
import { TestApi } from "@partner-commentary/test/TestApi"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import type * as Redacted from "effect/Redacted"
import { readJson } from "../support/Json.ts"
import { submitTopic } from "../support/Requests.ts"

/** Locks the table of assignments, so that reads wait. Returns an effect that releases the lock. */
const lockAssignments = Effect.fnUntraced(function* (url: Redacted.Redacted) {
  const isLocked = yield* Deferred.make<void>()
  const isRead = yield* Deferred.make<void>()
  const locking = TestDatabase.runOnDatabase(url, (sql) =>
    sql.withTransaction(
      Effect.gen(function* () {
        yield* sql`LOCK TABLE assignments IN ACCESS EXCLUSIVE MODE`
        yield* Deferred.succeed(isLocked, undefined)
        yield* Deferred.await(isRead)
      })
    )
  )
  const holder = yield* Effect.forkChild(locking)
  yield* Deferred.await(isLocked)
  return Effect.andThen(Deferred.succeed(isRead, undefined), Fiber.join(holder))
})

it.live("a request that gets no database connection in time gets a 503 response with Retry-After", () =>
  Effect.gen(function* () {
    const url = yield* TestDatabase.used
    const stores = Layer.orDie(Postgres.layerWithoutMigration({ url, poolSize: 2, acquireTimeout: "200 millis" }))
    const requests = Effect.gen(function* () {
      const { call } = yield* TestApi
      const owner = yield* Seed.createOrganization()
      const { text: key } = yield* Seed.issueApiKey(owner)
      const topic = yield* submitTopic(key, "Who wins the derby this year?", [yield* Seed.createPersona(owner)])
      const ask = (path: string) => call(`/partner/v1/topics/${topic}${path}`, { key })
      const unlock = yield* lockAssignments(url)
      const isRefused = yield* Deferred.make<void>()
      const answers = yield* Effect.forkChild(
        Effect.forEach(
          ["", "", "", "/status", "/status", "/status"],
          (path) =>
            Effect.tap(ask(path), ({ status }) =>
              status === 503 ? Deferred.succeed(isRefused, undefined) : Effect.void
            ),
          { concurrency: "unbounded" }
        )
      )
      yield* Effect.race(Deferred.await(isRefused), Fiber.await(answers))
      yield* unlock
      const refused = (yield* Fiber.join(answers)).filter(({ status }) => status !== 200)
      assert.isNotEmpty(refused)
      for (const answer of refused) {
        assert.strictEqual(answer.status, 503)
        assert.strictEqual(answer.headers.get("retry-after"), "1")
        const { error, success } = yield* readJson(answer)
        assert.deepStrictEqual([success, error.code], [false, "internal_error"])
      }
      assert.strictEqual((yield* ask("")).status, 200)
    })
    yield* Effect.provide(requests, Layer.fresh(InMemory.layerWithoutWorkers({ stores })))
  })
)
