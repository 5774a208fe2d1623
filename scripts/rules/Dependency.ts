/** What a workspace ships imports what its manifest declares, and the manifest declares nothing more. */
import type { Finding, Rule } from "../Gate.ts"
import { imports, isRelative, packageOf } from "../Imports.ts"
import { type Files, type Manifest, shipped, workspaces } from "../Repository.ts"

const undeclared = (files: Files): ReadonlyArray<Finding> =>
  workspaces(files).flatMap(({ folder, manifest }) => {
    const declared = new Set(Object.keys({ ...manifest.dependencies, ...manifest.peerDependencies }))
    return shipped(files, folder).flatMap(([path, text]) =>
      imports(text).flatMap(({ specifier, line }) => {
        if (specifier === null || isRelative(specifier) || specifier.startsWith("node:")) return []
        const name = packageOf(specifier)
        const message = `${name} is neither a dependency nor a peer dependency of ${folder}`
        return declared.has(name) ? [] : [{ path, line, message }]
      })
    )
  })

interface Lockfile {
  readonly packages: Readonly<Record<string, Pick<Manifest, "peerDependencies">>>
}

/** A dependency is used where it is imported, or where another dependency asks for it as its peer. */
const unused = (files: Files): ReadonlyArray<Finding> => {
  const { packages } = JSON.parse(files.get("package-lock.json") ?? '{ "packages": {} }') as Lockfile
  return workspaces(files).flatMap(({ folder, manifest }) => {
    const used = new Set(
      shipped(files, folder).flatMap(([, text]) => imports(text).map(({ specifier }) => packageOf(specifier ?? "")))
    )
    for (const name of Object.keys(manifest.dependencies ?? {})) {
      if (!used.has(name)) continue
      for (const peer of Object.keys(packages[`node_modules/${name}`]?.peerDependencies ?? {})) used.add(peer)
    }
    const path = `${folder}/package.json`
    const lines = files.get(path)?.split("\n") ?? []
    return Object.keys({ ...manifest.dependencies, ...manifest.peerDependencies })
      .filter((name) => !used.has(name) && !used.has(name.replace(/^@types\//, "")))
      .map((name) => ({
        path,
        line: lines.findIndex((line) => line.includes(`"${name}"`)) + 1,
        message: `nothing imports ${name}`
      }))
  })
}

const declaring = (dependencies: Record<string, string>) => (present: string) => {
  const manifest = JSON.parse(present) as Manifest
  return JSON.stringify({ ...manifest, dependencies: { ...manifest.dependencies, ...dependencies } })
}

const keepingBack = (folder: string) => (present: string) =>
  JSON.stringify({ ...(JSON.parse(present) as Manifest), files: ["src", `!${folder}`] })

export const declaredDependency: Rule = {
  name: "every import is declared",
  find: undeclared,
  refuses: [
    { "adapters/smtp/src/Planted.ts": 'import { SMTPServer } from "smtp-server"\n' },
    { "adapters/smtp/src/Planted.ts": 'import type Mail from "@planted/mail/deep"\n' },
    { "hosts/node/bin/planted.js": 'import "@planted/bin"\n' },
    { "hosts/node/src/Planted.ts": 'export const place = import.meta.resolve("planted/package.json")\n' },
    {
      "adapters/smtp/package.json": keepingBack("src/elsewhere"),
      "adapters/smtp/src/Planted.ts": 'import { SMTPServer } from "smtp-server"\n'
    }
  ],
  accepts: [
    { "adapters/smtp/src/Planted.ts": 'import { createTransport } from "nodemailer"\n' },
    { "adapters/smtp/src/Planted.ts": 'import * as Effect from "effect/Effect"\nimport { join } from "node:path"\n' },
    { "adapters/smtp/test/Planted.test.ts": 'import { SMTPServer } from "smtp-server"\n' },
    {
      "adapters/smtp/package.json": keepingBack("src/planted"),
      "adapters/smtp/src/planted/Planted.ts": 'import { SMTPServer } from "smtp-server"\n'
    }
  ]
}

export const usedDependency: Rule = {
  name: "every dependency is used",
  find: unused,
  refuses: [
    { "adapters/smtp/package.json": declaring({ planted: "1.0.0" }) },
    {
      "adapters/smtp/package.json": declaring({ planted: "1.0.0" }),
      "adapters/smtp/test/Planted.test.ts": 'import "planted"\n'
    }
  ],
  accepts: [
    {
      "adapters/smtp/package.json": declaring({ planted: "1.0.0" }),
      "adapters/smtp/src/Planted.ts": 'import { type A } from "planted/deep"\n'
    },
    {
      "adapters/smtp/package.json": declaring({ "@effect/vitest": "4.0.5", vitest: "5.1.1" }),
      "adapters/smtp/src/Planted.ts": 'import { it } from "@effect/vitest"\n'
    }
  ]
}
