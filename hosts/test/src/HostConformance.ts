/**
 * Checks that a host returns the same responses as the standalone Node server. The suite starts a Node server with the
 * same routes, and sends the same requests to the host and to this server. Each pair of responses must have the same
 * status, headers and body, except for dates, ids and similar values. The suite is for the hosts of this repository and
 * for embedders that mount the service in their own server. The suite needs no test runner.
 */
import { deepStrictEqual } from "node:assert/strict"
import { createServer, request } from "node:http"
import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import { layerWithoutServerSpans } from "@partner-commentary/server/creator/CreatorRequest"
import { parseServicePathPrefix } from "@partner-commentary/server/http/Address"
import * as WebRequest from "@partner-commentary/server/http/WebRequest"
import * as Routes from "@partner-commentary/server/Routes"
import * as Effect from "effect/Effect"
import * as HttpRouter from "effect/http/HttpRouter"
import * as HttpServer from "effect/http/HttpServer"
import * as Layer from "effect/Layer"
import * as Application from "./Application.ts"
import {
  type HostCapability,
  type HostComparisonRequest,
  makeConformanceRequests,
  type SeededHostPartner
} from "./HostRequests.ts"
import { Mailbox } from "./Mailbox.ts"
import { ScriptedGenerator } from "./ScriptedGenerator.ts"
import * as Seed from "./Seed.ts"

export interface HostResponse {
  readonly status: number
  /** Header names are in lower case. */
  readonly headers: Readonly<Record<string, string>>
  readonly bytes: Uint8Array
}

export type SendHostRequest = (asked: HostComparisonRequest) => Promise<HostResponse>

export interface ConformanceOptions {
  readonly ask: SendHostRequest
  /** The result of `seedPartner`, which you run on the host's database. */
  readonly partner: SeededHostPartner
  /** The host's API root. The suite sends each request below the path of the API root. */
  readonly apiRoot: string
  /** The request features that this host changes or drops before the service receives the request. */
  readonly lacks?: ReadonlyArray<HostCapability>
  /** The response headers that the host adds or changes for its own reasons, such as `x-powered-by`. */
  readonly ignoreHeaders?: ReadonlyArray<string>
  /** The targets that the host's router redirects before the service receives the request. */
  readonly redirects?: ReadonlyArray<ExpectedRedirect>
}

/** An example is `{ target: "/partner/v1/personas/", status: 308, location: "/partner/v1/personas" }`. */
export interface ExpectedRedirect {
  /** The target below the path of the API root, with its query. */
  readonly target: string
  readonly status: number
  readonly location: string
}

export interface ResponseDifference {
  /** The method and the target, such as `GET /healthz`. */
  readonly request: string
  readonly message: string
}

/**
 * Contains the differences between the host's responses and those of the Node server. A difference in one response can
 * cause differences in later responses.
 */
export class HostDiffers extends Error {
  override readonly name = "HostDiffers"
  readonly differences: ReadonlyArray<ResponseDifference>

  constructor(differences: ReadonlyArray<ResponseDifference>, total: number) {
    const all = differences.map(({ message }) => message).join("\n\n")
    super(`${differences.length} of ${total} requests are answered otherwise than by Node's server:\n\n${all}`)
    this.differences = differences
  }
}

/**
 * Creates the organizations, personas and keys that the requests need. The allow list of the key `local` contains only
 * `address`, the address from which the suite calls the host. Call this function before the first use of the service.
 */
export const seedPartner = Effect.fnUntraced(function* (address: string) {
  const owner = yield* Seed.createOrganization()
  const personas = yield* Effect.forEach([1, 2, 3, 4], () => Seed.createPersona(owner))
  const hasty = yield* Seed.createOrganization({ limits: { ...Seed.generousLimits, burst_per_minute: 3 } })
  const key = (yield* Seed.issueApiKey(owner)).text
  const hurried = (yield* Seed.issueApiKey(hasty)).text
  const local = (yield* Seed.issueApiKey(owner, { ipAllowList: [address] })).text
  const foreign = (yield* Seed.issueApiKey(owner, { ipAllowList: ["198.51.100.1"] })).text
  return { key, hurried, local, foreign, personas: personas.map(({ id }) => id) } satisfies SeededHostPartner
})

/** Resolves with the number of requests if all responses are equal, and otherwise rejects with `HostDiffers`. */
export const checkConformance = ({
  apiRoot,
  ask,
  ignoreHeaders = [],
  lacks = [],
  partner: theirs,
  redirects = []
}: ConformanceOptions): Promise<number> =>
  Effect.gen(function* () {
    const server = yield* HttpServer.HttpServer
    const expected = requestOverSocket({ port: "port" in server.address ? server.address.port : 0 })
    const below = parseServicePathPrefix(apiRoot)
    const able = ({ needs }: HostComparisonRequest) => needs === undefined || !lacks.includes(needs)
    const here = makeConformanceRequests(yield* seedPartner("127.0.0.1")).filter(able)
    const there = makeConformanceRequests(theirs).filter(able)
    const compared = comparable(lacks.includes("address"), new Set(ignoreHeaders.map((name) => name.toLowerCase())))
    const differences: Array<ResponseDifference> = []
    for (const [place, one] of there.entries()) {
      const request = `${one.method} ${one.target.slice(0, 80)}`
      const name = `${request} (${place + 1} of ${there.length})`
      const redirect = redirects.find(({ target }) => target === one.target)
      // The host's router answers a redirected request, so the host's service does not receive the request. The suite
      // sends no redirected request to the Node server, so that both services count the same number of requests for the
      // rate limits.
      const other =
        redirect ?? (yield* sendHostRequest(expected, here[place] ?? one, `${name} is not answered by Node's server`))
      const message = yield* Effect.promise(() =>
        ask({ ...one, target: `${below}${one.target}` }).then(
          (told) =>
            "target" in other
              ? findRedirectDifference(told, other, name)
              : difference(compared(told), compared(other), `${name} is answered otherwise than by Node's server`),
          (cause: unknown) => `${name} is not answered: ${cause}`
        )
      )
      if (message !== undefined) differences.push({ request, message })
    }
    if (differences.length > 0) return yield* Effect.die(new HostDiffers(differences, there.length))
    return there.length
  }).pipe(Effect.provide(reference(apiRoot)), Effect.runPromise)

