/** Runs Debian's nginx with the configuration of deploy/ and a test certificate, as a proxy for one server. */
import { spawn } from "node:child_process"
import { mkdir, readFile, writeFile } from "node:fs/promises"
import { request } from "node:https"
import { join } from "node:path"
import { text } from "node:stream/consumers"
import { findFreePort } from "@partner-commentary/test/postgres/FreePort"
import { pollUntil, type TestCleanup } from "../../test/support/Process.ts"
import { runMachineCommand } from "./Buildah.ts"

export interface NginxProxy {
  readonly port: number
  /** The port without TLS. */
  readonly plainPort: number
  /** Sends a request to nginx over TLS and verifies nginx's certificate. */
  readonly ask: SendNginxRequest
}

export type SendNginxRequest = (path: string, options?: NginxRequestOptions) => Promise<NginxResponse>

export interface NginxRequestOptions {
  /** The local address from which the request is sent. */
  readonly from?: string
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string>>
}

export interface NginxResponse {
  readonly status: number
  // biome-ignore lint/suspicious/noExplicitAny: the tests assert the shape of the JSON
  readonly body: any
}

const configuration = new URL("../../../../deploy/nginx.conf", import.meta.url)

/** Starts nginx. `upstream` is the port of the server behind nginx. */
export const startNginx = async (test: TestCleanup, folder: string, upstream: number): Promise<NginxProxy> => {
  await mkdir(folder)
  const [port, plain] = [await findFreePort(), await findFreePort()]
  const file = (name: string) => join(folder, name)
  const subject = ["-subj", "/CN=127.0.0.1", "-addext", "subjectAltName=IP:127.0.0.1", "-days", "2"]
  const keys = ["-keyout", file("privkey.pem"), "-out", file("fullchain.pem")]
  await runMachineCommand("openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", ...keys, ...subject)
  const own = (await readFile(configuration, "utf8"))
    .replaceAll("/etc/nginx/certificates", folder)
    .replace("listen 80;", `listen 127.0.0.1:${plain};`)
    .replace("listen [::]:80;", `listen [::1]:${plain};`)
    .replace("listen 443 ssl;", `listen 127.0.0.1:${port} ssl;`)
    .replace("listen [::]:443 ssl;", `listen [::1]:${port} ssl;`)
    .replace("server:8080", `127.0.0.1:${upstream}`)
  await writeFile(file("default.conf"), own)
  // Only the test's user may write to the folder of the test, so nginx's workers must run as the test's user.
  const user = process.getuid?.() === 0 ? "user root;" : ""
  const main = `daemon off; ${user} pid ${file("pid")}; error_log ${file("error.log")}; events {}
    http { access_log ${file("access.log")}; client_body_temp_path ${file("body")}; proxy_temp_path ${file("proxy")};
    fastcgi_temp_path ${file("fastcgi")}; uwsgi_temp_path ${file("uwsgi")}; scgi_temp_path ${file("scgi")};
    include ${file("default.conf")}; }`
  await writeFile(file("nginx.conf"), main)
  await runMachineCommand("nginx", "-t", "-q", "-c", file("nginx.conf"))
  const nginx = spawn("nginx", ["-c", file("nginx.conf")], { stdio: "ignore" })
  const ended = new Promise<void>((resolve) => nginx.on("close", () => resolve()))
  test.onTestFinished(() => {
    nginx.kill("SIGTERM")
    return ended
  })
  const isListening = () =>
    fetch(`http://127.0.0.1:${plain}/`, { redirect: "manual" }).then(
      () => true,
      () => false
    )
  await pollUntil(isListening, Boolean)
  const ca = await readFile(file("fullchain.pem"), "utf8")
  const ask: SendNginxRequest = (path, { body, from = "127.0.0.2", headers = {} } = {}) =>
    new Promise((resolve, reject) => {
      const method = body === undefined ? "GET" : "POST"
      const given = { accept: "application/json", "content-type": "application/json", ...headers }
      const asked = request(
        { host: "127.0.0.1", port, localAddress: from, path, method, ca, headers: given },
        (response) => {
          const answer = (read: string) => {
            const isJson = response.headers["content-type"]?.startsWith("application/json") === true
            resolve({ status: response.statusCode ?? 0, body: isJson ? JSON.parse(read) : read })
          }
          text(response).then(answer, reject)
        }
      )
      asked.on("error", reject).end(body === undefined ? undefined : JSON.stringify(body))
    })
  return { port, plainPort: plain, ask }
}
