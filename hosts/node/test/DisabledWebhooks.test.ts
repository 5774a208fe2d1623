/** How an operator finds the webhooks that were disabled, whose they are and why, with real receivers. */
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { expect, it } from "vitest"
import * as Partner from "./Partner.ts"
import * as Process from "./Process.ts"

const declines = "7e570000-0000-4000-8000-000000000002"

const organization = async (cwd: string, name: string) => {
  const { id } = await Process.json(cwd, ["org", "create", "--name", name])
  const words = ["--org", id, "--name", "k", "--scopes", "topics:submit,topics:read", "--environment", "test"]
  const { full_key: key } = await Process.json(cwd, ["key", "create", ...words])
  return { id, key }
}

it("webhook list names them with moment and reason, of all organizations or one, and doctor says that there are some", async (test) => {
  const cwd = await Process.folder(test)
  let isBack = false
  const receiver = createServer((request, response) => {
    request.resume().on("end", () => response.writeHead(request.url === "/gone" && !isBack ? 410 : 204).end())
  })
  await new Promise<void>((resolve) => receiver.listen(0, "127.0.0.1", resolve))
  test.onTestFinished(() => {
    receiver.closeAllConnections()
    receiver.close()
  })
  const { port } = receiver.address() as AddressInfo
  const [first, second] = [await organization(cwd, "Acme Sports"), await organization(cwd, "Courtside")]
  const { apiRoot, stop } = await Process.start(cwd, ["serve"], { WEBHOOK_ALLOW_PRIVATE: "true" })
  const disabled = (...args: ReadonlyArray<string>) => Process.json(cwd, ["webhook", "list", "--disabled", ...args])
  const about = async () => {
    const { stdout } = await Process.run(cwd, ["doctor", "--json"])
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
    const url = `http://127.0.0.1:${port}/${path}`
    expect((await Partner.call(apiRoot, key, "/webhooks", { url, events: ["commentary.failed"] })).status).toBe(201)
  }
  await Partner.call(apiRoot, second.key, "/topics", { content: "Who goes down this season?", persona_ids: [declines] })
  const [found, ...more] = await Process.eventually(disabled, ({ length }) => length > 0)
  expect(more).toEqual([])
  expect(found).toMatchObject({
    organization_id: second.id,
    organization_name: "Courtside",
    url: `http://127.0.0.1:${port}/gone`,
    status: "disabled",
    disabled_reason: "The receiver answered with status 410, which is no success."
  })
  expect(Date.parse(found.disabled_at)).toBeGreaterThanOrEqual(begun)
  expect(await disabled("--org", first.id)).toEqual([])
  expect(await disabled("--org", second.id)).toEqual([found])
  const all = await Process.json(cwd, ["webhook", "list"])
  expect(all).toHaveLength(3)
  expect(all.filter(({ disabled_at }: { disabled_at: unknown }) => disabled_at === null)).toHaveLength(2)
  const text = (await Process.run(cwd, ["webhook", "list", "--disabled"])).stdout.split("\n")
  expect(text).toHaveLength(3)
  for (const part of [found.id, "Courtside", found.disabled_at, "status 410"]) expect(text[1]).toContain(part)
  expect(await about()).toMatchObject({
    state: "notice",
    count: 1,
    message: expect.stringContaining("webhook list --disabled")
  })
  // What was held for it is sent at once.
  isBack = true
  await Process.json(cwd, ["webhook", "enable", found.id])
  expect(await disabled()).toEqual([])
  expect((await Process.run(cwd, ["webhook", "list", "--disabled"])).stdout).toBe("No webhook is disabled.\n")
  await stop()
})
