/** Tests servers that do not speak the Postgres protocol, and the first bytes that the client sends to a server. */
import { once } from "node:events"
import { type AddressInfo, createServer } from "node:net"
import { assert, describe, it } from "@effect/vitest"
import { formatErrorWithCauses } from "@partner-commentary/core/shared/Reason"
import * as PostgresClient from "@partner-commentary/postgres/PostgresClient"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as SqlClient from "effect/sql/SqlClient"

/**
 * Starts a server that records the received bytes. The server sends the text `first` on connect, or the text `answer`
 * after the first message.
 */
const startOtherServer = (says: { readonly first?: string; readonly answer?: string }) =>
  Effect.acquireRelease(
    Effect.promise(async () => {
      const heard: Array<Buffer> = []
      const server = createServer((socket) => {
        socket.on("error", () => {})
        if (says.first !== undefined) socket.write(says.first)
        socket.on("data", (bytes: Buffer) => {
          heard.push(bytes)
          socket.end(says.answer ?? "")
        })
      })
      server.listen(0, "127.0.0.1")
      await once(server, "listening")
      return { heard, server, port: (server.address() as AddressInfo).port }
    }),
    ({ server }) => Effect.sync(() => server.close())
  )

const refusal = (url: string) =>
  Effect.flip(
    Effect.provide(
      Effect.flatMap(SqlClient.SqlClient, (sql) => sql`SELECT 1`),
      Layer.fresh(PostgresClient.layer({ url: Redacted.make(url) }))
    )
  )

/** The bytes of the SSLRequest message in the Postgres protocol. */
const asksForTls = "0000000804d2162f"

describe("Servers that do not speak Postgres", () => {
  it.live(
    "the client requests TLS before anything else even if the URL does not mention TLS, except from a server on the same machine",
    () =>
      Effect.gen(function* () {
        const { heard, port } = yield* startOtherServer({})
        // The URL parser does not treat 0.0.0.0 as a loopback address, but connections to 0.0.0.0 reach this server.
        for (const host of ["0.0.0.0", "127.0.0.1"]) yield* refusal(`postgres://u:x@${host}:${port}/x`)
        const [away, near] = heard.map((bytes) => bytes.subarray(0, 8).toString("hex"))
        assert.strictEqual(away, asksForTls)
        assert.notStrictEqual(near, asksForTls)
      })
  )

  it.live(
    "a server that does not speak Postgres is reported with a clear error, whatever protocol the server speaks",
    () =>
      Effect.gen(function* () {
        for (const says of [
          { first: "220 mail.example.com ESMTP\r\n" },
          { answer: "HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n" },
          { answer: "-ERR unknown command\r\n" }
        ]) {
          const { port } = yield* startOtherServer(says)
          for (const query of ["sslmode=disable", "sslmode=require"]) {
            const sentence = formatErrorWithCauses(yield* refusal(`postgres://u:x@127.0.0.1:${port}/x?${query}`))
            assert.match(
              sentence,
              /^what answers there does not speak as Postgres does/,
              JSON.stringify({ says, query })
            )
          }
        }
      })
  )
})
