/** Two services on one database of the host count together: a second process must not double a partner's limits. */
import { type PoolOptions, postgres } from "partner-commentary/postgres/Postgres"
import { expect, it, onTestFinished } from "vitest"
import { opened, seeded } from "./EmbeddedStory.ts"
import { emptyDatabase, poolOf } from "./HostDatabase.ts"

const url = "https://app.example/commentary/partner/v1/personas"

/** Requests of a key in a minute, by the standard plan. */
const limit = 100

it.each<PoolOptions>([{}, { schema: "commentary" }, { listen: false }])(
  "a limit lets exactly as many requests through both, with the options %j",
  async (options) => {
    const pool = poolOf(await emptyDatabase())
    const services = [opened(postgres(pool, options)), opened(postgres(pool, options))] as const
    for (const { pc } of services) onTestFinished(pc.stop)
    const [{ pc: first }, { pc: second }] = services
    const { organization_id } = await seeded(first)
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
)

it("a key that one service revokes is rejected by the other at once", async () => {
  const pool = poolOf(await emptyDatabase())
  const { pc: first } = opened(postgres(pool))
  const { pc: second } = opened(postgres(pool))
  for (const pc of [first, second]) onTestFinished(pc.stop)
  const { organization_id } = await seeded(first)
  const key = await first.apiKeys.create({ organization_id, name: "one", scopes: ["personas:read"] })
  const ask = async () => (await second.fetch(new Request(url, { headers: { "x-api-key": key.full_key } }))).status
  expect(await ask()).toBe(200)
  await first.apiKeys.revoke({ organization_id, api_key_id: key.id })
  await expect.poll(ask, { timeout: 2500, interval: 50 }).toBe(401)
})
