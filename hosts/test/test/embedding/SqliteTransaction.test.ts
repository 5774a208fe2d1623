/**
 * Tests that a use case can run inside a transaction that the host has opened on its own `DatabaseSync`. The host's
 * rows and the service's rows are either all committed or all rolled back.
 */
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { DatabaseSync, type SQLInputValue } from "node:sqlite"
import { setTimeout } from "node:timers/promises"
import { Kysely, SqliteDialect } from "kysely"
import { sqlite } from "partner-commentary/sqlite/Sqlite"
import type { NewTopic } from "partner-commentary/use-cases/Topics"
import { describe, expect, it, onTestFinished } from "vitest"
import {
  type EmbeddedPartnerCommentary,
  makeExampleTopic,
  openEmbeddedService,
  runAndCheckWorkflow,
  seedOrganization
} from "./EmbeddedStory.ts"

// #region sqlite
/**
 * The database can be busy while the service writes on its own connection. If the database is busy, `begin` retries,
 * and does not block the thread between two tries.
 */
const begin = async (database: DatabaseSync, tries = 200) => {
  for (let left = tries; left > 0; left--) {
    try {
      return database.exec("BEGIN IMMEDIATE")
    } catch (error) {
      if (left === 1) throw error
      await setTimeout(5)
    }
  }
}

/** Submits a topic and stores its id in your own table, in one transaction. */
const order = async (pc: EmbeddedPartnerCommentary, database: DatabaseSync, topic: NewTopic) => {
  await begin(database)
  try {
    const { topic_id } = await pc.topics.submit(topic, { db: database })
    database.prepare("INSERT INTO orders (topic) VALUES (?)").run(topic_id)
    database.exec("COMMIT")
  } catch (error) {
    database.exec("ROLLBACK")
    throw error
  }
}
// #endregion

// #region kysely-sqlite
/**
 * Kysely's own dialect for SQLite runs here on `node:sqlite` instead of better-sqlite3. A transaction takes the write
 * lock when it begins, because SQLite refuses a later lock if the service has written in between.
 */
const dialectOf = (database: DatabaseSync) =>
  new SqliteDialect({
    database: {
      prepare: (sql) => {
        const statement = database.prepare(sql === "begin" ? "BEGIN IMMEDIATE" : sql)
        const values = (parameters: ReadonlyArray<unknown>) => parameters as Array<SQLInputValue>
        return {
          reader: statement.columns().length > 0,
          all: (parameters) => statement.all(...values(parameters)),
          run: (parameters) => statement.run(...values(parameters)),
          iterate: (parameters) => statement.iterate(...values(parameters))
        }
      },
      close: () => database.close()
    }
  })
// #endregion

const hostDatabase = (options: ConstructorParameters<typeof DatabaseSync>[1] = {}) => {
  const folder = mkdtempSync(join(tmpdir(), "host-"))
  const database = new DatabaseSync(join(folder, "host.db"), options)
  onTestFinished(() => {
    database.close()
    rmSync(folder, { recursive: true })
  })
  return database
}

const started = async (options?: Parameters<typeof hostDatabase>[0]) => {
  const database = hostDatabase(options)
  const service = openEmbeddedService(sqlite(database))
  onTestFinished(service.pc.stop)
  const ids = await seedOrganization(service.pc)
  await begin(database)
  database.exec("CREATE TABLE orders (topic TEXT); COMMIT")
  const orders = () => database.prepare("SELECT topic FROM orders").all()
  return { ...service, database, ids, orders }
}

it("a whole workflow runs on the file of the host's database, and the host's connection stays open", async () => {
  const database = hostDatabase()
  const service = openEmbeddedService(sqlite(database))
  await runAndCheckWorkflow(service)
  await service.pc.stop()
  expect(database.isOpen).toBe(true)
})

describe.each([{}, { readBigInts: true, returnArrays: true }])("on a DatabaseSync with the options %j", (options) => {
  it("a topic is committed together with the host's rows, and the workers find the topic", async () => {
    const { database, ids, mail, pc } = await started(options)
    await begin(database)
    const { topic_id } = await pc.topics.submit(makeExampleTopic(ids), { db: database })
    database.prepare("INSERT INTO orders VALUES (?)").run(topic_id)
    expect((await pc.topics.list(ids)).total).toBe(0)
    database.exec("COMMIT")
    expect((await pc.topics.list(ids)).total).toBe(1)
    expect((await mail(/asks/)).text).toContain("derby")
  })

  it("a topic is rolled back together with the host's rows, and no mail is sent", async () => {
    const { database, ids, mails, orders, pc } = await started(options)
    await begin(database)
    const { topic_id } = await pc.topics.submit(makeExampleTopic(ids), { db: database })
    database.prepare("INSERT INTO orders VALUES (?)").run(topic_id)
    database.exec("ROLLBACK")
    expect((await pc.topics.list(ids)).total).toBe(0)
    expect(orders()).toEqual([])
    expect((await pc.usage.report(ids)).usage).toMatchObject({ topics_created: 0 })
    expect(mails).toEqual([])
  })
})

