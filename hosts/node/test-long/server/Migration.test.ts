/** Tests several processes that migrate one database at the same time. */
import { expect, it } from "vitest"
import * as OwnDatabase from "../../test/support/OwnDatabase.ts"
import * as Process from "../../test/support/Process.ts"

it("when eight processes migrate an empty database at the same time, one process migrates and all processes succeed", async (test) => {
  const cwd = await Process.makeWorkingFolder(test)
  const env = await OwnDatabase.makeEmptyDatabase(test)
  const outcomes = await Promise.all(
    Array.from({ length: 8 }, () => Process.spawnCommand(cwd, ["migrate", "--json"], env))
  )
  expect(outcomes.map(({ code }) => code)).toEqual(Array(8).fill(0))
  const applied = outcomes.map(({ stdout }) => JSON.parse(stdout).applied)
  expect(applied.filter(({ length }) => length > 0)).toHaveLength(1)
})
