/** Tests, with real receivers, that an operator finds the disabled webhooks, their owners and the reasons. */
import { expect, it } from "vitest"
import * as Loopback from "../../test/support/Loopback.ts"
import * as Partner from "../../test/support/Partner.ts"
import * as Process from "../../test/support/Process.ts"

it("`webhook list` shows the disabled webhooks of one or all organizations with time and reason, and `doctor` reports disabled webhooks", async (test) => {
  const cwd = await Process.makeWorkingFolder(test)
  let isGone = true
  const receiver = await Loopback.startWebhookReceiver(test, (path) => (isGone && path === "/gone" ? 410 : 204))
  const [first, second] = [
    await Partner.registerTestPartner(cwd, "Acme Sports"),
    await Partner.registerTestPartner(cwd, "Courtside")
  ]
  const { apiRoot, stop } = await Process.startService(cwd, ["serve"], { WEBHOOK_ALLOW_PRIVATE: "true" })
  const disabled = (...args: ReadonlyArray<string>) =>
    Process.runJsonCommand(cwd, ["webhook", "list", "--disabled", ...args])
  const about = async () => {
    const { stdout } = await Process.runCommand(cwd, ["doctor", "--json"])
    return JSON.parse(stdout).findings.find(({ check }: { check: string }) => check === "disabled webhooks")
  }
  expect(await disabled()).toEqual([])
  expect(await about()).toMatchObject({ state: "ok" })
  const begun = Date.now()
  for (const [{ key }, path] of [
    [first, "well"],
    [second, "well"],
    [second, "gone"]
  ] as const) {
    const url = `http://${receiver}/${path}`
    expect((await Partner.callApi(apiRoot, key, "/webhooks", { url, events: ["commentary.failed"] })).status).toBe(201)
  }
  await Partner.callApi(apiRoot, second.key, "/topics", {
    content: "Who goes down this season?",
    persona_ids: [Partner.decliningPersonaId]
  })
  const [found, ...more] = await Process.pollUntil(disabled, ({ length }) => length > 0)
  expect(more).toEqual([])
  expect(found).toMatchObject({
    organization_id: second.id,
    organization_name: "Courtside",
    url: `http://${receiver}/gone`,
    status: "disabled",
    disabled_reason: "The receiver answered with status 410, which is not a success."
  })
  expect(Date.parse(found.disabled_at)).toBeGreaterThanOrEqual(begun)
  expect(await disabled("--org", first.id)).toEqual([])
  expect(await disabled("--org", second.id)).toEqual([found])
  const all = await Process.runJsonCommand(cwd, ["webhook", "list"])
  expect(all).toHaveLength(3)
  expect(all.filter(({ disabled_at }: { disabled_at: unknown }) => disabled_at === null)).toHaveLength(2)
  const text = (await Process.runCommand(cwd, ["webhook", "list", "--disabled"])).stdout.split("\n")
  expect(text).toHaveLength(3)
  for (const part of [found.id, "Courtside", found.disabled_at, "status 410"]) expect(text[1]).toContain(part)
  expect(await about()).toMatchObject({
    state: "notice",
    count: 1,
    message: expect.stringContaining("webhook list --disabled")
  })
  isGone = false
  await Process.runJsonCommand(cwd, ["webhook", "enable", found.id])
  expect(await disabled()).toEqual([])
  expect((await Process.runCommand(cwd, ["webhook", "list", "--disabled"])).stdout).toBe("No webhook is disabled.\n")
  await stop()
})
