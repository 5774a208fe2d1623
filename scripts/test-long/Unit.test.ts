/** Checks the systemd unit with systemd's own verifier. */
import { spawnSync } from "node:child_process"
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { expect, it } from "vitest"
import { repositoryRoot } from "../Repository.ts"

/**
 * Returns the findings of systemd as one text. For systemd, the program of the unit must exist, so the test uses the
 * program of this checkout.
 */
const verified = (change: (unit: string) => string) => {
  const folder = mkdtempSync(join(tmpdir(), "unit-"))
  try {
    const file = join(folder, "partner-commentary.service")
    const unit = readFileSync(join(repositoryRoot, "deploy/partner-commentary.service"), "utf8")
    writeFileSync(file, change(unit.replaceAll("/opt/partner-commentary", repositoryRoot)))
    const { error, stderr, stdout } = spawnSync("systemd-analyze", ["verify", "--man=no", file], { encoding: "utf8" })
    return error === undefined ? `${stdout}${stderr}` : error.message
  } finally {
    rmSync(folder, { recursive: true })
  }
}

it("systemd accepts every line of the unit, and reports an unknown line", () => {
  expect(verified((unit) => unit)).toBe("")
  expect(verified((unit) => unit.replace("NoNewPrivileges", "NoNewPrivilege"))).toContain("NoNewPrivilege")
})
