/** The process, in the form that the commands use. Tests pass a fake process. */
export interface Terminal {
  readonly environment: Readonly<Record<string, string | undefined>>
  readonly fetch: (url: string, init: RequestInit) => Promise<Response>
  /** Writes a line of results. */
  readonly out: (line: string) => void
  /** Writes a line of progress or of a failure. */
  readonly say: (line: string) => void
  /** Aborts when the process receives a stop signal. */
  readonly signal: AbortSignal
}

/** The arguments are wrong. The exit code is 2. The message is one sentence. */
export class UsageError extends Error {
  override name = "UsageError"
}

/** The command failed. The exit code is 1. The message is one sentence. */
export class CommandFailed extends Error {
  override name = "CommandFailed"
}
