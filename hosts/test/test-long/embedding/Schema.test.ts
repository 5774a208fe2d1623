/**
 * Tests that the service can keep its tables in a separate schema of the host's database. The service uses nothing in
 * `public`, leaves no settings on the host's sessions, and refuses unusable schemas with a clear error.
 */
import { postgres } from "partner-commentary/postgres/Postgres"
import type pg from "pg"
import { describe, expect, it, onTestFinished } from "vitest"
import {
  makeExampleTopic,
  openEmbeddedService,
  runAndCheckWorkflow,
  seedOrganization
} from "../../test/embedding/EmbeddedStory.ts"
import { createEmptyDatabase, createHostPool } from "../../test/embedding/HostDatabase.ts"

const tablesOf = async (pool: pg.Pool) => {
  const { rows } = await pool.query<{ schema: string; tables: number }>(
    `SELECT schemaname AS schema, CAST(COUNT(*) AS INTEGER) AS tables FROM pg_tables
     WHERE schemaname !~ '^(pg_|information_schema$)' GROUP BY schemaname`
  )
  return Object.fromEntries(rows.map(({ schema, tables }) => [schema, tables]))
}

const pathOf = async (pool: Pick<pg.Pool, "query">) => (await pool.query("SHOW search_path")).rows[0].search_path

/** Returns a pool whose sessions lose all settings after each transaction, as behind a pooler in transaction mode. */
const makeTransactionModePool = (pool: pg.Pool) => {
  const once = async <A>(use: (client: pg.PoolClient) => Promise<A>) => {
    const client = await pool.connect()
    try {
      return await use(client)
    } finally {
      await client.query("DISCARD ALL")
      client.release()
    }
  }
  return {
    query: (text: string, values?: Array<unknown>) => once((client) => client.query(text, values)),
    connect: async () => {
      const client = await pool.connect()
      return {
        query: async (text: string, values?: Array<unknown>) => {
          const answer = await client.query(text, values)
          if (/^(COMMIT|ROLLBACK)$/.test(text)) await client.query("DISCARD ALL")
          return answer
        },
        release: (destroy?: boolean) => client.release(destroy)
      }
    }
  }
}

const refusal = (pc: { readonly start: () => Promise<void> }) =>
  pc.start().then(
    () => Promise.reject(new Error("it started")),
    (error: Error) => error.message
  )

const schema = "commentary"

