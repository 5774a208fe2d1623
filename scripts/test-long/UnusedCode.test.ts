/**
 * Plants the faults that knip and syncpack must report, in a copy of the repository's configuration with one workspace.
 */
import { spawnSync } from "node:child_process"
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { expect, it, onTestFinished } from "vitest"
import { repositoryRoot } from "../Repository.ts"

const version = "0.1.0"

const manifest = (name: string, more: object = {}) =>
  JSON.stringify({
    name: `@partner-commentary/${name}`,
    version,
    type: "module",
    exports: { "./*": "./src/*.ts" },
    ...more
  })

/** Returns the output of the command in a copy with the repository's configuration and these files. */
const report = (command: ReadonlyArray<string>, files: Readonly<Record<string, string>>) => {
  const copy = mkdtempSync(join(tmpdir(), "unused-code-"))
  onTestFinished(() => rmSync(copy, { recursive: true }))
  for (const file of ["knip.json", ".syncpackrc.json"]) cpSync(join(repositoryRoot, file), join(copy, file))
  symlinkSync(join(repositoryRoot, "node_modules"), join(copy, "node_modules"))
  const rest = {
    "package.json": JSON.stringify({ name: "root", version, workspaces: ["packages/*", "adapters/*"] })
  }
  for (const [path, text] of Object.entries({ ...rest, ...files })) {
    mkdirSync(dirname(join(copy, path)), { recursive: true })
    writeFileSync(join(copy, path), text)
  }
  const [name = "", ...options] = command
  const { status, stderr, stdout } = spawnSync(join(repositoryRoot, "node_modules/.bin", name), options, {
    cwd: copy,
    encoding: "utf8"
  })
  return { status, text: `${stdout}${stderr}` }
}

const knip = (files: Readonly<Record<string, string>>) =>
  report(["knip", "--no-config-hints", "--reporter=compact", "--include=dependencies,unlisted,exports"], files)

const smtp = "adapters/smtp"

it("knip reports unused and undeclared dependencies and exports that nothing imports", () => {
  const clean = {
    [`${smtp}/package.json`]: manifest("smtp", { dependencies: { nodemailer: "1.0.0" } }),
    [`${smtp}/src/One.ts`]: 'import "nodemailer"\nexport const one = 1\n',
    [`${smtp}/src/Two.ts`]: 'import { one } from "./One.ts"\none.toFixed()\n'
  }
  expect(knip(clean)).toMatchObject({ status: 0 })
  const planted = knip({
    [`${smtp}/package.json`]: manifest("smtp", { dependencies: { nodemailer: "1.0.0", jose: "1.0.0" } }),
    [`${smtp}/src/One.ts`]: 'import "nodemailer"\nimport "postal-mime/deep"\nexport const one = 1\n',
    [`${smtp}/src/Two.ts`]: 'export const place = import.meta.resolve("smtp-server/package.json")\n',
    [`${smtp}/test/Three.test.ts`]: 'import "jose"\n'
  })
  for (const found of ["postal-mime", "smtp-server", "one", "place"]) expect(planted.text).toContain(found)
  expect(planted.status).toBe(1)
})

const lint = (dependencies: object, more: object = {}) =>
  report(["syncpack", "lint"], {
    "packages/core/package.json": manifest("core", { dependencies: { effect: "4.1.0" } }),
    "packages/api/package.json": manifest("api", {
      dependencies: { "@partner-commentary/core": version, ...dependencies },
      ...more
    })
  }).status

it.each(["^1.0.0", "~1.0.0", "*", "latest"])("syncpack reports the version %s, which is not exact", (inexact) =>
  expect(lint({ planted: inexact })).toBe(1)
)

it("syncpack reports each package that is used in two versions, including our own packages, and nothing else", () => {
  expect(lint({ effect: "4.0.5" })).toBe(1)
  expect(lint({ "@partner-commentary/core": "9.9.9" })).toBe(1)
  expect(lint({ effect: "4.1.0", planted: "1.0.0-beta.1", "planted-1": "npm:aliased@1.0.0" })).toBe(0)
  expect(lint({}, { peerDependencies: { effect: ">=4.1.0 <4.2.0" } })).toBe(0)
})
