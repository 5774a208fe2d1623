/** Tests a server that listens on all IPv6 and IPv4 addresses. */
import { findFreePort } from "@partner-commentary/test/postgres/FreePort"
import { expect, it } from "vitest"
import * as Partner from "../support/Partner.ts"
import * as Process from "../support/Process.ts"

it("with HOST=:: the server answers on IPv4 and IPv6, and knows the IPv4 addresses of clients and proxies", async (test) => {
  const cwd = await Process.makeWorkingFolder(test)
  const admin = await findFreePort()
  const env = { DEV: "true", TRUSTED_PROXIES: "127.0.0.1" }
  await Process.runCommand(cwd, ["migrate"], env)
  const { organization } = await Partner.registerPartner(cwd, env)
  const createKey = async (address: string) => {
    const words = ["--org", organization.id, "--name", "k", "--scopes", "personas:read", "--ip-whitelist", address]
    return (await Process.runJsonCommand(cwd, ["key", "create", ...words], env)).full_key as string
  }
  const [ofProxy, ofClient] = [await createKey("127.0.0.1"), await createKey("203.0.113.7")]
  const listeners = { HOST: "::", ADMIN_HOST: "::", ADMIN_PORT: String(admin) }
  const { apiRoot } = await Process.startService(cwd, ["serve", "--no-worker"], { ...env, ...listeners })
  const { port } = new URL(apiRoot)
  for (const host of ["127.0.0.1", "[::1]"]) {
    expect((await fetch(`http://${host}:${port}/healthz`)).status).toBe(200)
    expect((await fetch(`http://${host}:${admin}/healthz`)).status).toBe(200)
  }
  const status = async (host: string, key: string, forwarded?: string) => {
    const headers = { "x-api-key": key, ...(forwarded === undefined ? {} : { "x-forwarded-for": forwarded }) }
    return (await fetch(`http://${host}:${port}/partner/v1/personas`, { headers })).status
  }
  expect(await status("127.0.0.1", ofClient, "203.0.113.7")).toBe(200)
  expect(await status("127.0.0.1", ofClient, "203.0.113.8")).toBe(401)
  expect(await status("127.0.0.1", ofProxy)).toBe(200)
  // The address ::1 is no trusted proxy.
  expect(await status("[::1]", ofClient, "203.0.113.7")).toBe(401)
})
