/** An attack: its requests, and how its clients use their connections. `Attacker.ts` runs it. */
import type { SendAttackRequest } from "./Attacker.ts"
import type { FairnessSetup } from "./Seed.ts"

/**
 * `asks` reads each response and sends the next request. `leaves` closes the connection before the response arrives.
 * `pipelines` sends as many requests as one connection allows and reads nothing. `trickles` reads the response
 * slowly.
 */
export type AttackMethod = "asks" | "leaves" | "pipelines" | "trickles"

/** The limits of the standard plan, or limits so high that only other safeguards can protect other organizations. */
export type AttackLimits = "standard" | "raised"

export type AttackCredential = "live" | "test" | "dashboard" | "none"

export interface AttackRequest {
  readonly method: string
  readonly path: string
  readonly by: AttackCredential
  /** The credential that the attack uses instead of one of the attacker's keys. */
  readonly key?: string
  readonly body?: string
  readonly idempotencyKey?: string
}

export interface Attack {
  readonly manner?: AttackMethod
  /** Concurrent connections. Default: 48. */
  readonly connections?: number
  /** Milliseconds. Default: 1500. */
  readonly lasts?: number
  /** The limits with which the attack runs; both by default. */
  readonly limits?: AttackLimits
  /** Creates the resources to which the requests refer, before the attack begins. */
  readonly prepare?: (scene: FairnessSetup, call: SendAttackRequest) => Promise<ReadonlyArray<string>>
  readonly ask: (scene: FairnessSetup, nth: number, prepared: ReadonlyArray<string>) => AttackRequest
}

export const connectionCountOf = ({ connections = 48 }: Attack): number => connections

/** Returns the nth element of a list, starting again at its end. */
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
