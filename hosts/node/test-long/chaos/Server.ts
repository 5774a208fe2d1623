/**
 * Injects faults into a Postgres server: a restart, a killed backend (which starts recovery), a suspension, and a
 * locked table.
 */
import { readFileSync } from "node:fs"
import { setTimeout as sleep } from "node:timers/promises"
import { type PostgresCluster, startCluster } from "@partner-commentary/test/postgres/Cluster"
import { runOnDatabase } from "@partner-commentary/test/postgres/TestDatabase"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import type * as SqlClient from "effect/sql/SqlClient"

export interface PostgresServer {
  readonly url: string
  readonly restart: () => Promise<void>
  readonly killBackend: () => void
  readonly freeze: (milliseconds: number) => Promise<void>
  /** Locks the usage table. During the lock, every submission waits and holds its database connection. */
  readonly lockUsage: (milliseconds: number) => Promise<void>
  readonly read: <A>(use: (sql: SqlClient.SqlClient) => Effect.Effect<A, unknown>) => Promise<A>
  readonly stop: PostgresCluster["stop"]
}

/** A commit survives a crash of the server's processes, but not a crash of the machine, because `fsync` is off. */
export const openPostgresServer = async (): Promise<PostgresServer> => {
  const cluster = await startCluster({ settings: ["synchronous_commit=on"] })
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
      // The process may already have exited.
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