const sendHostRequest = (ask: SendHostRequest, one: HostComparisonRequest, message: string) =>
  Effect.promise(() =>
    ask(one).catch((cause: unknown) => {
      throw new Error(`${message}: ${cause}`, { cause })
    })
  )

const difference = (actual: object, expected: object, message: string): string | undefined => {
  try {
    deepStrictEqual(actual, expected)
    return undefined
  } catch (error) {
    return `${message}:\n${error instanceof Error ? error.message : error}`
  }
}

const findRedirectDifference = (
  { headers, status }: HostResponse,
  { location, ...expected }: ExpectedRedirect,
  name: string
) =>
  status === expected.status && headers["location"] === location
    ? undefined
    : `${name} is answered by ${status} to ${headers["location"]}, instead of ${expected.status} to ${location}`

const quiet = { disableLogger: true, disableListenLog: true }

const reference = (apiRoot: string) =>
  HttpRouter.serve(Routes.layerOwnRouter, { routerConfig: Routes.routerConfig, ...quiet }).pipe(
    Layer.provideMerge(NodeHttpServer.layer(createServer, { port: 0, host: "127.0.0.1" })),
    Layer.provide(layerWithoutServerSpans),
    Layer.provideMerge(Application.layer({ apiRoot, outside: Layer.merge(Mailbox.layer, ScriptedGenerator.layer) }))
  )

/** Sends requests to a server on this machine. */
export const requestOverSocket =
  ({ port }: { readonly port: number }): SendHostRequest =>
  ({ body, headers = [], method, target: path }) => {
    const ask = (): Promise<HostResponse> =>
      new Promise((resolve, reject) => {
        const fields = ["Host", "commentary.example", ...headers.flat()]
        const sent = request({ port, host: "127.0.0.1", method, path, setHost: false, headers: fields })
        sent.on("response", (response) => {
          const chunks: Array<Buffer> = []
          response.on("data", (chunk) => chunks.push(chunk))
          response.on("error", reject)
          response.on("end", () => {
            const told = response.headers as Record<string, string>
            resolve({ status: response.statusCode ?? 0, headers: told, bytes: Buffer.concat(chunks) })
          })
        })
        // Repeat a request that failed on a reused connection. The server may have closed the connection after the
        // previous request, for example because the server did not read that request's body.
        sent.on("error", (error) => (sent.reusedSocket ? resolve(ask()) : reject(error)))
        sent.end(body)
      })
    return ask()
  }

/**
 * Sends requests to a function that takes a web Request. `fetch` also gets the original target, because a web Request
 * normalizes dots in the path.
 */
export const requestWithFetch =
  (
    fetch: (request: Request, target: string) => Promise<Response>,
    origin = "http://commentary.example"
  ): SendHostRequest =>
  async ({ body, headers = [], method, target }) => {
    const init = { method, headers: headers.map(([name, value]): [string, string] => [name, value]) }
    const sent = body === undefined || body.length === 0 ? {} : { body: new Uint8Array(Buffer.from(body)) }
    const response = await fetch(WebRequest.make(`${origin}${target}`, { ...init, ...sent }), target)
    const bytes = new Uint8Array(await response.arrayBuffer())
    return { status: response.status, headers: Object.fromEntries(response.headers), bytes }
  }

/** The suite does not compare these headers, which describe the connection or the transfer of the body. */
const passing = new Set(["date", "connection", "keep-alive", "transfer-encoding", "content-length"])
/** The headers whose value is a number of seconds. */
const timed = new Set(["retry-after", "x-ratelimit-reset"])

const uuid = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g
const cursor = /(?<="next_cursor":")[^"]+/g
const moment = /\d{4}-\d{2}-\d{2}T[\d:.]+Z/g
const seconds = /(?<="retry_after":)\d+|(?<=[Tt]ry again in )\d+/g

/**
 * Reduces a response to the parts that must be equal on all hosts. `isUncounted` means that the host does not know the
 * callers' addresses. A host without callers' addresses does not count calls by address, so its rate-limit headers
 * differ.
 */
const comparable =
  (isUncounted: boolean, ignored: ReadonlySet<string>) =>
  ({ bytes, headers, status }: HostResponse) => ({
    status,
    headers: Object.fromEntries(
      Object.entries(headers)
        .filter(([name]) => !passing.has(name) && !ignored.has(name) && !(isUncounted && name.startsWith("ratelimit")))
        .map(([name, value]) => {
          const isNumber = timed.has(name) || (isUncounted && name === "x-ratelimit-remaining")
          // ETags differ between hosts: a topic's ETag contains the time of its last change, and a list's ETag contains
          // the topics' ids.
          if (name === "etag") return [name, value.replace(/^W\/"[\w.]+"$/, "TAG")]
          return [name, isNumber ? value.replace(/\d+/, "N") : value.replace(uuid, "ID").replace(/;t=\d+/g, ";t=N")]
        })
        .sort()
    ),
    text: Buffer.from(bytes)
      .toString("latin1")
      .replace(uuid, "ID")
      .replace(moment, "MOMENT")
      .replace(cursor, "CURSOR")
      .replace(seconds, "N")
  })
