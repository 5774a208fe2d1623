/** Tests on Postgres that a host can replace stores of the service with its own stores. */
import { assert, it } from "@effect/vitest"
import { OrganizationRegistry } from "@partner-commentary/core/partner/OrganizationRegistry"
import { PersonaStore } from "@partner-commentary/core/persona/PersonaStore"
import * as Postgres from "@partner-commentary/postgres/Postgres"
import * as TestDatabase from "@partner-commentary/test/postgres/TestDatabase"
import { makeOrganization, makePersona, start } from "@partner-commentary/testkit/support/Fixtures"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as SqlClient from "effect/sql/SqlClient"

const theirs = makePersona({ name: "The host's" })

const own = Layer.effect(
  PersonaStore,
  Effect.map(SqlClient.SqlClient, (sql) => {
    const all = Effect.orDie(Effect.as(sql`SELECT id FROM personas`, [theirs]))
    return PersonaStore.of({
      find: () => Effect.as(all, Option.some(theirs)),
      licensed: () => all,
      licensedAmong: () => all
    })
  })
)

it.live("the host's own stores replace the service's stores, and the service still creates its tables", () =>
  Effect.gen(function* () {
    const url = yield* TestDatabase.empty
    yield* Effect.gen(function* () {
      const one = makeOrganization()
      yield* (yield* OrganizationRegistry).insert(one)
      assert.deepStrictEqual(yield* (yield* PersonaStore).licensed(one.id, start), [theirs])
    }).pipe(Effect.provide(Layer.fresh(Postgres.layerWith({ url, poolSize: 2 }, own))))
  })
)
