/** The service on the pool of a host application, with the host's own settings and type parsers. */
import { PGlite } from "@electric-sql/pglite"
import { postgres } from "partner-commentary/postgres/Postgres"
import pg from "pg"
import { describe, expect, it, onTestFinished } from "vitest"
import { opened, wholeStory } from "./EmbeddedStory.ts"
import { emptyDatabase, poolOf } from "./HostDatabase.ts"

const { BOOL, INT8, NUMERIC, TIMESTAMP, TIMESTAMPTZ } = pg.types.builtins

/** Type parsers as applications set them. The service must depend on none of them. */
const parsers = {
  "int8 as BigInt": { [INT8]: BigInt },
  "int8 and numeric as Number": { [INT8]: Number, [NUMERIC]: Number },
  "booleans as strings": { [BOOL]: (text: string) => (text === "t" ? "yes" : "no") },
  "times as strings": { [TIMESTAMP]: String, [TIMESTAMPTZ]: String }
}

describe("the whole workflow on the host's pool", () => {
  it.each(Object.entries(parsers))("a whole story on the host's pool whose parsers give %s", async (_, own) => {
    const types = {
      getTypeParser: ((id: number, format: "text") =>
        Reflect.get(own, id) ?? pg.types.getTypeParser(id, format)) as typeof pg.types.getTypeParser
    }
    const pool = poolOf(await emptyDatabase(), { types })
    const service = opened(postgres(pool))
    onTestFinished(service.pc.stop)
    await wholeStory(service)
  })

  it("the whole workflow runs on PGlite, which has only one session", async () => {
    const database = new PGlite()
    onTestFinished(() => database.close())
    const service = opened(postgres(database))
    onTestFinished(service.pc.stop)
    await wholeStory(service)
    expect((await database.query("SELECT 1 AS one")).rows).toEqual([{ one: 1 }])
  })

  it("the whole workflow runs on a host's pool that has only connect() and query(text, values)", async () => {
    const pool = poolOf(await emptyDatabase())
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
    const service = opened(postgres(few))
    onTestFinished(service.pc.stop)
    await wholeStory(service)
  })
})

it("the host's pool stays open when the service stops, and every session is returned to it", async () => {
  const pool = poolOf(await emptyDatabase())
  const { pc } = opened(postgres(pool))
  await pc.start()
  await pc.stop()
  expect(pool.totalCount - pool.idleCount).toBe(0)
  expect((await pool.query("SELECT 1 AS one")).rows).toEqual([{ one: 1 }])
})

it("an object that is not a pool is refused with one sentence", () => {
  expect(() => postgres({} as never)).toThrow(
    "The option database must be postgres://… or a pool with connect() and query(text, values)."
  )
})
