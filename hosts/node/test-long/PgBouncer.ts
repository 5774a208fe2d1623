/** Starts PgBouncer from Debian's package in transaction mode, and stops the process after the test. */
import { spawn } from "node:child_process"
import { chmod, mkdtemp, rm, writeFile } from "node:fs/promises"
import { connect } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { findFreePort } from "@partner-commentary/test/postgres/FreePort"

const isListening = (port: number) =>
  new Promise<boolean>((resolve) => {
    const socket = connect(port, "127.0.0.1")
    socket.on("connect", () => resolve(true)).on("error", () => resolve(false))
    socket.on("connect", () => socket.destroy())
  })

/** The pool has fewer database connections than clients, so that several clients take turns on each connection. */
const configuration = (server: URL, port: number, ignored: string) => `[databases]
* = host=${server.hostname} port=${server.port || 5432} user=${decodeURIComponent(server.username)}${
  server.password === "" ? "" : ` password=${decodeURIComponent(server.password)}`
}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = any
pool_mode = transaction
default_pool_size = 6
max_client_conn = 500
${ignored === "" ? "" : `ignore_startup_parameters = ${ignored}\n`}log_connections = 0
log_disconnections = 0
`

/** Starts PgBouncer, and returns the URL with which clients reach the database through PgBouncer. */
export const startPgBouncer = async (
  test: { readonly onTestFinished: (cleanUp: () => Promise<void>) => void },
  direct: string,
  /** A list of clients' startup parameters that the pooler ignores. */
  ignored = ""
): Promise<string> => {
  const folder = await mkdtemp(join(tmpdir(), "pgbouncer-"))
  test.onTestFinished(() => rm(folder, { recursive: true, force: true }))
  const port = await findFreePort()
  const file = join(folder, "pgbouncer.ini")
  await writeFile(file, configuration(new URL(direct), port, ignored))
  // PgBouncer refuses to run as root.
  await chmod(folder, 0o755)
  await chmod(file, 0o644)
  const child = spawn("pgbouncer", process.getuid?.() === 0 ? ["-u", "nobody", file] : [file], {
    stdio: ["ignore", "pipe", "pipe"]
  })
  let said = ""
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding("utf8").on("data", (text) => (said += text))
  const ended = new Promise<string>((resolve) => {
    child.on("error", ({ message }) => resolve(message)).on("close", () => resolve(said))
  })
  test.onTestFinished(async () => {
    child.kill("SIGKILL")
    await ended
  })
  const failed = ended.then((why) => Promise.reject(new Error(`no PgBouncer: ${why}`)))
  failed.catch(() => {})
  while (!(await Promise.race([isListening(port), failed]))) await new Promise((resolve) => setTimeout(resolve, 50))
  const url = new URL(direct)
  url.port = String(port)
  url.hostname = "127.0.0.1"
  return url.href
}
