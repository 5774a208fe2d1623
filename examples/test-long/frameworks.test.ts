/**
 * Runs the service on a real server of each framework. Every framework must return the same responses as Node's server,
 * and the application must keep its own routes.
 */
import { createServer, type Server } from "node:http"
import { createAdaptorServer } from "@hono/node-server"
import * as HostConformance from "@partner-commentary/test/HostConformance"
import type { HostCapability } from "@partner-commentary/test/HostRequests"
import express from "express"
import { H3, type HTTPMethod, toNodeHandler } from "h3"
import type { PartnerCommentary } from "partner-commentary"
import { describe, expect, it } from "vitest"
import { checkHostConformance } from "../conformance.ts"
import * as Mounted from "../test/Mounted.ts"
import * as Express from "./Express.ts"
import * as Fastify from "./Fastify.ts"
import * as H3Example from "./H3.ts"
import * as Hono from "./Hono.ts"
import * as NodeHttp from "./NodeHttp.ts"

interface Framework {
  readonly serve: (service: PartnerCommentary) => Server | Promise<Server>
  readonly lacks?: ReadonlyArray<HostCapability>
  /** The path at which the service is mounted. */
  readonly below?: string
}

/** Web-standard Headers join all repeated headers, but Node keeps only the first value of some headers. */
const joins: ReadonlyArray<HostCapability> = ["repeated headers"]

const frameworks: Readonly<Record<string, Framework>> = {
  Hono: {
    serve: (service) =>
      createAdaptorServer({
        fetch: Hono.createExampleApplication(service).fetch,
        overrideGlobalObjects: false
      }) as Server,
    lacks: joins
  },
  "Express 5": { serve: (service) => createServer(Express.createExampleApplication(service)) },
  "Fastify 5": {
    serve: async (service) => {
      const app = Fastify.createExampleApplication(service)
      await app.listen({ port: 0, host: "127.0.0.1" })
      return app.server
    }
  },
  "h3, a Web-standard router": {
    serve: (service) => createServer(toNodeHandler(H3Example.createExampleApplication(service))),
    // h3 resolves dot segments, as the URL standard requires, and refuses invalid escapes itself.
    lacks: [...joins, "dots", "escapes"]
  },
  "route handlers, at a path": {
    serve: (service) => {
      const app = new H3().get("/yours", () => "Your application.")
      const methods: ReadonlyArray<HTTPMethod> = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]
      for (const method of methods) {
        app.on(method, "/commentary/**", ({ req }) =>
          service.fetch(req, { address: req.headers.get("x-real-ip") ?? "" })
        )
      }
      const answer = toNodeHandler(app)
      return createServer((request, response) => {
        // Sets the client's address as a proxy would.
        const address = request.socket.remoteAddress ?? ""
        request.headers["x-real-ip"] = address
        request.rawHeaders.push("X-Real-IP", address)
        void answer(request, response)
      })
    },
    below: "/commentary",
    lacks: [...joins, "dots", "escapes", "method"]
  },
  "node:http": { serve: NodeHttp.createExampleServer }
}

describe.each(Object.entries(frameworks))("%s", (_, { below = "", lacks = [], serve }) => {
  it("serves the API with the same responses as every other host, and also serves its own routes", async (test) => {
    const apiRoot = `http://commentary.example${below}`
    const service = Mounted.openTestService(test, apiRoot)
    const port = await Mounted.listenOnFreePort(await serve(service), test)
    const partner = await service.run(HostConformance.seedPartner("127.0.0.1"))
    const ask = HostConformance.requestOverSocket({ port })
    expect(await HostConformance.checkConformance({ ask, apiRoot, partner, lacks })).toBeGreaterThan(85)
    const own = await fetch(`http://127.0.0.1:${port}/yours`)
    expect([own.status, await own.text()]).toEqual([200, "Your application."])
  })
})

it.for(["", "/commentary"])("the guide's conformance check passes for Express with the path “%s”", async (path, test) => {
  const apiRoot = `http://commentary.example${path}`
  const service = Mounted.openTestService(test, apiRoot)
  const app = express().use(path, service.node)
  const port = await Mounted.listenOnFreePort(createServer(app), test)
  expect(await checkHostConformance(service, port, apiRoot)).toBeGreaterThan(85)
})
