/** What an attack is: which requests it makes, and how its clients treat the connection. Running it is Attacker's. */
import type { Call } from "./Attacker.ts"
import type { Scene } from "./Seed.ts"

/**
 * `asks`: reads each answer and asks again. `leaves`: drops the connection before the answer comes. `pipelines`: sends as many
 * requests as one connection may have and reads nothing. `trickles`: reads a little of the answer at a time.
 */
export type Manner = "asks" | "leaves" | "pipelines" | "trickles"

/** The standard plan's limits, or limits so high that only other bounds protect other tenants. */
export type Limits = "standard" | "raised"

export type Credential = "live" | "test" | "dashboard" | "none"

export interface Ask {
  readonly method: string
  readonly path: string
  readonly by: Credential
  /** Instead of a key of the attacker's. */
  readonly key?: string
  readonly body?: string
  readonly idempotencyKey?: string
}

export interface Attack {
  readonly manner?: Manner
  /** Connections at one time; 48 unless told otherwise. */
  readonly connections?: number
  /** Milliseconds; 1500 unless told otherwise. */
  readonly lasts?: number
  /** It runs with these limits alone. */
  readonly limits?: Limits
  /** What the requests name, made before the attack begins. */
  readonly prepare?: (scene: Scene, call: Call) => Promise<ReadonlyArray<string>>
  readonly ask: (scene: Scene, nth: number, prepared: ReadonlyArray<string>) => Ask
}

export const connectionsOf = ({ connections = 48 }: Attack): number => connections

/** The nth of a list that is used again and again. */
export const cycled = <A>(list: ReadonlyArray<A>, nth: number): A => list[nth % list.length] as A

export const get = (path: string, by: Credential = "live"): Ask => ({ method: "GET", path: `/partner/v1${path}`, by })

export const send = (method: string, path: string, body: unknown, by: Credential = "live"): Ask => ({
  method,
  path: `/partner/v1${path}`,
  by,
  body: typeof body === "string" ? body : JSON.stringify(body)
})
