/** Runs commands and services inside the test's process, because starting a Node process takes longer. */

import { format } from "node:util"
import * as CommandLine from "@partner-commentary/node/cli/CommandLine"
import { rootCommand } from "@partner-commentary/node/cli/Program"
import * as ConfigProvider from "effect/ConfigProvider"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import type { EnvironmentVariables, ProcessResult } from "./Process.ts"

/**
 * The commands run one after another, because each command reads relative paths and writes to the process's streams.
 */
let last: Promise<unknown> = Promise.resolve()

/** The working directory of the running services, and the directory to restore when the last service has stopped. */
let occupied: { readonly cwd: string; readonly home: string; services: number } | undefined

export const runInProcess = (
  cwd: string,
  args: ReadonlyArray<string>,
  env: EnvironmentVariables
): Promise<ProcessResult> => afterOthers(() => runAlone(cwd, args, env))

const afterOthers = <A>(run: () => Promise<A>): Promise<A> => {
  const outcome = last.then(run)
  last = outcome.catch(() => {})
  return outcome
}

const runAlone = async (
  cwd: string,
  args: ReadonlyArray<string>,
  env: EnvironmentVariables
): Promise<ProcessResult> => {
  requireFolder(cwd)
  const stdout = capture(process.stdout)
  const stderr = capture(process.stderr)
  const home = process.cwd()
  process.chdir(cwd)
  // Set the umask as the bundle's entry point does.
  const umask = process.umask(0o077)
  try {
    const exit = await Effect.runPromiseExit(execute(args, env, (line) => void process.stderr.write(line)))
    const code = CommandLine.printFailureAndGetExitCode(exit)
    return { code, stdout: stdout.text(), stderr: stderr.text() }
  } finally {
    process.umask(umask)
    process.chdir(home)
    stdout.release()
    stderr.release()
  }
}

/**
 * Starts `serve` or `worker`. Resolves when the command has printed something or has ended. Services use relative paths
 * while they run, so the test's process stays in the working directory of the service. Tests that start a service in
 * the test's process are not concurrent, because a process has only one working directory.
 */
export const startInProcess = (cwd: string, args: ReadonlyArray<string>, env: EnvironmentVariables) =>
  afterOthers(async () => {
    requireFolder(cwd)
    occupied ??= { cwd, home: process.cwd(), services: 0 }
    occupied.services++
    process.chdir(cwd)
    const stdout = capture(process.stdout)
    const umask = process.umask(0o077)
    let stderr = ""
    const fiber = Effect.runFork(execute(args, env, (line) => (stderr += line)))
    const ended = new Promise<ProcessResult>((resolve) => {
      fiber.addObserver((exit) => {
        const failure = capture(process.stderr)
        const code = CommandLine.printFailureAndGetExitCode(exit)
        failure.release()
        process.exitCode = undefined
        leaveFolder()
        resolve({ code, stdout: stdout.text(), stderr: stderr + failure.text() })
      })
    })
    await Promise.race([stdout.written, ended])
    stdout.release()
    process.umask(umask)
    return { ended, interrupt: () => fiber.interruptUnsafe(), stdout: stdout.text, stderr: () => stderr }
  })

const requireFolder = (cwd: string): void => {
  if (occupied !== undefined && occupied.cwd !== cwd)
    throw new Error("Another test's service is running in this process: these tests must not be concurrent.")
}

const leaveFolder = (): void => {
  if (occupied === undefined || --occupied.services > 0) return
  process.chdir(occupied.home)
  occupied = undefined
}

const execute = (args: ReadonlyArray<string>, env: EnvironmentVariables, toStderr: (line: string) => void) =>
  CommandLine.execute(rootCommand, args).pipe(
    Effect.provideService(ConfigProvider.ConfigProvider, ConfigProvider.fromEnvRecord({ ...env })),
    Effect.provideService(Console.Console, { ...console, error: (...words) => toStderr(`${format(...words)}\n`) })
  )

const capture = (stream: NodeJS.WriteStream) => {
  const write = stream.write
  const { promise: written, resolve } = Promise.withResolvers<void>()
  let text = ""
  stream.write = (chunk: string | Uint8Array) => {
    text += String(chunk)
    resolve()
    return true
  }
  return {
    text: () => text,
    written,
    release: () => {
      stream.write = write
    }
  }
}