it("if the host's code fails after a topic was submitted, neither the topic nor the host's row is stored", async () => {
  const { database, ids, pc } = await started()
  database.exec("DROP TABLE orders")
  await expect(order(pc, database, makeExampleTopic(ids))).rejects.toThrow("no such table: orders")
  expect((await pc.topics.list(ids)).total).toBe(0)
  await begin(database)
  database.exec("CREATE TABLE orders (topic TEXT); COMMIT")
  await order(pc, database, makeExampleTopic(ids))
  expect((await pc.topics.list(ids)).total).toBe(1)
})

it("a refused call does not change the host's transaction", async () => {
  const { database, ids, orders, pc } = await started()
  await begin(database)
  database.exec("INSERT INTO orders VALUES ('kept')")
  await pc.licenses.revoke(ids, { db: database })
  await expect(pc.topics.submit(makeExampleTopic(ids), { db: database })).rejects.toMatchObject({
    code: "no_valid_personas"
  })
  database.exec("COMMIT")
  expect(orders()).toEqual([{ topic: "kept" }])
  expect(await pc.licenses.list(ids)).toMatchObject([{ active: false }])
})

it("every use case that writes joins the host's transaction", async () => {
  const { database, ids, pc } = await started()
  const at = { db: database }
  const { topic_id } = await pc.topics.submit(makeExampleTopic(ids))
  await begin(database)
  const { id: organization_id } = await pc.organizations.create({ name: "Riverside" }, at)
  await pc.organizations.update({ organization_id, plan: "premium" }, at)
  await pc.organizations.suspend({ organization_id }, at)
  await pc.organizations.resume({ organization_id }, at)
  const { id: persona_id } = await pc.personas.create({ name: "Bo", creator: { email: "bo@host.example" } }, at)
  await pc.personas.update({ persona_id, bio: "Twenty years courtside." }, at)
  await pc.licenses.grant({ organization_id, persona_id }, at)
  const key = await pc.apiKeys.create({ organization_id, name: "backend", scopes: ["personas:read"] }, at)
  await pc.apiKeys.revoke({ organization_id, api_key_id: key.id }, at)
  await pc.creators.changeEmail({ from: "bo@host.example", to: "bo@new.example" }, at)
  await pc.topics.cancel({ ...ids, topic_id }, at)
  database.exec("ROLLBACK")
  expect((await pc.organizations.list()).map(({ id }) => id)).toEqual([ids.organization_id])
  expect((await pc.personas.list()).map(({ id }) => id)).toEqual([ids.persona_id])
  expect((await pc.topics.progress({ ...ids, topic_id })).overall_status).toBe("pending")
})

it("partners see a change only after the host commits, and never after the host rolls back", async () => {
  const { database, ids, pc } = await started()
  const { topic_id } = await pc.topics.submit(makeExampleTopic(ids))
  const { full_key } = await pc.apiKeys.create({ ...ids, name: "backend", scopes: ["topics:read"] })
  const url = `https://app.example/commentary/partner/v1/topics/${topic_id}/status`
  const status = async () => {
    const response = await pc.fetch(new Request(url, { headers: { "x-api-key": full_key } }))
    return (await response.json()).data.personas[0].failure?.reason
  }
  expect(await status()).toBeUndefined()
  for (const [end, reason] of [
    ["ROLLBACK", undefined],
    ["COMMIT", "cancelled"]
  ] as const) {
    await begin(database)
    await pc.topics.cancel({ ...ids, topic_id }, { db: database })
    expect(await status()).toBeUndefined()
    database.exec(end)
    expect(await status()).toBe(reason)
  }
})

it("calls on one connection run one after another, and a refused call does not undo the other calls", async () => {
  const { database, ids, pc } = await started()
  await begin(database)
  const at = { db: database }
  const calls = await Promise.allSettled([
    pc.topics.submit(makeExampleTopic(ids), at),
    pc.topics.submit(makeExampleTopic(ids), at),
    pc.topics.submit(makeExampleTopic(ids, "Who wins the cup in the autumn?"), at)
  ])
  expect(calls.filter(({ status }) => status === "fulfilled")).toHaveLength(2)
  database.exec("COMMIT")
  expect((await pc.topics.list(ids)).total).toBe(2)
})

