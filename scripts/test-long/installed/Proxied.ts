/** Runs nginx in front of an application. Behind nginx, the application reads the client's address from a header. */
import { spawn } from "node:child_process"
import { once } from "node:events"
import { mkdtempSync, writeFileSync } from "node:fs"
import { request } from "node:http"
import { join } from "node:path"
import { text } from "node:stream/consumers"
import { partnerCommentary } from "partner-commentary"
import { sqlite } from "partner-commentary/sqlite"
import type { TestContext } from "vitest"
import { findFreePort, type StartedExample } from "../../../examples/test/Story.ts"

interface Answer {
  readonly status: number
  readonly body: string
}

/** Sends a request from a local address, with a forged header. */
export type SendFromAddress = (from: string, forged: string | undefined, key?: string) => Promise<Answer>

/** nginx appends the address of the connecting client to the header that the client sent. */
export const startNginx = async (test: TestContext, { folder, url }: StartedExample): Promise<SendFromAddress> => {
  const place = mkdtempSync(join(folder, "nginx-"))
  const port = await findFreePort()
  // nginx's workers must run as the user that may write to the folder.
  const user = process.getuid?.() === 0 ? "user root;" : ""
  const paths = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"]
  const temporary = paths.map((name) => `${name}_temp_path ${join(place, name)};`).join(" ")
  writeFileSync(
    join(place, "nginx.conf"),
    `daemon off; ${user} pid ${join(place, "pid")}; error_log ${join(place, "error.log")}; events {}
    http { access_log off; ${temporary} server { listen 127.0.0.1:${port}; location / {
      proxy_pass ${new URL(url).origin};
      proxy_set_header Host $host;
      proxy_set_header X-Forwarded-For $proxy_add_x_forwarded_for;
    } } }`
  )
  const server = spawn("nginx", ["-c", join(place, "nginx.conf")], { stdio: "ignore" })
  const ended = once(server, "close")
  test.onTestFinished(async () => {
    server.kill("SIGTERM")
    await ended
  })
  const { pathname } = new URL(`${url}/partner/v1/personas`)
  const ask: SendFromAddress = async (from, forged, key = "") => {
    const headers = { "x-api-key": key, ...(forged === undefined ? {} : { "x-forwarded-for": forged }) }
    const sent = request({ host: "127.0.0.1", port, path: pathname, localAddress: from, headers }).end()
    const [response] = await once(sent, "response")
    return { status: response.statusCode, body: await text(response) }
  }
  const isUp = () =>
    ask("127.0.0.9", undefined).then(
      () => true,
      () => false
    )
  while (!(await isUp())) await new Promise((resolve) => setTimeout(resolve, 50))
  return ask
}

/** A key that is valid only from this address. */
export const createKeyForAddress = async (
  test: TestContext,
  { folder, secret, url }: StartedExample,
  address: string
): Promise<string> => {
  const database = sqlite(join(folder, "commentary.db"))
  const beside = partnerCommentary({ url, secret, database, workers: false })
  test.onTestFinished(beside.stop)
  const { id: organization_id } = await beside.organizations.create({ name: "Behind a proxy" })
  const scopes = ["personas:read"] as const
  const wanted = { organization_id, name: "k", scopes, ip_whitelist: [address] }
  return (await beside.apiKeys.create(wanted)).full_key
}
