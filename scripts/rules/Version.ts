/** Every version is one exact version, the same everywhere, and Node's is one of them. */
import type { Finding, Rule } from "../Gate.ts"
import type { Files, Manifest } from "../Repository.ts"
import { workspaces } from "../Repository.ts"

/** Perhaps of a package that goes by another name here. */
const exact = /^(?:npm:(?:@[\w.-]+\/)?[\w.-]+@)?\d+\.\d+\.\d+(?:-[\w.]+)?$/
/** A library may ask its embedder for a range that was tested, with both ends given. */
const tested = /^>=\d+\.\d+\.\d+ <=?\d+\.\d+\.\d+$/

const manifests = (files: Files): ReadonlyArray<readonly [path: string, manifest: Manifest, text: string]> =>
  [...files]
    .filter(([path]) => /(^|\/)package\.json$/.test(path))
    .map(([path, text]) => [path, JSON.parse(text) as Manifest, text])

interface Demand {
  readonly path: string
  readonly line: number
  readonly name: string
  readonly version: string
  readonly peer: boolean
}

const demands = (files: Files): ReadonlyArray<Demand> =>
  manifests(files).flatMap(([path, manifest, text]) => {
    const lines = text.split("\n")
    const of = (wanted: Readonly<Record<string, string>> | undefined, peer: boolean) =>
      Object.entries(wanted ?? {}).map(([name, version]) => ({
        path,
        line: lines.findIndex((line) => line.includes(`"${name}": "${version}"`)) + 1,
        name,
        version,
        peer
      }))
    return [
      ...of(manifest.dependencies, false),
      ...of(manifest.devDependencies, false),
      ...of(manifest.optionalDependencies, false),
      ...of(manifest.peerDependencies, true)
    ]
  })

const changed = (change: (manifest: Record<string, unknown>) => object) => (present: string) =>
  JSON.stringify(change(JSON.parse(present)))

const depending = (wanted: Record<string, string>, key = "dependencies") =>
  changed((manifest) => ({ ...manifest, [key]: { ...(manifest[key] as object), ...wanted } }))

export const exactVersion: Rule = {
  name: "exact versions",
  find: (files) =>
    demands(files)
      .filter(({ peer, version }) => !exact.test(version) && !(peer && tested.test(version)))
      .map(({ line, name, path, version }) => ({ path, line, message: `${name} "${version}" is not exact` })),
  refuses: [
    ...[
      "^1.0.0",
      "~1.0.0",
      "1.x",
      "*",
      "latest",
      ">=1.0.0 <2.0.0",
      "file:../planted",
      "git+https://example.com/a",
      "npm:planted@^1.0.0"
    ].map((version) => ({ "adapters/smtp/package.json": depending({ planted: version }) })),
    { "package.json": depending({ planted: "^1.0.0" }, "devDependencies") },
    { "packages/core/package.json": depending({ planted: "^1.0.0" }, "peerDependencies") },
    { "examples/planted/package.json": '{ "dependencies": { "planted": "~1.0.0" } }' }
  ],
  accepts: [
    { "adapters/smtp/package.json": depending({ planted: "1.0.0-beta.1" }) },
    { "adapters/smtp/package.json": depending({ "planted-1": "npm:planted@1.0.0-beta.1" }) },
    { "packages/core/package.json": depending({ planted: ">=1.0.0 <1.1.0" }, "peerDependencies") }
  ]
}

export const sameVersion: Rule = {
  name: "one version everywhere",
  find: (files) => {
    const all = workspaces(files)
    const ours = new Map(all.map(({ manifest }) => [manifest.name, manifest.version]))
    const version = all[0]?.manifest.version
    const first = new Map<string, Demand>()
    return [
      ...all
        .filter(({ manifest }) => manifest.version === undefined || manifest.version !== version)
        .map(({ folder, manifest }) => ({
          path: `${folder}/package.json`,
          line: 1,
          message: `is ${manifest.version}, others are ${version}`
        })),
      ...demands(files).flatMap((demand): ReadonlyArray<Finding> => {
        if (demand.peer && tested.test(demand.version)) return []
        const other = first.get(demand.name)
        if (other === undefined) first.set(demand.name, demand)
        const expected = ours.has(demand.name) ? ours.get(demand.name) : (other ?? demand).version
        const message = `${demand.name} is ${demand.version} here and ${expected} elsewhere`
        return demand.version === expected ? [] : [{ path: demand.path, line: demand.line, message }]
      })
    ]
  },
  refuses: [
    { "packages/core/package.json": changed((manifest) => ({ ...manifest, version: "9.9.9" })) },
    { "packages/sql/package.json": changed(({ version: _, ...manifest }) => manifest) },
    { "packages/api/package.json": depending({ "@partner-commentary/core": "9.9.9" }) },
    { "packages/testkit/package.json": depending({ vitest: "1.0.0" }) }
  ],
  accepts: [{ "adapters/smtp/package.json": depending({ planted: "9.9.9" }) }]
}

export const nodePin: Rule = {
  name: "Node is pinned",
  find: (files) => {
    const text = files.get("package.json") ?? "{}"
    const manifest = JSON.parse(text) as Manifest & { readonly allowScripts?: Readonly<Record<string, boolean>> }
    const version = manifest.dependencies?.["node"]
    const line = text.split("\n").findIndex((row) => row.includes('"node"')) + 1
    const found = (message: string) => [{ path: "package.json", line, message }]
    if (version === undefined || !exact.test(version)) return found("dependencies do not pin node to one version")
    const [major = 0, minor = 0] = version.split(".").map(Number)
    if (major < 22 || (major === 22 && minor < 19)) return found(`node ${version} is older than 22.19`)
    const allowed = manifest.allowScripts?.["node"] ?? manifest.allowScripts?.[`node@${version}`]
    return allowed === true ? [] : found("allowScripts does not let node install its binary")
  },
  refuses: [
    { "package.json": depending({ node: "^24.0.0" }) },
    { "package.json": depending({ node: "20.20.2" }) },
    { "package.json": changed((manifest) => ({ ...manifest, dependencies: {} })) },
    { "package.json": changed((manifest) => ({ ...manifest, allowScripts: {} })) }
  ],
  accepts: [{ "package.json": depending({ planted: "1.0.0" }) }]
}
