/**
 * Starts the product and the peer as separate processes in a separate folder, and creates the data that the requests
 * need.
 */
import { type ChildProcess, spawn } from "node:child_process"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { createInterface } from "node:readline"

export interface ServerFixtures {
  readonly key: string
  readonly personaIds: ReadonlyArray<string>
}

export interface ListeningServer {
  readonly port: number
  readonly process: ChildProcess
  /** Milliseconds from the start of the process until the process reports that it listens. */
  readonly startedIn: number
}

export interface BenchmarkServer extends ListeningServer, ServerFixtures {}

const bench = import.meta.dirname
export const commandLinePath = join(bench, "../hosts/node/bin/partner-commentary.js")
const running = new Set<ChildProcess>()

export const startProcess = (
  args: ReadonlyArray<string>,
  options: { readonly cwd: string; readonly env: NodeJS.ProcessEnv },
  apiRootOf: (line: string) => string | undefined
) =>
  new Promise<{ process: ChildProcess; port: number; line: string; startedIn: number }>((resolve, reject) => {
    const begin = performance.now()
    const child = spawn(process.execPath, args, { ...options, stdio: ["ignore", "pipe", "pipe"] })
    running.add(child)
    let said = ""
    child.stderr.on("data", (chunk) => {
      said = (said + chunk).slice(-4000)
    })
    createInterface({ input: child.stdout }).on("line", (line) => {
      const apiRoot = apiRootOf(line)
      if (apiRoot === undefined) said = `${said}${line}\n`.slice(-4000)
      else resolve({ process: child, port: Number(new URL(apiRoot).port), line, startedIn: performance.now() - begin })
    })
    child.on("exit", (code, signal) => {
      running.delete(child)
      reject(new Error(`${args.join(" ")} ended with ${code ?? signal}: ${said}`))
    })
  })

export const startPeer = async (folder: string): Promise<BenchmarkServer> => {
  const started = await startProcess(
    [join(bench, "peer.ts"), join(folder, "peer.db")],
    { cwd: folder, env: process.env },
    (line) => (line.startsWith("{") ? JSON.parse(line).apiRoot : undefined)
  )
  return { ...started, ...(JSON.parse(started.line) as ServerFixtures) }
}

export const makeServerEnvironment = (folder: string): NodeJS.ProcessEnv => ({
  PATH: process.env["PATH"],
  HOME: folder,
  DEV: "true",
  PORT: "0",
  PROCESSES: "1",
  DATABASE_URL: `sqlite:${join(folder, "ours.db")}`
})

/** Starts the product's command line on the database that `makeFixtures` created in the folder. */
export const startService = async (
  folder: string,
  fixtures: ServerFixtures,
  ...args: ReadonlyArray<string>
): Promise<BenchmarkServer> => {
  return { ...(await startServiceProcess(folder, {}, ...args)), ...fixtures }
}

/** Starts the product with these environment variables. */
export const startServiceProcess = (
  folder: string,
  variables: NodeJS.ProcessEnv,
  ...args: ReadonlyArray<string>
): Promise<ListeningServer> =>
  startProcess(
    [commandLinePath, "serve", ...args],
    { cwd: folder, env: { ...makeServerEnvironment(folder), ...variables } },
    readyUrl
  )

/** Starts an application that serves the folder's database with the embedded service (`embedding/Server.ts`). */
export const startEmbeddedService = (folder: string): Promise<ListeningServer> =>
  startProcess(
    [join(bench, "embedding/Server.ts"), join(folder, "ours.db")],
    { cwd: folder, env: process.env },
    readyUrl
  )

const readyUrl = (line: string): string | undefined => /^ready (\S+)/.exec(line)?.[1]

export const stopServer = ({ process: child }: Pick<BenchmarkServer, "process">): Promise<void> =>
  new Promise((resolve) => {
    if (child.exitCode !== null || child.signalCode !== null) return resolve()
    child.once("exit", () => resolve())
    child.kill("SIGCONT")
    child.kill("SIGTERM")
    setTimeout(() => child.kill("SIGKILL"), 10_000).unref()
  })

export const killAllServers = () => {
  for (const child of running) child.kill("SIGKILL")
}

const proc = (pid: number | string | undefined, file: string): string | undefined => {
  try {
    return readFileSync(`/proc/${pid}/${file}`, "utf8")
  } catch {
    return undefined
  }
}

/** Returns the resident memory in MB; NaN where there is no /proc. */
export const readMemoryMegabytes = (server: ListeningServer): number => {
  const kilobytes = /VmRSS:\s+(\d+)/.exec(proc(server.process.pid, "status") ?? "")?.[1]
  return kilobytes === undefined ? Number.NaN : Number(kilobytes) / 1024
}

/** Returns the seconds of CPU time since the process began, in steps of 10 ms; NaN where there is no /proc. */
export const readProcessorSeconds = (server: ListeningServer): number => readProcessorSecondsByPid(server.process.pid)

export const readProcessorSecondsByPid = (pid: number | string | undefined): number => {
  const fields = proc(pid, "stat")?.split(") ")[1]?.split(" ")
  return fields === undefined ? Number.NaN : (Number(fields[11]) + Number(fields[12])) / 100
}
