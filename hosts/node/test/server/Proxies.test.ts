/** Compares the paths that each documented proxy forwards with the routes of the service. */
import { readFileSync } from "node:fs"
import { defaults } from "@partner-commentary/core/shared/Policy"
import * as MediaRoutes from "@partner-commentary/node/server/MediaRoutes"
import * as Routes from "@partner-commentary/server/Routes"
import * as InMemory from "@partner-commentary/test/InMemory"
import * as Effect from "effect/Effect"
import * as HttpRouter from "effect/http/HttpRouter"
import * as HttpServer from "effect/http/HttpServer"
import * as Layer from "effect/Layer"
import { expect, it } from "vitest"
import { parseAllDocuments } from "yaml"

const read = (path: string) => readFileSync(new URL(`../../../../${path}`, import.meta.url), "utf8")

const privatePaths = ["/healthz", "/readyz"]

/** The services that the routes need to start. The recorder never runs a route. */
type RequiredServices = Layer.Success<ReturnType<typeof InMemory.layerWithoutWorkers>>

/** The paths of all public routes, with every optional route. */
const publicPaths: ReadonlyArray<string> = await Effect.gen(function* () {
  const paths: Array<string> = []
  const recorder: HttpRouter.HttpRouter = {
    ...(yield* HttpRouter.make),
    add: (_method, path) => Effect.sync(() => void paths.push(path)),
    addAll: (routes) => Effect.sync(() => void paths.push(...routes.map(({ path }) => path)))
  }
  const routes = Layer.mergeAll(Routes.layer, MediaRoutes.layer("/")).pipe(
    Layer.provide([Layer.succeed(HttpRouter.HttpRouter, recorder), HttpServer.layerServices])
  ) as Layer.Layer<never, never, RequiredServices>
  // A new MemoMap, because the service in memory has already built the same routes.
  yield* Layer.buildWithMemoMap(routes, yield* Layer.makeMemoMap, yield* Effect.scope)
  return paths.filter((path) => !privatePaths.includes(path))
}).pipe(
  Effect.provide(
    InMemory.layerWithoutWorkers({ policy: { webhooks: { ...defaults.webhooks, sources: ["192.0.2.1"] } } })
  ),
  Effect.scoped,
  Effect.runPromise
)

/** Returns the public paths that no forwarded path covers. A forwarded path that ends with `*` is a prefix. */
const listMissingPaths = (forwarded: ReadonlyArray<string>) =>
  publicPaths.filter(
    (path) => !forwarded.some((each) => (each.endsWith("*") ? path.startsWith(each.slice(0, -1)) : path === each))
  )

it("the routes of the service include each kind of public path", () => {
  expect(publicPaths).toEqual(expect.arrayContaining(["/partner/v1/topics", "/creator/*", "/docs", "/media/:name"]))
})

it("nginx forwards every public route and no private route", () => {
  const locations = [...read("deploy/nginx.conf").matchAll(/^\s*location (= )?(\S+) \{ proxy_pass/gm)]
  const forwarded = locations.map(([, exact, path]) => (exact === undefined ? `${path}*` : `${path}`))
  expect(listMissingPaths(forwarded)).toEqual([])
  expect(listMissingPaths(forwarded.filter((path) => path !== "/openapi.json"))).toEqual(["/openapi.json"])
  for (const path of privatePaths) expect(forwarded.filter((each) => path.startsWith(each.slice(0, -1)))).toEqual([])
})

it("the Ingress forwards every public route, except for files of a media folder, which its pods do not have", () => {
  const documents = parseAllDocuments(read("deploy/kubernetes/server.yaml")).map((document) => document.toJS())
  const { spec } = documents.find(({ kind }) => kind === "Ingress")
  const forwarded = spec.rules[0].http.paths.map(
    ({ path, pathType }: Readonly<Record<string, string>>) => `${path}${pathType === "Prefix" ? "*" : ""}`
  )
  expect(listMissingPaths(forwarded)).toEqual(["/media/:name"])
})

it("the deployment guide lists every public path for other proxies", () => {
  const sentence = /Forward ([\s\S]*?)\.\s+Keep/.exec(read("docs/guides/deployment.md"))?.[1] ?? ""
  const forwarded = [...sentence.matchAll(/`(\/[^`]*)`/g)].map(([, path = ""]) =>
    path.endsWith("/") || path === "/docs" ? `${path}*` : path
  )
  expect(listMissingPaths(forwarded)).toEqual([])
})
