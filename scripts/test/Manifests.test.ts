/**
 * Tests the rules for package manifests that neither syncpack nor knip checks. syncpack checks versions, and knip
 * checks dependencies.
 */
import { existsSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { isBundledProgram } from "../packing/PublishedManifest.ts"
import { listWorkspaces, readRepositoryFiles, repositoryRoot } from "../Repository.ts"

const files = readRepositoryFiles()
const manifest = JSON.parse(files.get("package.json") ?? "{}")

/** Matches an exact version, optionally of an aliased package. syncpack itself also accepts URLs and some ranges. */
const exact = /^(?:npm:(?:@[\w.-]+\/)?[\w.-]+@)?\d+\.\d+\.\d+(?:-[\w.]+)?$/

describe("the package manifests of the repository", () => {
  it("manifests name exact versions", () => {
    const manifests = [...files].filter(([path]) => /(^|\/)package\.json$/.test(path))
    const versions = manifests.flatMap(([, text]) => {
      const { dependencies, devDependencies, optionalDependencies } = JSON.parse(text)
      return Object.entries<string>({ ...dependencies, ...devDependencies, ...optionalDependencies })
    })
    expect(versions.filter(([, version]) => !exact.test(version))).toEqual([])
    for (const inexact of ["1.x", ">=1.0.0 <2.0.0", "file:../planted", "git+https://example.com/a", "npm:a@^1.0.0"]) {
      expect(inexact).not.toMatch(exact)
    }
  })

  it("all manifests of packages, adapters and hosts have the same version", () => {
    const versions = new Set(listWorkspaces(files).map(({ manifest }) => manifest.version))
    expect([...versions]).toEqual([expect.stringMatching(/^\d+\.\d+\.\d+/)])
  })

  it("manifests require peer dependencies in the tested range, with a lower and an upper bound", () => {
    const peers = listWorkspaces(files).flatMap(({ manifest }) => Object.entries(manifest.peerDependencies ?? {}))
    const open = peers.filter(([, range]) => !/^(>=\d+\.\d+\.\d+ <=?)?\d+\.\d+\.\d+$/.test(range))
    expect(open).toEqual([])
  })

  it.each(listWorkspaces(files).map(({ folder, manifest }) => [folder, manifest] as const))(
    "%s is private and has a README, because scripts/pack.ts generates the published manifest",
    (folder, manifest) => {
      expect(manifest).toMatchObject({ private: true })
      expect(existsSync(join(repositoryRoot, folder, "README.md"))).toBe(true)
    }
  )

  it.each(
    listWorkspaces(files)
      .filter(({ manifest }) => !isBundledProgram(manifest))
      .map(({ folder, manifest }) => [folder, manifest] as const)
  )(
    "%s does not list effect as a dependency, so that an embedder installs one version of effect",
    (_, { dependencies = {} }) => {
      expect(dependencies).not.toHaveProperty("effect")
    }
  )

  it("the root manifest depends on Node 22.19 or newer, and allows the install script of the package node", () => {
    const [major = 0, minor = 0] = manifest.dependencies.node.split(".").map(Number)
    expect(major * 100 + minor).toBeGreaterThanOrEqual(2219)
    expect(manifest.allowScripts).toHaveProperty("node", true)
  })
})
