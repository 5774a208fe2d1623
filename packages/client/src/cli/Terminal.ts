/**
 * The parts of the process that commands use: environment, output and stop signal. Tests pass substitutes for the
 * environment, the output and the stop signal.
 */
export interface CommandContext {
  readonly environment: Readonly<Record<string, string | undefined>>
  readonly fetch: (url: string, init: RequestInit) => Promise<Response>
  /** Writes a line with a result to stdout. */
  readonly out: (line: string) => void
  /** Writes a line about progress or a failure to stderr. */
  readonly say: (line: string) => void
  /** The signal that aborts when the process receives a stop signal. */
  readonly signal: AbortSignal
}

/** The error for wrong arguments, with exit code 2 and a message of one sentence. */
export class UsageError extends Error {
  override name = "UsageError"
}

/** The error for a failed command, with exit code 1 and a message of one sentence. */
export class CommandFailed extends Error {
  override name = "CommandFailed"
}
