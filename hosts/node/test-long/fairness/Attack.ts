/** An attack: its requests, and how its clients use their connections. `Attacker.ts` runs it. */
import type { Call } from "./Attacker.ts"
import type { Scene } from "./Seed.ts"

/**
 * `asks` reads each response and sends the next request. `leaves` closes the connection before the response arrives. `pipelines`
 * sends as many requests as one connection allows and reads nothing. `trickles` reads the response slowly.
 */
export type Manner = "asks" | "leaves" | "pipelines" | "trickles"

/** The standard plan's limits, or limits so high that only other safeguards protect other tenants. */
export type Limits = "standard" | "raised"

export type Credential = "live" | "test" | "dashboard" | "none"

export interface Ask {
  readonly method: string
  readonly path: string
  readonly by: Credential
  /** Used in place of one of the attacker's keys. */
  readonly key?: string
  readonly body?: string
  readonly idempotencyKey?: string
}

export interface Attack {
  readonly manner?: Manner
  /** Concurrent connections. Default: 48. */
  readonly connections?: number
  /** Milliseconds. Default: 1500. */
  readonly lasts?: number
  /** The attack runs only with these limits. */
  readonly limits?: Limits
  /** Creates what the requests refer to, before the attack begins. */
  readonly prepare?: (scene: Scene, call: Call) => Promise<ReadonlyArray<string>>
  readonly ask: (scene: Scene, nth: number, prepared: ReadonlyArray<string>) => Ask
}

export const connectionsOf = ({ connections = 48 }: Attack): number => connections

/** The nth element of a list that repeats. */
export const cycled = <A>(list: ReadonlyArray<A>, nth: number): A => list[nth % list.length] as A

export const get = (path: string, by: Credential = "live"): Ask => ({ method: "GET", path: `/partner/v1${path}`, by })

export const send = (method: string, path: string, body: unknown, by: Credential = "live"): Ask => ({
  method,
  path: `/partner/v1${path}`,
  by,
  body: typeof body === "string" ? body : JSON.stringify(body)
})
