/** Tests TLS, passwords, restarts under load and a frozen server, with a dedicated database server. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import * as PostgresClient from "@partner-commentary/postgres/PostgresClient"
import * as WriteAccess from "@partner-commentary/sql/database/WriteAccess"
import { migrate, schemaStatus } from "@partner-commentary/sql/Migrations"
import { issueCertificate, makeCertificateAuthority } from "@partner-commentary/test/Certificates"
import * as PostgresProxy from "@partner-commentary/test/postgres/PostgresProxy"
import * as PostgresServer from "@partner-commentary/test/postgres/PostgresServer"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import * as SqlClient from "effect/sql/SqlClient"

const cluster = (options: Parameters<typeof PostgresServer.startPostgresServer>[0] = {}) =>
  Effect.acquireRelease(
    Effect.promise(() => PostgresServer.startPostgresServer(options)),
    ({ stop }) => Effect.promise(stop)
  )

const using = <A, E, R>(
  url: string,
  use: Effect.Effect<A, E, R>,
  config: Partial<PostgresClient.PostgresClientConfig> = {}
) => Effect.provide(use, Layer.fresh(PostgresClient.layer({ url: Redacted.make(url), ...config })))

const one = Effect.flatMap(SqlClient.SqlClient, (sql) => sql`SELECT 1 AS one`)

it.live("a connection on which no response arrives is closed and replaced", () =>
  Effect.gen(function* () {
    const server = yield* cluster()
    const wire = yield* Effect.acquireRelease(
      Effect.promise(() => PostgresProxy.openPostgresRecordingProxy(server.url)),
      ({ close }) => Effect.promise(close)
    )
    yield* using(
      wire.url,
      Effect.gen(function* () {
        yield* one
        wire.freeze()
        assert.include(String((yield* Effect.flip(one)).reason.cause), "No answer came within")
        assert.lengthOf(yield* one, 1)
      }),
      { poolSize: 1, statementTimeout: "100 millis" }
    )
  }).pipe(Effect.scoped)
)

describe("Dedicated server", () => {
  it.live("a standby server is reported as read-only, and no migration starts on a standby", () =>
    Effect.gen(function* () {
      const server = yield* cluster()
      yield* using(server.url, migrate)
      const [place] = yield* using(
        server.url,
        Effect.flatMap(SqlClient.SqlClient, (sql) => sql<{ readonly data_directory: string }>`SHOW data_directory`)
      )
      yield* using(
        server.url,
        Effect.flatMap(SqlClient.SqlClient, (sql) => sql`CREATE DATABASE vacant`)
      )
      yield* Effect.sync(() => writeFileSync(join(place?.data_directory ?? "", "standby.signal"), ""))
      yield* Effect.promise(() => server.restart())
      const found = yield* using(server.url, Effect.flatMap(schemaStatus, WriteAccess.findWriteObstacle))
      assert.include(Option.match(found, { onNone: () => "", onSome: ({ message }: Error) => message }), "is a standby")
      const vacant = server.url.replace(/[^/]+$/, "vacant")
      assert.include((yield* Effect.flip(using(vacant, migrate))).message, "is a standby")
    }).pipe(Effect.scoped)
  )

  it.live("when a server restarts, running statements fail with a connection error, and later statements succeed", () =>
    Effect.gen(function* () {
      const server = yield* cluster()
      yield* using(
        server.url,
        Effect.gen(function* () {
          const outcomes: Array<Exit.Exit<unknown, unknown>> = []
          let going = true
          const load = Effect.gen(function* () {
            while (going) {
              outcomes.push(yield* Effect.exit(one))
              yield* Effect.sleep("5 millis")
            }
          })
          const fibers = yield* Effect.forkChild(Effect.forEach([1, 2, 3, 4, 5], () => load, { concurrency: 5 }))
          yield* Effect.sleep("300 millis")
          yield* Effect.promise(() => server.restart())
          yield* Effect.sleep("300 millis")
          const before = outcomes.length
          yield* Effect.sleep("500 millis")
          going = false
          yield* Fiber.join(fibers)
          const after = outcomes.slice(before)
          assert.isAbove(after.length, 10)
          assert.isTrue(after.every(Exit.isSuccess))
          assert.isTrue(outcomes.some(Exit.isFailure))
        })
      )
    }).pipe(Effect.scoped)
  )

  it.live(
    "sslmode require does not verify the server, and verify-full verifies the server with the given authority",
    () =>
      Effect.gen(function* () {
        const [ours, theirs] = [makeCertificateAuthority("Ours"), makeCertificateAuthority("Theirs")]
        const server = yield* cluster({ tls: issueCertificate(ours, { host: "localhost" }) })
        const folder = mkdtempSync(join(tmpdir(), "certificates-"))
        yield* Effect.addFinalizer(() => Effect.sync(() => rmSync(folder, { recursive: true })))
        const file = (name: string, text: string) => {
          writeFileSync(join(folder, name), text)
          return join(folder, name)
        }
        const right = `sslrootcert=${file("ours.pem", ours.cert)}`
        const wrong = `sslrootcert=${file("theirs.pem", theirs.cert)}`
        const encrypted = Effect.flatMap(
          SqlClient.SqlClient,
          (sql) => sql<{ readonly ssl: boolean }>`SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()`
        )
        const by = (host: string, query: string) => {
          const url = new URL(server.url)
          url.hostname = host
          return Effect.exit(using(`${url.href}?${query}`, encrypted))
        }
        const isEncrypted = (exit: Exit.Exit<ReadonlyArray<{ readonly ssl: boolean }>, unknown>) =>
          Exit.isSuccess(exit) ? exit.value[0]?.ssl : "refused"
        assert.strictEqual(isEncrypted(yield* by("127.0.0.1", "sslmode=disable")), false)
        assert.strictEqual(isEncrypted(yield* by("127.0.0.1", "sslmode=require")), true)
        assert.strictEqual(isEncrypted(yield* by("127.0.0.1", `sslmode=verify-ca&${right}`)), true)
        assert.strictEqual(isEncrypted(yield* by("127.0.0.1", `sslmode=require&${wrong}`)), "refused")
        assert.strictEqual(isEncrypted(yield* by("localhost", `sslmode=verify-full&${right}`)), true)
        assert.strictEqual(isEncrypted(yield* by("127.0.0.1", `sslmode=verify-full&${right}`)), "refused")
        assert.strictEqual(isEncrypted(yield* by("localhost", "sslmode=verify-full")), "refused")
      }).pipe(Effect.scoped)
  )

  it.live("a wrong password is refused, and the error does not contain the password", () =>
    Effect.gen(function* () {
      const server = yield* cluster()
      yield* using(
        server.url,
        Effect.flatMap(SqlClient.SqlClient, (sql) => sql`CREATE ROLE guarded LOGIN PASSWORD 'right'`)
      )
      const as = (password: string) => {
        const url = new URL(server.url)
        url.username = "guarded"
        url.password = password
        return using(url.href, one)
      }
      assert.lengthOf(yield* as("right"), 1)
      const refused = yield* Effect.flip(as("hunter2"))
      assert.strictEqual(refused.reason._tag, "AuthenticationError")
      assert.notInclude(String(refused) + JSON.stringify(refused), "hunter2")
    }).pipe(Effect.scoped)
  )
})
