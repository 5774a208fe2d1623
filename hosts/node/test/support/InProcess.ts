/** Runs a command inside the test's process, which saves the start of Node. */

import { format } from "node:util"
import * as CommandLine from "@partner-commentary/node/cli/CommandLine"
import { commandTree } from "@partner-commentary/node/cli/Program"
import * as ConfigProvider from "effect/ConfigProvider"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import type { EnvironmentVariables, ProcessOutcome } from "./Process.ts"

/** Commands read relative paths and write to the process's streams, so they run one after another. */
let last: Promise<unknown> = Promise.resolve()

export const runInProcess = (
  cwd: string,
  args: ReadonlyArray<string>,
  env: EnvironmentVariables
): Promise<ProcessOutcome> => {
  const outcome = last.then(() => runAlone(cwd, args, env))
  last = outcome.catch(() => {})
  return outcome
}

const runAlone = async (
  cwd: string,
  args: ReadonlyArray<string>,
  env: EnvironmentVariables
): Promise<ProcessOutcome> => {
  const stdout = capture(process.stdout)
  const stderr = capture(process.stderr)
  const home = process.cwd()
  process.chdir(cwd)
  // The bundle's entry point does the same.
  const umask = process.umask(0o077)
  try {
    const exit = await Effect.runPromiseExit(
      CommandLine.execute(commandTree, args).pipe(
        Effect.provideService(ConfigProvider.ConfigProvider, ConfigProvider.fromEnvRecord({ ...env })),
        Effect.provideService(Console.Console, {
          ...console,
          error: (...words) => process.stderr.write(`${format(...words)}\n`)
        })
      )
    )
    const code = CommandLine.codeOf(exit)
    return { code, stdout: stdout.text(), stderr: stderr.text() }
  } finally {
    process.umask(umask)
    process.chdir(home)
    stdout.release()
    stderr.release()
  }
}

const capture = (stream: NodeJS.WriteStream) => {
  const write = stream.write
  let text = ""
  stream.write = (chunk: string | Uint8Array) => {
    text += String(chunk)
    return true
  }
  return {
    text: () => text,
    release: () => {
      stream.write = write
    }
  }
}
