/**
 * Tests that no tenant slows down another tenant or makes another tenant's requests fail. A victim makes its usual
 * requests while an attacker with valid keys attacks every API operation and uses every known special attack. The
 * attacker sends requests both at and far above the limits of its plan. `FAIRNESS_ONLY=TEXT;TEXT` runs only the attacks
 * whose names contain one of the texts. `FAIRNESS_PROGRESS=true` prints the result of each attack immediately after the
 * attack.
 */
import { writeFileSync } from "node:fs"
import * as NodeCrypto from "@effect/platform-node/NodeCrypto"
import { CreatorLinks } from "@partner-commentary/core/mail/CreatorLinks"
import { PublicAddress } from "@partner-commentary/core/shared/PublicAddress"
import { SigningSecrets } from "@partner-commentary/core/shared/SigningSecrets"
import type { Assignment } from "@partner-commentary/core/topic/Assignment"
import * as SqliteClient from "@partner-commentary/sqlite/SqliteClient"
import { findFreePort } from "@partner-commentary/test/postgres/FreePort"
import * as TestDatabase from "@partner-commentary/test/postgres/TestDatabase"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import { afterAll, expect, it } from "vitest"
import * as OwnDatabase from "../../test/support/OwnDatabase.ts"
import * as Process from "../../test/support/Process.ts"
import type { Attack, AttackLimitLevel } from "./Attack.ts"
import * as Attacks from "./Attacks.ts"
import * as Report from "./Report.ts"
import { FairnessRun } from "./Run.ts"
import { type FairnessSetup, raisedLimits, type SeededTenant, seedFairnessSetup } from "./Seed.ts"
import { specialAttacks } from "./SpecialAttacks.ts"

const secret = "a secret of the fairness suite alone"
const only = (process.env["FAIRNESS_ONLY"] ?? "").split(";")
const showsProgress = process.env["FAIRNESS_PROGRESS"] === "true"

const linksOf = (root: string, { personas, shares }: SeededTenant) =>
  Effect.runPromise(
    Effect.gen(function* () {
      const links = yield* CreatorLinks
      // The seed first creates a topic with every persona, in the order of `personas`. Therefore `shares[index]`
      // belongs to `personas[index]`.
      return yield* Effect.forEach(personas, (persona, index) =>
        links.toAssignment({ id: shares[index], creator: { email: `${persona}@creators.example` } } as Assignment)
      )
    }).pipe(
      Effect.provide(CreatorLinks.layer),
      Effect.provide(
        Layer.mergeAll(
          NodeCrypto.layerDigest,
          NodeCrypto.layerMac,
          PublicAddress.layerAnywhere(root),
          Layer.succeed(SigningSecrets, [Redacted.make(secret)])
        )
      )
    )
  )

/** The maximum number of repetitions of an attack whose result is doubtful. */
const repetitions = 2

const filenameIn = (cwd: string) => `${cwd}/fairness.db`

const databases: Readonly<
  Record<string, (test: Process.TestCleanup, cwd: string) => Promise<Process.EnvironmentVariables>>
> = {
  SQLite: async (_, cwd) => ({ DATABASE_URL: `sqlite:${filenameIn(cwd)}`, DEV: "true" }),
  Postgres: OwnDatabase.makeEmptyDatabase
}

const reports: Array<Report.FairnessReport> = []

afterAll(() => console.log(Report.formatTable(reports)))

it("the fairness suite has an attack for every operation of the OpenAPI document", () => {
  expect(Attacks.missing).toEqual([])
})

for (const [database, make] of Object.entries(databases)) {
  it(`${database}: a tenant with valid keys neither delays another tenant's requests nor makes them fail, and the service's memory is bounded`, async (test) => {
    const cwd = await Process.makeWorkingFolder(test)
    const port = await findFreePort()
    const root = `http://127.0.0.1:${port}`
    const own = await make(test, cwd)
    const env: Process.EnvironmentVariables = {
      ...own,
      PORT: String(port),
      SIGNING_SECRET: secret,
      WEBHOOK_ALLOW_PRIVATE: "true",
      NODE_OPTIONS: `--max-old-space-size=${Report.serviceMemoryLimitMiB - 128}`
    }
    await Process.runCommand(cwd, ["migrate"], env)
    const tenants = await Effect.runPromise(
      database === "SQLite"
        ? Effect.provide(seedFairnessSetup, SqliteClient.layer({ filename: filenameIn(cwd) }))
        : TestDatabase.runOnDatabase(Redacted.make(own["DATABASE_URL"] ?? ""), () => seedFairnessSetup)
    )
    const { organization } = tenants.attacker
    const { token } = await Process.runJsonCommand(cwd, ["token", "create", "--org", organization], env)
    const scene: FairnessSetup = { ...tenants, token, links: await linksOf(root, tenants.attacker) }
    writeFileSync(`${cwd}/scene.json`, JSON.stringify(scene))
    const run = new FairnessRun({ cwd, env, root, scene: `${cwd}/scene.json` })
    await run.begin(test)
    await run.control(2000)
    const report: Report.FairnessReport = { database, control: await run.control(4000), rows: [] }
    reports.push(report)
    let keys = 0
    const attacked = async (name: string, attack: Attack, title: string) => {
      const row = { ...(await run.suffer(name, attack, keys)), name: title }
      keys += 4
      if (showsProgress) console.log(Report.formatAttackRow([{ ...report, rows: [row] }], title), row.victim.slowest)
      return row
    }
    const suffer = async (attacks: Readonly<Record<string, Attack>>, limits: AttackLimitLevel) => {
      for (const [name, attack] of Object.entries(attacks)) {
        const title = `${name}, ${limits} limits`
        if ((attack.limits ?? limits) !== limits || !only.some((text) => title.includes(text))) continue
        let row = await attacked(name, attack, title)
        // On a busy machine, a single stall of the machine can cause a late response, so the test repeats the attack.
        // On a quiet machine, the test runs the attack once.
        for (let again = 0; again < repetitions && Report.isInconclusive(row); again++) {
          row = await attacked(name, attack, title)
        }
        report.rows.push(row)
      }
    }
    await suffer(specialAttacks, "standard")
    const given = Object.entries(raisedLimits).flatMap(([name, value]) => ["--limit", `${name}=${value}`])
    await Process.runJsonCommand(cwd, ["org", "update", organization, ...given], env)
    await suffer(Attacks.operations, "raised")
    await suffer(specialAttacks, "raised")
    await run.stop()
    expect(Report.describeExceededLimits(report)).toEqual([])
  }, 900_000)
}
