/** Every store passes its port's suite on every supported Postgres version, starting from an empty database. */
import { versions } from "@partner-commentary/test/postgres/Binaries"
import * as Cluster from "@partner-commentary/test/postgres/Cluster"
import * as TestDatabase from "@partner-commentary/test/postgres/TestDatabase"
import * as Effect from "effect/Effect"
import { afterAll, beforeAll, describe } from "vitest"
import { suites } from "../test/Suites.ts"

for (const version of versions) {
  describe(`Postgres ${version}`, () => {
    let cluster: Cluster.Cluster | undefined
    beforeAll(async () => {
      cluster = await Cluster.start({ version })
    })
    afterAll(() => cluster?.stop())
    const server = Effect.suspend(() =>
      cluster === undefined ? Effect.die(new Error(`no Postgres ${version}`)) : Effect.succeed(cluster.url)
    )
    suites(`Postgres ${version}`, TestDatabase.databasesOn(server).layer)
  })
}
