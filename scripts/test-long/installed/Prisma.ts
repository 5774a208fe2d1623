/**
 * Tests, in a project that installed Prisma, that Prisma's transactions commit or roll back the changes of use cases.
 */
import assert from "node:assert/strict"
import { createOrder, pc, pool, prisma } from "../../../examples/libraries/prisma.ts"

await pool.query("CREATE TABLE orders (id SERIAL PRIMARY KEY, topic TEXT NOT NULL UNIQUE)")
const { id: organization_id } = await pc.organizations.create({ name: "Courtside" })
const { id: persona_id } = await pc.personas.create({ name: "Ada Vance", creator: { email: "ada@host.example" } })
await pc.licenses.grant({ organization_id, persona_id })
const topic = { organization_id, content: "Who wins the derby on Sunday?", persona_ids: [persona_id] }
const submitted = async () => (await pc.topics.list({ organization_id })).total

await createOrder(topic)
assert.deepEqual([await submitted(), await prisma.order.count()], [1, 1])

const undone = prisma.$transaction(async (tx) => {
  await pc.topics.submit({ ...topic, content: "Who wins the cup in the autumn?" }, { db: tx })
  throw new Error("undone")
})
await assert.rejects(undone, { message: "undone" })
assert.equal(await submitted(), 1)

// Postgres rejects a statement of the second call, but the transaction continues, and its other changes are committed.
await prisma.$transaction(async (tx) => {
  const organization = { name: "Riverside", identity_id: "one" }
  await pc.organizations.create(organization, { db: tx })
  await assert.rejects(pc.organizations.create(organization, { db: tx }), { code: "invalid_request" })
  await assert.rejects(pc.topics.submit(topic, { db: tx }), { code: "no_valid_personas" })
  await tx.order.create({ data: { topic: "kept" } })
})
assert.deepEqual([(await pc.organizations.list()).length, await prisma.order.count()], [2, 2])

await assert.rejects(pc.organizations.create({ name: "Lakeside" }, { db: prisma }), {
  message: "The option db has no open transaction."
})
await pc.stop()
await prisma.$disconnect()
await pool.end()
process.stdout.write("committed\n")
