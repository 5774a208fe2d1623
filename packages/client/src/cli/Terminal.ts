/** The process as the commands see it. Tests pass their own. */
export interface Terminal {
  readonly environment: Readonly<Record<string, string | undefined>>
  readonly fetch: (url: string, init: RequestInit) => Promise<Response>
  /** Writes a line of results. */
  readonly out: (line: string) => void
  /** Writes a line of progress or of a failure. */
  readonly say: (line: string) => void
  /** Aborts when the process is asked to stop. */
  readonly signal: AbortSignal
}

/** The arguments make no sense: exit code 2. The message is one sentence. */
export class WrongUsage extends Error {
  override name = "WrongUsage"
}

/** The command failed: exit code 1. The message is one sentence. */
export class CommandFailed extends Error {
  override name = "CommandFailed"
}
