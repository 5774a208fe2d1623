/**
 * Runs the real service as a process on one database file. The test can kill and restart the service, and can run
 * commands on the same database file.
 */
import { type ChildProcess, execFile, spawn } from "node:child_process"
import { once } from "node:events"
import { createInterface } from "node:readline"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"
import { findFreePort } from "@partner-commentary/test/postgres/FreePort"

const executable = fileURLToPath(new URL("../bin/partner-commentary.js", import.meta.url))

export type EnvironmentVariables = Readonly<Record<string, string>>

export interface TestServiceConfig {
  /** The working directory of all processes, in which they also create their files. */
  readonly folder: string
  readonly database: string
  readonly root: string
  readonly variables: EnvironmentVariables
}

export const makeTestServiceConfig = async (
  folder: string,
  variables: EnvironmentVariables
): Promise<TestServiceConfig> => {
  const port = await findFreePort()
  const database = `${folder}/kill.db`
  return {
    folder,
    database,
    root: `http://127.0.0.1:${port}`,
    variables: {
      PORT: String(port),
      PROCESSES: "1",
      DATABASE_URL: `sqlite:${database}`,
      DEV: "true",
      LOG_FORMAT: "json",
      ...variables
    }
  }
}

/** The processes inherit only the variable PATH from the environment. */
const environment = ({ variables }: TestServiceConfig) => ({ PATH: process.env["PATH"], ...variables })

/** Runs a command and parses the JSON that the command prints. */
export const runJsonCommand = async <A>(at: TestServiceConfig, ...words: ReadonlyArray<string>): Promise<A> => {
  const { stdout } = await promisify(execFile)(process.execPath, [executable, ...words, "--json"], {
    cwd: at.folder,
    env: environment(at)
  })
  return JSON.parse(stdout) as A
}

export class HostProcess {
  /** The times of all kills, measured with the test process's clock. */
  readonly kills: Array<number> = []
  /** The process's log lines of level ERROR or higher, and a line for each unexpected exit. */
  readonly complaints: Array<string> = []
  starts = 0
  /** True after `stop()`, so that the stopped process is not restarted. */
  ended = false
  private child: ChildProcess | null = null
  private listening: Promise<void> = Promise.resolve()
  private readonly place: TestServiceConfig
  private readonly words: ReadonlyArray<string>

  /**
   * `words` are the arguments of the process. By default the process runs the command `serve`, which starts a server
   * and a worker.
   */
  constructor(at: TestServiceConfig, words: ReadonlyArray<string> = ["serve"]) {
    this.place = at
    this.words = words
    process.once("exit", () => this.strike())
  }

  start(): void {
    const child = spawn(process.execPath, [executable, ...this.words], {
      cwd: this.place.folder,
      env: environment(this.place),
      // The process has a separate process group, so that a kill also ends its child processes.
      detached: true,
      stdio: ["ignore", "pipe", "pipe"]
    })
    this.child = child
    this.starts += 1
    this.listening = new Promise((resolve) => {
      createInterface({ input: child.stdout! }).on("line", (line) => line.startsWith("ready") && resolve())
      child.once("exit", () => resolve())
    })
    createInterface({ input: child.stderr! }).on("line", (line) => {
      if (/"level":"(ERROR|FATAL)"/.test(line) || !line.startsWith("{")) this.complaints.push(line)
    })
    child.once("exit", (code, signal) => {
      if (this.child === child) this.complaints.push(`ended by itself with ${code ?? signal}`)
    })
  }

  /** Resolves when the process listens, or when the process exits before it listens. */
  ready(): Promise<void> {
    return this.listening
  }

  /** Sends SIGKILL to the process and starts the next process immediately. */
  async kill(): Promise<void> {
    const child = this.child
    if (child === null) return
    this.kills.push(Date.now())
    this.strike()
    if (child.exitCode === null && child.signalCode === null) await once(child, "exit")
    if (!this.ended) this.start()
  }

  /** Stops the process with SIGTERM, as an operator does, and returns the process's exit code. */
  async stop(): Promise<number | null> {
    const child = this.child
    this.child = null
    this.ended = true
    if (child === null) return null
    const late = setTimeout(() => child.kill("SIGKILL"), 15_000)
    child.kill("SIGTERM")
    if (child.exitCode === null && child.signalCode === null) await once(child, "exit")
    clearTimeout(late)
    return child.exitCode
  }

  private strike(): void {
    const child = this.child
    this.child = null
    if (child?.pid === undefined || child.exitCode !== null || child.signalCode !== null) return
    process.kill(-child.pid, "SIGKILL")
  }
}
