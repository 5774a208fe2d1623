/**
 * Runs a Postgres server with faults: a restart, a killed backend (which triggers recovery), a suspension, and a locked
 * table.
 */
import { readFileSync } from "node:fs"
import { setTimeout as sleep } from "node:timers/promises"
import { type PostgresTestServer, startPostgresServer } from "@partner-commentary/test/postgres/PostgresServer"
import { runOnDatabase } from "@partner-commentary/test/postgres/TestDatabase"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import type * as SqlClient from "effect/sql/SqlClient"

export interface PostgresServer {
  readonly url: string
  readonly restart: () => Promise<void>
  readonly killBackend: () => void
  readonly freeze: (milliseconds: number) => Promise<void>
  /** Locks the usage table. During the lock, every submission waits and holds a database connection. */
  readonly lockUsage: (milliseconds: number) => Promise<void>
  readonly read: <A>(use: (sql: SqlClient.SqlClient) => Effect.Effect<A, unknown>) => Promise<A>
  readonly stop: PostgresTestServer["stop"]
}

/**
 * Starts a Postgres server with fsync off. A commit survives a crash of the server's processes, but not a crash of the
 * machine.
 */
export const openPostgresServer = async (): Promise<PostgresServer> => {
  const cluster = await startPostgresServer({ settings: ["synchronous_commit=on"] })
  const url = Redacted.make(cluster.url)
  const children = () => {
    const list = readFileSync(`/proc/${cluster.pid()}/task/${cluster.pid()}/children`, "utf8")
    return list.trim().split(" ").filter(Boolean).map(Number)
  }
  const isBackend = (pid: number) => {
    try {
      return readFileSync(`/proc/${pid}/cmdline`, "utf8").includes("127.0.0.1")
    } catch {
      return false
    }
  }
  const signal = (pid: number, name: NodeJS.Signals) => {
    try {
      process.kill(pid, name)
    } catch {
      // The process has already exited, so no signal is needed.
    }
  }
  const read: PostgresServer["read"] = (use) => Effect.runPromise(runOnDatabase(url, (sql) => Effect.orDie(use(sql))))
  return {
    url: cluster.url,
    restart: cluster.restart,
    killBackend: () => {
      const victim = children().find(isBackend)
      if (victim !== undefined) signal(victim, "SIGKILL")
    },
    freeze: async (milliseconds) => {
      const all = [cluster.pid(), ...children()]
      for (const pid of all) signal(pid, "SIGSTOP")
      await sleep(milliseconds)
      for (const pid of all) signal(pid, "SIGCONT")
    },
    lockUsage: (milliseconds) =>
      read((sql) =>
        sql.withTransaction(
          Effect.andThen(
            sql`LOCK TABLE usage_months IN ACCESS EXCLUSIVE MODE`,
            Effect.promise(() => sleep(milliseconds))
          )
        )
      ),
    read,
    stop: cluster.stop
  }
}