describe("Keeping the service's tables in a separate schema", () => {
  it("a separate schema holds every table, and the host's sessions keep their search path", async () => {
    const pool = createHostPool(await createEmptyDatabase(), { max: 2 })
    const service = openEmbeddedService(postgres(pool, { schema, listen: false }))
    onTestFinished(service.pc.stop)
    await runAndCheckWorkflow(service)
    expect(Object.keys(await tablesOf(pool))).toEqual([schema])
    const paths = await Promise.all([pathOf(pool), pathOf(pool)])
    expect(paths).toEqual(['"$user", public', '"$user", public'])
  })

  it("a separate schema works if sessions lose their settings between transactions, as behind PgBouncer", async () => {
    const pool = createHostPool(await createEmptyDatabase())
    const service = openEmbeddedService(postgres(makeTransactionModePool(pool), { schema }))
    onTestFinished(service.pc.stop)
    await runAndCheckWorkflow(service)
    expect(Object.keys(await tablesOf(pool))).toEqual([schema])
  })

  it("with migrate: false, the start fails on a database that is not migrated, over a pool and over a URL", async () => {
    const url = await createEmptyDatabase()
    const pool = createHostPool(url)
    const settings = { schema, listen: false, migrate: false }
    for (const database of [postgres(pool, settings), postgres(url, settings)]) {
      const { pc } = openEmbeddedService(database)
      onTestFinished(pc.stop)
      expect(await refusal(pc)).toMatch(/cannot be used: .*lacks \d+ migrations/)
    }
    const migrating = openEmbeddedService(postgres(pool, { schema, listen: false }))
    onTestFinished(migrating.pc.stop)
    await migrating.pc.start()
    for (const database of [postgres(pool, settings), postgres(url, settings)]) {
      const { pc } = openEmbeddedService(database)
      onTestFinished(pc.stop)
      await pc.start()
    }
  })

  it("a separate schema works with a database URL, with and without a separate direct URL", async () => {
    const url = await createEmptyDatabase()
    for (const directUrl of [undefined, url]) {
      const service = openEmbeddedService(postgres(url, { schema, directUrl }))
      onTestFinished(service.pc.stop)
      await runAndCheckWorkflow(service)
      await service.pc.stop()
    }
    expect(Object.keys(await tablesOf(createHostPool(url)))).toEqual([schema])
  })

  it("a separate schema may have any name, and two services can use two schemas of one database", async () => {
    const pool = createHostPool(await createEmptyDatabase())
    for (const name of ['Host\'s "own"', "other"]) {
      const { pc } = openEmbeddedService(postgres(pool, { schema: name }), { workers: false })
      onTestFinished(pc.stop)
      await pc.topics.submit(makeExampleTopic(await seedOrganization(pc)))
      expect(await pc.organizations.list()).toHaveLength(1)
    }
    expect(Object.keys(await tablesOf(pool)).toSorted()).toEqual(['Host\'s "own"', "other"])
  })

  it("a separate schema does not conflict with the host's tables of the same names, even temporary tables", async () => {
    const pool = createHostPool(await createEmptyDatabase(), { max: 1 })
    await pool.query("CREATE TABLE topics (subject TEXT)")
    await pool.query("CREATE TEMPORARY TABLE organizations (name TEXT)")
    const { pc } = openEmbeddedService(postgres(pool, { schema }), { workers: false })
    onTestFinished(pc.stop)
    const ids = await seedOrganization(pc)
    await pc.topics.submit(makeExampleTopic(ids))
    expect((await pc.topics.list(ids)).total).toBe(1)
    expect((await pool.query("SELECT * FROM topics")).rows).toEqual([])
    expect((await pool.query("SELECT * FROM organizations")).rows).toEqual([])
  })

  it("if the role may not create a missing schema, the error contains the SQL that the owner must run", async () => {
    const url = await createEmptyDatabase()
    const pool = createHostPool(url)
    const role = `guest_${process.pid}`
    await pool.query(`CREATE ROLE ${role} LOGIN PASSWORD 'x'`)
    onTestFinished(async () => {
      await pool.query(`DROP OWNED BY ${role}; DROP ROLE ${role}`)
    })
    const own = Object.assign(new URL(url), { username: role, password: "x" }).href
    const { pc } = openEmbeddedService(postgres(own, { schema }))
    const { rows } = await pool.query("SELECT current_database() AS name")
    expect(await refusal(pc)).toContain(
      `There is no schema commentary, and the role ${role} may not create one in the database ${rows[0].name}: ` +
        `have its owner run CREATE SCHEMA commentary AUTHORIZATION ${role}.`
    )
    await pool.query(`CREATE SCHEMA commentary AUTHORIZATION ${role}`)
    await pc.start()
    await pc.stop()
  })

  it("an empty schema name is refused before the service starts", () => {
    expect(() => postgres("postgres://u@127.0.0.1/x", { schema: "" })).toThrow(
      "The option database.schema must have 1 to 63 bytes."
    )
  })
})

describe("Starting on a database that the service cannot use", () => {
  it("the start fails and changes nothing if a host's table has the same name as a table of the service", async () => {
    const pool = createHostPool(await createEmptyDatabase())
    await pool.query("CREATE TABLE topics (subject TEXT)")
    const { pc } = openEmbeddedService(postgres(pool))
    expect(await refusal(pc)).toContain("The database has a table topics that this service did not make")
    expect(await tablesOf(pool)).toEqual({ public: 1 })
  })

  it("if a migration fails, the error names the table and contains the database's message", async () => {
    const pool = createHostPool(await createEmptyDatabase())
    await pool.query(`CREATE FUNCTION refuse() RETURNS event_trigger LANGUAGE plpgsql AS $$ BEGIN
      IF EXISTS (SELECT FROM pg_event_trigger_ddl_commands() WHERE object_identity = 'public.mails')
      THEN RAISE EXCEPTION 'no mails here'; END IF; END $$`)
    await pool.query("CREATE EVENT TRIGGER refusing ON ddl_command_end EXECUTE FUNCTION refuse()")
    const { pc } = openEmbeddedService(postgres(pool))
    expect(await refusal(pc)).toContain("The migration 0004_mails failed at the table mails: no mails here.")
  })

  it("the error of a failed start distinguishes a missing database, a refused port and a wrong password", async () => {
    const url = new URL(await createEmptyDatabase())
    const changed = (change: Partial<URL>) => Object.assign(new URL(url), change).href
    const failures = [
      [changed({ pathname: "/nowhere" }), /^There is no such database at .*: database "nowhere" does not exist\.$/],
      [changed({ port: "1" }), /^No server accepts connections at .*: .*ECONNREFUSED.*\.$/],
      [changed({ username: "nobody", password: "wrong" }), /^The server rejects the user or the password for .*\.$/]
    ] as const
    for (const [address, sentence] of failures) {
      expect(await refusal(openEmbeddedService(postgres(address)).pc)).toMatch(sentence)
      expect(await refusal(openEmbeddedService(postgres(createHostPool(address))).pc)).toMatch(sentence)
    }
  })
})
