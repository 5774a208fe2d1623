/** Tests a data folder in which the file of the signing secret exists and is empty. */
import { mkdir, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { expect, it } from "vitest"
import * as Process from "../../test/support/Process.ts"

it("a signing secret file that stays empty is reported as damaged, and the file is not replaced", async (test) => {
  const cwd = await Process.makeWorkingFolder(test)
  await mkdir(join(cwd, "data"), { mode: 0o700 })
  await writeFile(join(cwd, "data", "signing-secret"), "", { mode: 0o600 })
  const { code, stderr } = await Process.spawnCommand(cwd, ["serve"], { DEV: "true" })
  expect(code).toBe(1)
  expect(stderr).toContain("is damaged: restore it")
})
