/**
 * Starts services and runs commands, in the test's own process or in a child process, with a separate folder for each
 * test.
 */
import { type ChildProcess, spawn } from "node:child_process"
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import * as InProcess from "./InProcess.ts"

const bin = fileURLToPath(new URL("../../bin/partner-commentary.js", import.meta.url))

/**
 * The environment variables that child processes inherit. Other environment variables of the machine could change the
 * test results.
 */
const bare = { PATH: process.env["PATH"], HOME: process.env["HOME"], TMPDIR: process.env["TMPDIR"] }

/** If NODE_OPTIONS contains `--max-semi-space-size`, the program does not restart Node to set its own memory flags. */
const startOnce = { NODE_OPTIONS: "--max-semi-space-size=16" }

export type EnvironmentVariables = Readonly<Record<string, string>>

export interface TestCleanup {
  readonly onTestFinished: (cleanUp: () => Promise<void>) => void
}

export interface ProcessResult {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

export interface RunningService {
  readonly pid: number
  readonly apiRoot: string
  readonly stdout: () => string
  readonly stderr: () => string
  readonly stop: (signal?: NodeJS.Signals) => Promise<ProcessResult>
}

/** The functions that end the services of each working directory. */
const endings = new Map<string, Array<() => unknown>>()

const endAfterTest = (cwd: string, end: () => unknown) => endings.set(cwd, [...(endings.get(cwd) ?? []), end])

/**
 * Creates a working directory. After the test, the services in the directory are ended and the directory is removed.
 */
export const makeWorkingFolder = async (test: TestCleanup) => {
  const path = await mkdtemp(join(tmpdir(), "partner-commentary-"))
  test.onTestFinished(async () => {
    for (const end of endings.get(path) ?? []) await end()
    endings.delete(path)
    await rm(path, { recursive: true, force: true })
  })
  return path
}

/** `limits` is an optional shell command that limits the process, such as `ulimit -f 100`. */
const launch = (cwd: string, args: ReadonlyArray<string>, env: EnvironmentVariables, limits?: string) => {
  const [command = "", ...rest] = [
    ...(limits === undefined ? [] : ["sh", "-c", `${limits} && exec "$@"`, "sh"]),
    process.execPath,
    bin,
    ...args
  ]
  const child = spawn(command, rest, { cwd, env: { ...bare, ...startOnce, ...env } })
  endAfterTest(cwd, () => child.kill("SIGKILL"))
  let stdout = ""
  let stderr = ""
  child.stdout.setEncoding("utf8").on("data", (text) => {
    stdout += text
  })
  child.stderr.setEncoding("utf8").on("data", (text) => {
    stderr += text
  })
  const ended = new Promise<ProcessResult>((resolve) => {
    child.on("close", (code) => resolve({ code, stdout, stderr }))
  })
  return { child, ended, stdout: () => stdout, stderr: () => stderr }
}

/** Runs a command in the test's own process. */
export const runCommand = (
  cwd: string,
  args: ReadonlyArray<string>,
  env: EnvironmentVariables = {}
): Promise<ProcessResult> => InProcess.runInProcess(cwd, args, env)

/** Runs a command in a child process, for tests of exit codes, streams, file modes and simultaneous commands. */
export const spawnCommand = (
  cwd: string,
  args: ReadonlyArray<string>,
  env: EnvironmentVariables = {}
): Promise<ProcessResult> => launch(cwd, args, env).ended

/** Runs a command with `--json`. Resolves with the JSON value that the command prints. */
export const runJsonCommand = async (
  cwd: string,
  args: ReadonlyArray<string>,
  env: EnvironmentVariables = {}
  // biome-ignore lint/suspicious/noExplicitAny: the tests assert the shape of the JSON
): Promise<any> => {
  const { code, stderr, stdout } = await runCommand(cwd, [...args, "--json"], env)
  if (code !== 0) throw new Error(`${args.join(" ")} ended with ${code}: ${stderr}`)
  return JSON.parse(stdout)
}

/** Starts a service in the test's own process. Resolves when the service is ready. */
export const startService = async (
  cwd: string,
  args: ReadonlyArray<string> = ["serve"],
  env: EnvironmentVariables = {}
): Promise<RunningService> => {
  const { ended, interrupt, stderr, stdout } = await InProcess.startInProcess(cwd, args, { PORT: "0", ...env })
  const stop = () => {
    interrupt()
    return ended
  }
  endAfterTest(cwd, stop)
  const apiRoot = apiRootIn(stdout())
  if (apiRoot === undefined) throw endedEarly(await ended)
  return { pid: process.pid, apiRoot, stdout, stderr, stop }
}

/**
 * Starts a service in a child process, for tests of processes. Waits for the `ready` line, and for all output to stderr
 * before that line.
 */
export const startServiceProcess = async (
  cwd: string,
  args: ReadonlyArray<string> = ["serve"],
  env: EnvironmentVariables = {},
  limits?: string
): Promise<RunningService> => {
  const { child, ended, stderr, stdout } = launch(cwd, args, { PORT: "0", ...env }, limits)
  const apiRoot = await ready(child, ended, stdout)
  // Node may read stdout and stderr in any order within one turn of the event loop.
  await new Promise((resolve) => setImmediate(resolve))
  return {
    pid: child.pid ?? 0,
    apiRoot,
    stdout,
    stderr,
    stop: (signal = "SIGTERM") => {
      child.kill(signal)
      return ended
    }
  }
}

const ready = (child: ChildProcess, ended: Promise<ProcessResult>, stdout: () => string) =>
  new Promise<string>((resolve, reject) => {
    child.stdout?.on("data", () => {
      const apiRoot = apiRootIn(stdout())
      if (apiRoot !== undefined) resolve(apiRoot)
    })
    void ended.then((outcome) => reject(endedEarly(outcome)))
  })

/** Returns undefined if the service is not ready, and an empty string for a worker, which has no address. */
const apiRootIn = (stdout: string) => /^ready ?(.*)\n/m.exec(stdout)?.[1]

const endedEarly = ({ code, stderr }: ProcessResult) => new Error(`ended with ${code} before it was ready: ${stderr}`)

/**
 * Repeats `ask` until its result satisfies the condition. The time limit is long, because on a busy machine a call that
 * starts a process takes seconds.
 */
export const pollUntil = async <A>(ask: () => Promise<A>, satisfies: (answer: A) => boolean): Promise<A> => {
  const until = performance.now() + 50_000
  for (;;) {
    const answer = await ask()
    if (satisfies(answer)) return answer
    if (performance.now() > until) throw new Error(`still not: ${JSON.stringify(answer)}`)
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
}
