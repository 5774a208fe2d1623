/** Tests the service on the pools and in the transactions of pg, Drizzle, Kysely, Knex and postgres.js. */
import { drizzle } from "drizzle-orm/node-postgres"
import knex, { type Knex } from "knex"
import { CamelCasePlugin, Kysely, PostgresDialect } from "kysely"
import { postgres } from "partner-commentary/postgres/Postgres"
import type { NewTopic } from "partner-commentary/use-cases/Topics"
import type pg from "pg"
import postgresJs from "postgres"
import { expect, it, onTestFinished } from "vitest"
import {
  type EmbeddedPartnerCommentary,
  makeExampleTopic,
  openEmbeddedService,
  runAndCheckWorkflow,
  seedOrganization
} from "../../test/embedding/EmbeddedStory.ts"
import { createEmptyDatabase, createHostPool } from "../../test/embedding/HostDatabase.ts"

// #region pg
/** Submits a topic and stores the topic's id in your own table, in one transaction. */
const order = async (pc: EmbeddedPartnerCommentary, pool: pg.Pool, topic: NewTopic) => {
  const client = await pool.connect()
  try {
    await client.query("BEGIN")
    const { topic_id } = await pc.topics.submit(topic, { db: client })
    await client.query("INSERT INTO orders (topic) VALUES ($1)", [topic_id])
    await client.query("COMMIT")
  } catch (error) {
    await client.query("ROLLBACK")
    throw error
  } finally {
    client.release()
  }
}
// #endregion

// #region knex
const knexPool = (db: Knex) => {
  const connect = async () => {
    const connection = await db.client.acquireConnection()
    return {
      query: (text: string, values?: Array<unknown>) => connection.query(text, values),
      release: () => db.client.releaseConnection(connection)
    }
  }
  const query = async (text: string, values?: Array<unknown>) => {
    const session = await connect()
    return session.query(text, values).finally(session.release)
  }
  return { connect, query }
}
// #endregion

// #region postgres.js
const postgresJsPool = (sql: postgresJs.Sql) => {
  const answer = (rows: postgresJs.RowList<Array<postgresJs.Row>>) => ({ rows: [...rows], command: rows.command })
  const connect = async () => {
    const session = await sql.reserve()
    return {
      query: (text: string, values?: Array<never>) => session.unsafe(text, values).then(answer),
      release: () => session.release()
    }
  }
  return { connect, query: (text: string, values?: Array<never>) => sql.unsafe(text, values).then(answer) }
}
// #endregion

type Database = Parameters<typeof openEmbeddedService>[0]

/** Runs work in a transaction of the host's library. */
type Transaction = (work: (db: object) => Promise<unknown>) => Promise<unknown>

const schema = "commentary"

/** Runs a whole workflow, then commits one topic and rolls back another topic. */
const checkTransaction = async (database: Database, transaction: Transaction) => {
  const service = openEmbeddedService(database)
  onTestFinished(service.pc.stop)
  await runAndCheckWorkflow(service)
  const { pc } = service
  const ids = await seedOrganization(pc)
  await transaction((db) => pc.topics.submit(makeExampleTopic(ids), { db }))
  expect((await pc.topics.list(ids)).total).toBe(1)
  const undone = transaction(async (db) => {
    await pc.topics.submit(makeExampleTopic(ids, "Who wins the cup in the autumn?"), { db })
    throw new Error("undone")
  })
  await expect(undone).rejects.toThrow("undone")
  expect((await pc.topics.list(ids)).total).toBe(1)
}

it("pg: a topic and a row of the host are committed or rolled back together", async () => {
  const pool = createHostPool(await createEmptyDatabase())
  const { pc } = openEmbeddedService(postgres(pool, { schema }))
  onTestFinished(pc.stop)
  const ids = await seedOrganization(pc)
  await expect(order(pc, pool, makeExampleTopic(ids))).rejects.toThrow('relation "orders" does not exist')
  expect((await pc.topics.list(ids)).total).toBe(0)
  await pool.query("CREATE TABLE orders (topic TEXT)")
  await order(pc, pool, makeExampleTopic(ids))
  const { topics } = await pc.topics.list(ids)
  expect((await pool.query("SELECT topic FROM orders")).rows).toEqual(topics.map(({ topic_id: topic }) => ({ topic })))
  expect(topics).toHaveLength(1)
})

it("Drizzle: the service uses db.$client as its pool, and tx as the transaction", async () => {
  const db = drizzle(createHostPool(await createEmptyDatabase()))
  await checkTransaction(postgres(db.$client, { schema }), (work) => db.transaction(work))
})

it("Kysely: the service uses the dialect's pool, and trx as the transaction, with any plugins", async () => {
  const pool = createHostPool(await createEmptyDatabase())
  const db = new Kysely<object>({ dialect: new PostgresDialect({ pool }), plugins: [new CamelCasePlugin()] })
  await checkTransaction(postgres(pool, { schema }), (work) => db.transaction().execute(work))
})

it("Knex: the pool consists of two functions, and the transaction is the connection of a Knex transaction", async () => {
  const db = knex({ client: "pg", connection: await createEmptyDatabase() })
  onTestFinished(() => db.destroy())
  await checkTransaction(postgres(knexPool(db), { schema }), (work) =>
    db.transaction(async (trx) => work(await trx.client.acquireConnection()))
  )
})

it("postgres.js: the pool consists of two functions, and the transaction is the sql function of sql.begin", async () => {
  const sql = postgresJs(await createEmptyDatabase(), { onnotice: () => {} })
  onTestFinished(() => sql.end())
  await checkTransaction(postgres(postgresJsPool(sql), { schema }), (work) => sql.begin((tx) => work(tx)))
})
