/**
 * Tests an application that embeds the service, in memory, without a mail server and without waiting. Run the tests
 * with `node --test`.
 */
import assert from "node:assert/strict"
import { test } from "node:test"
import { partnerCommentary } from "partner-commentary"
import { sqlite } from "partner-commentary/sqlite"

// #region embedded
test("an article's question reaches the creator", async (t) => {
  const mails: Array<{ to: { address: string }; text: string }> = []
  const pc = partnerCommentary({
    url: "http://app.example/commentary",
    secret: "a secret of the tests, and long enough",
    database: sqlite(":memory:"),
    mail: (message) => mails.push(message),
    generator: ({ perspective }) => `As I see it: ${perspective}`,
    workers: false
  })
  t.after(pc.stop)
  const { id: organization_id } = await pc.organizations.create({ name: "Courtside" })
  const creator = { email: "ada@creators.example" }
  const { id: persona_id } = await pc.personas.create({ name: "Ada Vance", creator })
  await pc.licenses.grant({ organization_id, persona_id })
  const topic = { content: "Who wins the derby on Sunday?", persona_ids: [persona_id] }
  await pc.topics.submit({ organization_id, ...topic })
  await pc.operations.drain() // does the work that is due, in place of the workers
  assert.deepEqual(
    mails.map(({ to }) => to.address),
    ["ada@creators.example"]
  )
})
// #endregion
