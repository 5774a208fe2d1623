/** Whatever is asked is answered on Lambda as the Node server answers it, from the first header to the last byte, but for dates, ids and what is left of a limit. */
import { createServer, request } from "node:http"
import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import { assert, it } from "@effect/vitest"
import * as IpAllowList from "@partner-commentary/core/access/IpAllowList"
import { TrustedProxies } from "@partner-commentary/server/ClientAddress"
import * as Routes from "@partner-commentary/server/Routes"
import * as Seed from "@partner-commentary/test/Seed"
import * as Effect from "effect/Effect"
import * as HttpRouter from "effect/http/HttpRouter"
import * as HttpServer from "effect/http/HttpServer"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import { asked } from "./Requests.ts"
import * as Service from "./Service.ts"
import { type Asked, address, sources } from "./Sources.ts"

interface Told {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly bytes: Buffer
}

const overSocket = (port: number, { body, headers = [], method, target }: Asked) =>
  new Promise<Told>((resolve, reject) => {
    const sent = request(
      {
        port,
        host: "127.0.0.1",
        method,
        path: target,
        setHost: false,
        // Whoever stands before the server, as a gateway stands before Lambda.
        headers: ["Host", "commentary.example", ...headers.flat(), "X-Forwarded-For", address]
      },
      (response) => {
        const chunks: Array<Buffer> = []
        response.on("data", (chunk) => chunks.push(chunk))
        response.on("end", () =>
          resolve({
            status: response.statusCode ?? 0,
            headers: response.headers as Record<string, string>,
            bytes: Buffer.concat(chunks)
          })
        )
      }
    )
    sent.on("error", reject)
    sent.end(body)
  })

/** What is the connection's, or differs between any two answers. */
const passing = new Set(["date", "connection", "keep-alive", "transfer-encoding", "content-length"])
const uuid = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g
const cursor = /(?<="next_cursor":")[^"]+/g
const moment = /\d{4}-\d{2}-\d{2}T[\d:.]+Z/g

const comparable = ({ bytes, headers, status }: Told) => ({
  status,
  headers: Object.fromEntries(
    Object.entries(headers)
      .filter(([name]) => !passing.has(name))
      .map(([name, value]) => [
        name,
        name === "x-ratelimit-remaining" ? value.replace(/\d+/, "N") : value.replace(uuid, "ID")
      ])
      .sort()
  ),
  text: bytes.toString("latin1").replace(uuid, "ID").replace(moment, "MOMENT").replace(cursor, "CURSOR")
})

const proxies = Layer.succeed(TrustedProxies, Result.getOrThrow(IpAllowList.parse(["127.0.0.1"])))
const quiet = { disableLogger: true, disableListenLog: true }
const service = HttpRouter.serve(Routes.layer, { routerConfig: Routes.routerConfig, ...quiet }).pipe(
  Layer.provideMerge(NodeHttpServer.layer(createServer, { port: 0, host: "127.0.0.1" })),
  Layer.provideMerge(Service.layer),
  Layer.provideMerge(proxies)
)

/** Each side has one of its own, so that both do the same things for the first time. */
const partner = Effect.gen(function* () {
  const owner = yield* Seed.organization()
  const personas = yield* Effect.forEach([1, 2, 3, 4], () => Seed.persona(owner))
  const key = (yield* Seed.key(owner)).text
  const local = (yield* Seed.key(owner, { ipAllowList: [address] })).text
  const foreign = (yield* Seed.key(owner, { ipAllowList: ["198.51.100.1"] })).text
  return { key, local, foreign, personas: personas.map(({ id }) => id) }
})

it.layer(service)((it) => {
  for (const [name, event] of Object.entries(sources)) {
    it.effect(name, () =>
      Effect.gen(function* () {
        const server = yield* HttpServer.HttpServer
        const port = "port" in server.address ? server.address.port : 0
        const handle = yield* Service.handler
        const [forNode, forLambda] = [asked(yield* partner, name), asked(yield* partner, name)]
        for (const [place, one] of forLambda.entries()) {
          const other = forNode[place] ?? one
          const there = yield* Effect.promise(() => overSocket(port, other))
          const here = Service.told(yield* Effect.promise(() => handle(event(one), Service.minute)))
          assert.deepStrictEqual(comparable(here), comparable(there), `${one.method} ${one.target}`)
        }
        yield* Effect.promise(handle.dispose)
      })
    )
  }
})
