/** Tests the dependencies of the test package: the package needs no test runner and no database server. */
import { globSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { expect, it } from "vitest"

interface Manifest {
  readonly name: string
  readonly dependencies?: Readonly<Record<string, string>>
  readonly peerDependencies?: Readonly<Record<string, string>>
}

const root = join(import.meta.dirname, "../../../..")

it("the test package and its dependencies do not depend on a test runner or a database server", () => {
  const manifests = globSync("{packages,adapters,hosts}/*/package.json", { cwd: root }).map(
    (path): Manifest => JSON.parse(readFileSync(join(root, path), "utf8"))
  )
  const needed = new Set(["@partner-commentary/test"])
  for (const name of needed) {
    const manifest = manifests.find((each) => each.name === name)
    for (const other of Object.keys({ ...manifest?.dependencies, ...manifest?.peerDependencies })) needed.add(other)
  }
  expect(needed).toContain("@partner-commentary/sqlite")
  expect([...needed].filter((name) => /vitest|jest|mocha|testkit|postgres|^pg$/.test(name))).toEqual([])
})
