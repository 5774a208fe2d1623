/**
 * Runs the service on a real server of each framework. Every framework must return the same responses as Node's server,
 * and the application must keep its own routes. The documented examples run in their own processes.
 */
import { createServer, type Server } from "node:http"
import { join } from "node:path"
import * as HostConformance from "@partner-commentary/test/HostConformance"
import express from "express"
import { H3, type HTTPMethod, toNodeHandler } from "h3"
import type { PartnerCommentary } from "partner-commentary"
import { expect, it } from "vitest"
import { checkHostConformance } from "../conformance.ts"
import * as Mounted from "../test/Mounted.ts"
import * as Story from "../test/Story.ts"

type Expectations = Pick<HostConformance.ConformanceOptions, "ignoreHeaders" | "lacks">

/** Web-standard Headers join all repeated headers, but Node keeps only the first value of some headers. */
const joins = ["repeated headers"] as const

/** A web Request resolves dot segments, and h3 refuses invalid escapes itself. */
const examples: Readonly<Record<string, Expectations>> = {
  effect: {},
  express: { ignoreHeaders: ["x-powered-by"] },
  fastify: {},
  h3: { lacks: [...joins, "dots", "escapes"] },
  hono: { lacks: [...joins, "dots"] },
  "node-http": {}
}

const expectSameResponses = async (pc: PartnerCommentary, apiRoot: string, port: number, options: Expectations) => {
  const partner = await pc.run(HostConformance.seedPartner("127.0.0.1"))
  const ask = HostConformance.requestOverSocket({ port })
  expect(await HostConformance.checkConformance({ ask, apiRoot, partner, ...options })).toBeGreaterThan(85)
  const own = await fetch(`http://127.0.0.1:${port}/yours`)
  expect([own.status, await own.text()]).toEqual([200, "Your application."])
}

it.for(Object.entries(examples))(
  "the documented example for %s returns the same responses as every other host",
  async ([name, options], test) => {
    const program = join(import.meta.dirname, "../frameworks", `${name}.ts`)
    const folder = Mounted.makeTemporaryFolder(test)
    const env = { NODE_OPTIONS: "" }
    const started = await Story.startExample(test, folder, [process.execPath, program], { env })
    const beside = Story.openBeside(test, started)
    await expectSameResponses(beside, started.url, Number(new URL(started.url).port), options)
  }
)

it("route handlers that forward a web Request return the same responses as every other host", async (test) => {
  const apiRoot = "http://commentary.example/commentary"
  const service = Mounted.openTestService(test, apiRoot)
  const port = await Mounted.listenOnFreePort(routeHandlers(service), test)
  await expectSameResponses(service, apiRoot, port, { lacks: [...joins, "dots", "escapes", "method"] })
})

const routeHandlers = (service: PartnerCommentary): Server => {
  const app = new H3().get("/yours", () => "Your application.")
  const methods: ReadonlyArray<HTTPMethod> = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]
  for (const method of methods) {
    app.on(method, "/commentary/**", ({ req }) => service.fetch(req, { address: req.headers.get("x-real-ip") ?? "" }))
  }
  const answer = toNodeHandler(app)
  return createServer((request, response) => {
    // Sets the client's address as a proxy would.
    const address = request.socket.remoteAddress ?? ""
    request.headers["x-real-ip"] = address
    request.rawHeaders.push("X-Real-IP", address)
    void answer(request, response)
  })
}

it.for(["", "/commentary"])(
  "the guide's conformance check passes for Express with the path “%s”",
  async (path, test) => {
    const apiRoot = `http://commentary.example${path}`
    const service = Mounted.openTestService(test, apiRoot)
    const app = express().use(path, service.node)
    const port = await Mounted.listenOnFreePort(createServer(app), test)
    expect(await checkHostConformance(service, port, apiRoot)).toBeGreaterThan(85)
  }
)
