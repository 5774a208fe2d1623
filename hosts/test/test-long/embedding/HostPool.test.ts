/** Tests the service on the pool of a host application, with the host's own settings and type parsers. */
import { postgres } from "partner-commentary/postgres/Postgres"
import pg from "pg"
import { describe, expect, it, onTestFinished } from "vitest"
import {
  makeExampleTopic,
  openEmbeddedService,
  runAndCheckWorkflow,
  seedOrganization
} from "../../test/embedding/EmbeddedStory.ts"
import { createEmptyDatabase, createHostPool } from "../../test/embedding/HostDatabase.ts"

const { BOOL, INT8, NUMERIC, TIMESTAMP, TIMESTAMPTZ } = pg.types.builtins

/** Lists type parsers that a host application may set. The service must not depend on any type parser. */
const parsers = {
  "int8 as BigInt": { [INT8]: BigInt },
  "int8 and numeric as Number": { [INT8]: Number, [NUMERIC]: Number },
  "booleans as strings": { [BOOL]: (text: string) => (text === "t" ? "yes" : "no") },
  "times as strings": { [TIMESTAMP]: String, [TIMESTAMPTZ]: String }
}

describe("The whole workflow on the host's pool", () => {
  it.each(Object.entries(parsers))(
    "the whole workflow runs on a host's pool whose parsers return %s",
    async (_, own) => {
      const types = {
        getTypeParser: ((id: number, format: "text") =>
          Reflect.get(own, id) ?? pg.types.getTypeParser(id, format)) as typeof pg.types.getTypeParser
      }
      const pool = createHostPool(await createEmptyDatabase(), { types })
      const service = openEmbeddedService(postgres(pool))
      onTestFinished(service.pc.stop)
      await runAndCheckWorkflow(service)
    }
  )

  it("the whole workflow runs on a host's pool that has only connect() and query(text, values)", async () => {
    const pool = createHostPool(await createEmptyDatabase())
    const few = {
      query: (text: string, values?: Array<unknown>) => pool.query(text, values),
      connect: async () => {
        const client = await pool.connect()
        return {
          query: (text: string, values?: Array<unknown>) => client.query(text, values),
          release: (destroy?: boolean) => client.release(destroy)
        }
      }
    }
    const service = openEmbeddedService(postgres(few))
    onTestFinished(service.pc.stop)
    await runAndCheckWorkflow(service)
  })
})

it("the host's pool stays open after the service stops, and all sessions are returned to the pool", async () => {
  const pool = createHostPool(await createEmptyDatabase())
  const { pc } = openEmbeddedService(postgres(pool))
  await pc.start()
  await pc.stop()
  expect(pool.totalCount - pool.idleCount).toBe(0)
  expect((await pool.query("SELECT 1 AS one")).rows).toEqual([{ one: 1 }])
})

it("an object that is not a pool is refused with an error that names the required methods", () => {
  expect(() => postgres({} as never)).toThrow(
    "The option database must be postgres://… or a pool with connect() and query(text, values)."
  )
})

it("if the host uses all connections of its pool, requests and creators' pages get 503 and Retry-After", async () => {
  const pool = createHostPool(await createEmptyDatabase(), { max: 3 })
  const { mail, pc } = openEmbeddedService(postgres(pool))
  onTestFinished(pc.stop)
  const ids = await seedOrganization(pc)
  const { organization_id } = ids
  const { topic_id } = await pc.topics.submit(makeExampleTopic(ids))
  const link = /https:\/\/app\.example\/commentary\/creator\/\S+/.exec((await mail(/asks/)).text)?.[0] ?? ""
  const key = { organization_id, environment: "live", name: "reader", scopes: ["topics:read"] } as const
  const { full_key } = await pc.apiKeys.create(key)
  const progress = `https://app.example/commentary/partner/v1/topics/${topic_id}/status`
  const ask = async (address: string, headers: Record<string, string> = {}) => {
    const answer = await pc.fetch(new Request(address, { headers }))
    return [answer.status, answer.headers.get("retry-after"), answer.headers.get("content-type")?.split(";")[0]]
  }
  // The service uses one connection for LISTEN, and the test takes the other two connections. Callers wait at most half
  // a second for a connection.
  const used = await Promise.all([pool.connect(), pool.connect()])
  pool.options.connectionTimeoutMillis = 500
  const busy = await Promise.all([
    ask(progress, { "x-api-key": full_key }),
    ask(link, { accept: "application/json" }),
    ask(link, { accept: "text/html" })
  ]).finally(() => {
    for (const client of used) client.release()
  })
  expect(busy).toEqual([
    [503, "1", "application/json"],
    [503, "1", "application/json"],
    [503, "1", "text/html"]
  ])
  expect((await ask(progress, { "x-api-key": full_key }))[0]).toBe(200)
})
