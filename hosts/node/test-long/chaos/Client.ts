/**
 * A partner's client that tries one server after the other until a server accepts or refuses the request. The client
 * sends an idempotency key. Every response must be complete: a success or an error envelope. A response may end early
 * only if its server died.
 */
import { randomUUID } from "node:crypto"
import { setTimeout as sleep } from "node:timers/promises"
import type { RandomSource } from "../Randomness.ts"
import type { FleetProcess } from "./Fleet.ts"

export interface ChaosApiResponse {
  readonly status: number
  // biome-ignore lint/suspicious/noExplicitAny: the tests assert the shape of the JSON
  readonly body: any
}

interface Break {
  readonly told: string
  readonly server: FleetProcess
  readonly from: number
  readonly until: number
}

const timeoutMs = 90_000
/** The timeout is longer than the longest fault, so that the client waits for every response that can still arrive. */
const longest = 60_000

export class ChaosClient {
  readonly tally = { requests: 0, succeeded: 0, refused: 0, unavailable: 0, broken: 0, replayed: 0, slowest: 0 }
  readonly mistakes: Array<string> = []
  private readonly breaks: Array<Break> = []
  private readonly servers: ReadonlyArray<FleetProcess>
  private readonly random: RandomSource

  constructor(servers: ReadonlyArray<FleetProcess>, random: RandomSource) {
    this.servers = servers
    this.random = random
  }

  post(path: string, key: string, body: unknown): Promise<ChaosApiResponse> {
    return this.until(path, {
      method: "POST",
      body: JSON.stringify(body),
      headers: { "x-api-key": key, "content-type": "application/json", "idempotency-key": randomUUID() }
    })
  }

  get(path: string, key: string): Promise<ChaosApiResponse> {
    return this.until(path, { headers: { "x-api-key": key } })
  }

  /** Returns the responses that ended early although their server was running. */
  unexplained(): ReadonlyArray<string> {
    return this.breaks.filter(({ from, server, until }) => !server.wasAway(from, until)).map(({ told }) => told)
  }

  private async until(path: string, init: RequestInit): Promise<ChaosApiResponse> {
    const seen: Array<string> = []
    for (const end = Date.now() + timeoutMs; Date.now() < end; ) {
      const from = Date.now()
      const ending = await this.once(path, init)
      seen.push(`${ending?.status ?? "broken"} ${ending?.body.error?.code ?? ""} after ${Date.now() - from} ms`)
      if (ending !== null && ending.status < 500 && !isBusy(ending)) return ending
      await sleep(this.random.between(50, 400))
    }
    this.mistakes.push(`${path}: no answer within ${timeoutMs} ms: ${seen.slice(-8).join(", ")}`)
    return { status: 0, body: {} }
  }

  private async once(path: string, init: RequestInit): Promise<ChaosApiResponse | null> {
    const server = this.servers[this.random.whole(0, this.servers.length - 1)] as FleetProcess
    const from = Date.now()
    this.tally.requests += 1
    const told = `${init.method ?? "GET"} ${path} at ${new Date(from).toISOString()}`
    try {
      const response = await fetch(`${server.place.root}/partner/v1${path}`, {
        ...init,
        signal: AbortSignal.timeout(longest)
      })
      const text = await response.text()
      const body = JSON.parse(text)
      const { status } = response
      this.tally.slowest = Math.max(this.tally.slowest, Date.now() - from)
      if (!isWhole(status, body)) this.mistakes.push(`${told} was answered ${status} ${text.slice(0, 200)}`)
      if (response.headers.has("idempotency-replayed")) this.tally.replayed += 1
      this.tally[status < 300 ? "succeeded" : status < 500 ? "refused" : "unavailable"] += 1
      return { status, body }
    } catch (cause) {
      this.tally.broken += 1
      this.breaks.push({ told: `${told}: ${why(cause)}`, server, from, until: Date.now() })
      return null
    }
  }
}

const why = (cause: unknown): string =>
  cause instanceof Error ? `${cause.message} ${cause.cause === undefined ? "" : why(cause.cause)}` : String(cause)

const isWhole = (status: number, body: ChaosApiResponse["body"]): boolean =>
  status < 300
    ? body.success === true && body.data !== undefined
    : body.success === false && typeof body.error.code === "string" && typeof body.error.message === "string"

/**
 * Returns whether the server is busy, for example with an earlier request with the same idempotency key. A refusal
 * because of a quota does not mean that the server is busy.
 */
const isBusy = ({ body, status }: ChaosApiResponse): boolean =>
  status === 429 && body.error.details?.quota === undefined
