/** Runs the conformance suite of every store on every supported Postgres version, starting from an empty database. */
import { postgresVersions } from "@partner-commentary/test/postgres/Binaries"
import * as PostgresServer from "@partner-commentary/test/postgres/PostgresServer"
import * as TestDatabase from "@partner-commentary/test/postgres/TestDatabase"
import * as Effect from "effect/Effect"
import { afterAll, beforeAll, describe } from "vitest"
import { registerStoreSuites } from "../test/Suites.ts"

for (const version of postgresVersions) {
  describe(`Postgres ${version}`, () => {
    let cluster: PostgresServer.PostgresTestServer | undefined
    beforeAll(async () => {
      cluster = await PostgresServer.startPostgresServer({ version })
    })
    afterAll(() => cluster?.stop())
    const server = Effect.suspend(() =>
      cluster === undefined ? Effect.die(new Error(`no Postgres ${version}`)) : Effect.succeed(cluster.url)
    )
    registerStoreSuites(`Postgres ${version}`, TestDatabase.makeTestDatabases(server).layer)
  })
}
