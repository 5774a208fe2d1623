/**
 * Tests that a host can replace stores with its own stores. Every service that depends on a replaced store uses the
 * host's store.
 */
import { assert, describe, it } from "@effect/vitest"
import { Mailer } from "@partner-commentary/core/mail/Mailer"
import { OrganizationRegistry } from "@partner-commentary/core/partner/OrganizationRegistry"
import { OrganizationStore } from "@partner-commentary/core/partner/OrganizationStore"
import { PersonaRegistry } from "@partner-commentary/core/persona/PersonaRegistry"
import { PersonaStore } from "@partner-commentary/core/persona/PersonaStore"
import { layerWith } from "@partner-commentary/sqlite/Sqlite"
import { makeLicense, makeOrganization, makePersona, start } from "@partner-commentary/testkit/support/Fixtures"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as SqlClient from "effect/sql/SqlClient"

const theirs = makePersona({ name: "The host's" })

/** A store of the host that uses the same database. */
const own = Layer.effect(
  PersonaStore,
  Effect.map(SqlClient.SqlClient, (sql) => {
    const all = Effect.orDie(Effect.as(sql`SELECT id FROM personas`, [theirs]))
    return PersonaStore.of({
      find: () => Effect.map(all, ([one]) => Option.fromUndefinedOr(one)),
      licensed: () => all,
      licensedAmong: () => all
    })
  })
)

describe("Stores of the host", () => {
  it.effect("a host's store replaces the service's store, and the service provides all other stores", () =>
    Effect.gen(function* () {
      const one = makeOrganization()
      yield* (yield* OrganizationRegistry).insert(one)
      assert.deepStrictEqual(yield* (yield* OrganizationStore).find(one.id), Option.some(one))
      assert.deepStrictEqual(yield* (yield* PersonaStore).licensed(one.id, start), [theirs])
    }).pipe(Effect.provide(layerWith({ filename: ":memory:" }, own)))
  )

  it.effect("the service's persona registry still writes to its own tables, which the host's store does not read", () =>
    Effect.gen(function* () {
      const [one, ours] = [makeOrganization(), makePersona()]
      const registry = yield* PersonaRegistry
      yield* (yield* OrganizationRegistry).insert(one)
      yield* registry.insert(ours)
      assert.isTrue(yield* registry.grant(makeLicense({ organizationId: one.id, personaId: ours.id })))
      assert.deepStrictEqual(yield* (yield* PersonaStore).licensed(one.id, start), [theirs])
    }).pipe(Effect.provide(layerWith({ filename: ":memory:" }, own)))
  )

  it("code that replaces any store except those of personas and organizations does not compile", () => {
    // @ts-expect-error: a mailer is provided to the core, not to the stores
    layerWith({ filename: ":memory:" }, Layer.succeed(Mailer, { send: () => Effect.void }))
  })

  it.effect("a host's store can call the service's store that it replaces", () =>
    Effect.gen(function* () {
      const [one, ours] = [makeOrganization(), makePersona()]
      const registry = yield* PersonaRegistry
      yield* (yield* OrganizationRegistry).insert(one)
      yield* registry.insert(ours)
      assert.deepStrictEqual(
        yield* (yield* PersonaStore).find(ours.id),
        Option.some({ ...ours, bio: "Read by the host." })
      )
    }).pipe(Effect.provide(layerWith({ filename: ":memory:" }, reading)))
  )
})

const reading = Layer.effect(
  PersonaStore,
  Effect.map(PersonaStore, (kept) => ({
    ...kept,
    find: (id) =>
      Effect.map(
        kept.find(id),
        Option.map((one) => ({ ...one, bio: "Read by the host." }))
      )
  }))
)
