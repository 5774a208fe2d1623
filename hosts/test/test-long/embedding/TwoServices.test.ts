/**
 * Tests two services on one database. The two services share counters, so that a second process does not double a
 * partner's limits.
 */
import * as PgClient from "@effect/sql-pg/PgClient"
import { AccessChanges } from "@partner-commentary/core/access/AccessChanges"
import { RateWindows } from "@partner-commentary/core/access/RateWindows"
import * as Core from "@partner-commentary/core/Core"
import { WorkSignal } from "@partner-commentary/core/shared/WorkSignal"
import * as Postgres from "@partner-commentary/postgres/Postgres"
import * as Migrations from "@partner-commentary/sql/Migrations"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import { type PoolOptions, postgres } from "partner-commentary/postgres/Postgres"
import { describe, expect, it, onTestFinished } from "vitest"
import { openEmbeddedService, runAndCheckWorkflow, seedOrganization } from "../../test/embedding/EmbeddedStory.ts"
import { createEmptyDatabase, createHostPool } from "../../test/embedding/HostDatabase.ts"

type Opened = ReturnType<typeof openEmbeddedService>

const url = "https://app.example/commentary/partner/v1/personas"

/** The number of requests that the standard plan allows a key in a minute. */
const limit = 100

/**
 * Sends more requests than the limit to both services. The services together must admit exactly as many requests as the
 * limit.
 */
const counted = async (services: readonly [Opened, Opened]) => {
  for (const { pc } of services) onTestFinished(pc.stop)
  const [{ pc: first }, { pc: second }] = services
  const { organization_id } = await seedOrganization(first)
  const { full_key } = await first.apiKeys.create({ organization_id, name: "one", scopes: ["personas:read"] })
  const ask = (pc: typeof first) => pc.fetch(new Request(url, { headers: { "x-api-key": full_key } }))
  const statuses: Array<number> = []
  for (let round = 0; round < limit; round += 10) {
    const asked = Array.from({ length: 10 }, () => [ask(first), ask(second)]).flat()
    statuses.push(...(await Promise.all(asked)).map(({ status }) => status))
  }
  expect(statuses.filter((status) => status === 200)).toHaveLength(limit)
  expect(statuses.filter((status) => status === 429)).toHaveLength(limit)
}

it.each<PoolOptions>([{}, { schema: "commentary" }, { listen: false }])(
  "two services together admit exactly as many requests as the limit, with the options %j",
  async (options) => {
    const pool = createHostPool(await createEmptyDatabase())
    await counted([openEmbeddedService(postgres(pool, options)), openEmbeddedService(postgres(pool, options))])
  }
)

// #region effect
const onClient = (url: string) =>
  Postgres.layerOnClient.pipe(
    Layer.provideMerge(Migrations.layer),
    Layer.provideMerge(PgClient.layer({ url: Redacted.make(url) }))
  )
// #endregion

describe("services on Effect's official Postgres client", () => {
  it("two services together admit exactly as many requests as the limit", async () => {
    const url = await createEmptyDatabase()
    await counted([openEmbeddedService(onClient(url)), openEmbeddedService(onClient(url))])
  })

  it("the whole workflow runs on Effect's official Postgres client", async () => {
    const service = openEmbeddedService(onClient(await createEmptyDatabase()))
    onTestFinished(service.pc.stop)
    await runAndCheckWorkflow(service)
  })
})

describe("Merging the layer of in-process state with the layer of Postgres", () => {
  it("two services share their state even if their layers of in-process state are merged before the layers of Postgres", async () => {
    const pool = createHostPool(await createEmptyDatabase())
    const merged = () => Layer.merge(Core.layerProcess, postgres(pool))
    await counted([openEmbeddedService(merged()), openEmbeddedService(merged())])
  })

  it.each(["RateWindows", "AccessChanges", "WorkSignal"] as const)(
    "in-process state that is merged after the layer of Postgres is refused: %s",
    async (name) => {
      const pool = createHostPool(await createEmptyDatabase())
      const last = {
        RateWindows: RateWindows.layerMemory,
        AccessChanges: AccessChanges.layerProcess,
        WorkSignal: WorkSignal.layerProcess
      }
      const { pc } = openEmbeddedService(Layer.merge(postgres(pool), last[name] as Layer.Layer<never>))
      await expect(pc.start()).rejects.toThrow(
        `The service cannot be used: ${name} is kept in this process, but processes share the database: ` +
          "leave Core.layerProcess out, because the layer of the database has what processes share."
      )
    }
  )
})

it("a key that one service revokes is rejected by the other service within seconds", async () => {
  const pool = createHostPool(await createEmptyDatabase())
  const { pc: first } = openEmbeddedService(postgres(pool))
  const { pc: second } = openEmbeddedService(postgres(pool))
  for (const pc of [first, second]) onTestFinished(pc.stop)
  const { organization_id } = await seedOrganization(first)
  const key = await first.apiKeys.create({ organization_id, name: "one", scopes: ["personas:read"] })
  const ask = async () => (await second.fetch(new Request(url, { headers: { "x-api-key": key.full_key } }))).status
  expect(await ask()).toBe(200)
  await first.apiKeys.revoke({ organization_id, api_key_id: key.id })
  await expect.poll(ask, { timeout: 2500, interval: 50 }).toBe(401)
})
