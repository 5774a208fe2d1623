/**
 * Tests use cases in the host's open transaction. The changes of the use cases are committed or rolled back with the
 * host's transaction.
 */
import { PGlite } from "@electric-sql/pglite"
import { PartnerCommentaryError } from "partner-commentary/PartnerCommentary"
import { type PoolOptions, postgres } from "partner-commentary/postgres/Postgres"
import { describe, expect, it, onTestFinished } from "vitest"
import { makeExampleTopic, openEmbeddedService, seedOrganization } from "../../test/embedding/EmbeddedStory.ts"
import { createEmptyDatabase, createHostPool } from "../../test/embedding/HostDatabase.ts"

const refused = { code: "no_valid_personas" }

const started = async (options: PoolOptions = {}) => {
  const pool = createHostPool(await createEmptyDatabase(), { max: 3 })
  await pool.query("CREATE TABLE orders (topic TEXT)")
  const service = openEmbeddedService(postgres(pool, options))
  onTestFinished(service.pc.stop)
  const ids = await seedOrganization(service.pc)
  const client = await pool.connect()
  onTestFinished(() => client.release())
  return { ...service, pool, client, ids }
}

describe.each([{}, { schema: "commentary" }])("on a client of pg, with the options %j", (options) => {
  it("a topic is committed together with the host's rows, and the workers find the topic", async () => {
    const { client, ids, mail, pc, pool } = await started(options)
    await client.query("BEGIN")
    const { topic_id } = await pc.topics.submit(makeExampleTopic(ids), { db: client })
    await client.query("INSERT INTO orders VALUES ($1)", [topic_id])
    expect((await pc.topics.list(ids)).total).toBe(0)
    await client.query("COMMIT")
    expect((await pc.topics.list(ids)).total).toBe(1)
    expect((await pool.query("SELECT topic FROM orders")).rows).toEqual([{ topic: topic_id }])
    expect((await mail(/asks/)).text).toContain("derby")
  })

  it("a topic is rolled back together with the host's rows, and no mail is sent", async () => {
    const { client, ids, mails, pc, pool } = await started(options)
    await client.query("BEGIN")
    const { topic_id } = await pc.topics.submit(makeExampleTopic(ids), { db: client })
    await client.query("INSERT INTO orders VALUES ($1)", [topic_id])
    await client.query("ROLLBACK")
    expect((await pc.topics.list(ids)).total).toBe(0)
    expect((await pool.query("SELECT topic FROM orders")).rows).toEqual([])
    expect((await pc.usage.report(ids)).usage).toMatchObject({ topics_created: 0 })
    expect(mails).toEqual([])
  })

  it("a refused call does not change the host's transaction", async () => {
    const { client, ids, pc, pool } = await started(options)
    await client.query("BEGIN")
    await client.query("INSERT INTO orders VALUES ('kept')")
    const path = await client.query("SHOW search_path")
    await pc.licenses.revoke(ids, { db: client })
    await expect(pc.topics.submit(makeExampleTopic(ids), { db: client })).rejects.toMatchObject(refused)
    expect((await client.query("SHOW search_path")).rows).toEqual(path.rows)
    await client.query("COMMIT")
    expect((await pool.query("SELECT topic FROM orders")).rows).toEqual([{ topic: "kept" }])
    expect(await pc.licenses.list(ids)).toMatchObject([{ active: false }])
  })

  it("every use case that writes joins the host's transaction", async () => {
    const { client, ids, pc } = await started(options)
    const at = { db: client }
    const { topic_id } = await pc.topics.submit(makeExampleTopic(ids))
    await client.query("BEGIN")
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
    await client.query("ROLLBACK")
    expect((await pc.organizations.list()).map(({ id }) => id)).toEqual([ids.organization_id])
    expect((await pc.personas.list()).map(({ id }) => id)).toEqual([ids.persona_id])
    expect((await pc.topics.progress({ ...ids, topic_id })).overall_status).toBe("pending")
  })

  it("the host's transaction commits a change together with the events of the change", async () => {
    const { client, ids, pc } = await started(options)
    await pc.personas.update({ persona_id: ids.persona_id, creator: { email: "erased@host.example" } })
    const { topic_id } = await pc.topics.submit(makeExampleTopic(ids))
    await client.query("BEGIN")
    await pc.creators.erase({ email: "erased@host.example" }, { db: client })
    await client.query("COMMIT")
    expect((await pc.topics.progress({ ...ids, topic_id })).overall_status).toBe("completed")
  })

  it("concurrent calls on one client run one after another, and a refused call undoes only its own changes", async () => {
    const { client, ids, pc } = await started(options)
    await client.query("BEGIN")
    const at = { db: client }
    const calls = await Promise.allSettled([
      pc.topics.submit(makeExampleTopic(ids), at),
      pc.topics.submit(makeExampleTopic(ids), at),
      pc.topics.submit(makeExampleTopic(ids, "Who wins the cup in the autumn?"), at)
    ])
    expect(calls.filter(({ status }) => status === "fulfilled")).toHaveLength(2)
    await client.query("COMMIT")
    expect((await pc.topics.list(ids)).total).toBe(2)
  })

  it("the changes of two calls with one database client are committed in one transaction of the host", async () => {
    const { client, ids, pc } = await started(options)
    await client.query("BEGIN")
    await pc.topics.submit(makeExampleTopic(ids, "Who wins the derby on Sunday?"), { db: client })
    await pc.topics.submit(makeExampleTopic(ids, "Who wins the cup in the autumn?"), { db: client })
    await client.query("COMMIT")
    expect((await pc.topics.list(ids)).total).toBe(2)
  })
})

it("a topic can be submitted in a transaction of PGlite", async () => {
  const database = new PGlite()
  onTestFinished(() => database.close())
  const { pc } = openEmbeddedService(postgres(database))
  onTestFinished(pc.stop)
  const ids = await seedOrganization(pc)
  await database.transaction((tx) => pc.topics.submit(makeExampleTopic(ids), { db: tx }))
  const undone = database.transaction(async (tx) => {
    await pc.topics.submit(makeExampleTopic(ids, "Who wins the cup in the autumn?"), { db: tx })
    throw new Error("undone")
  })
  await expect(undone).rejects.toThrow("undone")
  expect((await pc.topics.list(ids)).total).toBe(1)
})

describe("an object that is not an open transaction is refused with a one-sentence error", () => {
  const sentence = async (call: Promise<unknown>) => {
    const error = await call.then(
      () => new Error("it did not fail"),
      (error: unknown) => error
    )
    expect(error).toBeInstanceOf(PartnerCommentaryError)
    return error instanceof Error ? error.message : ""
  }

  it("the option `db` refuses a pool, a client without a transaction, and any other object", async () => {
    const { client, ids, pc, pool } = await started()
    const submitted = (db: object) => sentence(pc.topics.submit(makeExampleTopic(ids), { db }))
    expect(await submitted(client)).toBe("The option db has no open transaction.")
    expect(await submitted(pool)).toBe("The option db has no open transaction.")
    expect(await submitted({})).toMatch(/^The option db must be a client with query\(text, values\)/)
    expect((await pc.topics.list(ids)).total).toBe(0)
  })
})