it("other writes of the service wait for the host's commit, but reads do not wait", async () => {
  const { database, ids, pc } = await started()
  await begin(database)
  await pc.topics.submit(makeExampleTopic(ids), { db: database })
  let isWritten = false
  const waiting = pc.topics.submit(makeExampleTopic(ids, "Who wins the cup in the autumn?")).then(() => {
    isWritten = true
  })
  expect((await pc.topics.list(ids)).total).toBe(0)
  await setTimeout(100)
  expect(isWritten).toBe(false)
  database.exec("COMMIT")
  await waiting
  expect((await pc.topics.list(ids)).total).toBe(2)
})

it("with Kysely on node:sqlite, a topic is committed or rolled back together with the host's rows", async () => {
  const { database, ids, orders, pc } = await started()
  const db = new Kysely<{ orders: { topic: string } }>({ dialect: dialectOf(database) })
  const order = (content: string, fails: boolean) =>
    db.transaction().execute(async (trx) => {
      const { topic_id } = await pc.topics.submit({ ...makeExampleTopic(ids), content }, { db: database })
      await trx.insertInto("orders").values({ topic: topic_id }).execute()
      if (fails) throw new Error("the host's own failure")
      return topic_id
    })
  const topic = await order("Who wins the derby on Sunday?", false)
  await expect(order("Who wins the cup in the autumn?", true)).rejects.toThrow("the host's own failure")
  expect(orders()).toEqual([{ topic }])
  expect(await db.selectFrom("orders").selectAll().execute()).toEqual([{ topic }])
  expect((await pc.topics.list(ids)).total).toBe(1)
})

it("with Kysely on node:sqlite, a transaction that begins with a read succeeds while the service writes", async () => {
  const { database, ids, orders, pc } = await started()
  const db = new Kysely<{ orders: { topic: string } }>({ dialect: dialectOf(database) })
  let beside: Promise<unknown> = Promise.resolve()
  const topic = await db.transaction().execute(async (trx) => {
    await trx.selectFrom("orders").selectAll().execute()
    beside = pc.topics.submit(makeExampleTopic(ids, "Who wins the cup in the autumn?"))
    await setTimeout(50)
    const { topic_id } = await pc.topics.submit(makeExampleTopic(ids), { db: database })
    await trx.insertInto("orders").values({ topic: topic_id }).execute()
    return topic_id
  })
  await beside
  expect(orders()).toEqual([{ topic }])
  expect((await pc.topics.list(ids)).total).toBe(2)
})

it("if the service writes after a deferred transaction has read, the transaction is refused and can be repeated", async () => {
  const { database, ids, orders, pc } = await started()
  database.exec("BEGIN")
  expect(orders()).toEqual([])
  await pc.organizations.create({ name: "Riverside" })
  const start = performance.now()
  await expect(pc.topics.submit(makeExampleTopic(ids), { db: database })).rejects.toMatchObject({
    code: "invalid_option",
    message: expect.stringContaining("begin it with BEGIN IMMEDIATE")
  })
  expect(performance.now() - start).toBeLessThan(2500)
  database.exec("ROLLBACK")
  await order(pc, database, makeExampleTopic(ids))
  expect((await pc.topics.list(ids)).total).toBe(1)
})

describe("Invalid values of the options `db` and `database`", () => {
  it("the option `db` refuses a database without a transaction, a database on another file, and other objects", async () => {
    const { database, ids, pc } = await started()
    const submitted = (db: object) => pc.topics.submit(makeExampleTopic(ids), { db })
    const other = hostDatabase()
    other.exec("BEGIN")
    await expect(submitted(database)).rejects.toThrow("The option db has no open transaction.")
    await expect(submitted(other)).rejects.toThrow("The option db must be an open DatabaseSync on the file ")
    await expect(submitted({})).rejects.toThrow("The option db must be a DatabaseSync of node:sqlite.")
    await expect(submitted({ name: "host.db", inTransaction: true, prepare: () => {} })).rejects.toThrow(
      "cannot run statements on a connection of better-sqlite3"
    )
    expect((await pc.topics.list(ids)).total).toBe(0)
  })

  it("the option `database` refuses a closed database and a database in memory", () => {
    const sentence = "The option database must be an open DatabaseSync on a file"
    expect(() => sqlite(new DatabaseSync(":memory:"))).toThrow(sentence)
    expect(() => sqlite(new DatabaseSync("x.db", { open: false }))).toThrow(sentence)
  })
})
