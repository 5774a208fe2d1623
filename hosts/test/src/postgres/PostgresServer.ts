/**
 * Starts a Postgres server for the lifetime of the calling process. Supervisor.ts runs as a separate process, starts
 * the server, and stops the server when the calling process ends.
 */
import { spawn } from "node:child_process"
import { createInterface } from "node:readline"
import { fileURLToPath } from "node:url"
import { defaultPostgresVersion, type PostgresVersion } from "./Binaries.ts"

export interface PostgresTestServer {
  /** The superuser's URL of the database `postgres`. */
  readonly url: string
  /** Returns the process id of the server. The process id changes when the server restarts. */
  readonly pid: () => number
  /** Terminates all sessions and restarts the server at the same address. */
  readonly restart: () => Promise<void>
  readonly stop: () => Promise<void>
}

export const startPostgresServer = (
  options: {
    readonly version?: PostgresVersion
    /** Settings in the form `NAME=VALUE`, as in postgresql.conf. */
    readonly settings?: ReadonlyArray<string>
    readonly tls?: { readonly cert: string; readonly key: string }
    /** The folder of a base backup. The server starts with the data of this backup instead of an empty database. */
    readonly dataFrom?: string
  } = {}
): Promise<PostgresTestServer> =>
  new Promise((resolve, reject) => {
    const supervisor = spawn(
      process.execPath,
      [
        fileURLToPath(new URL("./Supervisor.ts", import.meta.url)),
        String(options.version ?? defaultPostgresVersion),
        ...(options.settings ?? [])
      ],
      // Supervisor.ts runs in a separate process group, so Ctrl-C in the terminal reaches only this process. After
      // Ctrl-C, this process stops the server.
      {
        stdio: ["pipe", "pipe", "pipe"],
        detached: true,
        env: {
          ...process.env,
          ...(options.dataFrom === undefined ? {} : { DATA_FROM: options.dataFrom }),
          ...(options.tls === undefined ? {} : { CERTIFICATE: options.tls.cert, CERTIFICATE_KEY: options.tls.key })
        }
      }
    )
    let said = ""
    let pid = 0
    let waiting: ((line: string) => void) | undefined
    supervisor.stderr.on("data", (text: Buffer) => {
      said += text
    })
    supervisor.stdin.on("error", () => {})
    const ended = new Promise<void>((resolve) => supervisor.once("exit", () => resolve()))
    void ended.then(() => reject(new Error(`no Postgres server: ${said}`)))
    createInterface({ input: supervisor.stdout }).on("line", (line) => {
      const [word, port, process] = line.split(" ")
      if (word === "ready") {
        pid = Number(process)
        resolve({
          url: `postgres://postgres@127.0.0.1:${port}/postgres`,
          pid: () => pid,
          restart: () =>
            new Promise((done) => {
              waiting = () => done()
              supervisor.stdin.write("restart\n")
            }),
          stop: () => {
            supervisor.stdin.end()
            return ended
          }
        })
        waiting?.(line)
      }
    })
  })
