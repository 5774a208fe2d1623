/** Tests deploy/nginx.conf with Debian's nginx, without a server behind nginx. */
import { once } from "node:events"
import { mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { connect } from "node:tls"
import { findFreePort } from "@partner-commentary/test/postgres/FreePort"
import { expect, it } from "vitest"
import { startNginx } from "./Nginx.ts"

it("nginx logs no creator's path, neither for a redirect to TLS nor while the service is down", async (test) => {
  const place = mkdtempSync(join(tmpdir(), "nginx-"))
  test.onTestFinished(() => rmSync(place, { recursive: true }))
  const folder = join(place, "nginx")
  const { ask, plainPort } = await startNginx(test, folder, await findFreePort())
  expect((await ask("/partner/v1/personas")).status).toBe(502)
  expect((await ask("/creator/hunter2")).status).toBe(502)
  expect((await ask("/creator/hunter2/approve", { body: "x".repeat(6_000_000) })).status).toBe(413)
  const { status } = await fetch(`http://127.0.0.1:${plainPort}/creator/hunter2`, { redirect: "manual" })
  expect(status).toBe(308)
  const logs = ["access.log", "error.log"].map((name) => readFileSync(join(folder, name), "utf8"))
  for (const log of logs) {
    expect(log).toContain("/partner/v1/personas")
    expect(log).not.toContain("hunter2")
  }
})

it("nginx redirects IPv6 clients to TLS, and answers them", async (test) => {
  const place = mkdtempSync(join(tmpdir(), "nginx-"))
  test.onTestFinished(() => rmSync(place, { recursive: true }))
  const { plainPort, port } = await startNginx(test, join(place, "nginx"), await findFreePort())
  const { status } = await fetch(`http://[::1]:${plainPort}/docs`, { redirect: "manual" })
  expect(status).toBe(308)
  const socket = connect({ host: "::1", port, rejectUnauthorized: false })
  test.onTestFinished(() => void socket.destroy())
  await once(socket, "secureConnect")
})
