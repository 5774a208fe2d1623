/**
 * A program that starts, restarts and stops one Postgres server. The command is `node Supervisor.ts VERSION
 * [NAME=VALUE…]`. The supervisor creates a Postgres cluster in a temporary folder, and prints `ready PORT PID` each
 * time the server has started. The input line `restart` restarts the server. When the parent closes the input or dies,
 * the supervisor stops the server and removes the folder. A certificate in CERTIFICATE and its key in CERTIFICATE_KEY
 * enable TLS. If DATA_FROM is the folder of a base backup, the supervisor copies this backup instead of creating a
 * cluster.
 *
 * Postgres refuses to run as root. If the supervisor runs as root, `initdb` and `postgres` run as the user `nobody`.
 */
import { type ChildProcess, execFileSync, spawn, spawnSync } from "node:child_process"
import { appendFileSync, chmodSync, chownSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { createInterface } from "node:readline"
import { copyPostgresBinaries, defaultPostgresVersion, type PostgresVersion } from "./Binaries.ts"
import { findFreePort } from "./FreePort.ts"

const [versionText = String(defaultPostgresVersion), ...settings] = process.argv.slice(2)

const idOf = (option: "-u" | "-g") => Number(execFileSync("id", [option, "nobody"], { encoding: "utf8" }))
const owner = process.getuid?.() === 0 ? { uid: idOf("-u"), gid: idOf("-g") } : {}

const folder = mkdtempSync(join(tmpdir(), "postgres-"))
const data = join(folder, "data")
const log = join(folder, "log")
const certificate = process.env["CERTIFICATE"]
let server: ChildProcess | undefined
let ending = false

/** The data is disposable, so the server does not flush its writes to disk. */
const configuration = (port: number) =>
  [
    `port = ${port}`,
    "listen_addresses = '127.0.0.1'",
    "unix_socket_directories = ''",
    "fsync = off",
    "synchronous_commit = off",
    "full_page_writes = off",
    "max_connections = 200",
    "log_min_messages = fatal",
    ...(certificate === undefined ? [] : ["ssl = on"]),
    ...settings.map((setting) => setting.replace(/=(.*)$/, " = '$1'"))
  ].join("\n")

/**
 * Roles whose names begin with `guarded` must send a password. Before Postgres 16, only the role `guarded` must send a
 * password.
 */
const trusted = "host all all 127.0.0.1/32 trust\nhost replication all 127.0.0.1/32 trust\n"
const admission = `host all /^guarded 127.0.0.1/32 scram-sha-256\n${trusted}`
const admissionBefore16 = `host all guarded 127.0.0.1/32 scram-sha-256\n${trusted}`

const make = (version: PostgresVersion) => {
  copyPostgresBinaries(version, join(folder, "native"))
  chmodSync(folder, 0o755)
  if (owner.uid !== undefined) {
    execFileSync("mkdir", ["-m", "700", data])
    chownSync(data, owner.uid, owner.gid)
  }
  const origin = process.env["DATA_FROM"]
  if (origin !== undefined) return copyData(origin)
  // This collation does not sort by bytes, so that tests find code that relies on the default collation.
  const made = spawnSync(
    join(folder, "native", "bin", "initdb"),
    ["-D", data, "-U", "postgres", "-A", "trust", "-E", "UTF8", "--no-sync", "--locale=C"].concat(
      "--locale-provider=icu",
      "--icu-locale=en-US"
    ),
    { ...owner, cwd: folder, encoding: "utf8" }
  )
  if (made.status !== 0) throw new Error(`initdb failed: ${made.stderr} ${made.error ?? ""}`)
  if (certificate !== undefined) {
    writeFileSync(join(data, "server.crt"), certificate)
    const key = join(data, "server.key")
    writeFileSync(key, process.env["CERTIFICATE_KEY"] ?? "", { mode: 0o600 })
    if (owner.uid !== undefined) chownSync(key, owner.uid, owner.gid)
  }
  writeFileSync(join(data, "pg_hba.conf"), version < 16 ? admissionBefore16 : admission)
}

const copyData = (origin: string) => {
  execFileSync("cp", ["-a", `${origin}/.`, data])
  if (owner.uid !== undefined) execFileSync("chown", ["-R", `${owner.uid}:${owner.gid}`, data])
}

const start = (port: number) =>
  new Promise<void>((resolve, reject) => {
    const started = spawn(join(folder, "native", "bin", "postgres"), ["-D", data], {
      ...owner,
      cwd: folder,
      stdio: ["ignore", "ignore", "pipe"]
    })
    server = started
    started.stderr?.on("data", (text: Buffer) => appendFileSync(log, text))
    started.once("error", reject)
    const look = setInterval(() => {
      if (!/^ready/m.test(stateOf())) return
      clearInterval(look)
      process.stdout.write(`ready ${port} ${started.pid}\n`)
      resolve()
    }, 10)
    started.once("exit", (code) => {
      clearInterval(look)
      if (server === started) server = undefined
      const said = `the server ended with ${code}: ${tail()}`
      if (!ending) process.stdout.write(`ended ${JSON.stringify(said)}\n`)
      reject(new Error(said))
    })
  })

/** Returns the last line of the server's postmaster.pid, which contains the server's status. */
const stateOf = (): string => {
  try {
    return readFileSync(join(data, "postmaster.pid"), "utf8").split("\n")[7] ?? ""
  } catch {
    return ""
  }
}

const tail = (): string => {
  try {
    return readFileSync(log, "utf8").slice(-2000)
  } catch {
    return ""
  }
}

/** Sends SIGINT by default. SIGINT starts a fast shutdown, which terminates all sessions. */
const stop = (signal: NodeJS.Signals = "SIGINT") =>
  new Promise<void>((resolve) => {
    const running = server
    if (running === undefined) return resolve()
    const late = setTimeout(() => running.kill("SIGQUIT"), 5000)
    running.once("exit", () => {
      clearTimeout(late)
      resolve()
    })
    // Tests may have suspended the server. A suspended process handles other signals only after SIGCONT.
    running.kill("SIGCONT")
    running.kill(signal)
  })

const end = async (code: number) => {
  if (ending) return
  ending = true
  await stop()
  rmSync(folder, { recursive: true, force: true })
  process.exit(code)
}

for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, () => void end(1))
// The parent process has closed the pipe.
process.stdout.on("error", () => void end(1))

const commands = createInterface({ input: process.stdin })
commands.once("close", () => void end(0))

try {
  make(Number(versionText) as PostgresVersion)
  const port = await findFreePort()
  writeFileSync(join(data, "postgresql.conf"), configuration(port))
  await start(port)
  commands.on("line", (line) => {
    if (line === "restart") {
      ending = true
      void stop().then(() => {
        ending = false
        return start(port)
      })
    }
  })
} catch (error) {
  process.stderr.write(`${(error as Error).message}\n`)
  await end(1)
}
