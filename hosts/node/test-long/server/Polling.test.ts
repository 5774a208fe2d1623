/** Tests status polls with and without metrics, and the start of the service, with real processes. */
import { readFile } from "node:fs/promises"
import { describe, expect, it } from "vitest"
import * as Partner from "../../test/support/Partner.ts"
import * as Process from "../../test/support/Process.ts"

/** Returns the bytes of a response without the headers that differ between two responses to the same request. */
const answerOf = async (apiRoot: string, key: string, path: string) => {
  const response = await fetch(`${apiRoot}/partner/v1${path}`, { headers: key === "" ? {} : { "x-api-key": key } })
  const headers = new Headers(response.headers)
  expect(headers.get("x-request-id")).toMatch(/^\S+$/)
  headers.delete("x-request-id")
  headers.delete("date")
  expect(headers.get("x-ratelimit-remaining")).toMatch(/^\d+$/)
  expect(headers.get("x-ratelimit-reset")).toMatch(/^\d+$/)
  for (const name of ["ratelimit", "x-ratelimit-remaining", "x-ratelimit-reset"]) headers.delete(name)
  return { status: response.status, headers: [...headers], text: await response.text() }
}

describe.concurrent("a status poll", () => {
  it("a status poll gets the same response with and without metrics", async (test) => {
    const cwd = await Process.makeWorkingFolder(test)
    const plain = await Process.startServiceProcess(cwd, ["serve", "--no-worker"])
    const measured = await Process.startServiceProcess(cwd, ["serve", "--no-worker"], { ADMIN_PORT: "0" })
    const { key, persona } = Partner.readDemoCredentials(plain)
    await Partner.submitTopic(plain.apiRoot, key, persona.id)
    const listed = await Partner.callApi(plain.apiRoot, key, "/topics")
    const [{ topic_id: id }] = listed.body.data
    const unknown = "0198c0de-0000-7000-8000-000000000001"
    const asked = [
      [key, `/topics/${id}/status`, 200],
      [key, `/topics/${id}/status?x=1`, 200],
      [key, `/topics/${unknown}/status`, 404],
      [key, "/topics/nonsense/status", 404],
      ["", `/topics/${id}/status`, 401]
    ] as const
    for (const [as, path, status] of asked) {
      const answer = await answerOf(plain.apiRoot, as, path)
      expect(answer.status).toBe(status)
      expect(await answerOf(measured.apiRoot, as, path)).toEqual(answer)
    }
  })
})

describe.runIf(process.platform === "linux").concurrent("the served process", () => {
  const commandOf = async (pid: number) => (await readFile(`/proc/${pid}/cmdline`, "utf8")).split("\0")

  it("the service runs with a small heap and keeps the process id with which it started", async (test) => {
    const cwd = await Process.makeWorkingFolder(test)
    const { pid, stop } = await Process.startServiceProcess(cwd, ["serve"], { NODE_OPTIONS: "" })
    expect(await commandOf(pid)).toContain("--max-semi-space-size=8")
    expect(await stop()).toMatchObject({ code: 0 })
  })

  it("the service keeps a heap size that NODE_OPTIONS sets", async (test) => {
    const cwd = await Process.makeWorkingFolder(test)
    const { pid } = await Process.startServiceProcess(cwd, ["serve"], { NODE_OPTIONS: "--max-semi-space-size=16" })
    expect((await commandOf(pid)).join(" ")).not.toContain("semi-space")
  })
})
