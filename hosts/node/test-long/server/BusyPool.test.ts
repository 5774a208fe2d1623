/** Tests the Node host's time limit for a request that waits because all Postgres connections are in use. */
import { expect, it } from "vitest"
import * as OwnDatabase from "../../test/support/OwnDatabase.ts"
import * as Partner from "../../test/support/Partner.ts"
import * as Process from "../../test/support/Process.ts"

it("a request that gets no database connection for ten seconds is answered with 503 and Retry-After", async (test) => {
  const cwd = await Process.makeWorkingFolder(test)
  const env = { ...(await OwnDatabase.makeEmptyDatabase(test)), DATABASE_POOL_SIZE: "2" }
  const server = await Process.startServiceProcess(cwd, ["serve", "--no-worker"], env)
  const { key, persona } = await Partner.registerPartner(cwd, env)
  const submission = { content: "Who wins the derby this year?", persona_ids: [persona.id] }
  const { topic_id: id } = (await Partner.callApi(server.apiRoot, key, "/topics", submission)).body.data
  const locked = OwnDatabase.queryRows(
    env,
    "DO $$ BEGIN LOCK TABLE assignments IN ACCESS EXCLUSIVE MODE; PERFORM pg_sleep(13); END $$"
  )
  const isLocked = () =>
    OwnDatabase.queryRows(
      env,
      "SELECT 1 FROM pg_locks WHERE mode = 'AccessExclusiveLock' AND relation = 'assignments'::regclass"
    )
  await Process.pollUntil(isLocked, ({ length }) => length > 0)
  const ask = (path: string) =>
    fetch(`${server.apiRoot}/partner/v1/topics/${id}${path}`, { headers: { "x-api-key": key } })
  const answers = await Promise.all(["", "", "", "/status", "/status", "/status"].map(ask))
  await locked
  const refused = answers.filter(({ status }) => status !== 200)
  expect(refused.length).toBeGreaterThan(0)
  for (const answer of refused) {
    expect(answer.status).toBe(503)
    expect(answer.headers.get("retry-after")).toBe("1")
    expect(await answer.json()).toMatchObject({ success: false, error: { code: "internal_error" } })
  }
  expect((await ask("")).status).toBe(200)
})
