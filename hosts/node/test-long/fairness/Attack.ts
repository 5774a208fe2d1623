/**
 * An attack consists of requests and of the way in which its clients use their connections. `Attacker.ts` runs an
 * attack.
 */
import type { SendAttackRequest } from "./Attacker.ts"
import type { FairnessScene } from "./Seed.ts"

/**
 * `asks` reads each response and sends the next request. `leaves` closes the connection before the response arrives.
 * `pipelines` sends as many requests as one connection allows, and reads nothing. `trickles` reads the response slowly.
 */
export type AttackManner = "asks" | "leaves" | "pipelines" | "trickles"

/**
 * With `raised`, the attacker's limits are so high that only other safeguards protect other organizations. `standard`
 * is the standard plan.
 */
export type AttackLimits = "standard" | "raised"

export type AttackCredential = "live" | "test" | "dashboard" | "none"

export interface AttackRequest {
  readonly method: string
  readonly path: string
  readonly by: AttackCredential
  /** The API key that the request uses instead of one of the attacker's keys. */
  readonly key?: string
  readonly body?: string
  readonly idempotencyKey?: string
}

export interface Attack {
  readonly manner?: AttackManner
  /** The number of concurrent connections, by default 48. */
  readonly connections?: number
  /** The attack's duration in milliseconds, by default 1500. */
  readonly lasts?: number
  /** The kind of limits with which the attack runs. By default the attack runs with both kinds of limits. */
  readonly limits?: AttackLimits
  /** Creates the resources to which the requests refer before the attack begins. */
  readonly prepare?: (scene: FairnessScene, call: SendAttackRequest) => Promise<ReadonlyArray<string>>
  readonly ask: (scene: FairnessScene, nth: number, prepared: ReadonlyArray<string>) => AttackRequest
}

export const connectionCountOf = ({ connections = 48 }: Attack): number => connections

/** Returns the nth element of a list. After the last element, the list starts again. */
export const nthOfCycle = <A>(list: ReadonlyArray<A>, nth: number): A => list[nth % list.length] as A

export const getRequest = (path: string, by: AttackCredential = "live"): AttackRequest => ({
  method: "GET",
  path: `/partner/v1${path}`,
  by
})

export const requestWithBody = (
  method: string,
  path: string,
  body: unknown,
  by: AttackCredential = "live"
): AttackRequest => ({
  method,
  path: `/partner/v1${path}`,
  by,
  body: typeof body === "string" ? body : JSON.stringify(body)
})
