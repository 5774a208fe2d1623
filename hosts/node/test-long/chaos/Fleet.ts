/**
 * Runs processes of the service and restarts each process when it exits, as a supervisor does in production. The test
 * can kill, pause and stop the processes.
 */
import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { createInterface } from "node:readline"
import { setTimeout as sleep } from "node:timers/promises"
import { fileURLToPath } from "node:url"
import type { TestServiceConfig } from "../Host.ts"

const executable = fileURLToPath(new URL("../../bin/partner-commentary.js", import.meta.url))

/** A period in which a process could not respond. */
export interface ProcessOutage {
  readonly from: number
  until: number
}

export class FleetProcess {
  readonly place: TestServiceConfig
  readonly absences: Array<ProcessOutage> = []
  /** The last log line of each ready process that exited unexpectedly. No fault may make a process exit by itself. */
  readonly deaths: Array<string> = []
  /** The number of starts that failed because the database was unavailable. */
  failedStarts = 0
  kills = 0
  pauses = 0
  errors = 0
  isReady = false
  private child: ChildProcess | null = null
  private readonly words: ReadonlyArray<string>
  private ended = false

  constructor(place: TestServiceConfig, words: ReadonlyArray<string>) {
    this.place = place
    this.words = words
    process.once("exit", () => this.child?.kill("SIGKILL"))
  }

  start(): void {
    const child = spawn(process.execPath, [executable, ...this.words], {
      cwd: this.place.folder,
      env: { PATH: process.env["PATH"], ...this.place.variables },
      stdio: ["ignore", "pipe", "pipe"]
    })
    const absence: ProcessOutage = { from: Date.now(), until: Number.POSITIVE_INFINITY }
    let last = ""
    this.child = child
    this.isReady = false
    this.absences.push(absence)
    createInterface({ input: child.stdout }).on("line", (line) => {
      if (!line.startsWith("ready")) return
      this.isReady = true
      absence.until = Date.now()
    })
    createInterface({ input: child.stderr }).on("line", (line) => {
      last = line
      if (/"level":"(ERROR|FATAL)"/.test(line)) this.errors += 1
    })
    child.once("exit", (code, signal) => {
      // Ignore the exit of a process that the test itself has stopped or killed.
      if (this.child !== child) return
      if (this.isReady) this.deaths.push(`${this.words.join(" ")} ended with ${code ?? signal}: ${last}`)
      else this.failedStarts += 1
      void sleep(300).then(() => {
        if (!this.ended && this.child === child) this.start()
      })
    })
  }

  async ready(): Promise<void> {
    while (!this.isReady) await sleep(20)
  }

  async kill(): Promise<void> {
    const child = this.child
    if (child === null || child.exitCode !== null || child.signalCode !== null) return
    this.child = null
    this.isReady = false
    this.kills += 1
    const from = Date.now()
    child.kill("SIGKILL")
    await once(child, "exit")
    this.absences.push({ from, until: Date.now() + 1 })
    if (!this.ended) this.start()
  }

  /** Suspends the process with SIGSTOP for the given time. The process's leases expire during the suspension. */
  async pause(milliseconds: number): Promise<void> {
    const child = this.child
    child?.kill("SIGSTOP")
    await sleep(milliseconds)
    child?.kill("SIGCONT")
    if (this.child === child) this.pauses += 1
  }

  /** Stops the process with SIGTERM, as an operator does, and returns the process's exit code. */
  async stop(): Promise<number | null> {
    const child = this.child
    this.ended = true
    this.child = null
    if (child === null || child.exitCode !== null || child.signalCode !== null) return child?.exitCode ?? null
    const late = setTimeout(() => child.kill("SIGKILL"), 20_000)
    child.kill("SIGTERM")
    await once(child, "exit")
    clearTimeout(late)
    return child.exitCode
  }

  wasAway(from: number, until: number): boolean {
    return this.absences.some((absence) => absence.from <= until && absence.until >= from - 50)
  }
}
