/** Checks the manifests in deploy/kubernetes against the schemas and the types of Kubernetes' own API. */
import { execFileSync } from "node:child_process"
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { ServiceMonitor } from "@kubernetes-models/prometheus-operator/monitoring.coreos.com/v1"
import * as apps from "kubernetes-models/apps/v1"
import * as autoscaling from "kubernetes-models/autoscaling/v2"
import * as batch from "kubernetes-models/batch/v1"
import * as networking from "kubernetes-models/networking.k8s.io/v1"
import * as policy from "kubernetes-models/policy/v1"
import * as core from "kubernetes-models/v1"
import { describe, expect, it } from "vitest"
import { parseAllDocuments } from "yaml"
import { typeScriptCompilerPath } from "../packing/Build.ts"
import { repositoryRoot } from "../Repository.ts"

// biome-ignore lint/suspicious/noExplicitAny: the schemas check the content of a manifest
type Manifest = any

const folder = join(repositoryRoot, "deploy/kubernetes")
const readManifests = (names: ReadonlyArray<string>): ReadonlyArray<Manifest> =>
  names
    .filter((name) => name.endsWith(".yaml"))
    .flatMap((name) => parseAllDocuments(readFileSync(join(folder, name), "utf8")).map((document) => document.toJS()))
const manifests = readManifests(readdirSync(folder, { recursive: true, encoding: "utf8" }))

const groups: Readonly<Record<string, object>> = {
  v1: core,
  "apps/v1": apps,
  "autoscaling/v2": autoscaling,
  "batch/v1": batch,
  "networking.k8s.io/v1": networking,
  "policy/v1": policy,
  "monitoring.coreos.com/v1": { ServiceMonitor }
}

const moduleOf = (apiVersion: string) =>
  apiVersion.startsWith("monitoring")
    ? `@kubernetes-models/prometheus-operator/${apiVersion}`
    : `kubernetes-models/${apiVersion}`

const validate = (manifest: Manifest) => {
  const group = groups[manifest.apiVersion] as Readonly<Record<string, new (data: object) => { validate(): void }>>
  const Model = group[manifest.kind]
  if (Model === undefined) throw new Error(`no ${manifest.kind} in ${manifest.apiVersion}`)
  new Model(manifest).validate()
}

/**
 * Compiles the manifests as values of the API's types, and returns the compiler's errors. The compiler finds unknown
 * fields, which the schemas accept.
 */
const compiled = (all: ReadonlyArray<Manifest>): string => {
  // The file is inside the repository, so that the compiler finds the packages.
  const place = mkdtempSync(join(repositoryRoot, "node_modules/.kubernetes-"))
  try {
    const lines = all.map(
      (manifest, at) =>
        `import type { I${manifest.kind} as I${at} } from "${moduleOf(manifest.apiVersion)}"\n` +
        `export const manifest${at}: I${at} = ${JSON.stringify(manifest)}\n`
    )
    writeFileSync(join(place, "manifests.ts"), lines.join(""))
    writeFileSync(
      join(place, "tsconfig.json"),
      JSON.stringify({
        compilerOptions: { module: "nodenext", strict: true, noEmit: true, skipLibCheck: true, types: [] },
        files: ["manifests.ts"]
      })
    )
    return execFileSync(process.execPath, [typeScriptCompilerPath, "--project", place], { encoding: "utf8" })
  } catch (error) {
    return (error as { readonly stdout: string }).stdout
  } finally {
    rmSync(place, { recursive: true })
  }
}

const changed = (kind: string, change: (manifest: Manifest) => void) => {
  const manifest = structuredClone(manifests.find((each) => each.kind === kind))
  change(manifest)
  return manifest
}

const podOf = ({ kind, spec }: Manifest) =>
  kind === "Deployment" ? spec.template.spec : kind === "CronJob" ? spec.jobTemplate.spec.template.spec : undefined
