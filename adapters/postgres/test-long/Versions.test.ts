/** Runs the conformance suite of every store on every supported Postgres version, starting from an empty database. */
import { postgresVersions } from "@partner-commentary/test/postgres/Binaries"
import * as Cluster from "@partner-commentary/test/postgres/Cluster"
import * as TestDatabase from "@partner-commentary/test/postgres/TestDatabase"
import * as Effect from "effect/Effect"
import { afterAll, beforeAll, describe } from "vitest"
import { registerStoreSuites } from "../test/Suites.ts"

for (const version of postgresVersions) {
  describe(`Postgres ${version}`, () => {
    let cluster: Cluster.PostgresCluster | undefined
    beforeAll(async () => {
      cluster = await Cluster.startCluster({ version })
    })
    afterAll(() => cluster?.stop())
    const server = Effect.suspend(() =>
      cluster === undefined ? Effect.die(new Error(`no Postgres ${version}`)) : Effect.succeed(cluster.url)
    )
    registerStoreSuites(`Postgres ${version}`, TestDatabase.databasesOn(server).layer)
  })
}
