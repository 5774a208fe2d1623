/** Runs a command of the command-line program within the test's own process, with a scripted or a real `fetch`. */
import { runProgram } from "../../src/cli/Program.ts"
import type { CommandContext } from "../../src/cli/Terminal.ts"

export interface RunningCommand {
  readonly ended: Promise<0 | 1 | 2>
  /** Stops the command in the same way as Ctrl-C. */
  readonly stop: () => Promise<0 | 1 | 2>
  readonly stdout: ReadonlyArray<string>
  readonly stderr: ReadonlyArray<string>
}

export const startCommand = (args: ReadonlyArray<string>, terminal: Partial<CommandContext> = {}): RunningCommand => {
  const stop = new AbortController()
  const stdout: Array<string> = []
  const stderr: Array<string> = []
  const ended = runProgram(args, {
    environment: {},
    fetch: () => Promise.reject(new Error("this command must not send a request")),
    out: (line) => void stdout.push(line),
    say: (line) => void stderr.push(line),
    signal: stop.signal,
    ...terminal
  })
  return {
    ended,
    stdout,
    stderr,
    stop: () => {
      stop.abort()
      return ended
    }
  }
}

/** Waits until a line of stdout satisfies the condition. */
export const waitForLine = async (
  { ended, stderr, stdout }: RunningCommand,
  satisfies: (line: string) => boolean
): Promise<string> => {
  let code: number | undefined
  void ended.then((given) => {
    code = given
  })
  for (;;) {
    const line = stdout.find(satisfies)
    if (line !== undefined) return line
    if (code !== undefined) throw new Error(`ended with ${code}: ${stderr.join("\n")}`)
    await new Promise((resolve) => setTimeout(resolve, 10))
  }
}