const pods = manifests.flatMap((manifest) => podOf(manifest) ?? [])
const containers = pods.flatMap(({ containers, initContainers = [] }) => [...initContainers, ...containers])
const named = (kind: string, name: string) =>
  manifests.find((each) => each.kind === kind && each.metadata.name === `partner-commentary${name}`)

describe("the Kubernetes manifests", () => {
  it("the Kubernetes manifests match the schemas and types of their API versions, and a wrong or unknown field is reported", () => {
    for (const manifest of manifests) expect(() => validate(manifest)).not.toThrow()
    expect(compiled(manifests)).toBe("")
    const wrong = changed("Deployment", ({ spec }) => {
      spec.template.spec.containers[0].livenessProbe.periodSeconds = "often"
    })
    expect(() => validate(wrong)).toThrow("periodSeconds must be integer")
    const unknown = changed("Deployment", ({ spec }) => {
      spec.template.spec.containers[0].livenessProbe.periodSecond = 10
    })
    expect(compiled([unknown])).toMatch(/'"periodSecond"' does not exist in type 'IProbe'/)
  })

  it("`kubectl apply -f deploy/kubernetes` applies only resources that exist in every cluster", () => {
    const applied = readManifests(readdirSync(folder))
    for (const { apiVersion } of applied) expect(apiVersion).not.toContain("monitoring.coreos.com")
    expect(applied.length).toBeLessThan(manifests.length)
  })

  it("the Kubernetes manifests run every container as a numeric user without root, capabilities or a writable file system", () => {
    for (const { securityContext } of pods) {
      expect(securityContext).toMatchObject({ runAsNonRoot: true, runAsUser: 10001, runAsGroup: 10001 })
      expect(securityContext.seccompProfile).toEqual({ type: "RuntimeDefault" })
    }
    for (const { securityContext } of containers) {
      expect(securityContext).toEqual({
        allowPrivilegeEscalation: false,
        readOnlyRootFilesystem: true,
        capabilities: { drop: ["ALL"] }
      })
    }
    expect(readFileSync(join(repositoryRoot, "deploy/Dockerfile"), "utf8")).toMatch(/^USER 10001:10001$/m)
  })

  it("the Kubernetes manifests probe servers and workers, run the migration before servers and workers start, and limit the memory of every container", () => {
    for (const name of ["-server", "-worker"]) {
      const { containers, initContainers } = podOf(named("Deployment", name))
      expect(initContainers).toMatchObject([{ args: ["migrate"] }])
      for (const probe of ["startupProbe", "livenessProbe", "readinessProbe"]) {
        const port = containers[0][probe].httpGet.port
        expect(containers[0].ports.map((each: Manifest) => each.name)).toContain(port)
      }
    }
    for (const { resources } of containers) expect(resources.limits.memory).toBeDefined()
  })

  it("the Kubernetes manifests select pods and ports that exist", () => {
    const labels = manifests.flatMap(({ kind, spec }) => (kind === "Deployment" ? [spec.template.metadata.labels] : []))
    const selectors = manifests.flatMap(({ kind, spec }) =>
      kind === "Service"
        ? [spec.selector]
        : kind === "Deployment" || kind === "PodDisruptionBudget"
          ? [spec.selector.matchLabels]
          : []
    )
    expect(selectors).toHaveLength(6)
    for (const selector of selectors) expect(labels).toContainEqual(expect.objectContaining(selector))
    const monitor = named("ServiceMonitor", "")
    const metrics = named("Service", "-metrics")
    expect(metrics.metadata.labels).toMatchObject(monitor.spec.selector.matchLabels)
    expect(monitor.spec.endpoints[0].port).toBe(metrics.spec.ports[0].name)
    expect(named("ConfigMap", "").data.ADMIN_PORT).toBe(String(metrics.spec.ports[0].port))
    expect(named("HorizontalPodAutoscaler", "-server").spec.scaleTargetRef.name).toBe("partner-commentary-server")
  })
})
