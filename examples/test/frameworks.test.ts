/** Each framework's example on a real server of that framework: it answers as every host does, and its own routes stay its own. */
import { createServer, type Server } from "node:http"
import { createAdaptorServer } from "@hono/node-server"
import * as HostConformance from "@partner-commentary/test/HostConformance"
import type { Need } from "@partner-commentary/test/HostRequests"
import { toNodeHandler } from "h3"
import { describe, expect, it } from "vitest"
import * as Express from "../express.ts"
import * as Fastify from "../fastify.ts"
import * as H3 from "../h3.ts"
import * as Hono from "../hono.ts"
import * as NodeHttp from "../node-http.ts"
import type { Service } from "../service.ts"
import * as Mounted from "./Mounted.ts"

interface Framework {
  readonly serve: (service: Service) => Server | Promise<Server>
  readonly lacks?: ReadonlyArray<Need>
}

/** What the web's Headers hold is joined, where Node keeps the first of what may come once. */
const joins: ReadonlyArray<Need> = ["repeated headers"]

const frameworks: Readonly<Record<string, Framework>> = {
  Hono: {
    serve: (service) =>
      createAdaptorServer({ fetch: Hono.application(service).fetch, overrideGlobalObjects: false }) as Server,
    lacks: joins
  },
  "Express 5": { serve: (service) => createServer(Express.application(service)) },
  "Fastify 5": {
    serve: async (service) => {
      const app = Fastify.application(service)
      await app.listen({ port: 0, host: "127.0.0.1" })
      return app.server
    }
  },
  "h3, a Web-standard router": {
    serve: (service) => createServer(toNodeHandler(H3.application(service))),
    // It resolves dots, as the URL standard says, and refuses by itself what is no escape.
    lacks: [...joins, "dots", "escapes"]
  },
  "node:http": { serve: NodeHttp.server }
}

describe.each(Object.entries(frameworks))("%s", (_, { lacks = [], serve }) => {
  it("answers as every host does, below routes of its own", async (test) => {
    const service = Mounted.service(test)
    const port = await Mounted.listening(await serve(service), test)
    const partner = await service.run(HostConformance.partner("127.0.0.1"))
    const ask = HostConformance.overSocket({ port })
    expect(await HostConformance.check({ ask, apiRoot: Mounted.apiRoot, partner, lacks })).toBeGreaterThan(85)
    const own = await fetch(`http://127.0.0.1:${port}/yours`)
    expect([own.status, await own.text()]).toEqual([200, "Your application."])
  })
})
